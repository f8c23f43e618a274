"""What a method of attribution is: a function from a question to what every token did. A file in `methods` holds each.

`O` numbers that are explained (one a target row, or one in all), `S` source pieces, `T` target rows, `D` components of
what a token did: the width of the model, or 1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from jaxtyping import Float
from torch import Tensor

from headscope.analysis.attribution.explained import Explained
from headscope.analysis.attribution.inputs import Inputs
from headscope.analysis.capture.pairs import SentencePair
from headscope.model.progress import Progress
from headscope.model.translator import Translator

Base = tuple[Float[Tensor, "S D"], Float[Tensor, "T D"]]
"""What tokens are compared with."""

Cost = Literal["one pass", "a pass a token", "many passes"]
COSTS: tuple[Cost, ...] = ("one pass", "a pass a token", "many passes")
"""What a sentence costs; the cheapest first, which is how methods are listed."""


class Found(NamedTuple):
    """What a method finds."""

    from_source: Float[Tensor, "O S D"]
    from_target: Float[Tensor, "O T D"]
    values: Float[Tensor, " O"]
    at_baseline: Float[Tensor, " O"] | None = None
    """None: the method promises no sum."""
    steps: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """All that a method is told."""

    translator: Translator
    pair: SentencePair
    inputs: Inputs
    explained: Explained
    base: Callable[[], Base]
    """Makes the baseline, for a method that compares with one."""
    steps: int | None
    """None: as many as it takes."""
    seed: int
    progress: Progress

    @property
    def outputs(self) -> tuple[range, ...]:
        """The target rows that each number is the sum of."""
        return self.explained.outputs(len(self.inputs.target))


@dataclass(frozen=True, slots=True)
class Method:
    """A way to attribute."""

    name: str
    meaning: str
    reference: str
    cost: Cost
    signed: bool
    """Whether the sum of a token's components has a sign that means something."""
    run: Callable[[Question], Found]
    compares: bool = False
    """Whether it compares with a baseline."""
    explains: bool = True
    """Whether it is about the number that is explained; False: about how the model's states come about, whatever that
    is."""
