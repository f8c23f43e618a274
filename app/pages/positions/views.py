"""The charts of every view, for one checkpoint."""

from headscope.analysis.records.heads import Head
from headscope.app.view.positions_state import PositionsView
from headscope.app.wire import position_charts as charts
from headscope.app.wire.chart import Chart
from headscope.app.workbench import positions, sentences
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.config import ModelConfig
from headscope.model.sites import heads_at

TABLES = ("sinusoidal", "learned")
"""Positions that are a table."""


ANY = (
    *("training", "heads", "changes", "layers", "attention", "compared", "what_if"),
    *("length", "by_position", "offsets", "experiment", "formula"),
)
"""Views that every scheme has."""


def scheme_of(config: ModelConfig, state: PositionsView) -> str | None:
    """The scheme whose page stands in the place of a table's view; None: the view can be drawn."""
    plain = config.positions in TABLES or state.view in ANY
    return None if plain else config.positions


def of(bench: Workbench, sentence: Sentence, state: PositionsView) -> tuple[Chart, ...]:
    """What a view shows of the sentence's checkpoint; views over a corpus are those of `over_corpus`.

    Raises:
        HeadscopeError: it has no such thing.
    """
    name, length, every = sentence.checkpoint, state.length, state.rows == "all"
    config = bench.card(name).config
    if scheme_of(config, state):
        return _in_its_place(bench, sentence, state)
    if state.view in ("head", "sentence"):
        return _of_heads(bench, sentence, state)
    seen = positions.trained(bench, name, length)
    if state.view == "training":
        return (charts.counts(name, seen, length),)
    table = positions.table(bench, name, length)
    rows, seen = table.rows, table.training
    match state.view:
        case "waves":
            inside = [dimension for dimension in state.dimensions if dimension < config.d_model]
            return (charts.waves(name, rows, inside or [0], seen),)
        case "pairs":
            return (charts.pairs(name, rows, seen, state.product, centre=state.centre),)
        case "distance":
            return (charts.distances(name, rows, seen, state.product, centre=state.centre, every=every),)
        case "shift":
            return (charts.shifts(name, positions.shift_map(bench, name, length, every=every), seen),)
        case "plane":
            return (charts.plane(name, positions.projection(bench, name, length, every=every), seen),)
        case "norms":
            return (charts.norms(name, rows, seen),)
        case "spectrum":
            return (charts.spectra(name, positions.spectrum(bench, name, length, every=every), seen),)
        case _:
            return (charts.table(name, rows, seen),)


def _of_heads(bench: Workbench, sentence: Sentence, state: PositionsView) -> tuple[Chart, ...]:
    name = sentence.checkpoint
    head = min(state.head, heads_at(bench.card(name).config, state.stack, 0) - 1)
    which = f"{name}, head {head + 1}"
    if state.view == "head":
        found = positions.scores(bench, name, state.stack, state.length)
        table = positions.table(bench, name, state.length)
        plain = charts.pairs(f"{name}: P Pᵀ", table.rows, table.training, "dot", centre=True)
        return plain, charts.position_scores(which, found.scores[head], found.training)
    found = positions.terms(bench, sentence, state.stack)
    seen = positions.trained(bench, name, len(found.allowed))
    return charts.shares(f"{name}: shares", found.shares, seen), charts.term(which, found, head, state.term, seen)


def _in_its_place(bench: Workbench, sentence: Sentence, state: PositionsView) -> tuple[Chart, ...]:
    """What a scheme without a table has."""
    from headscope.analysis.positions.relative import DistanceBias, Rotation

    name, length = sentence.checkpoint, state.length
    seen = positions.trained(bench, name, length)
    found = positions.relative(bench, name, state.stack, length)
    if isinstance(found, Rotation):
        return charts.rotation(name, found, seen)
    if isinstance(found, DistanceBias):
        return (charts.biases(name, found, seen),)
    head = min(state.head, heads_at(bench.card(name).config, state.stack, 0) - 1)
    inside = sentences.inside(bench, sentence, Head(state.stack, 0, head))
    added = found.bias(inside.query, head)
    return (
        charts.vectors(name, found, seen),
        charts.added(f"{name}, head {head + 1}", added, inside.queries, found.distances, seen),
    )
