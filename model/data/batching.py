"""Parallel text as batches of ids.

Shapes: `B` sentences of a batch, `S` source and `T` target pieces of the longest of them. An end symbol closes every
source and every target, and counts as a piece in every length and budget here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent
from headscope.model.text.vocabulary import Vocabulary

CHUNK = 4096
"""Pairs that are encoded between two reports of progress."""


@dataclass(frozen=True, eq=False)
class Sequences:
    """Many sequences of ids in one array: sequence i is `ids[starts[i]:starts[i + 1]]`."""

    ids: np.ndarray
    starts: np.ndarray

    @staticmethod
    def of(sequences: Sequence[Sequence[int]]) -> "Sequences":
        """Lay sequences end to end."""
        lengths = np.fromiter(map(len, sequences), np.int64, len(sequences))
        starts = np.concatenate([[0], np.cumsum(lengths)])
        ids = np.fromiter((index for sequence in sequences for index in sequence), np.int32, starts[-1])
        return Sequences(ids, starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, position: int) -> np.ndarray:
        return self.ids[self.starts[position] : self.starts[position + 1]]

    @property
    def lengths(self) -> np.ndarray:
        """Number of ids of each sequence."""
        return np.diff(self.starts)


@dataclass(frozen=True, eq=False)
class EncodedCorpus:
    """Pairs as ids, without start and end, and the special ids that a batch puts around them."""

    source: Sequences
    target: Sequences
    pad: int
    start: int
    end: int
    dropped: int = 0
    """Pairs left out because a side was too long."""
    blank: int = 0
    """Pairs left out because a side had no pieces."""

    def __len__(self) -> int:
        return len(self.source)

    @property
    def lengths(self) -> np.ndarray:
        """Pieces of every source and target, end included: [pairs, 2]."""
        return np.stack([self.source.lengths, self.target.lengths], axis=1) + 1


@dataclass(frozen=True, eq=False)
class Batch:
    """Sentences side by side, filled up with pad."""

    source: Int[Tensor, "B S"]
    """Closed by the end symbol."""
    target_in: Int[Tensor, "B T"]
    """What the decoder reads: the target behind the start symbol."""
    target_out: Int[Tensor, "B T"]
    """What it has to predict: the target closed by the end symbol."""
    source_lengths: Int[Tensor, " B"]
    target_lengths: Int[Tensor, " B"]
    source_tokens: int
    """Pieces that are not padding."""
    target_tokens: int

    @property
    def source_mask(self) -> Bool[Tensor, "B S"]:
        """Where the source is not padding. (By length: the pad symbol may be the start symbol too.)"""
        return _within(self.source_lengths, self.source.shape[1])

    @property
    def target_mask(self) -> Bool[Tensor, "B T"]:
        """Where the target is not padding."""
        return _within(self.target_lengths, self.target_out.shape[1])

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch on another device."""
        return Batch(
            source=self.source.to(device),
            target_in=self.target_in.to(device),
            target_out=self.target_out.to(device),
            source_lengths=self.source_lengths.to(device),
            target_lengths=self.target_lengths.to(device),
            source_tokens=self.source_tokens,
            target_tokens=self.target_tokens,
        )


def encode_corpus(
    pairs: Sequence[Pair],
    vocabulary: Vocabulary,
    *,
    max_pieces: int | None = None,
    progress: Progress | None = None,
) -> EncodedCorpus:
    """Encode pairs once, leaving out and counting those with a side that is blank, and those that are too long.

    Args:
        max_pieces: the most that a side may have, end included.

    Raises:
        Cancelled: `progress` wants it to stop.
    """
    progress = progress or Silent()
    sources: list[list[int]] = []
    targets: list[list[int]] = []
    opening = len(vocabulary.prefix)
    dropped = blank = 0
    for first in range(0, len(pairs), CHUNK):
        progress.update(first, len(pairs))
        chunk = pairs[first : first + CHUNK]
        source_ids = vocabulary.encode_ids([source for source, _ in chunk], "source")
        target_ids = vocabulary.encode_ids([target for _, target in chunk], "target")
        for source, target in zip(source_ids, target_ids, strict=True):
            if not source or len(target) == opening:
                blank += 1
            elif max_pieces is not None and max(len(source), len(target)) >= max_pieces:
                dropped += 1
            else:
                sources.append(source)
                targets.append(target)
    progress.update(len(pairs), len(pairs))
    return EncodedCorpus(
        source=Sequences.of(sources),
        target=Sequences.of(targets),
        pad=vocabulary.pad,
        start=vocabulary.start,
        end=vocabulary.end,
        dropped=dropped,
        blank=blank,
    )


