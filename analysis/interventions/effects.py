"""What an intervention does to a translation: to the probability and attention of one, and to the one that is found.

`T` target rows.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from headscope.analysis.capture.attention import record, target_tokens
from headscope.analysis.capture.forced import forced_batch, log_probs, to_numpy
from headscope.analysis.capture.pairs import SentencePair, found_pair
from headscope.analysis.records.attention_maps import AttentionMaps, Tokens
from headscope.analysis.records.table import Table
from headscope.model.network.probe import Probe, Probes
from headscope.model.progress import Progress, Silent
from headscope.model.search.settings import SearchSettings
from headscope.model.translator import Translation, Translator

if TYPE_CHECKING:
    from pandas import DataFrame


PARTS = 3
"""Of a what-if: a translation without the intervention, one with it, and what becomes of the first."""


@dataclass(frozen=True, slots=True, eq=False)
class Effect(Table):
    """Log-probabilities of one target, in nats, without and with an intervention."""

    predicts: Tokens
    before: np.ndarray
    """[T]."""
    after: np.ndarray
    """[T]."""

    @property
    def change(self) -> np.ndarray:
        """[T]: after minus before; negative where the intervention hurts."""
        return self.after - self.before

    @property
    def total(self) -> float:
        """Change of the log-probability of the whole target."""
        return float(self.change.sum(dtype=float))

    def to_pandas(self) -> "DataFrame":
        """One row a predicted token: token, before, after, change."""
        import pandas as pd

        pieces = [token.piece for token in self.predicts.tokens]
        return pd.DataFrame({"token": pieces, "before": self.before, "after": self.after, "change": self.change})


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A sentence translated without and with an intervention."""

    before: Translation
    after: Translation
    maps_before: AttentionMaps
    """Of the translation found without it."""
    maps_after: AttentionMaps
    """Of the same one, read with it."""

    @property
    def effect(self) -> Effect:
        """On the translation found without it."""
        return Effect(self.maps_before.predicts, self.maps_before.log_probs, self.maps_after.log_probs)


@torch.inference_mode()
def effect(translator: Translator, pair: SentencePair, probe: Probe) -> Effect:
    """Read a pair twice, teacher-forced, once with the probe."""
    batch = forced_batch(translator, [pair])
    before, after = (to_numpy(log_probs(translator.model, batch, probe=given)[0]) for given in (None, probe))
    return Effect(target_tokens(translator, pair)[1], before, after)


def what_if(
    translator: Translator,
    source: str,
    probe: Probe,
    *,
    settings: SearchSettings | None = None,
    progress: Progress | None = None,
) -> WhatIf:
    """Translate a sentence twice, once with the probe, and read the first translation twice likewise.

    Args:
        progress: told, at every step of either search, how many of the `PARTS` of the work are done.

    Raises:
        HeadscopeError: the sentence is blank or too long for the model.
        Cancelled: `progress` wants it to stop.
    """
    translator.source(source)  # says what is wrong with it
    progress = progress or Silent()
    before, after = (
        translator.translate([source], settings=settings, probe=Probes(given, _Watch(done, progress)))[0]
        for done, given in enumerate((Probe(), probe))
    )
    progress.update(2, PARTS)
    pair = found_pair(before)
    maps_before, maps_after = (record(translator, pair, probe=given) for given in (None, probe))
    progress.update(PARTS, PARTS)
    return WhatIf(before, after, maps_before, maps_after)


class _Watch(Probe):
    """Reports whenever it sees logits."""

    def __init__(self, done: int, progress: Progress) -> None:
        self._done, self._progress = done, progress

    def logits(self, logits: Tensor) -> Tensor:
        self._progress.update(self._done, PARTS)
        return logits
