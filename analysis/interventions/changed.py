"""A checkpoint with a change, as a translator of its own: whatever is asked of it is answered with the change in force.

So everything that takes a translator can be asked of both, and they can be compared. What needs the layers of a
Transformer refuses it: it would take the layers apart as they are, without the change.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import torch
from torch import Tensor, nn

from headscope.model.config import ModelConfig
from headscope.model.network.probe import Probe, Probes
from headscope.model.network.seq2seq import DecoderState, Seq2Seq
from headscope.model.sites import Capabilities, Side, Site
from headscope.model.translator import Translator


class ChangedModel:
    """A model whose every pass and every step goes by a probe; a further one sees what that leaves."""

    def __init__(self, model: Seq2Seq, change: Probe) -> None:
        """Share the parameters of `model`."""
        self._model, self._change = model, change

    def _with(self, probe: Probe | None) -> Probe:
        return self._change if probe is None else Probes(self._change, probe)

    @property
    def config(self) -> ModelConfig:
        """That of the model."""
        return self._model.config

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return self._model.device

    @property
    def output(self) -> nn.Linear:
        """That of the model."""
        return self._model.output

    @property
    def training(self) -> bool:
        """Whether the model is in training mode."""
        return self._model.training

    def sites(self) -> tuple[Site, ...]:
        """Those of the model."""
        return self._model.sites()

    def capabilities(self) -> Capabilities:
        """Those of the model."""
        return self._model.capabilities()

    def embed(self, side: Side, pieces: Tensor, *, first: int = 0, probe: Probe | None = None) -> Tensor:
        """What enters encoder or decoder, changed."""
        return self._model.embed(side, pieces, first=first, probe=self._with(probe))

    def encode(self, embedded: Tensor, present: Tensor, *, probe: Probe | None = None) -> Any:
        """What the decoder knows of the source, changed."""
        return self._model.encode(embedded, present, probe=self._with(probe))

    def decode(
        self, embedded: Tensor, memory: Any, *, written: Tensor | None = None, probe: Probe | None = None
    ) -> Tensor:
        """The states of a whole pass over targets, changed."""
        return self._model.decode(embedded, memory, written=written, probe=self._with(probe))

    def start(self, memory: Any) -> DecoderState:
        """The state in which nothing was read."""
        return self._model.start(memory)

    def step(self, pieces: Tensor, cache: Any, *, probe: Probe | None = None) -> Tensor:
        """One step of a search, changed."""
        return self._model.step(pieces, cache, probe=self._with(probe))

    def project(self, states: Tensor, *, probe: Probe | None = None) -> Tensor:
        """Logits, changed."""
        return self._model.project(states, probe=self._with(probe))

    def forward(
        self,
        source: Tensor,
        present: Tensor,
        target: Tensor,
        *,
        written: Tensor | None = None,
        probe: Probe | None = None,
    ) -> Tensor:
        """A teacher-forced pass, changed."""
        return self._model.forward(source, present, target, written=written, probe=self._with(probe))

    def train(self, mode: bool = True) -> Any:
        """As of the model, whose parameters these are; so with all that follows."""
        return self._model.train(mode)

    def eval(self) -> Any:
        """Evaluation."""
        return self._model.eval()

    def to(self, device: torch.device) -> Any:
        """To a device."""
        return self._model.to(device)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """With gradients or without."""
        return self._model.requires_grad_(requires_grad)

    def modules(self) -> Iterator[nn.Module]:
        """Those of the model."""
        return self._model.modules()

    def parameters(self) -> Iterator[nn.Parameter]:
        """Those of the model."""
        return self._model.parameters()

    def named_parameters(self) -> Iterator[tuple[str, nn.Parameter]]:
        """Those of the model."""
        return self._model.named_parameters()

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Any:
        """Into the model."""
        return self._model.load_state_dict(state_dict, strict)


class ChangedTranslator(Translator):
    """See `changed`."""

    def __init__(self, translator: Translator, change: Probe, name: str) -> None:
        card = replace(translator.card, name=name)
        super().__init__(ChangedModel(translator.model, change), translator.vocabulary, card)
        self._base, self._made = translator, change

    @cached_property
    def weights_digest(self) -> str:
        """Of the values of all parameters, and of what the change does."""
        return blake2b(f"{self._base.weights_digest} {self._made.describe()}".encode(), digest_size=16).hexdigest()

    @cached_property
    def _in_pieces(self) -> Translator:
        return ChangedTranslator(self._base.in_pieces(), self._made, self.card.name)


def changed(translator: Translator, change: Probe, *, name: str = "") -> Translator:
    """A checkpoint with a change in force, for whatever takes a translator.

    Args:
        change: heads removed, positions changed, or any other probe; it is asked in every pass, so it may keep nothing
            of one.
        name: what the changed one is called; blank: the checkpoint's name and what the change does.
    """
    return ChangedTranslator(translator, change, name or f"{translator.card.name}: {change.describe()}")
