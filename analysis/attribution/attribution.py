"""The record of an attribution: what every source token, and every earlier target token, did for each target token.

`O` numbers that are explained, as a rule one a target row; `S` source tokens, `T` target tokens, `D` components of what
one token did: the width of the model, or 1. No torch here.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.records.table import Table
from headscope.analysis.records.words import grouped, joined, starts

if TYPE_CHECKING:
    from pandas import DataFrame

Reduction = Literal["sum", "norm"]
"""Of a token's components: their sum, which keeps the sign, or their Euclidean norm."""

ERROR_TO_WARN_OF = 0.05
"""Relative error of completeness above which attributions are shown with a warning."""


MOST_MISSED = 0.05
"""Relative error of completeness above which attributions come with a warning."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How an attribution was made."""

    method: str
    explained: str
    """What it explains; its numbers are in that unit where the method is complete."""
    baseline: str | None = None
    """What tokens were compared with; None: the method compares with nothing."""
    steps: int | None = None
    """Passes of an integral, or samples of a mean."""


@dataclass(frozen=True, slots=True, eq=False)
class Attribution(Table):
    """Row t is about the piece that row t predicts; columns are the source and what row t has read.

    Where one number of the whole translation is explained, there is one row, and one token in `predicts`.
    """

    source: Tokens
    reads: Tokens
    predicts: Tokens
    from_source: np.ndarray
    """[O, S, D]."""
    from_target: np.ndarray
    """[O, T, D]: 0 where the column comes after the row."""
    values: np.ndarray
    """[O]: what is explained."""
    at_baseline: np.ndarray | None
    """[O]: the same where all tokens are the baseline's; None: the method promises no sum."""
    settings: Settings

    def reduced(self, reduction: Reduction = "sum") -> tuple[np.ndarray, np.ndarray]:
        """One number a token: [O, S] of the source, and [O, T] of the target so far."""
        if reduction == "sum":
            return self.from_source.sum(-1), self.from_target.sum(-1)
        return np.linalg.norm(self.from_source, axis=-1), np.linalg.norm(self.from_target, axis=-1)

    @property
    def error(self) -> np.ndarray | None:
        """[O]: of completeness (Sundararajan et al. 2017, section 3); None where no sum is promised.

        |Σ a − Δ| / max(|Δ|, Σ |a|), where a are the attributions of source and target together and Δ is the value minus
        that at the baseline. The greater of two scales, for Δ is near 0 where two pieces are contrasted.
        """
        if self.at_baseline is None:
            return None
        both = np.concatenate(self.reduced(), axis=1)
        due = self.values - self.at_baseline
        scale = np.maximum(np.abs(due), np.abs(both).sum(-1))
        missed = np.abs(both.sum(-1) - due)
        return np.divide(missed, scale, out=np.zeros_like(missed), where=scale > 0)

    @property
    def warning(self) -> str | None:
        """What has to be said beside the numbers where sums are wrong by more than 5 %; None: nothing."""
        if self.error is None or not (wrong := self.error > MOST_MISSED).any():
            return None
        of = f"{wrong.sum():,} of {len(wrong):,} numbers" if len(wrong) > 1 else "the number"
        return (
            f"attributions of {of} miss what they should sum to by more than {100 * MOST_MISSED:.0f} % "
            f"(up to {100 * self.error.max():.0f} %): take more steps, or compare with another baseline"
        )

    @property
    def source_share(self) -> np.ndarray:
        """[O]: of the sizes of all attributions in a row, the part that the source has; NaN in a row of zeros."""
        of_source, of_target = (np.abs(part).sum(-1) for part in self.reduced())
        total = of_source + of_target
        return np.divide(of_source, total, out=np.full_like(total, np.nan), where=total > 0)

    def words(self) -> "Attribution":
        """The same of words: rows and columns are summed, for log-probabilities of pieces add up.

        Raises:
            HeadscopeError: texts are symbols that bear no mark of where a word goes on.
        """
        source, reads, predicts = (grouped(tokens) for tokens in (self.source, self.reads, self.predicts))
        rows = starts(predicts.groups)

        def added(array: np.ndarray, columns: list[range]) -> np.ndarray:
            return np.add.reduceat(np.add.reduceat(array, starts(columns), axis=1), rows, axis=0)

        return replace(
            self,
            source=joined(source),
            reads=joined(reads),
            predicts=joined(predicts),
            from_source=added(self.from_source, source.groups),
            from_target=added(self.from_target, reads.groups),
            values=np.add.reduceat(self.values, rows),
            at_baseline=None if self.at_baseline is None else np.add.reduceat(self.at_baseline, rows),
        )

    def to_pandas(self) -> "DataFrame":
        """One row a cell: side, row, column, predicts, token, attribution (the sum of its components)."""
        import pandas as pd

        tables = []
        for side, numbers, tokens in zip(("source", "target"), self.reduced(), (self.source, self.reads), strict=True):
            row, column = (index.ravel() for index in np.indices(numbers.shape))
            table = pd.DataFrame({"side": side, "row": row, "column": column})
            table["predicts"] = [self.predicts.tokens[index].piece for index in row]
            table["token"] = [tokens.tokens[index].piece for index in column]
            tables.append(table.assign(attribution=numbers.ravel()))
        return pd.concat(tables, ignore_index=True)
