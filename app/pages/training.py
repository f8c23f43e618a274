"""One head over training: how it came to look where it looks."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from headscope.analysis.records.heads import Head
from headscope.app.components.course.course import COURSE, as_moment
from headscope.app.components.head_map.head_map import HEAD_MAP
from headscope.app.components.strip.strip import STRIP, as_pin
from headscope.app.export.chart import FORMS, Charts
from headscope.app.view import controls, presenter, saving, session
from headscope.app.view.charts import draw_charts
from headscope.app.view.draw import draw, said
from headscope.app.view.frame import problem
from headscope.app.view.measured import NAMES
from headscope.app.view.presenter import Walk
from headscope.app.view.state import REMOVAL, View, measures_of, to_query
from headscope.app.view.training_state import MOST_MEASURES
from headscope.app.wire.chart import Chart
from headscope.app.wire.course import course
from headscope.app.wire.course_charts import measure_curves
from headscope.app.wire.encoding import weights as encoded
from headscope.app.wire.head_map import head_map
from headscope.app.wire.shown import Shown
from headscope.app.wire.strip import Fact, Strip, strip
from headscope.app.workbench import studies
from headscope.app.workbench.workbench import Workbench
from headscope.model.card import Card
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress
from headscope.model.sites import AttentionKind

if TYPE_CHECKING:
    from headscope.analysis.measures.course import Taken
    from headscope.analysis.measures.history import History
    from headscope.analysis.records.attention_maps import AttentionMaps

NONE = (
    "No history of these weights lies with this checkpoint: nobody watched its heads while it was trained. Models that "
    "Headscope trains have one (history.npz); of a run that went unwatched it can be made from its snapshots. "
    "Choose another checkpoint."
)
# Measures whose curves are drawn before others are chosen, of a head without a role.
USUAL: dict[AttentionKind, tuple[str, str]] = {
    "cross": ("diagonality", "relative_entropy"),
    "encoder": ("next_peak", "relative_entropy"),
    "decoder": ("start", "relative_entropy"),
}


def body(bench: Workbench, card: Card, view: View) -> Sequence[Walk]:
    """Everything below the title. Returns where keys lead in presenter mode."""
    card.config.capabilities().require_kind(view.kind)
    history = studies.history(bench, view.checkpoint)
    if history is None:
        if view.present:
            st.text(view.checkpoint)  # whose it is stands in the sidebar elsewhere
        else:
            controls.head(card.config)
        st.info(NONE)
        return ()
    sentence = min(view.training.sentence, len(history.watched) - 1)
    if not view.present:
        with st.container(horizontal=True):
            controls.kind(card.config)
            controls.place(card.config)
            watch(history, sentence)
    head = Head(view.kind, view.layer, view.head)
    pictures(bench, card, view, history, head, sentence)
    if not view.present:
        st.caption(stated(history))
        st.button("Look at it in a sentence of your own", on_click=lambda: session.go_to("head"))
        over_many(view, history, head)
    walks = presenter.walks(card.config, studies.watched(bench, view.checkpoint, sentence))
    return [walk for walk in walks if walk.what != "token"]


def watch(history: "History", sentence: int) -> None:
    """Which of the watched sentences."""
    st.selectbox(
        "Watched sentence",
        range(len(history.watched)),
        width=260,
        format_func=lambda index: history.watched[index][0],
        **session.control("training.sentence", sentence, on_change=chosen_sentence),
    )


def chosen_sentence() -> None:
    """Another sentence, in which no token is pinned."""
    sentence = st.session_state["view-training.sentence"]
    session.change(training=replace(session.view().training, sentence=sentence, pin=None))


def pictures(bench: Workbench, card: Card, view: View, history: "History", head: Head, sentence: int) -> None:
    """The sentence, the slider over training, and the map of the head at that step."""
    from headscope.analysis.measures.course import development_losses, last_loss, nearest, steps

    record = studies.watched(bench, view.checkpoint, sentence)
    known, losses = steps(history), development_losses(card.path)
    at = nearest(known, view.training.step)
    maps = history.weights(sentence, head.kind)[:, head.layer, head.head]
    most = 1.0 if view.scale == "fixed" else float(maps.max())

    def pin() -> None:
        session.change(training=replace(session.view().training, pin=as_pin(said(STRIP, "pinned"))))

    def step() -> None:
        found = as_moment(said(COURSE, "moment"), len(known))
        if found is not None:
            session.change(training=replace(session.view().training, step=known[found]))

    message = head_map(Shown(record, None), head.kind, head.layer, head.head)
    # What stands beside a long map, pooled, would not follow the slider.
    message = replace(message, weights=encoded(maps[at]), most=most, overview=None)
    told = {each: last_loss(losses, each) for each in known}
    draw(STRIP, tokens(card, view, record), on_pinned=pin)
    draw(COURSE, course(message.signature, message.title, known, told, maps, at=at, most=most), on_moment=step)
    draw(HEAD_MAP, message)


def tokens(card: Card, view: View, record: "AttentionMaps") -> Strip:
    """The watched sentence with its reference."""
    return strip(
        record,
        pin=view.training.pin,
        facts=[
            Fact(view.checkpoint),
            Fact(f"{len(record.source)} pieces in"),
            Fact(f"{len(record.predicts)} out"),
            Fact("the output is the reference of the development text"),
        ],
        trained={"source": card.trained_length("source"), "output": card.trained_length("target")},
        languages=card.languages,
        link=None if view.present else urlencode(to_query(replace(view, tour=0))),
    )


def stated(history: "History") -> str:
    """What exactly is shown."""
    text = (
        "In the maps the decoder is made to read the reference, whatever the model would have written at that step. "
        "Weights are exact to 1/510. Pieces, with start and end symbols. The last snapshot is of the last update; the "
        "checkpoint's own weights are a mean of several, so other pages differ from it a little."
    )
    if history.digest is None:
        text += " The file does not record which weights the training ended with."
    return text


def over_many(view: View, history: "History", head: Head) -> None:
    """Curves of measures over the development sentences, the head's roles, and the numbers behind them."""
    from headscope.analysis.measures.course import roles_taken

    roles = roles_taken(history, head)
    known = [name for name in measures_of(head.kind) if name != REMOVAL and name in history.moments[0].measures]
    usual = tuple(dict.fromkeys((*(each.role.measure for each in roles[:1]), *USUAL[head.kind])))[:2]
    chosen = [name for name in view.training.measures or usual if name in known] or [*usual]
    st.multiselect(
        "Curves",
        known,
        format_func=NAMES.__getitem__,
        max_selections=MOST_MEASURES,
        **session.control("training.measures", chosen, clean=tuple),
    )
    charts = measure_curves(history, head, [(name, NAMES[name]) for name in chosen])
    draw_charts(charts, key="course")
    st.caption(f"Means over {history.sentences:,} development sentences, the same ones at every snapshot.")
    st.text(played(history, roles))
    with st.expander("The numbers", key="numbers", on_change="rerun") as numbers:
        if numbers.open:
            st.dataframe(table(history, head, chosen), hide_index=True, alt="Measures of this head by step")
    files(view, history, head, charts)


