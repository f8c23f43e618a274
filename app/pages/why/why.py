"""Why the model said each token: attributions to the source and to what it had written before."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from headscope.analysis.measures.deciding import deciding_query
from headscope.analysis.records.heads import Head
from headscope.app.components.why.why import WHY
from headscope.app.export.attribution import attribution_object
from headscope.app.export.chart import Charts, figure
from headscope.app.export.paper import FIGURES
from headscope.app.pages.why.below import below, chosen_rows
from headscope.app.pages.why.shaded import BASE_LABELS, shaded, unit_of
from headscope.app.view import controls, saving, session
from headscope.app.view.draw import draw
from headscope.app.view.frame import Frame, Picture
from headscope.app.view.state import View
from headscope.app.view.why_state import BASES, HEAD, LONGEST_TEXT, NONE, ROLLOUT, WhyView
from headscope.app.view.working import long_work
from headscope.app.wire.attribution_charts import attribution_charts
from headscope.app.wire.encoding import number
from headscope.app.wire.why import Why, head_shading, rollout_shading, why
from headscope.app.workbench import attributions
from headscope.app.workbench.attributions import Alternative, Instead

if TYPE_CHECKING:
    from headscope.analysis.attribution.attribution import Attribution

# The method that is drawn until a better one is there.
FIRST = "saliency"


def known(view: View) -> WhyView:
    """What of the view there is: names of methods come from an address."""
    from headscope.analysis.attribution.registry import DEFAULT, EXPLAINABLE, METHODS

    own, usual = view.why, WhyView()
    explained = own.explained if own.explained in EXPLAINABLE else DEFAULT
    fits = {name for name, method in METHODS.items() if method.explains or explained == DEFAULT}
    method = own.method if own.method in fits else usual.method
    return replace(
        own,
        method=method,
        explained=explained,
        beside=own.beside if own.beside in fits | {HEAD, NONE, ROLLOUT} else NONE,
    )


def choices(own: WhyView, view: View, picture: Picture) -> None:
    """Methods, and what they explain."""
    from headscope.analysis.attribution.registry import DEFAULT, EXPLAINABLE, METHODS

    fits = [name for name, method in METHODS.items() if method.explains or own.explained == DEFAULT]
    with st.container(horizontal=True, vertical_alignment="bottom", key="explained"):
        _select("Explain", [*EXPLAINABLE], "explained", own.explained)
        _against(own, picture)
        _select("Method", fits, "method", own.method)
        _select("Beside it", [NONE, HEAD, ROLLOUT, *fits], "beside", own.beside)
        if any(name in METHODS and METHODS[name].compares for name in (own.method, own.beside)):
            _select("Compared with", BASES, "base", own.base)
    if own.beside == HEAD:
        controls.head(picture.card.config)


def _select(label: str, options: Sequence[str], field: str, value: str) -> None:
    with st.container(width=200):
        st.selectbox(label, options, format_func=_called, **session.control(f"why.{field}", value))


def _against(own: WhyView, picture: Picture) -> None:
    """Another translation, or another checkpoint, where the difference to it is explained."""
    from headscope.analysis.attribution.registry import EXPLAINABLE

    bench, against = session.workbench(), EXPLAINABLE[own.explained].against
    if against == "translation":
        best = next(iter(attributions.rivals(bench, picture.sentence)), "")
        control = session.control("why.rival", own.rival, clean=lambda text: " ".join(text.split()))
        with st.container(width=300):
            st.text_input("And not", placeholder=best or "another translation", max_chars=LONGEST_TEXT, **control)
    elif against == "checkpoint" and (names := attributions.other_checkpoints(bench, picture.sentence.checkpoint)):
        value = own.model if own.model in names else names[0]
        with st.container(width=260):
            st.selectbox("Minus that of", names, **session.control("why.model", value))


def rival(own: WhyView, picture: Picture) -> str:
    """The translation, or the checkpoint, that the visitor contrasts with; blank: there is none."""
    from headscope.analysis.attribution.registry import EXPLAINABLE

    bench, against = session.workbench(), EXPLAINABLE[own.explained].against
    if against == "translation":
        return own.rival or next(iter(attributions.rivals(bench, picture.sentence)), "")
    if against == "checkpoint":
        names = attributions.other_checkpoints(bench, picture.sentence.checkpoint)
        return own.model if own.model in names else next(iter(names), "")
    return ""


def _called(name: str) -> str:
    return BASE_LABELS.get(name, name[:1].upper() + name[1:])


def contrast(own: WhyView, picture: Picture, row: int) -> None:
    """Which piece stands against the one that was said: a probable one, which a click chooses, or one that is typed."""
    bench, asked = session.workbench(), picture.sentence
    offered = attributions.alternatives(bench, asked, row)
    pieces = {each.piece: each for each in offered}
    at = None
    if own.explained == "contrast":
        at = own.against[1] if own.against and own.against[0] == row else offered[0].piece
    options = [*pieces, *([at] if at is not None and at not in pieces else [])]

    def against(piece: int | None) -> None:
        before = session.view().why
        if piece is not None:
            session.change(why=replace(before, explained="contrast", against=(row, piece)))
        elif before.explained == "contrast":
            session.change(why=replace(before, explained=WhyView().explained, against=None))

    def typed() -> None:
        text = st.session_state["why-typed"]
        if text.strip():
            against(attributions.piece_of(bench, asked, text))

    def spelt(piece: int) -> str:
        return _alternative(pieces[piece]) if piece in pieces else f"typed: piece {piece}"

    st.session_state["why-against"] = at
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.pills(
            "Why not one of the next pieces instead",
            options,
            format_func=spelt,
            key="why-against",
            on_change=lambda: against(st.session_state["why-against"]),
        )
        with st.container(width=160):
            st.text_input("Or another", key="why-typed", max_chars=40, on_change=typed)


def _alternative(each: Alternative) -> str:
    return f"{controls.literal(each.spelt)}  {number(each.probability)}"


def instead(own: WhyView) -> Instead | None:
    """The piece of the visitor's choice, for a contrast."""
    return Instead(*own.against) if own.explained == "contrast" and own.against else None


