"""Heads of two checkpoints, matched: which does in one what which does in the other, and how alike they are.

Rows of attention are compared by their Jensen-Shannon divergence in nats (0: equal, ln 2: nothing in common), the end
of sentence and the start symbol left aside and the rest renormalised, for heads that rest there would all be alike. An
assignment always finds a match, so heads are matched on half of the sentences and scored on the other half; and what a
score says, two trainings of one kind with other seeds have to say: `null`.

`A`, `B` heads of one kind in either checkpoint, `N` sentences, `Q` queries, `K` keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from headscope.analysis.capture.attention import AttentionProbe
from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import SentencePair, numbered_batches
from headscope.analysis.corpus.intervals import by_source, resampled_means
from headscope.analysis.positions.heads import word_links, word_tokens
from headscope.analysis.records.heads import Head, heads_of
from headscope.analysis.records.table import Table
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Share, Silent
from headscope.model.sites import AttentionKind, Side, layers_of
from headscope.model.text.vocabulary import Segmentation
from headscope.model.translator import BATCH_TOKENS, Translator

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class Match:
    """Two heads that were matched."""

    a: Head
    b: Head
    divergence: float
    """On the sentences that they were not matched on."""


@dataclass(frozen=True, slots=True)
class Matching(Table):
    """All heads of one kind."""

    kind: AttentionKind
    across: bool
    """Whether heads of different layers could be matched."""
    matches: tuple[Match, ...]
    mean: float
    interval: float
    """Half the width of the 95 % interval by bootstrap over distinct sources."""
    sentences: int
    """Distinct sources that were scored."""

    def to_pandas(self) -> "DataFrame":
        """One row a match."""
        import pandas as pd

        rows = [(str(match.a), str(match.b), match.divergence) for match in self.matches]
        return pd.DataFrame(rows, columns=["a", "b", "divergence"]).assign(kind=self.kind, across=self.across)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two checkpoints differ by more than two trainings of one kind do."""

    mean: float
    null: tuple[float, ...]
    """Mean divergences of pairs of trainings of one kind."""

    @property
    def outside(self) -> bool | None:
        """Above all of the null; None: there is none, so nothing can be said."""
        return self.mean > max(self.null) if self.null else None


def matched_heads(
    a: Translator,
    b: Translator,
    pairs: Sequence[SentencePair],
    *,
    seed: int = 0,
    batch_tokens: int = BATCH_TOKENS,
    progress: Progress | None = None,
) -> tuple[Matching, ...]:
    """Match the heads of two checkpoints, of each kind within its layers and across them.

    Args:
        pairs: cut into pieces that both have; teacher-forced.
        seed: of the halves.
        progress: told how many pairs are done.

    Raises:
        HeadscopeError: the two have no kind of heads in common or cut text into other pieces, or they are of fewer
            than four sources.
        Cancelled: `progress` wants it to stop.
    """
    kinds = _common(a, b)
    if not kinds:
        raise HeadscopeError(f"{a.card.name} and {b.card.name} have no heads of one kind that could be matched")
    if (sources := len({pair.source.text for pair in pairs})) < 4:
        raise HeadscopeError(
            f"sentence pairs of {sources} sources are too few: those of two are matched on, of two scored, at least"
        )
    _require_same_pieces(a, b, pairs)
    progress = progress or Silent()
    halves = _halves(pairs, seed)
    shares = Share(progress, 0, len(pairs)), Share(progress, len(halves[0]), len(pairs))
    fit, score = (
        divergences(a, b, half, batch_tokens=batch_tokens, progress=share)
        for half, share in zip(halves, shares, strict=True)
    )
    scored = [pair.source.text for pair in halves[1]]
    return tuple(
        _matching(a, b, kind, fit[kind], by_source(score[kind], scored), across)
        for kind in kinds
        for across in (False, True)
    )


