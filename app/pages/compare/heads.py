"""One head of every model, side by side, and how much more or less each looks than the first."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.heads import Head
from headscope.analysis.records.meeting import same_tokens
from headscope.app.components.head_map.head_map import HEAD_MAP
from headscope.app.pages.compare import sides as chosen
from headscope.app.pages.compare.sides import Side
from headscope.app.pages.compare.translations import figures, whose
from headscope.app.view import controls, session
from headscope.app.view.draw import draw
from headscope.app.view.frame import Picture
from headscope.app.view.shown import with_special
from headscope.app.view.state import View
from headscope.app.view.working import long_work
from headscope.app.wire.chart import Chart
from headscope.app.wire.compare_charts import head_chart
from headscope.app.wire.encoding import number
from headscope.app.wire.head_map import head_map
from headscope.app.wire.shown import Shown, changed
from headscope.app.workbench import comparing, position_corpus, studies
from headscope.model.errors import HeadscopeError

MATCH_LABELS = {"place": "Same place", "here": "Most alike here", "corpus": "Matched over a corpus"}


@dataclass(frozen=True, slots=True)
class Shows:
    """What is drawn of one model."""

    title: str
    shown: Shown


def show(picture: Picture, sides: Sequence[Side], view: View) -> None:
    """All of it."""
    bench, asked, own = session.workbench(), [side.sentence for side in sides], chosen.head(view)
    if not view.present:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            controls.head(picture.card.config)
            controls.one_of("Head of the others", MATCH_LABELS, "compare.match")
    owner = whose(sides, view)
    in_words = view.unit == "words"
    records = comparing.met(bench, asked, owner.sentence, in_words=in_words)
    if not in_words and not same_tokens([comparing.forced(bench, side, owner.sentence) for side in asked]):
        st.caption("These models cut the text into other pieces, so words are compared: keys summed, rows averaged.")
    drawn: list[Shows] = []
    for side, maps in zip(sides, records, strict=True):
        try:
            head, said = (own, "") if side is sides[0] else _partner(sides[0], side, own, records[0], maps, view)
            drawn.append(Shows(f"{side.letter}: {head}{said}", with_special(_alone(maps, head), view)))
        except HeadscopeError as error:
            st.text(f"{side.letter} is left out: {error}.")
    first = drawn[0]
    differences = []
    for each in drawn[1:]:
        titles = [shows.title.split(":")[0] for shows in (each, first)]
        differences.append(Shows(" less ".join(titles), changed(each.shown, first.shown)))
    if len(drawn) == 2:
        _draw([*drawn, *differences], view, "maps")
    else:
        _draw(drawn, view, "maps")
        _draw(differences, view, "maps less")
    charts: list[Chart] = [head_chart(each.title, each.shown.maps, view.kind) for each in (*drawn, *differences)]
    figures(charts, picture.sentence.source, view, "these maps as")


def _alone(maps: AttentionMaps, head: Head) -> AttentionMaps:
    from headscope.analysis.comparison.heads import alone

    return alone(maps, head)


def _draw(drawn: Sequence[Shows], view: View, key: str) -> None:
    if not drawn:
        return
    with st.container(horizontal=True, key=key):
        for place, each in enumerate(drawn):
            with st.container():
                draw(HEAD_MAP, head_map(each.shown, view.kind, 0, 0, title=each.title), key=f"head_map {key} {place}")


def _partner(
    first: Side, side: Side, own: Head, ours: AttentionMaps, theirs: AttentionMaps, view: View
) -> tuple[Head, str]:
    """The head of a model that stands beside one of the first, and how alike both are.

    Raises:
        HeadscopeError: there is none, or none is known.
    """
    from headscope.analysis.comparison.heads import head_divergences, heads_in, nearest_head

    if view.compare.match == "here":
        head, apart = nearest_head(ours, own, theirs)
        return head, f", divergence {number(apart)}"
    head = own if view.compare.match == "place" else _matched(first, side, own)
    known = heads_in(theirs, head.kind)
    if head not in known:
        raise HeadscopeError(f"it has no head {head}: choose another one, or “{MATCH_LABELS['here']}”")
    apart = head_divergences(ours, theirs, own.kind)[heads_in(ours, own.kind).index(own), known.index(head)]
    return head, f", divergence {number(float(apart))}" if apart == apart else ""


def _matched(first: Side, side: Side, own: Head) -> Head:
    """The head it was matched with over a corpus, whichever layer that is in."""
    bench = session.workbench()
    one, two = first.sentence.checkpoint, side.sentence.checkpoint
    found = long_work(
        ("compared heads", one, two),
        f"Matches the heads of {first.letter} and {side.letter}",
        lambda bar: position_corpus.comparison(bench, one, two, lambda: studies.examples(bench, one), bar),
    )
    if found is None:
        raise HeadscopeError("its heads are not matched yet: start again")
    if found.value.unmatched:
        raise HeadscopeError(found.value.unmatched)
    for matching in found.value.matchings:
        for match in matching.matches:
            if matching.across and match.a == own:
                return match.b
    raise HeadscopeError(f"{own} was matched with none of its heads")
