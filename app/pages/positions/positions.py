"""What a checkpoint knows of positions, what its first layer makes of them, and how another one differs."""

import re
from dataclasses import replace
from functools import partial
from itertools import zip_longest

import streamlit as st

from headscope.analysis.positions import jobs
from headscope.analysis.positions.regions import MEANINGS, REGION_NAMES
from headscope.app.export.chart import FORMS, Charts
from headscope.app.pages.positions import attention, beyond, changed, over_corpus, together, views
from headscope.app.pages.positions.formula import choices, of_formula
from headscope.app.pages.positions.over_corpus import OverCorpus
from headscope.app.pages.positions.texts import SCHEMES, TEXTS, Text
from headscope.app.view import controls, saving, session
from headscope.app.view.charts import draw_charts, load_early
from headscope.app.view.frame import Frame, Picture, problem
from headscope.app.view.positions_state import LENGTHS, MOST_DIMENSIONS, PositionsView
from headscope.app.view.presenter import Walk
from headscope.app.view.state import View
from headscope.app.wire.axes import NAMES
from headscope.app.wire.chart import Chart, alike, difference
from headscope.app.wire.position_charts import TERMS, UNITS, WHOLE
from headscope.app.workbench import positions, studies
from headscope.model.card import Card
from headscope.model.errors import HeadscopeError
from headscope.model.sites import heads_at

ROW_LABELS = {"trained": "Well trained", "all": "All shown"}
MAPS = ("table", "pairs", "spectrum", "head", "sentence", "corpus")  # these views show maps, which have a difference
GATHERED = ("distance", "shift", "plane", "spectrum")  # these views take some of the positions shown
PAIRED = ("attention", "compared")  # these views are of two checkpoints, whatever stands beside the others
ALONE = ("what_if", "formula", "experiment")  # these views set no second checkpoint beside the first
STACK_LABELS = {"encoder": "Encoder", "decoder": "Decoder"}
VIEW_LABELS = {name: text.name for name, text in TEXTS.items()}
# Views by what they are about. A further view is a name here, its words in `texts` and its charts in `views`.
PARTS = {
    "The table": ("table", "waves", "pairs", "distance", "shift", "plane", "norms", "spectrum", "training"),
    "What the model does with it": ("head", "sentence", "corpus", "heads", "changes", "layers"),
    "Two models": ("attention", "compared"),
    "What if": ("what_if",),
    "Beyond the trained length": ("length", "by_position", "offsets", "experiment"),
    "Without a model": ("formula",),
}


def other(state: PositionsView) -> str | None:
    """The second checkpoint; None: there is none."""
    bench, view = session.workbench(), session.view()
    if not (state.beside or state.view in ("what_if", *PAIRED)):
        return None
    return state.other or positions.twin(bench, view.checkpoint)


def choose_view(state: PositionsView) -> None:
    """Which part, and which of its views."""
    part = next(name for name, names in PARTS.items() if state.view in names)
    key = "positions-part"
    if st.session_state.get(key) != part:
        st.session_state[key] = part

    def go() -> None:
        session.change(positions=replace(session.view().positions, view=PARTS[st.session_state[key]][0]))

    st.segmented_control("Part", PARTS, required=True, key=key, on_change=go, label_visibility="collapsed")
    if len(PARTS[part]) > 1:
        names = {name: VIEW_LABELS[name] for name in PARTS[part]}
        controls.one_of("View", names, "positions.view", label_visibility="collapsed")


def settings(state: PositionsView, card: Card) -> None:
    """What the view in sight can be told, and what stands beside it."""
    scheme = views.scheme_of(card.config, state)
    with st.container(horizontal=True, vertical_alignment="bottom", key="settings"):
        if state.view in ("head", "sentence", "corpus") or scheme:
            controls.one_of("First layer of the", STACK_LABELS, "positions.stack")
        if state.view in ("head", "sentence") or scheme == "shaw":
            _head(state, card)
        if state.view in ("heads", *PAIRED):
            controls.kind(card.config)
        if state.view == "attention":
            attention.choices()
        if state.view in ("changes", "length"):
            controls.one_of("Measure", over_corpus.MEASURE_LABELS, "positions.measure")
        if state.view == "experiment":
            beyond.choices()
        if scheme or state.view not in ("sentence", *over_corpus.VIEWS, *PAIRED, "experiment"):
            with st.container(width=220):
                st.slider("Positions shown", *LENGTHS, step=8, **session.control("positions.length", state.length))
        if not scheme:
            _of_table(state, card)
        _other(state)