def at_hand(picture: Picture, own: WhyView, method: str) -> bool:
    """Whether an attribution is there as soon as the quickest one would be."""
    from headscope.analysis.attribution.registry import METHODS

    bench, asked = session.workbench(), picture.sentence
    return METHODS[method].cost == "one pass" or attributions.at_hand(
        bench, asked, method, own.explained, base=own.base, instead=instead(own), rival=rival(own, picture)
    )


def found(picture: Picture, own: WhyView, method: str) -> "Attribution | None":
    """An attribution in pieces; None: the visitor has stopped the work for it."""
    bench, asked, other, against = session.workbench(), picture.sentence, instead(own), rival(own, picture)
    return long_work(
        ("why", asked, method, own.explained, own.base, other, against),
        f"Attributes by {method}",
        lambda bar: attributions.attribution(
            bench, asked, method, own.explained, base=own.base, instead=other, rival=against, progress=bar
        ),
    )


def shown(attribution: "Attribution", view: View) -> "Attribution":
    """In the tokens of the view: nothing is computed again."""
    return attribution.words() if view.unit == "words" else attribution


def message(picture: Picture, own: WhyView, view: View, row: int, parts: "Sequence[Attribution]") -> Why:
    """What is drawn of one method, or of two."""
    first = shown(parts[0], view)
    made = [shaded(shown(each, view)) for each in parts]
    shadings = [each for each, _ in made]
    if own.beside == HEAD and view.kind != "encoder" and len(first.predicts) == len(picture.maps.predicts):
        shadings.append(head_shading(picture.maps, Head(view.kind, view.layer, view.head)))
    if own.beside == ROLLOUT and view.unit == "pieces" and len(first.predicts) == len(picture.maps.predicts):
        shadings.append(rollout_shading(picture.maps))
    key = f"{picture.maps.fingerprint} {own} {view.kind} {view.layer} {view.head}"
    chosen = min(row, len(first.predicts) - 1)
    because = "opened here: the model was least sure of this token"
    return why(first, shadings, made[0][1], key=key, first=chosen, because=because)


