"""How much of every prediction comes from the source, and how much from the translation so far.

By ALTI+ (Ferrando et al. 2022) it is the share of the source in the row that predicts. By a method of attribution, as
integrated gradients, it is the part that source tokens have in the sizes of all attributions of a row: of what is
explained, positive or negative. The two are different questions and are never mixed. Attention rollout says nothing
here: its share of the source is the same for every token, see `rollout`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.records.table import Table
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame

BOTH = ("ALTI+", "integrated gradients")
"""What the share is taken by, unless methods are named."""


@dataclass(frozen=True, slots=True, eq=False)
class SourceShare(Table):
    """The share of the source in every prediction, from 0 to 1; the rest is the target so far, start symbol included.

    NaN where a method attributes nothing to either.
    """

    predicts: Tokens
    by_method: Mapping[str, np.ndarray]
    """[T] each."""
    log_probs: np.ndarray
    """[T], in nats."""

    def to_pandas(self) -> "DataFrame":
        """One row a predicted piece: token, log_prob, and a column a method."""
        import pandas as pd

        pieces = [token.piece for token in self.predicts.tokens]
        return pd.DataFrame({"token": pieces, "log_prob": self.log_probs} | dict(self.by_method))


def source_share(
    translator: Translator,
    pair: SentencePair,
    methods: Sequence[str] = BOTH,
    *,
    progress: Progress | None = None,
) -> SourceShare:
    """The share of the source in every prediction of a pair, of its log-probability where a method explains something.

    Args:
        methods: names of methods of attribution, as `attribute` takes them.

    Raises:
        HeadscopeError: no method is named, or one that there is not.
        Cancelled: `progress` wants it to stop.
    """
    if not methods:
        raise HeadscopeError(f"no method is named: choose {' or '.join(BOTH)}")
    found = {name: attribute(translator, pair, name, progress=progress) for name in methods}
    first = found[methods[0]]
    return SourceShare(first.predicts, {name: each.source_share for name, each in found.items()}, first.values)