def _head(state: PositionsView, card: Card) -> None:
    heads = heads_at(card.config, state.stack, 0)
    with st.container(width=96):
        control = session.control("positions.head", min(state.head, heads - 1))
        st.selectbox("Head", range(heads), format_func=lambda place: str(place + 1), **control)


def _of_table(state: PositionsView, card: Card) -> None:
    if state.view == "sentence":
        with st.container(width=220):
            st.selectbox("Map", (WHOLE, *TERMS), **session.control("positions.term", state.term))
    if state.view == "waves":
        _dimensions(state, card)
    if state.view in ("pairs", "distance"):
        controls.one_of("Product", {name: name.capitalize() for name in UNITS}, "positions.product")
        st.toggle("Mean row taken away", **session.control("positions.centre", state.centre))
    if state.view in GATHERED:
        controls.one_of("Positions taken", ROW_LABELS, "positions.rows")


def _dimensions(state: PositionsView, card: Card) -> None:
    chosen = [each for each in state.dimensions if each < card.config.d_model] or [0]

    def clean(chosen: list[int]) -> tuple[int, ...]:
        return tuple(sorted(chosen)) or (0,)

    with st.container(width=360):
        st.multiselect(
            "Dimensions",
            range(card.config.d_model),
            max_selections=MOST_DIMENSIONS,
            **session.control("positions.dimensions", chosen, clean=clean),
        )


def _other(state: PositionsView) -> None:
    """The second checkpoint, and whether the difference is drawn."""
    bench, view = session.workbench(), session.view()
    if state.view not in PAIRED:
        st.toggle("Side by side", **session.control("positions.beside", state.beside))
    if state.beside or state.view in PAIRED:
        names = [name for name in bench.names if name != view.checkpoint]
        found = other(state)
        with st.container(width=260):
            control = session.control("positions.other", found if found in names else None)
            st.selectbox("Second checkpoint", names, placeholder="Choose one", **control)
        if state.view in MAPS:
            st.toggle("Difference of maps", **session.control("positions.differ", state.differ))


def side(name: str, picture: Picture, state: PositionsView) -> tuple[Chart, ...] | OverCorpus:
    """The charts of one checkpoint; what it does not have is said in their place."""
    bench, first, asked = session.workbench(), picture.sentence.checkpoint, picture.sentence
    try:
        if state.view in over_corpus.VIEWS and not views.scheme_of(bench.card(name).config, state):
            return over_corpus.found(bench, name, state, session.view(), first=first) or ()
        if name != first:
            asked = (
                positions.asked_of(bench, asked, name) if state.view == "sentence" else replace(asked, checkpoint=name)
            )
        return views.of(bench, asked, state)
    except HeadscopeError as error:
        st.text(name)
        problem(error)
        return ()


def compared(sides: list[tuple[Chart, ...]], *, differ: bool) -> list[list[Chart]]:
    """Charts of two checkpoints in rows, what shows the same on one scale, and their differences."""
    rows = []
    for each in zip_longest(*sides):
        row = [chart for chart in each if chart]
        same = len({(chart.y.title, chart.grid is None) for chart in row}) == 1
        row = list(alike(row)) if same else row
        if differ and len(row) == 2:
            try:
                row.append(difference(*row))
            except HeadscopeError as error:
                st.caption(f"No difference: {error}.")
        rows.append(row)
    return rows


