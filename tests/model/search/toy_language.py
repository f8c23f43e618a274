"""Languages of a few words that a search can be checked on: by hand, by brute force, by another search."""

import copy
import math
import random
from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import torch
from torch import Tensor

from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings

Language = Callable[[tuple[int, ...]], list[float]]
"""What has been written, to the log-probability of each next piece. The last piece ends a sentence."""


def scripted(probabilities: dict[tuple[int, ...], list[float]]) -> Language:
    """A language by its table; the longest suffix that stands there counts."""

    def language(prefix: tuple[int, ...]) -> list[float]:
        while prefix not in probabilities:
            prefix = prefix[1:]
        return [math.log(p) if p else -math.inf for p in probabilities[prefix]]

    return language


def random_language(seed: int, pieces: int = 4, impossible: float = 0.0) -> Language:
    """Every prefix has its own distribution; a share of the pieces is impossible."""

    def language(prefix: tuple[int, ...]) -> list[float]:
        chance = random.Random(f"{seed} {prefix}")
        weights = [math.exp(chance.gauss(0, 1.5)) * (chance.random() >= impossible) for _ in range(pieces)]
        weights[chance.randrange(pieces)] += 0.01
        return [math.log(w / sum(weights)) if w else -math.inf for w in weights]

    return language


class ToyStepper:
    """Languages side by side, as beam search sees a model. It insists on rows that belong to their sentences."""

    def __init__(self, languages: Sequence[Language], start: int) -> None:
        self.rows: list[tuple[Language, tuple[int, ...]]] = [(language, ()) for language in languages]
        self.sentences = list(languages)
        self.start = start
        self.steps = 0

    def step(self, pieces: Tensor) -> Tensor:
        assert len(pieces) == len(self.rows)
        if self.steps == 0:
            assert set(pieces.tolist()) == {self.start}
        else:
            self.rows = [(lang, (*read, piece)) for (lang, read), piece in zip(self.rows, pieces.tolist(), strict=True)]
        self.steps += 1
        return torch.tensor([language(read) for language, read in self.rows], dtype=torch.float64)

    def branch(self, rows: Tensor) -> "ToyStepper":
        other = copy.copy(self)
        other.select(rows, None)
        return other

    def select(self, rows: Tensor, sentences: Tensor | None) -> None:
        self.rows = [self.rows[row] for row in rows.tolist()]
        if sentences is not None:
            self.sentences = [self.sentences[sentence] for sentence in sentences.tolist()]
        beside = len(self.rows) // len(self.sentences)
        assert [language for language, _ in self.rows] == [s for s in self.sentences for _ in range(beside)]


class Found(NamedTuple):
    """A hypothesis, end of sentence not among its pieces."""

    pieces: tuple[int, ...]
    total: float
    score: float
    finished: bool


def brute_force(language: Language, end: int, longest: int, penalty: LengthPenalty) -> list[Found]:
    """All sentences of at most `longest` pieces, finished ones first, best score first."""
    found = []
    for length in range(1, longest + 1):
        for words in product(range(end), repeat=length - 1):
            for last in range(end + 1):
                if last != end and length < longest:
                    continue
                sentence = (*words, last)
                total = sum(language(sentence[:t])[piece] for t, piece in enumerate(sentence))
                if total > -math.inf:
                    pieces = words if last == end else sentence
                    found.append(Found(pieces, total, total / penalty.normaliser(length), last == end))
    return sorted(found, key=lambda item: (not item.finished, -item.score))


def plain_beam_search(language: Language, end: int, longest: int, settings: SearchSettings) -> list[Found]:
    """Beam search as one would write it on the board: one sentence, no early end, no tensors."""
    live: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    finished: list[Found] = []
    for length in range(1, longest + 1):
        following = [
            ((*read, piece), total + log_prob)
            for read, total in live
            for piece, log_prob in enumerate(language(read))
            if log_prob > -math.inf
        ]
        following.sort(key=lambda item: -item[1])
        best = following[: 1 if settings.beam == 1 else 2 * settings.beam]
        lp = settings.penalty.normaliser(length)
        may_end = best[: settings.beam] if settings.finish == "top" else best
        finished += [Found(read[:-1], total, total / lp, True) for read, total in may_end if read[-1] == end]
        live = [(read, total) for read, total in best if read[-1] != end][: settings.beam]
        if not live:
            break
    finished.sort(key=lambda item: -item.score)
    lp = settings.penalty.normaliser(longest)
    return (finished + [Found(read, total, total / lp, False) for read, total in live])[: settings.n_best]
