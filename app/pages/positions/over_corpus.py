"""What a corpus says: the views whose numbers lie with a checkpoint, or are measured here over a few sentences."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd
import streamlit as st

from headscope.analysis.positions.length_record import Decoded, Mean
from headscope.analysis.positions.study_record import DISTANCES
from headscope.analysis.records.heads import Head
from headscope.app.components.wall.wall import WALL, as_head
from headscope.app.view import session
from headscope.app.view.draw import draw, said
from headscope.app.view.positions_state import MEASURES, Measure, PositionsView
from headscope.app.view.state import View
from headscope.app.view.tables import small_table
from headscope.app.view.working import long_work
from headscope.app.wire import position_charts, position_study_charts
from headscope.app.wire.chart import Chart
from headscope.app.wire.distance_wall import distance_wall, largest_mean
from headscope.app.workbench import position_corpus, positions, studies
from headscope.app.workbench.position_corpus import Measured
from headscope.app.workbench.workbench import Workbench
from headscope.model.progress import Progress

T = TypeVar("T")

VIEWS = ("corpus", "heads", "changes", "layers", "length", "by_position", "offsets")
MEASURE_LABELS: dict[Measure, str] = {"loss": "Loss", "bleu": "BLEU", "chrf": "chrF", "length_ratio": "Length ratio"}
DOING = {
    "corpus": "Takes scores apart",
    "heads": "Measures attention by distance",
    "changes": "Translates with changed positions",
    "layers": "Reads positions off the layers",
    "length": "Translates sentences of every length",
}


@dataclass(frozen=True, slots=True)
class OverCorpus:
    """What a view shows of one checkpoint."""

    checkpoint: str
    measured: Measured
    charts: tuple[Chart, ...]
    table: pd.DataFrame | None = None


def found(bench: Workbench, name: str, state: PositionsView, view: View, *, first: str) -> OverCorpus | None:
    """What a view has of a checkpoint; None: the visitor has stopped the work.

    Args:
        first: the checkpoint whose gallery has the sentences, so that two are measured over the same.

    Raises:
        HeadscopeError: there is no such thing, or nothing to measure it over.
    """

    def measured(ask: Callable[..., Measured[T]], what: str, *given: object) -> Measured[T] | None:
        def texts() -> tuple:
            return studies.examples(bench, first)

        def work(bar: Progress) -> Measured[T]:
            return ask(bench, name, *given, texts, bar)

        return long_work((what, name, first, *given), f"{name}: {DOING[what]}", work)

    seen = positions.trained(bench, name, state.length)
    if state.view == "corpus":
        shares = measured(position_corpus.shares, "corpus", state.stack)
        return shares and OverCorpus(name, shares, _shares(name, shares, seen))
    if state.view == "heads":
        heads = measured(position_corpus.heads, "heads")
        return heads and OverCorpus(name, heads, _lines(name, heads, view, seen))
    if state.view == "changes":
        changes = measured(position_corpus.changes, "changes")
        if changes is None:
            return None
        drawn = position_study_charts.changes(name, changes.value, seen)[MEASURES.index(state.measure)]
        return OverCorpus(name, changes, (drawn,), _changes(name, changes.value))
    if state.view == "layers":
        layers = measured(position_corpus.readable, "layers")
        return layers and OverCorpus(name, layers, (position_study_charts.readable(name, layers.value, seen),))
    study = measured(position_corpus.length, "length")
    if study is None:
        return None
    seen = positions.trained(bench, name, position_study_charts.reach(study.value))
    if state.view == "by_position":
        return OverCorpus(name, study, (position_study_charts.by_position(name, study.value, seen),))
    if state.view == "offsets":
        return OverCorpus(
            name, study, (position_study_charts.at_offsets(name, study.value, seen),), _offsets(name, study)
        )
    drawn = position_study_charts.by_length(name, study.value, seen)[MEASURES.index(state.measure)]
    return OverCorpus(name, study, (drawn,), _lengths(name, study))


def walls(sides: list[OverCorpus], view: View) -> None:
    """The heads of each checkpoint by distance, on one scale."""
    most = largest_mean(*(side.measured.value for side in sides), kind=view.kind)
    current = Head(view.kind, view.layer, view.head)
    for number, side in enumerate(sides):
        st.text(f"{side.checkpoint}: mean attention by distance")
        key = f"distances {number}"
        message = distance_wall(side.checkpoint, side.measured.value, DISTANCES, view.kind, most=most, current=current)
        draw(WALL, message, key=key, on_chosen=lambda key=key: _choose(key))


def below(sides: list[OverCorpus]) -> None:
    """Numbers as a table, and what they were measured over."""
    tables = [side.table for side in sides if side.table is not None]
    if tables:
        small_table(pd.concat(tables), alt="The numbers of these charts")
    said = {f"{side.measured.sentences:,} sentences: {side.measured.corpus}." for side in sides}
    st.caption(" ".join(sorted(said)))


def _choose(key: str) -> None:
    if head := as_head(session.view().kind, said(WALL, "chosen", key=key)):
        session.change(layer=head.layer, head=head.head)


def _shares(name: str, found: Measured, seen) -> tuple[Chart, ...]:
    of = found.value
    return (
        position_charts.shares(f"{name}: shares, {of.sentences} sentences", of.share, seen),
        position_charts.shares(f"{name}: deviation", of.deviation, seen),
    )


def _lines(name: str, found: Measured, view: View, seen) -> tuple[Chart, ...]:
    own = [each for each in found.value if (each.kind, each.layer, each.head) == (view.kind, view.layer, view.head)]
    place = f"{view.kind} {view.layer + 1}.{view.head + 1}"
    return tuple(position_study_charts.by_distance(f"{name}: {place}", each, DISTANCES, seen) for each in own)


def _mean(mean: Mean | None, digits: int = 3) -> str:
    if mean is None:
        return ""
    return f"{mean.value:.{digits}f}" + ("" if mean.interval is None else f" ± {mean.interval:.{digits}f}")


def _scores(decoded: Decoded | None) -> dict[str, str]:
    if decoded is None:
        return {"BLEU": "", "chrF": "", "length ratio": ""}
    return {
        "BLEU": _mean(Mean(value=decoded.bleu.value, interval=decoded.bleu.interval), 1),
        "chrF": _mean(Mean(value=decoded.chrf.value, interval=decoded.chrf.interval), 1),
        "length ratio": f"{decoded.length_ratio:.3f}",
    }


def _changes(name: str, effects) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"checkpoint": name, "positions": each.change, "loss": _mean(each.loss), "change": _mean(each.difference)}
            | _scores(each.decoded)
            | {"refused": each.refused or ""}
            for each in effects
        ]
    )


def _lengths(name: str, found: Measured) -> pd.DataFrame:
    study = found.value
    return pd.DataFrame(
        [
            {"checkpoint": name, "sentences are": position_study_charts.CONDITION_NAMES[which]}
            | {"pieces": f"{each.low}–{each.high}", "sentences": each.sentences, "loss": _mean(each.loss)}
            | _scores(each.free)
            | {f"{key}, to length": value for key, value in _scores(each.to_length).items()}
            for which, of in (("natural", study.natural), ("joined", study.joined))
            for each in of.bins
        ]
    )


def _offsets(name: str, found: Measured) -> pd.DataFrame:
    shares = [
        {f"{100 * share:.0f} % {region}" for region, share in each.regions.items()} for each in found.value.offsets
    ]
    return pd.DataFrame(
        [
            {"checkpoint": name, "first position": each.offset, "loss": _mean(each.loss), "change": _mean(each.change)}
            | {"positions": ", ".join(sorted(of))}
            for each, of in zip(found.value.offsets, shares, strict=True)
        ]
    )
