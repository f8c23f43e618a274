"""Charts of positions: of a table, of what heads make of it, of other schemes, and of the formulas alone.

Every chart of a checkpoint carries its margin: which positions were trained, on both sides.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.positions.geometry import (
    ByDistance,
    Product,
    Projection,
    ShiftMap,
    Spectrum,
    by_distance,
    centred,
    products,
)
from headscope.analysis.positions.regions import SIDES, Training
from headscope.analysis.positions.terms import PARTS, ScoreTerms
from headscope.analysis.records.labels import labels
from headscope.app.wire.chart import PLACE, Axis, Chart, Grid, Margin, Series, largest

if TYPE_CHECKING:
    from headscope.analysis.positions.relative import DistanceBias, DistanceVectors, Rotation
    from headscope.analysis.records.attention_maps import Tokens

DISTANCE = "distance (key less query)"
UNITS = {"dot": "dot product", "cosine": "cosine"}
TERMS = tuple(f"{query} × {key}" for query in PARTS for key in PARTS)
WHOLE = "score"


def margin(training: Training, *, shared: bool) -> Margin:
    """The margin of a chart, whose columns are positions where it is shared."""
    return Margin(tuple((side, training.regions[side]) for side in SIDES), shared)


def table(name: str, rows: np.ndarray, training: Training | None) -> Chart:
    """Every number of a table, positions as columns."""
    return Chart(
        name,
        _places(len(rows)),
        Axis("dimension (from 0)"),
        Grid(rows.T, "entry", largest(rows)),
        margin=training and margin(training, shared=True),
    )


def waves(name: str, rows: np.ndarray, dimensions: Sequence[int], training: Training | None) -> Chart:
    """Some dimensions of a table, along the positions."""
    places = np.arange(len(rows))
    lines = tuple(Series(f"dimension {dimension}", places, rows[:, dimension]) for dimension in dimensions)
    return Chart(
        name, _places(len(rows)), Axis("entry"), series=lines, margin=training and margin(training, shared=True)
    )


def pairs(name: str, rows: np.ndarray, training: Training, product: Product, *, centre: bool) -> Chart:
    """The product of all pairs of rows."""
    found = products(_centred(rows, training, centre), product)
    return _square(name, found, UNITS[product], training)


def distances(name: str, rows: np.ndarray, training: Training, product: Product, *, centre: bool, every: bool) -> Chart:
    """The same by distance, over pairs of well-trained positions, or over every pair."""
    among = np.ones(len(rows), dtype=bool) if every else training.trained
    found = by_distance(products(_centred(rows, training, centre), product), among)
    return gathered(name, found, UNITS[product], training, "all positions" if every else "well-trained positions")


def gathered(name: str, found: ByDistance, what: str, training: Training, which: str) -> Chart:
    """A mean with its spread, by distance."""
    there = found.count.nonzero()[0]
    end = int(there[-1]) + 1 if len(there) else 0
    line = Series(f"mean ± deviation, {which}", found.distance[:end], found.mean[:end], found.deviation[:end])
    return Chart(name, Axis("distance in positions"), Axis(what), series=(line,), margin=margin(training, shared=False))


def shifts(name: str, found: ShiftMap, training: Training) -> Chart:
    """The error of the shift map, and that of a random table."""
    return Chart(
        name,
        Axis("shift k in positions"),
        Axis("squared error / variance"),
        series=(
            Series("this table", found.shifts, found.error, found.deviation),
            Series("random table, same norms", found.shifts, found.random, found.random_deviation),
        ),
        margin=margin(training, shared=False),
    )


def plane(name: str, found: Projection, training: Training) -> Chart:
    """Positions on a plane, in order; each marked by how well it was trained on the side that has seen it more."""
    better = ("trained", "rare", "never", "unknown", "impossible")
    regions = tuple(min(each, key=better.index) for each in zip(*(training.regions[s] for s in SIDES), strict=True))
    share = [f"component {number} ({100 * share:.0f} % of variance)" for number, share in enumerate(found.shares, 1)]
    x, y = found.points.T
    return Chart(
        name,
        Axis(share[0]),
        Axis(share[1]),
        series=(Series("positions in order", x, y, regions=regions),),
        margin=margin(training, shared=False),
    )


def norms(name: str, rows: np.ndarray, training: Training) -> Chart:
    """The length of every row."""
    line = Series("norm of the row", np.arange(len(rows)), np.linalg.norm(rows, axis=1))
    return Chart(name, _places(len(rows)), Axis("norm"), series=(line,), margin=margin(training, shared=True))


def spectra(name: str, found: Spectrum, training: Training) -> Chart:
    """How fast each dimension swings; frequencies as columns, counted in cycles over the positions looked at."""
    most = largest(found.share)
    return Chart(
        name,
        Axis(f"cycles in {found.positions} positions"),
        Axis("dimension (from 0)"),
        Grid(found.share.T, "share of variance", most, signed=False, first=(1.0, 0.0)),
        margin=margin(training, shared=False),
    )


def counts(name: str, training: Training, length: int) -> Chart:
    """How often each position was trained."""
    places = np.arange(length)
    lines = tuple(Series(side, places, np.where(n > 0, n, np.nan)) for side, n in training.counts.items())
    title = "times in training" if lines else "times in training: not recorded"
    return Chart(
        name, _places(length), Axis(title, log=bool(lines)), series=lines, margin=margin(training, shared=True)
    )


def position_scores(name: str, scores: np.ndarray, training: Training) -> Chart:
    """What a head makes of positions alone, [T, T]."""
    return _square(f"{name}: P W_Q W_Kᵀ Pᵀ / √d", scores, WHOLE, training)


def term(name: str, found: ScoreTerms, head: int, which: str, training: Training) -> Chart:
    """One term of a head's scores in a sentence, or the whole score, where a query may look."""
    parts = found.terms[head]
    values = parts.sum((0, 1)) if which == WHOLE else parts.reshape(len(TERMS), *parts.shape[2:])[TERMS.index(which)]
    names = _spelt(found.queries)
    return Chart(
        f"{name}: {which}",
        Axis("key", names=names),
        Axis("query", names=names, down=True),
        Grid(np.where(found.allowed, values, np.nan), "scaled score", largest(parts, parts.sum((0, 1)))),
        margin=margin(training, shared=True),
    )