class TokenBatches:
    """Batches of sentences of about the same length, with a budget of tokens.

    The order of an epoch is a function of seed and epoch alone, so epoch and index of a batch are all that a resumed
    training needs to know.
    """

    def __init__(self, corpus: EncodedCorpus, *, tokens: int, seed: int) -> None:
        """Make batches of at most `tokens` pieces on each side, padding included.

        Raises:
            HeadscopeError: there are no pairs, or one alone exceeds the budget.
        """
        if not len(corpus):
            raise HeadscopeError("there are no pairs of sentences to make batches of")
        longest = int(corpus.lengths.max())
        if longest > tokens:
            raise HeadscopeError(
                f"the longest sentence has {longest:,} pieces and a batch only {tokens:,} tokens: "
                "allow more tokens, or leave out long sentences"
            )
        self._corpus, self._tokens, self._seed = corpus, tokens, seed
        self._plan = lru_cache(maxsize=1)(self._make_plan)

    def count(self, epoch: int) -> int:
        """Number of batches of an epoch."""
        return len(self._plan(epoch))

    def batch(self, epoch: int, index: int) -> Batch:
        """One batch of an epoch."""
        return make_batch(self._corpus, self._plan(epoch)[index])

    def padding(self, epoch: int) -> float:
        """Share of padding among all tokens of an epoch, both sides together."""
        lengths = self._corpus.lengths
        padded = sum(len(rows) * int(lengths[rows].max(axis=0).sum()) for rows in self._plan(epoch))
        return 1 - int(lengths.sum()) / padded

    def _make_plan(self, epoch: int) -> tuple[np.ndarray, ...]:
        """The pairs of every batch: equals in length shuffled, cut into batches, the batches shuffled."""
        random = np.random.default_rng([self._seed, epoch])
        order = random.permutation(len(self._corpus))
        source, target = self._corpus.lengths[order].T
        order = order[np.lexsort((source, target, np.maximum(source, target)))]
        batches = _cut(order, self._corpus.lengths[order].max(axis=1), self._tokens)
        return tuple(batches[index] for index in random.permutation(len(batches)))


def make_batch(corpus: EncodedCorpus, rows: Sequence[int] | np.ndarray) -> Batch:
    """The given pairs of a corpus as a batch."""
    rows = np.asarray(rows)
    sources, source_lengths = _grid(corpus.source, rows, corpus)
    targets, target_lengths = _grid(corpus.target, rows, corpus)
    shifted = np.full_like(targets, corpus.pad)
    shifted[:, 0] = corpus.start
    inside = np.arange(1, targets.shape[1]) < target_lengths[:, None]
    shifted[:, 1:][inside] = targets[:, :-1][inside]
    return Batch(
        source=torch.from_numpy(sources),
        target_in=torch.from_numpy(shifted),
        target_out=torch.from_numpy(targets),
        source_lengths=torch.from_numpy(source_lengths),
        target_lengths=torch.from_numpy(target_lengths),
        source_tokens=int(source_lengths.sum()),
        target_tokens=int(target_lengths.sum()),
    )


def join_pairs(corpus: EncodedCorpus, *, share: float, seed: int, max_pieces: int | None = None) -> EncodedCorpus:
    """Make longer examples: about the given share of them are two to four pairs, one after the other.

    Every pair is used once. A join with a side of more than `max_pieces` pieces, end included, stays apart.
    """
    random = np.random.default_rng(seed)
    order = random.permutation(len(corpus))
    sizes = np.where(random.random(len(corpus)) < share, random.integers(2, 5, len(corpus)), 1)
    ends = np.cumsum(sizes)
    groups = np.split(order, ends[ends < len(order)])
    if max_pieces is not None:
        pieces = corpus.lengths - 1
        fits = [pieces[group].sum(axis=0).max() < max_pieces for group in groups]
        apart = ([group] if fit else np.split(group, len(group)) for group, fit in zip(groups, fits, strict=True))
        groups = [part for parts in apart for part in parts]
    return EncodedCorpus(
        source=_joined(corpus.source, groups),
        target=_joined(corpus.target, groups),
        pad=corpus.pad,
        start=corpus.start,
        end=corpus.end,
        dropped=corpus.dropped,
        blank=corpus.blank,
    )


def _grid(sequences: Sequences, rows: np.ndarray, corpus: EncodedCorpus) -> tuple[np.ndarray, np.ndarray]:
    """Sequences as rows, each closed by the end symbol and filled up with pad; and their lengths with the end."""
    starts, lengths = sequences.starts[rows], sequences.starts[rows + 1] - sequences.starts[rows]
    columns = np.arange(lengths.max() + 1)
    inside = columns < lengths[:, None]
    grid = np.full(inside.shape, corpus.pad, np.int64)
    grid[inside] = sequences.ids[(starts[:, None] + columns)[inside]]
    grid[np.arange(len(rows)), lengths] = corpus.end
    return grid, lengths + 1


def _joined(sequences: Sequences, groups: Sequence[np.ndarray]) -> Sequences:
    order = np.concatenate(groups)
    ids = np.concatenate([sequences[row] for row in order.tolist()])
    ends = np.cumsum([len(group) for group in groups])
    starts = np.concatenate([[0], np.cumsum(sequences.lengths[order])])
    return Sequences(ids, np.concatenate([[0], starts[ends]]))


def _cut(order: np.ndarray, longest: np.ndarray, tokens: int) -> list[np.ndarray]:
    """Consecutive runs whose number times their greatest length stays within the budget; lengths do not fall."""
    cuts = []
    first = 0
    for position, length in enumerate(longest.tolist()):
        if (position - first + 1) * length > tokens:
            cuts.append(position)
            first = position
    return np.split(order, cuts)


def _within(lengths: Tensor, width: int) -> Bool[Tensor, "B N"]:
    return torch.arange(width, device=lengths.device) < lengths[:, None]