def _halves(pairs: Sequence[SentencePair], seed: int) -> tuple[list[SentencePair], list[SentencePair]]:
    """By chance, all pairs of a source in the same half, so that none is both matched on and scored."""
    sources = list(dict.fromkeys(pair.source.text for pair in pairs))
    order = np.random.default_rng(seed).permutation(len(sources)).tolist()
    first = {sources[index] for index in order[: len(sources) // 2]}
    return [p for p in pairs if p.source.text in first], [p for p in pairs if p.source.text not in first]


@torch.inference_mode()
def divergences(
    a: Translator,
    b: Translator,
    pairs: Sequence[SentencePair],
    *,
    batch_tokens: int = BATCH_TOKENS,
    progress: Progress | None = None,
) -> dict[AttentionKind, np.ndarray]:
    """[N, A, B]: mean over the rows of each pair, by kind of attention. NaN where it has no row."""
    kinds = _common(a, b)
    found: dict[AttentionKind, dict[int, np.ndarray]] = {kind: {} for kind in kinds}
    for batch in numbered_batches(pairs, tokens=batch_tokens, progress=progress):
        forced = forced_batch(a, [pair for _, pair in batch])
        seen = AttentionProbe(), AttentionProbe()
        for translator, probe in zip((a, b), seen, strict=True):
            log_probs(translator.model, forced, probe=probe)
        words = word_tokens(a, forced)
        for kind in kinds:
            links = word_links(layers_of(a.model, kind)[0], words, seen[0], forced)
            ours, theirs = (
                torch.cat([probe.weights_at[site] for site in layers_of(translator.model, kind)], dim=1)
                for translator, probe in zip((a, b), seen, strict=True)
            )
            for row, (index, _) in enumerate(batch):
                found[kind][index] = row_divergences(ours[row], theirs[row], links[row])
    return {kind: np.stack([values[index] for index in range(len(pairs))]) for kind, values in found.items()}


def jensen_shannon(p: Tensor, q: Tensor) -> Tensor:
    """Of distributions along the last axis, in nats."""

    def entropy(of: Tensor) -> Tensor:
        return torch.special.entr(of).sum(-1)

    return (entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2).clamp(min=0)


def row_divergences(p: Tensor, q: Tensor, links: Tensor) -> np.ndarray:
    """[A, B]: of maps [A, Q, K] and [B, Q, K] of one sentence; rows with less than two links say nothing."""
    rows = links.sum(-1) > 1
    if not rows.any():
        return np.full((len(p), len(q)), np.nan)
    left, right = (maps.double()[:, rows] * links[rows] for maps in (p, q))
    left, right = (maps / maps.sum(-1, keepdim=True).clamp(min=1e-12) for maps in (left, right))
    return jensen_shannon(left[:, None], right[None]).mean(-1).cpu().numpy()


def assignment(costs: np.ndarray) -> list[int]:
    """The column of each row so that the sum is least, by shortest augmenting paths (Kuhn 1955; Jonker & Volgenant
    1987). There are at least as many columns as rows."""
    rows, columns = costs.shape
    row_price, column_price = np.zeros(rows), np.zeros(columns)
    owner = np.full(columns, -1)
    for row in range(rows):
        least, came, done = np.full(columns, np.inf), np.full(columns, -1), np.zeros(columns, dtype=bool)
        at, column, distance = row, -1, 0.0
        while True:
            reduced = distance + costs[at] - row_price[at] - column_price
            better = ~done & (reduced < least)
            least[better], came[better] = reduced[better], column
            column = int(np.where(done, np.inf, least).argmin())
            distance, done[column] = float(least[column]), True
            if owner[column] < 0:
                break
            at = int(owner[column])
        visited = done.copy()
        visited[column] = False
        row_price[row] += distance
        for passed in visited.nonzero()[0]:
            row_price[owner[passed]] += distance - least[passed]
            column_price[passed] -= distance - least[passed]
        while column >= 0:
            before = int(came[column])
            owner[column] = row if before < 0 else owner[before]
            column = before
    found = {int(row): column for column, row in enumerate(owner) if row >= 0}
    return [found[row] for row in range(rows)]


def _matching(
    a: Translator, b: Translator, kind: AttentionKind, fit: np.ndarray, score: np.ndarray, across: bool
) -> Matching:
    ours, theirs = heads_of(a.model, kind), heads_of(b.model, kind)
    costs = np.nanmean(fit, axis=0)
    if not across:
        apart = np.array([[mine.layer != other.layer for other in theirs] for mine in ours])
        costs = np.where(apart, 1e3, costs)
    if len(ours) <= len(theirs):
        chosen = list(enumerate(assignment(costs)))
    else:
        chosen = sorted((row, column) for column, row in enumerate(assignment(costs.T)))
    chosen = [(row, column) for row, column in chosen if costs[row, column] < 1e3]
    matched = np.stack([score[:, row, column] for row, column in chosen], axis=1)
    matched = matched[~np.isnan(matched).any(1)]
    means = matched.mean(1)
    mean, low, high = resampled_means(means)
    return Matching(
        kind=kind,
        across=across,
        matches=tuple(
            Match(ours[row], theirs[column], float(value))
            for (row, column), value in zip(chosen, matched.mean(0), strict=True)
        ),
        mean=float(mean),
        interval=float(high - low) / 2,
        sentences=len(means),
    )


def _common(a: Translator, b: Translator) -> list[AttentionKind]:
    return [kind for kind in a.model.capabilities().kinds if kind in b.model.capabilities().kinds]


def _require_same_pieces(a: Translator, b: Translator, pairs: Sequence[SentencePair]) -> None:
    for pair in pairs:
        sides: dict[Side, Segmentation] = {"source": pair.source, "target": pair.target}
        for side, segmentation in sides.items():
            theirs = b.vocabulary.encode(segmentation.text, side)
            if tuple(theirs.ids) != tuple(segmentation.ids) or theirs.pieces != segmentation.pieces:
                raise HeadscopeError(
                    f"{a.card.name} and {b.card.name} cut '{segmentation.text}' into other pieces: their heads can be "
                    "compared only where both read the same ones"
                )
    if a.model.config.source_end != b.model.config.source_end:
        raise HeadscopeError(f"one of {a.card.name} and {b.card.name} reads an end of sentence in the source, one not")