def played(history: "History", roles: "Sequence[Taken]") -> str:
    """The head's roles at the end, and since when."""
    if not roles:
        return f"At the last snapshot this head plays none of our roles, by {history.sentences:,} sentences."
    said_of = [
        f"{each.role.name} ({NAMES[each.role.measure].lower()} ≥ {each.role.threshold:g}) "
        + (f"from update {each.step:,} on" if each.step else "from the start, before any update")
        for each in roles
    ]
    return f"This head {'; '.join(said_of)}, and at every snapshot after that."


def table(history: "History", head: Head, measures: Sequence[str]) -> dict[str, np.ndarray]:
    """The curves of the head as columns."""
    from headscope.analysis.measures.course import curves, steps

    at = history.heads.index(head)
    return {"update": np.array(steps(history))} | {NAMES[name]: curves(history, name)[:, at] for name in measures}


def files(view: View, history: "History", head: Head, charts: Sequence[Chart]) -> None:
    """Buttons that save the curves, and every measure of every head."""
    text = f"{view.checkpoint}, {head}, means over {history.sentences} development sentences at every snapshot"
    wanted = Charts(charts, text)
    name = f"{view.checkpoint}-{head.kind}-{head.layer + 1}-{head.head + 1}-training"
    with saving.row() as buttons:
        saving.label("Save these curves as")
        for form in ("svg", "png", "pdf"):
            buttons.button(form, partial(FORMS[form], wanted), name, long=wanted.takes_long(form))
        saving.label("all measures of all heads as")
        buttons.button("csv", partial(rows, history), f"{view.checkpoint}-training")


def rows(history: "History", *, progress: Progress) -> bytes:
    """Every measure of every head at every snapshot, as `headscope history` writes it."""
    from headscope.app.export.table import counted_csv

    return counted_csv(history.to_pandas(), ["layer", "head"], [])


st.title("How did this head come to be?", anchor=False)
bench, view = session.workbench(), session.view()
walks: Sequence[Walk] = ()
try:
    card = bench.card(view.checkpoint)
    walks = body(bench, card, view)
except HeadscopeError as error:
    problem(error)
if view.present:
    presenter.listen(walks)
controls.how_to_read(
    "Each small map is this head at one snapshot of the training, taken at steps that grow by a constant factor; the "
    "large map is the one that is chosen. A row is a token that looks and shares a weight of 1 among those it may look "
    "at. Below, the line is this head and the grey ones are the other heads of its kind, over many sentences.",
    source="Roles and their thresholds are those of the profile, here over the development sentences of the history.",
)