def save(view: View, attribution: "Attribution", signed: bool, unit: str) -> None:
    """The numbers and the matrix as files."""
    name = f"{view.checkpoint.replace('/', '-')}-why"
    settings = attribution.settings
    caption = f"{view.checkpoint}: “{attribution.source.text}” → “{attribution.predicts.text}”; {settings.method} of "
    caption += settings.explained + (f", baseline {settings.baseline}" if settings.baseline else "")
    with saving.row() as buttons:
        saving.label("Save the numbers as")
        buttons.button("csv", lambda *, progress: attribution.to_pandas().to_csv(index=False).encode(), name)
        content = partial(attribution_object, attribution, "sum" if signed else "norm")
        buttons.button("json", lambda *, progress: json.dumps(content(), ensure_ascii=False).encode(), name)
        saving.label("the matrix as")
        wanted = Charts(attribution_charts(attribution, signed=signed, unit=unit), caption)
        for form in FIGURES:
            buttons.button(form, partial(figure, wanted, form), name, long=wanted.takes_long(form))


frame = Frame(session.workbench())
st.title("Why did the model say this?", anchor=False)
above = st.container(key="choices")
with frame.picture() as picture:
    from headscope.analysis.attribution.registry import METHODS

    view = session.view()
    own = known(view)
    least_sure = deciding_query(picture.maps, "cross")
    row = view.pin.index if view.pin and view.pin.side == "output" else least_sure
    with above:
        if not view.present:
            choices(own, view, picture)
        instead_of = st.empty()
        if not view.present and own.explained == "contrast" and view.unit == "words":
            st.caption("In words, every piece is contrasted with the second-best: choose pieces for another one.")
    work, slot = st.container(), st.empty()
    parts: "list[Attribution]" = []

    def show(key: str) -> None:
        with slot.container():
            draw(WHY, message(picture, own, view, row, parts), key=key)

    # What is there at once is drawn before anything is waited for, and better methods take its place.
    if not at_hand(picture, own, own.method):
        with work:
            quick = found(picture, own, FIRST)
        if quick is not None:
            parts = [quick]
            show("why until then")
    if not view.present and view.unit == "pieces":
        with instead_of.container():
            contrast(own, picture, row)
    with work:
        main = found(picture, own, own.method)
    if main is not None:
        parts = [main]
        if own.beside in METHODS and own.beside != own.method:
            if not at_hand(picture, own, own.beside):
                show("why alone")
            with work:
                second = found(picture, own, own.beside)
            parts += [second] if second is not None else []
        show("why")
        if not view.present:
            save(view, shown(main, view), METHODS[own.method].signed, unit_of(main))
        below(picture, view, chosen_rows(picture, view, row), own.method)
        if own.beside == ROLLOUT and view.unit == "words":
            st.caption("Rollout is of pieces: choose pieces to see it here.")
        if own.beside == HEAD and view.kind == "encoder":
            st.caption("An encoder head reads the source alone: choose cross- or decoder attention to see it here.")
controls.how_to_read(
    "Each token of the source, and each that was written before, has a number: what it did for the chosen token. "
    "Colours on either side of the page's own speak for and against it; methods without a sign say only how much. "
    "Where a method is complete, the numbers of a row sum to what is explained minus its value at the baseline; the "
    "completeness error says how far they miss that. "
    "A method says what the number is sensitive to, by its own definition: two that differ are both right about that.",
    equation=r"\mathrm{error} = \frac{|\sum_i a_i - (f(x) - f(x'))|}{\max(|f(x) - f(x')|, \sum_i |a_i|)}",
    source="Integrated gradients: Sundararajan et al. 2017. Arrow keys walk the matrix, Enter pins a row.",
)