def caption(view: View, text: Text) -> str:
    """What the reader of a file must know."""
    state, said = view.positions, [text.question, f"{view.checkpoint}."]
    if state.view == "formula":
        said = [text.question, f"Width {state.width}, base {state.base:,g}."]
    if state.view in ("head", "sentence", "corpus"):
        said.append(f"First layer of the {state.stack}.")
    if state.view in PAIRED:
        said.append(f"Beside {other(state)}: {NAMES[view.kind]}.")
    if state.view == "heads":
        said.append(f"{NAMES[view.kind]}, layer {view.layer + 1}, head {view.head + 1}.")
    if state.view == "sentence":
        said.append(f"Source: {view.source}")
    if state.view in ("pairs", "distance"):
        said.append(f"{UNITS[state.product].capitalize()}s, mean row {'taken away' if state.centre else 'left in'}.")
    if state.view in GATHERED:
        said.append(f"Positions taken: {ROW_LABELS[state.rows].lower()}.")
    return " ".join(said)


def save(shown: list[Chart], view: View, text: Text) -> None:
    """Buttons that save what is shown."""
    wanted = Charts(shown, caption(view, text))
    name = re.sub(r"[^\w.-]+", "-", f"{view.checkpoint}-positions-{view.positions.view}")
    with saving.row() as buttons:
        saving.label("Save these charts as")
        for form, make in FORMS.items():
            buttons.button(form, partial(make, wanted), name, long=wanted.takes_long(form))


def next_view(view: View, by: int) -> View:
    """The view before or behind."""
    names = [name for part in PARTS.values() for name in part]
    at = max(0, min(names.index(view.positions.view) + by, len(names) - 1))
    return replace(view, positions=replace(view.positions, view=names[at]))


def next_head(view: View, by: int) -> View:
    """Another head of the first layer; the charts know how many there are."""
    return replace(view, positions=replace(view.positions, head=max(0, view.positions.head + by)))


WALKS = (
    Walk("view", "ArrowLeft", "ArrowRight", next_view),
    Walk("head", "ArrowUp", "ArrowDown", next_head),
)

frame = Frame(session.workbench())
state = session.view().positions
card = frame.card
scheme = card and views.scheme_of(card.config, state)
text = SCHEMES[scheme] if scheme else TEXTS[state.view]
st.title(text.question, anchor=False)
if card:
    choose_view(state)
    if state.view == "formula":
        choices()
    elif state.view == "what_if":
        changed.choices(card.config, other(state))
    else:
        settings(state, card)
with frame.picture(in_pieces=True, walks=None if state.view in ("what_if", "attention") else WALKS) as picture:
    view = session.view()
    names = [view.checkpoint, *([second] if (second := other(state)) else [])]
    sides, rows, results, both = [], [], None, None
    if state.view == "what_if":
        changed.show(picture, state, other(state))
    elif state.view == "attention":
        attention.show(picture, state, other(state))
    elif state.view == "formula":
        rows = [list(of_formula(state))]
    elif state.view == "experiment":
        results = studies.experiment(session.workbench(), jobs.KEPT)
        rows = beyond.experiment_charts(results, names, state.finding)
    elif state.view == "compared":
        both = together.found(view.checkpoint, other(state))
        rows = together.charts(both, view) if both else []
    else:
        found = [side(name, picture, state) for name in names]
        sides = [each for each in found if isinstance(each, OverCorpus)]
        rows = compared([each.charts if isinstance(each, OverCorpus) else each for each in found], differ=state.differ)
    if len(names) == 1 and (state.beside or state.view in PAIRED) and state.view not in ALONE:
        st.caption("No checkpoint here has the same languages and other positions: choose one to compare with.")
    if state.view == "heads" and sides:
        over_corpus.walls(sides, view)
    if results is not None:
        beyond.said(results, state.finding)
    for number, row in enumerate(rows):
        draw_charts(row, key=str(number), large=view.present)
    if sides:
        over_corpus.below(sides)
    if both:
        together.below(both, view)
    shown = [chart for row in rows for chart in row]
    if results is None and any(chart.margin for chart in shown):
        known = {region for chart in shown if chart.margin for _, lane in chart.margin.lanes for region in lane}
        st.caption(
            "Below a chart, its positions. "
            + " ".join(f"{REGION_NAMES[each].capitalize()}: {MEANINGS[each]}." for each in MEANINGS if each in known)
        )
    if shown and not view.present:
        save(shown, view, text)
    if all(chart.grid for chart in shown):
        load_early()
controls.how_to_read(text.text, equation=text.equation, source=text.source)
