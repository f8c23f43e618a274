"""Charts of what a corpus says of positions: numbers of `PositionStudy`, or of a part of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.positions.length_record import Condition, Decoded, LengthBin, LengthStudy, Mean
from headscope.analysis.positions.regions import SIDES, Training
from headscope.analysis.positions.study_record import ChangeEffect, HeadByDistance, ReadAt
from headscope.app.wire.chart import PLACE, Axis, Chart, Series
from headscope.app.wire.position_charts import DISTANCE, margin

if TYPE_CHECKING:
    from headscope.analysis.positions.matching import Matching, Verdict

NATS = "nats a piece"
CONDITIONS = ("natural", "joined")
CONDITION_NAMES = {"natural": "as they come", "joined": "short ones joined"}
SHORT = {
    "unchanged": "as it is",
    "no positions": "none",
    "no positions of the source": "none (S)",
    "no positions of the target": "none (T)",
    "shifted by 1": "+1",
    "shifted by 8": "+8",
    "source alone shifted by 1": "+1 (S)",
    "interpolated by 2": "÷ 2",
}
"""Changes below a chart: S the source alone, T the target alone."""
MATCHED = {False: "within the layer", True: "across layers"}
"""What a head could be matched with."""
LEAST = 10
"""Sentences that reach a position, for its mean to be drawn."""
SCORES = ("bleu", "chrf", "length ratio")
SCORE_NAMES = {"bleu": "BLEU", "chrf": "chrF", "length ratio": "words, over those of the reference"}


@dataclass(frozen=True, slots=True)
class Point:
    """A number with half of its 95 % interval; both NaN where there is none."""

    value: float = np.nan
    interval: float = np.nan


def point(mean: Mean | None) -> Point:
    """Of a mean."""
    return Point() if mean is None else Point(mean.value, np.nan if mean.interval is None else mean.interval)


def score(decoded: Decoded | None, name: str) -> Point:
    """One of the `SCORES`."""
    if decoded is None:
        return Point()
    if name == "length ratio":
        return Point(decoded.length_ratio)
    found = decoded.bleu if name == "bleu" else decoded.chrf
    return Point(found.value, np.nan if found.interval is None else found.interval)


def line(name: str, x: Sequence[float] | np.ndarray, points: Sequence[Point], *, joined: bool = True) -> Series:
    """Points with their intervals."""
    spread = np.array([each.interval for each in points], dtype=float)
    values = np.array([each.value for each in points], dtype=float)
    return Series(name, np.asarray(x), values, None if np.isnan(spread).all() else np.nan_to_num(spread), joined)


def by_distance(title: str, head: HeadByDistance, distances: Sequence[int], training: Training) -> Chart:
    """Attention of one head by distance, with its deviation over links."""
    values, spread = (np.array([np.nan if v is None else v for v in of]) for of in (head.mean, head.deviation))
    return Chart(
        title,
        Axis(DISTANCE, span=(distances[0] - 0.5, distances[-1] + 0.5)),
        Axis("weight of a link"),
        series=(Series("mean ± deviation over links", np.array(distances), values, np.nan_to_num(spread)),),
        margin=margin(training, shared=False),
    )


def changes(name: str, effects: Sequence[ChangeEffect], training: Training) -> tuple[Chart, ...]:
    """What becomes of loss, BLEU, chrF and length ratio under each change of positions that could be made."""
    made = [each for each in effects if each.loss]
    names, places = tuple(_short(each.change) for each in made), np.arange(len(made))
    below = margin(training, shared=False)
    loss = line("± 95 % over sources", places, [point(each.difference) for each in made], joined=False)
    axis = Axis("positions (S: of the source alone, T: of the target)", names=names, span=(-0.5, len(made) - 0.5))
    found = [Chart(f"{name}: loss above that of the unchanged", axis, Axis(NATS), series=(loss,), margin=below)]
    for which in SCORES:
        points = [score(each.decoded, which) for each in made]
        title = SCORE_NAMES[which]
        series = line("± 95 % over sources" if which != "length ratio" else "of all", places, points, joined=False)
        found.append(Chart(f"{name}: {title}", axis, Axis(title), series=(series,), margin=below))
    return tuple(found)


def _short(change: str) -> str:
    return "swapped" if change.startswith("positions of ") else SHORT.get(change, change)


def readable(name: str, layers: Sequence[ReadAt], training: Training) -> Chart:
    """How well position can be read off each layer, and the control task."""
    lines = [
        Series(f"{side}: {what}", np.array([each.layer for each in of]), np.array([getattr(each, what) for each in of]))
        for side in SIDES
        for of in [[each for each in layers if each.side == side]]
        for what in ("position", "control")
    ]
    count = max((each.layer for each in layers), default=0) + 1
    names = ("enters", *(f"layer {number}" for number in range(1, count)))
    axis = Axis("", names=names, span=(-0.5, count - 0.5))
    title = f"{name}: what a linear probe reads"
    return Chart(title, axis, Axis("R² on other sentences"), series=tuple(lines), margin=margin(training, shared=False))


def matched(title: str, matchings: "Sequence[Matching]", verdicts: "Sequence[Verdict]", training: Training) -> Chart:
    """How far every head is from the one that it is matched with: within its layer, across layers, and on average
    between trainings of one kind, as far as there are any."""
    heads = sorted({match.a for each in matchings for match in each.matches})
    lines = []
    for matching, verdict in zip(matchings, verdicts, strict=True):
        x = np.array([heads.index(match.a) for match in matching.matches])
        of = MATCHED[matching.across]
        lines.append(Series(of, x, np.array([match.divergence for match in matching.matches]), joined=False))
        ends = np.array([-0.5, len(heads) - 0.5])
        lines += [Series(f"{of}: mean of one kind", ends, np.array([null, null])) for null in verdict.null]
    names = tuple(f"{head.layer + 1}.{head.head + 1}" for head in heads)
    return Chart(
        title,
        Axis("layer and head", names=names, span=(-0.5, len(names) - 0.5)),
        Axis("divergence in nats", span=(0.0, float(np.log(2)))),
        series=tuple(lines),
        margin=margin(training, shared=False),
    )


def bins_axis(bins: Sequence[LengthBin]) -> Axis:
    """Lengths in pieces."""
    names = tuple(f"{each.low}–{each.high}" for each in bins)
    return Axis("pieces of the longer side", names=names, span=(-0.5, len(bins) - 0.5))


def by_length(name: str, study: LengthStudy, training: Training) -> tuple[Chart, ...]:
    """Loss, BLEU, chrF and length ratio by length: of sentences as they come, and of short ones joined."""
    conditions = {CONDITION_NAMES[each]: _condition(study, each) for each in CONDITIONS}
    places, axis = np.arange(len(study.natural.bins)), bins_axis(study.natural.bins)
    below = margin(training, shared=False)
    losses = [line(what, places, [point(each.loss) for each in of.bins]) for what, of in conditions.items()]
    found = [Chart(f"{name}: loss", axis, Axis(NATS), series=tuple(losses), margin=below)]
    for which in SCORES:
        lines = [
            line(f"{what}{how}", places, [score(getattr(each, field), which) for each in of.bins])
            for what, of in conditions.items()
            for field, how in (("free", ""), ("to_length", ", to the reference's length"))
        ]
        title = f"{name}: {SCORE_NAMES[which]}"
        found.append(Chart(title, axis, Axis(SCORE_NAMES[which]), series=tuple(lines), margin=below))
    return tuple(found)


def by_position(name: str, study: LengthStudy, training: Training) -> Chart:
    """Loss where the decoder stands at each position."""
    lines = [
        line(
            CONDITION_NAMES[each],
            [at.position for at in there],
            [point(at.loss) for at in there],
        )
        for each in CONDITIONS
        for there in [[at for at in _condition(study, each).positions if at.sentences >= LEAST]]
    ]
    axis = Axis(PLACE, span=(-0.5, len(training.regions[SIDES[1]]) - 0.5))
    title = f"{name}: loss by the decoder's position"
    return Chart(title, axis, Axis(NATS), series=tuple(lines), margin=margin(training, shared=True))


def at_offsets(name: str, study: LengthStudy, training: Training) -> Chart:
    """Loss of short sentences that stand further on, above that where they stood."""
    lines = line(
        f"sentences of at most {study.shortest} pieces, ± 95 % over {study.moved}",
        [each.offset for each in study.offsets],
        [point(each.change) for each in study.offsets],
    )
    axis = Axis("position of the first token (from 0)", span=(-0.5, len(training.regions[SIDES[0]]) - 0.5))
    title = f"{name}: loss above that at position 0"
    return Chart(title, axis, Axis(NATS), series=(lines,), margin=margin(training, shared=True))


def reach(study: LengthStudy) -> int:
    """Positions that the study speaks of."""
    at = [each.position for name in CONDITIONS for each in _condition(study, name).positions]
    return max([*at, *(each.offset + study.shortest for each in study.offsets)], default=0) + 1


def _condition(study: LengthStudy, name: str) -> Condition:
    return study.natural if name == "natural" else study.joined
