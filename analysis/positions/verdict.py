"""What the experiment says over its seeds: how much is lost beyond the trained length, and whether the kinds differ.

Long sentences are harder for every model, so what is compared is the gap: loss of the capped models minus that of the
controls, which saw as many tokens of all lengths. Intervals are those of a bootstrap that draws seeds and sources
together; twins share their seeds, and all models read the same sentences. From a single seed nothing follows about the
kinds, and three give intervals that are rather too narrow. "Not apart" is not "equal".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from headscope.analysis.positions.experiment import JobResult
from headscope.analysis.positions.jobs import COMPARED
from headscope.analysis.positions.length_record import LengthBin, LengthStudy, Sums
from headscope.model.errors import HeadscopeError

RESAMPLES = 2000
ENOUGH = 3
"""Seeds, for anything to be said about the kinds."""
Cell = tuple[str, bool]
"""Positions, and whether the models are capped."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """One difference of losses, in nats a piece."""

    condition: str
    """`natural`, `joined` or `offset`."""
    low: int
    high: int
    """Bounds of the bin, or twice the offset."""
    what: str
    """`sinusoidal` or `learned`: the gap of that kind, or at an offset, the loss there minus that at offset 0. `kinds`:
    learned minus sinusoidal of these."""
    value: float
    interval: float
    """Half the width of the 95 % interval."""
    seeds: int

    @property
    def apart(self) -> bool | None:
        """Whether 0 lies outside the interval; None: there are too few seeds."""
        return abs(self.value) > self.interval if self.seeds >= ENOUGH else None


@dataclass(frozen=True, slots=True)
class CellMean:
    """Mean loss of the models of one kind, capped or not, over their seeds, in nats a piece."""

    condition: str
    """`natural` or `joined`."""
    low: int
    high: int
    """Bounds of the bin."""
    positions: str
    capped: bool
    by_seed: tuple[float, ...]
    value: float
    interval: float
    """Half the width of the 95 % interval, seeds and sentences drawn together; of a single seed, sentences alone."""


def means(results: Sequence[JobResult]) -> list[CellMean]:
    """Of every kind that has results, by condition and bin.

    Raises:
        HeadscopeError: the results of a kind are of different sentences.
    """
    cells: dict[Cell, list[LengthStudy]] = {}
    for result in results:
        cells.setdefault((result.positions, result.cap is not None), []).append(result.study)
    return [
        _mean(condition, cell, found)
        for cell, of_seeds in cells.items()
        for condition in ("natural", "joined")
        for found in zip(*(getattr(study, condition).bins for study in of_seeds), strict=True)
        if all(each.by_sentence.pieces for each in found)
    ]


def schemes(results: Sequence[JobResult]) -> list[CellMean]:
    """Of every kind after short training, over those seeds alone that all of them have; none where there is no scheme
    beyond the two that are compared, or no such seed.

    Raises:
        HeadscopeError: the results of a kind are of different sentences.
    """
    short = [result for result in results if result.cap is not None]
    seeds = [{result.seed for result in short if result.positions == kind} for kind in _kinds(short)]
    common = set.intersection(*seeds) if len(seeds) > len(COMPARED) else set()
    return means([result for result in short if result.seed in common])


def _kinds(results: Sequence[JobResult]) -> list[str]:
    return list(dict.fromkeys(result.positions for result in results))


def _mean(condition: str, cell: Cell, bins: Sequence[LengthBin]) -> CellMean:
    nats, pieces = _same_sentences({cell: [each.by_sentence for each in bins]})
    (sampled,) = _resampled(nats, pieces).values()
    low, high = np.quantile(sampled, [0.025, 0.975])
    by_seed = nats[cell].sum(1) / pieces.sum()
    place = (condition, bins[0].low, bins[0].high)
    return CellMean(*place, *cell, tuple(by_seed.tolist()), float(by_seed.mean()), float(high - low) / 2)


def contrasts(results: Sequence[JobResult]) -> list[Contrast]:
    """All that the results allow, by condition and bin; seeds count for which every cell is there.

    Raises:
        HeadscopeError: the results are of different sentences.
    """
    cells: dict[Cell, dict[int, LengthStudy]] = {(kind, capped): {} for kind in COMPARED for capped in (True, False)}
    for result in results:
        if result.positions in COMPARED:
            cells[result.positions, result.cap is not None][result.seed] = result.study
    return [*_gaps(cells), *_moves({kind: cells[kind, True] for kind in COMPARED})]


def _gaps(cells: Mapping[Cell, Mapping[int, LengthStudy]]) -> Iterator[Contrast]:
    seeds = _common(list(cells.values()))
    for condition in ("natural", "joined") if seeds else ():
        bins = {cell: [getattr(studies[seed], condition).bins for seed in seeds] for cell, studies in cells.items()}
        for index, each in enumerate(bins[COMPARED[0], True][0]):
            if each.sentences:
                sums = {cell: [found[index].by_sentence for found in of_seeds] for cell, of_seeds in bins.items()}
                yield from _contrasts((condition, each.low, each.high), sums)


def _moves(capped: Mapping[str, Mapping[int, LengthStudy]]) -> Iterator[Contrast]:
    seeds = _common(list(capped.values()))
    offsets = {kind: [studies[seed].offsets for seed in seeds] for kind, studies in capped.items()}
    for index, each in enumerate(offsets[COMPARED[0]][0] if seeds else ()):
        sums = {
            (kind, moved): [found[index if moved else 0].by_sentence for found in of_seeds]
            for kind, of_seeds in offsets.items()
            for moved in (True, False)
        }
        if all(found.pieces for of_seeds in sums.values() for found in of_seeds):
            yield from _contrasts(("offset", each.offset, each.offset), sums)


def _common(cells: Sequence[Mapping[int, LengthStudy]]) -> list[int]:
    """The seeds that all have."""
    return sorted(set.intersection(*map(set, cells)))


def _contrasts(place: tuple[str, int, int], sums: Mapping[Cell, Sequence[Sums]]) -> list[Contrast]:
    """Of each kind the cell (kind, True) minus the cell (kind, False), and the difference of both."""
    nats, pieces = _same_sentences(sums)
    seeds = len(next(iter(nats.values())))
    whole = {cell: values.sum(1).mean() / pieces.sum() for cell, values in nats.items()}
    sampled = _resampled(nats, pieces)
    found = []
    signs = {kind: {(kind, True): 1, (kind, False): -1} for kind in COMPARED}
    first, second = COMPARED
    signs["kinds"] = signs[second] | {cell: -sign for cell, sign in signs[first].items()}
    for what, weights in signs.items():
        low, high = np.quantile(sum(sign * sampled[cell] for cell, sign in weights.items()), [0.025, 0.975])
        value = sum(sign * whole[cell] for cell, sign in weights.items())
        found.append(Contrast(*place, what, float(value), float(high - low) / 2, seeds))
    return found


def _resampled(nats: Mapping[Cell, np.ndarray], pieces: np.ndarray) -> dict[Cell, np.ndarray]:
    """Mean losses of every cell under draws of seeds and sentences, which are the same draws in all cells."""
    seeds, sentences = next(iter(nats.values())).shape
    times = _times(sentences)
    drawn = np.random.default_rng(1).integers(seeds, size=(RESAMPLES, seeds))
    weight = times @ pieces
    return {
        cell: np.take_along_axis(values @ times.T / weight, drawn.T, axis=0).mean(0) for cell, values in nats.items()
    }


@lru_cache(maxsize=16)
def _times(sentences: int) -> np.ndarray:
    """[RESAMPLES, sentences]: how often each is drawn. All bins of as many share them, for to draw takes its time."""
    chance = np.random.default_rng(0)
    rows = chance.integers(sentences, size=(RESAMPLES, sentences))
    return np.stack([np.bincount(row, minlength=sentences) for row in rows]).astype(float)


def _same_sentences(sums: Mapping[Cell, Sequence[Sums]]) -> tuple[dict[Cell, np.ndarray], np.ndarray]:
    """Nats [seeds, sources] and pieces [sources]: translations of one source are drawn together, where it is known
    which these are."""
    pieces = {each.pieces for cell in sums.values() for each in cell}
    if len(pieces) != 1:
        raise HeadscopeError(
            "the results of the experiment are of different sentences: measure all of them on the same part of the "
            "data, with as many sentences of each length"
        )
    counts = np.array(pieces.pop())
    known = next((each.sources for cell in sums.values() for each in cell if each.sources), None)
    of = np.arange(len(counts)) if known is None else np.array(known)
    by_source = {cell: np.array([np.bincount(of, each.nats) for each in values]) for cell, values in sums.items()}
    return by_source, np.bincount(of, counts)
