"""What is explained: one number a target row, or one of the whole translation, as a function of rows of logits.

`R` rows of a batch, `T` target rows, `D` width of the model, `V` target vocabulary. A file in `values` makes each.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from jaxtyping import Float, Int
from torch import Tensor

from headscope.analysis.attribution.inputs import Inputs
from headscope.analysis.capture.pairs import SentencePair
from headscope.model.translator import Translator

Value = Callable[[Float[Tensor, "R V"], Int[Tensor, " T"], int], Float[Tensor, " R"]]
"""The number of one target row, from its logits in a batch of inputs, what all rows predict, and its index."""


@dataclass(frozen=True, slots=True)
class Explained:
    """A number that attributions are of."""

    name: str
    meaning: str
    unit: str
    value: Value
    first: int | None = None
    """None: every target row has a number. Otherwise there is one: the sum over the rows from this one on."""
    columns: int | None = None
    """How many target tokens, from the start symbol on, it is put down to; None: all that were read before it."""
    minus: tuple[Translator, SentencePair] | None = None
    """What the same number is taken of, and subtracted: another model, or another translation."""

    def outputs(self, rows: int) -> tuple[range, ...]:
        """The target rows that each number is the sum of."""
        if self.first is None:
            return tuple(range(row, row + 1) for row in range(rows))
        return (range(self.first, rows),)

    def of(self, inputs: Inputs, states: Float[Tensor, "R n D"], output: range) -> Float[Tensor, " R"]:
        """One of these numbers, from the states of the decoder; the subtrahend is not in it."""
        return self.of_rows(inputs, states.unbind(1), output)

    def of_rows(self, inputs: Inputs, states: Sequence[Float[Tensor, "R D"]], output: range) -> Float[Tensor, " R"]:
        """The same from the states of the target rows one by one."""
        values = [self.value(inputs.logits(states[row]), inputs.predicts, row) for row in output]
        return sum(values[1:], start=values[0])


@dataclass(frozen=True, slots=True)
class Against:
    """What a contrast is drawn with."""

    text: str | None = None
    """Of a piece, or of a translation."""
    translator: Translator | None = None


@dataclass(frozen=True, slots=True)
class Explainable:
    """Something that can be explained, of any sentence pair."""

    name: str
    meaning: str
    unit: str
    make: Callable[[Translator, SentencePair, Against], Explained]
    """Raises a HeadscopeError where what it needs is missing or does not fit."""
    against: Literal["piece", "translation", "checkpoint"] | None = None
    """What has to be, or may be, given to contrast it with."""


def explainable(explained: Explained) -> Explainable:
    """What is the same for every sentence pair."""
    return Explainable(explained.name, explained.meaning, explained.unit, lambda *_: explained)
