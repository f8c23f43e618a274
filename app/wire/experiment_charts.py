"""Charts of the experiment beyond the trained length: seeds as points, means with their intervals."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.positions.jobs import CAP, COMPARED
from headscope.analysis.positions.length_record import LengthBin
from headscope.analysis.positions.regions import Region, Training
from headscope.app.wire.chart import PLACE, Axis, Chart, Margin, Series
from headscope.app.wire.position_charts import margin
from headscope.app.wire.position_study_charts import CONDITION_NAMES, LEAST, NATS

if TYPE_CHECKING:
    from headscope.analysis.positions.experiment import JobResult
    from headscope.analysis.positions.verdict import CellMean, Contrast

Bounds = tuple[int, int]
CAPPED = {True: "short training", False: "all lengths"}
APART = 0.12
"""Between the marks of two kinds of models at one length."""


def cell_name(positions: str, capped: bool) -> str:
    """What models of a kind are called."""
    return f"{positions}, {CAPPED[capped]}"


def by_length(means: "Sequence[CellMean]", condition: str) -> Chart:
    """Mean loss of the two kinds by length, capped and not."""
    own = [each for each in means if each.condition == condition and each.positions in COMPARED]
    return _by_length(f"Loss by length, {CONDITION_NAMES[condition]}", own)


def schemes(means: "Sequence[CellMean]") -> Chart:
    """The capped models of every scheme that has one, sentences as they come.

    Args:
        means: of the same seeds for every scheme.
    """
    own = [each for each in means if each.condition == "natural"]
    seeds = max((len(each.by_seed) for each in own), default=0)
    trained = "1 training each" if seeds == 1 else f"{seeds} trainings each"
    return _by_length(f"Every scheme after short training, sentences as they come; {trained}", own)


def _by_length(title: str, means: "Sequence[CellMean]") -> Chart:
    bins = sorted({(each.low, each.high) for each in means})
    cells = list(dict.fromkeys((each.positions, each.capped) for each in means))
    series = []
    for number, cell in enumerate(cells):
        own = [each for each in means if (each.positions, each.capped) == cell]
        x = np.array([bins.index((each.low, each.high)) for each in own]) + APART * (number - (len(cells) - 1) / 2)
        values, spread = (np.array([getattr(each, name) for each in own]) for name in ("value", "interval"))
        series.append(Series(f"{cell_name(*cell)}: mean ± 95 %", x, values, spread))
    for number, cell in enumerate(cells):
        own = [each for each in means if (each.positions, each.capped) == cell]
        at = [bins.index((each.low, each.high)) + APART * (number - (len(cells) - 1) / 2) for each in own]
        points = [
            (x, value) for x, each in zip(at, own, strict=True) for value in each.by_seed if len(each.by_seed) > 1
        ]
        if points:
            series.append(Series(f"{cell_name(*cell)}: seeds", *np.array(points).T, joined=False))
    return Chart(title, _lengths(bins), Axis(NATS), series=tuple(series), margin=_seen(_last(bins), shared=False))


def by_position(results: "Sequence[JobResult]", condition: str) -> Chart:
    """Loss where the decoder stands at each position: the mean of all seeds, and where there are several, each."""
    cells: dict[tuple[str, bool], list[JobResult]] = {}
    for result in results:
        if result.positions in COMPARED:
            cells.setdefault((result.positions, result.cap is not None), []).append(result)
    lines, seeds = [], []
    for cell, of in cells.items():
        at = [
            {
                each.position: each.loss.value
                for each in getattr(one.study, condition).positions
                if each.sentences >= LEAST
            }
            for one in of
        ]
        places = sorted(set.intersection(*map(set, at)))
        values = np.array([[each[place] for place in places] for each in at])
        lines.append(Series(f"{cell_name(*cell)}: mean", np.array(places), values.mean(0)))
        if len(of) > 1:
            x = np.tile(places, len(of))
            seeds.append(Series(f"{cell_name(*cell)}: seeds", x, values.ravel(), joined=False))
    title = f"Loss by the decoder's position, {CONDITION_NAMES[condition]}"
    end = max((int(each.x.max()) for each in lines if len(each.x)), default=CAP) + 1
    axis = Axis(PLACE, span=(-0.5, end - 0.5))
    return Chart(title, axis, Axis(NATS), series=(*lines, *seeds), margin=_seen(end, shared=True))


def gaps(contrasts: "Sequence[Contrast]", condition: str) -> Chart:
    """What is lost by short training, of either kind, and how much more by learned positions."""
    own = [each for each in contrasts if each.condition == condition]
    bins = sorted({(each.low, each.high) for each in own})
    series = []
    for what in (*COMPARED, "kinds"):
        of = [each for each in own if each.what == what]
        x = np.array([each.low if condition == "offset" else bins.index((each.low, each.high)) for each in of])
        name = "learned minus sinusoidal" if what == "kinds" else what
        values, spread = (np.array([getattr(each, field) for each in of]) for field in ("value", "interval"))
        series.append(Series(f"{name} ± 95 %", x, values, spread))
    if condition == "offset":
        end = max((each.low for each in own), default=0) + CAP
        return Chart(
            "Short sentences further on: loss above that at position 0, after short training",
            Axis("position of the first token (from 0)", span=(-0.5, end - 0.5)),
            Axis(NATS),
            series=tuple(series),
            margin=_seen(end, shared=True),
        )
    return Chart(
        f"Lost by short training, {CONDITION_NAMES[condition]}",
        _lengths(bins),
        Axis(NATS),
        series=tuple(series),
        margin=_seen(_last(bins), shared=False),
    )


def _lengths(bins: Sequence[Bounds]) -> Axis:
    names = tuple(f"{low}–{high}" for low, high in bins)
    return Axis("pieces of the longer side", names=names, span=(-0.5, len(bins) - 0.5))


def _last(bins: Sequence[Bounds]) -> int:
    return max((high for _, high in bins), default=CAP)


def _seen(end: int, *, shared: bool) -> Margin:
    """What short training has seen of the first positions, on either side: all within the cap, and none beyond."""
    regions: tuple[Region, ...] = tuple("trained" if place < CAP else "never" for place in range(end))
    return Margin((("short", regions),), shared)


def shipped(bins: Mapping[str, Sequence[LengthBin]], training: Training) -> Chart:
    """The loss of checkpoints that ship, by their names, on sentences as they come.

    Args:
        training: of the first.
    """
    series, names = [], []
    for checkpoint, of in bins.items():
        names = [f"{each.low}–{each.high}" for each in of]
        values, spread = (
            np.array([np.nan if each.loss is None else getattr(each.loss, name) or 0 for each in of], dtype=float)
            for name in ("value", "interval")
        )
        series.append(Series(f"{checkpoint} ± 95 %", np.arange(len(of)), values, np.nan_to_num(spread)))
    axis = Axis("pieces of the longer side", names=tuple(names), span=(-0.5, len(names) - 0.5))
    title, below = "The checkpoints in view, sentences as they come", margin(training, shared=False)
    return Chart(title, axis, Axis(NATS), series=tuple(series), margin=below)