def shares(name: str, found: np.ndarray, training: Training) -> Chart:
    """The share of each term that is not the same for all keys, a head a column; [H, 3, 3]."""
    moving = [place for place, each in enumerate(TERMS) if not each.endswith("constant")]
    values = found.reshape(len(found), len(TERMS))[:, moving]
    return Chart(
        name,
        Axis("head", names=tuple(str(head + 1) for head in range(len(found)))),
        Axis("query × key", names=tuple(TERMS[place] for place in moving), down=True),
        Grid(values.T, "share", largest(values)),
        margin=margin(training, shared=False),
    )


def rotation(name: str, found: "Rotation", training: Training | None = None) -> tuple[Chart, ...]:
    """Rotary positions: angles, wavelengths, and what they do to a product."""
    length = len(found.angles)
    turned = np.cos(found.angles)
    own = training and margin(training, shared=True)
    return (
        Chart(
            f"{name}: cosine of the angle",
            _places(length),
            Axis("pair of dimensions (from 0)"),
            Grid(turned.T, "cosine", 1.0),
            margin=own,
        ),
        wavelengths(name, found.wavelengths, length, training),
        Chart(
            f"{name}: product of equal vectors",
            Axis("distance in positions"),
            Axis("q·k / ‖q‖²"),
            series=(Series("all pairs of dimensions alike", np.arange(length), found.product),),
            margin=training and margin(training, shared=False),
        ),
    )


def wavelengths(name: str, found: np.ndarray, length: int, training: Training | None = None) -> Chart:
    """Wavelength of every pair of dimensions, beside the length that is looked at."""
    pair = np.arange(len(found))
    return Chart(
        f"{name}: wavelengths",
        Axis("pair of dimensions (from 0)"),
        Axis("positions", log=True),
        series=(Series("wavelength", pair, found), Series("positions shown", pair, np.full(len(found), length))),
        margin=training and margin(training, shared=False),
    )


def biases(name: str, found: "DistanceBias", training: Training | None = None) -> Chart:
    """What is added to scores, by distance and head."""
    return Chart(
        f"{name}: bias by distance",
        Axis(DISTANCE),
        Axis("added to the score"),
        series=tuple(Series(f"head {head + 1}", found.distances, values) for head, values in enumerate(found.bias)),
        margin=training and margin(training, shared=False),
    )


def vectors(name: str, found: "DistanceVectors", training: Training) -> Chart:
    """The norms of Shaw's vectors."""
    lines = tuple(Series(f"head {head + 1}", found.distances, norms) for head, norms in enumerate(found.norms))
    return Chart(
        f"{name}: norms of the vectors",
        Axis(DISTANCE),
        Axis("norm"),
        series=lines,
        margin=margin(training, shared=False),
    )


def added(name: str, values: np.ndarray, queries: "Tokens", distances: np.ndarray, training: Training) -> Chart:
    """What Shaw's vectors add to the scores of each query of the sentence, by distance: [Q, R]."""
    return Chart(
        f"{name}: query · vector / √d",
        Axis(DISTANCE),
        Axis("query", names=_spelt(queries), down=True),
        Grid(values, "added to the score", largest(values), first=(float(distances[0]), 0.0)),
        margin=margin(training, shared=False),
    )


def bucketed(distances: np.ndarray, found: np.ndarray) -> Chart:
    """T5's bucket of each distance."""
    return Chart(
        "T5: bucket of each distance",
        Axis(DISTANCE),
        Axis("bucket"),
        series=(Series("distances of one bucket share a number", distances, found, joined=False),),
    )


def _places(length: int) -> Axis:
    return Axis(PLACE, span=(-0.5, length - 0.5))


def _square(name: str, values: np.ndarray, what: str, training: Training) -> Chart:
    return Chart(
        name,
        _places(len(values)),
        Axis(PLACE, span=(-0.5, len(values) - 0.5), down=True),
        Grid(values, what, largest(values)),
        margin=margin(training, shared=True),
    )


def _centred(rows: np.ndarray, training: Training, centre: bool) -> np.ndarray:
    return centred(rows, training.trained) if centre else rows


def _spelt(tokens: "Tokens") -> tuple[str, ...]:
    return tuple(f"{label.mark}{label.text}" for label in labels(tokens))
