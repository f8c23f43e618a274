"""What every head of a checkpoint does over a corpus, kept with the checkpoint; and the roles that follow from it.

One sentence is an anecdote: a head is called positional, or said to rest on the end of sentence, by its profile over at
least a thousand. Each sentence counts once, however long it is.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from headscope.analysis.capture.attention import records
from headscope.analysis.capture.pairs import batches, corpus_pairs
from headscope.analysis.measures.head_measures import MEASURES, head_measures
from headscope.analysis.records.heads import Head
from headscope.analysis.records.table import Table
from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.files import ResultFile, json_text
from headscope.model.progress import Progress
from headscope.model.translator import BATCH_TOKENS, Translator

PROFILE = "profile.json"
FORMAT = 1
ENOUGH = 1_000
"""Sentences that a profile should be taken from."""
ADDED = ("largest_coverage",)
"""Measures that files of this format may lack, for they were made before."""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
DIGITS = 6
"""Significant digits that are kept in the file."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadProfile(Table):
    """The distribution of every measure of every head over the sentences of a corpus."""

    heads: tuple[Head, ...]
    sentences: int
    left_out: int
    """Pairs that were blank or too long for the model."""
    weights: str
    """`Translator.weights_digest` of the model it was taken from."""
    mean: Mapping[str, np.ndarray]
    """By measure: one number a head, over the sentences in which it is not NaN; NaN where there is none, and where the
    measure is younger than the file."""
    deviation: Mapping[str, np.ndarray]
    """Standard deviation over sentences."""
    quantiles: Mapping[str, np.ndarray]
    """[heads, 5]: those in `QUANTILES`."""

    def to_pandas(self) -> pd.DataFrame:
        """One row a head and measure: kind, layer, head, measure, mean, deviation, and a column a quantile."""
        tables = [
            pd.DataFrame(self.heads, columns=list(Head._fields)).assign(
                measure=name,
                mean=self.mean[name],
                deviation=self.deviation[name],
                **{f"q{quantile:g}": self.quantiles[name][:, index] for index, quantile in enumerate(QUANTILES)},
            )
            for name in self.mean
        ]
        return pd.concat(tables, ignore_index=True)


def head_profile(
    translator: Translator,
    texts: Sequence[Pair],
    *,
    batch_tokens: int = BATCH_TOKENS,
    progress: Progress | None = None,
) -> HeadProfile:
    """Measure every head in every sentence pair of a corpus.

    Args:
        texts: sources and the targets that the decoder is made to read; `ENOUGH` of them for roles to mean something.
        batch_tokens: padded pieces a side that are read at once.
        progress: told how many sentences are done.

    Raises:
        HeadscopeError: no pair is left to measure.
        Cancelled: `progress` wants it to stop.
    """
    pairs = corpus_pairs(translator, texts)
    if not pairs:
        raise HeadscopeError(f"none of the {len(texts):,} sentence pairs can be read by this model: give others")
    measured = [
        head_measures(maps)
        for batch in batches(pairs, tokens=batch_tokens, progress=progress)
        for maps in records(translator, batch)
    ]
    tables = {name: pd.DataFrame([found.values[name] for found in measured]) for name in MEASURES}
    return HeadProfile(
        heads=measured[0].heads,
        sentences=len(pairs),
        left_out=len(texts) - len(pairs),
        weights=translator.weights_digest,
        mean={name: table.mean().to_numpy() for name, table in tables.items()},
        deviation={name: table.std(ddof=0).to_numpy() for name, table in tables.items()},
        quantiles={name: table.quantile(list(QUANTILES)).to_numpy().T for name, table in tables.items()},
    )


def save_profile(profile: HeadProfile, checkpoint: Path) -> None:
    """Write `profile.json` into a checkpoint folder, in the place of one that is there."""
    _FILE.save(profile, checkpoint)


def load_profile(checkpoint: Path) -> HeadProfile | None:
    """The profile in a checkpoint folder; None: it has none.

    Raises:
        HeadscopeError: the file is not a profile of this format.
    """
    return _FILE.load(checkpoint)


def _text(profile: HeadProfile) -> str:
    content = {
        "format": FORMAT,
        "sentences": profile.sentences,
        "left_out": profile.left_out,
        "weights": profile.weights,
        "quantiles": QUANTILES,
        "heads": profile.heads,
    }
    content |= {
        name: {
            "mean": _plain(profile.mean[name]),
            "deviation": _plain(profile.deviation[name]),
            "quantiles": [_plain(row) for row in profile.quantiles[name]],
        }
        for name in profile.mean
    }
    return json_text(content)


def _parsed(content: Mapping[str, Any]) -> HeadProfile:
    if tuple(content["quantiles"]) != QUANTILES:
        raise ValueError(f"quantiles = {content['quantiles']}")
    heads = tuple(Head(*head) for head in content["heads"])
    nothing = [None] * len(heads)
    younger = {"mean": nothing, "deviation": nothing, "quantiles": [[None] * len(QUANTILES)] * len(heads)}
    measures = {name: content.get(name, younger) if name in ADDED else content[name] for name in MEASURES}
    return HeadProfile(
        heads=heads,
        sentences=content["sentences"],
        left_out=content["left_out"],
        weights=content["weights"],
        mean={name: np.array(found["mean"], dtype=float) for name, found in measures.items()},
        deviation={name: np.array(found["deviation"], dtype=float) for name, found in measures.items()},
        quantiles={name: np.array(found["quantiles"], dtype=float) for name, found in measures.items()},
    )


def _plain(values: np.ndarray) -> list[Any]:
    """Numbers as JSON knows them, which has no NaN."""
    return [None if math.isnan(value) else float(f"{value:.{DIGITS}g}") for value in values.tolist()]


_FILE = ResultFile(PROFILE, FORMAT, "headscope profile", _text, _parsed)
