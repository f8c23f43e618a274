"""A search as pages, exports and tables read it: its trace, and the words behind the ids. No torch here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headscope.analysis.records.attention_maps import Token, Tokens
from headscope.analysis.records.labels import Label, labels
from headscope.analysis.records.table import Table
from headscope.model.search.constraints import Constraints
from headscope.model.search.settings import Sampling, SearchSettings, nothing_found
from headscope.model.search.trace import SearchTrace

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SearchRecord(Table):
    """The search of one sentence, or samples of its translations, in words."""

    checkpoint: str
    source: Tokens
    trace: SearchTrace
    settings: SearchSettings
    sampling: Sampling | None
    """How translations were drawn; None: they were searched."""
    constraints: Constraints
    """What was prescribed and forbidden, the pieces that the vocabulary prescribes included."""
    end: int
    """Id of the end of sentence."""
    pieces: Mapping[int, str]
    """How the vocabulary spells every piece of the trace, by id."""
    live_texts: tuple[tuple[str, ...], ...]
    """What each live hypothesis of each step reads so far: `live_texts[c.step][c.parent]` is what `c` goes on from."""
    texts: tuple[str, ...]
    """The text of each hypothesis."""

    @property
    def text(self) -> str:
        """The best translation; empty where there is none, as `problem` says."""
        return self.texts[0] if self.texts else ""

    @property
    def problem(self) -> str | None:
        """Why there is no translation; None: there is one."""
        return None if self.texts else nothing_found(self.settings)

    def label(self, piece: int) -> Label:
        """A piece as it is shown."""
        return piece_label(self.pieces[piece], piece, special=piece == self.end)

    def to_pandas(self) -> "DataFrame":
        """One row a candidate, steps and rows from 0; margin and drawn are missing where there are none."""
        import pandas as pd

        rows = [
            {
                "step": c.step,
                "parent": c.parent,
                "prefix": self.live_texts[c.step][c.parent],
                "piece": self.pieces[c.piece],
                "id": c.piece,
                "log_prob": c.log_prob,
                "total": c.total,
                "score": c.score,
                "fate": str(c.fate),
                "margin": c.margin,
                "forced": c.forced,
                "drawn": c.drawn,
            }
            for step in self.trace.steps
            for c in step.candidates
        ]
        return pd.DataFrame(rows).astype({"margin": float, "drawn": float})

    @property
    def nbytes(self) -> int:
        """Memory that it takes, roughly."""
        steps = self.trace.steps
        known = sum(len(p.pieces) for step in steps for p in step.predictions)
        return 250 * sum(len(step.candidates) for step in steps) + 40 * known + sum(map(len, sum(self.live_texts, ())))


def piece_label(spelt: str, piece: int, *, special: bool) -> Label:
    """A piece that stands alone, as it is shown."""
    return labels(Tokens(spelt, (Token(spelt, piece, (0, len(spelt)), special=special),)))[0]
