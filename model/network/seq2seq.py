"""What translator, trainer, search, scoring, records and pages ask of a model, whatever its architecture.

`B` batch, `N` sentences, `R` rows of a search, `S` source pieces, `T` target pieces, `D` width of the model, `V` target
vocabulary.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from headscope.model.config import ModelConfig
from headscope.model.network.probe import Probe
from headscope.model.sites import Anatomy, Side


@runtime_checkable
class DecoderState(Protocol):
    """What a decoder keeps between steps."""

    @property
    def length(self) -> int:
        """Pieces a row that were read."""
        ...

    def select(self, rows: Int[Tensor, " r"]) -> None:
        """Go on with these rows, in this order; a row may be taken several times."""
        ...

    def keep_sentences(self, sentences: Int[Tensor, " n"]) -> None:
        """Drop the source side of all other sentences; the caller drops their rows with `select`."""
        ...

    def branch(self) -> "DecoderState":
        """A second one that begins where this one stands; what becomes of either does not touch the other."""
        ...


@runtime_checkable
class Module(Protocol):
    """What is used of torch's own `nn.Module`."""

    @property
    def training(self) -> bool: ...
    def train(self, mode: bool = True) -> Any: ...
    def eval(self) -> Any: ...
    def to(self, device: torch.device) -> Any: ...
    def requires_grad_(self, requires_grad: bool = True) -> Any: ...
    def modules(self) -> Iterator[nn.Module]: ...
    def parameters(self) -> Iterator[nn.Parameter]: ...
    def named_parameters(self) -> Iterator[tuple[str, nn.Parameter]]: ...
    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Any: ...


@runtime_checkable
class Seq2Seq(Module, Anatomy, Protocol):
    """Pieces of a source sentence in, logits over the next target piece out.

    Only the model knows what its memory and its states are made of. It holds nothing between calls.
    """

    @property
    def config(self) -> ModelConfig:
        """What it is made of."""
        ...

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        ...

    @property
    def output(self) -> nn.Linear:
        """What `project` applies; the loss of training takes its weights, for logits of a whole batch are many."""
        ...

    def embed(
        self,
        side: Side,
        pieces: Int[Tensor, "B T"],
        *,
        first: int = 0,
        probe: Probe | None = None,
    ) -> Float[Tensor, "B T D"]:
        """What enters encoder or decoder; the first column stands at position `first`."""
        ...

    def encode(
        self, embedded: Float[Tensor, "N S D"], present: Bool[Tensor, "N S"], *, probe: Probe | None = None
    ) -> Any:
        """What the decoder knows of the source. `present` is False where a sentence is padded."""
        ...

    def decode(
        self,
        embedded: Float[Tensor, "B T D"],
        memory: Any,
        *,
        written: Bool[Tensor, "B T"] | None = None,
        probe: Probe | None = None,
    ) -> Float[Tensor, "B T D"]:
        """The states of a whole pass over targets: one or several a source.

        `written` is False where a target is padded at its end, which only a decoder that looks ahead has to know.
        """
        ...

    def start(self, memory: Any) -> DecoderState:
        """The state in which nothing was read, with one row a sentence."""
        ...

    def step(self, pieces: Int[Tensor, " R"], cache: Any, *, probe: Probe | None = None) -> Float[Tensor, "R V"]:
        """Read one more piece a row, and give the logits of the piece after it."""
        ...

    def project(self, states: Float[Tensor, "*rows D"], *, probe: Probe | None = None) -> Float[Tensor, "*rows V"]:
        """Logits over the target vocabulary."""
        ...

    def forward(
        self,
        source: Int[Tensor, "N S"],
        present: Bool[Tensor, "N S"],
        target: Int[Tensor, "B T"],
        *,
        written: Bool[Tensor, "B T"] | None = None,
        probe: Probe | None = None,
    ) -> Float[Tensor, "B T V"]:
        """A teacher-forced pass: row t reads target piece t and gives the logits of the piece after it."""
        ...
