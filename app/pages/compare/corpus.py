"""All models over sentence pairs: scores with intervals, the sentences that differ most, and layers by CKA."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from headscope.app.pages.compare.sides import Side
from headscope.app.pages.compare.translations import figures, file_name
from headscope.app.view import controls, saving, session
from headscope.app.view.charts import draw_charts
from headscope.app.view.compare_state import CompareView
from headscope.app.view.frame import Picture
from headscope.app.view.state import View
from headscope.app.view.working import long_work
from headscope.app.wire.chart import Chart
from headscope.app.wire.cka_charts import layer_charts
from headscope.app.workbench import comparing, studies
from headscope.app.workbench.position_corpus import GALLERY
from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.analysis.comparison.corpus import ComparedCorpus, ComparedSentence

UPLOADED = "compare upload"
"""Key of the uploader's state."""
ORDER_LABELS = {"outputs": "By their translations", "log_prob": "By the reference's log-probability"}
MOST_SHOWN = 100
"""Sentences in the table; the files have all."""
MEGABYTES = 10
BY_PEOPLE = "Intervals and p are by bootstrap over distinct sources: of another text, not another training."
BY_MODEL = (
    "Their references were written by A itself, so there are no scores: give sentence pairs of your own for these."
)


@dataclass(frozen=True, slots=True)
class Texts:
    """Sentence pairs, and what they are."""

    pairs: tuple[Pair, ...]
    name: str
    by_people: bool
    """The references are translations by people; else the first model has written them."""


def texts_of(view: View) -> Texts:
    """The visitor's own pairs, else those of the checkpoint's gallery.

    Raises:
        HeadscopeError: the file cannot be read, or there is no gallery.
    """
    if not view.present:
        with st.expander("Sentence pairs of your own"):
            st.file_uploader(
                "A line each, source TAB reference; or JSON lines, or TMX",
                type=["tsv", "jsonl", "tmx"],
                key=UPLOADED,
                max_upload_size=MEGABYTES,
            )
    file = st.session_state.get(UPLOADED)
    if file is None:
        return Texts(studies.examples(session.workbench(), view.checkpoint), GALLERY, by_people=False)
    content = file.getvalue()
    if len(content) > MEGABYTES * 2**20:
        raise HeadscopeError(f"the file has more than {MEGABYTES} MB: take a part of it")
    return Texts(comparing.uploaded(file.name, content), f"from {file.name}", by_people=True)


def show(picture: Picture, sides: Sequence[Side], view: View) -> None:
    """Scores, and the sentences that differ most."""
    bench, texts = session.workbench(), texts_of(view)
    for side in sides:
        done = long_work(
            ("outputs", side.sentence.checkpoint, side.sentence.beam, side.sentence.length_penalty, texts.pairs),
            f"{side.letter} translates",
            lambda bar, side=side: comparing.outputs(bench, side.sentence, texts.pairs, progress=bar),
        )
        if done is None:
            return
    found = comparing.corpus(bench, [side.sentence for side in sides], [side.title for side in sides], texts.pairs)
    if texts.by_people:
        st.dataframe(_scores(found, sides), hide_index=True, key="corpus scores", alt="BLEU and chrF of every model")
    said = f"{len(found.sentences):,} sentence pairs with {found.sources:,} distinct sources, {texts.name}; "
    said += f"{found.same:,} of them are translated alike by all. {BY_PEOPLE if texts.by_people else BY_MODEL}"
    st.text(said)
    if not view.present:
        controls.one_of("Sentences that differ most", ORDER_LABELS, "compare.order")
    ranked = found.ranked(view.compare.order)[:MOST_SHOWN]
    table = _sentences(found, sides, ranked)
    chosen = st.dataframe(
        table,
        hide_index=True,
        key=f"differ {view.compare.order}",
        on_select="rerun",
        selection_mode="single-row",
        alt="The sentences on which the models differ most",
    )
    rows = chosen["selection"]["rows"]
    if rows and rows[0] < len(ranked):
        source = ranked[rows[0]].source
        st.button(
            "Compare on this sentence",
            on_click=lambda: session.change(source=source, compare=_translations(session.view())),
        )
    elif not view.present:
        st.caption("Choose a row to open its sentence in the other views.")
    if not view.present:
        with saving.row() as buttons:
            saving.label("Save all sentences as")
            name = file_name(view)
            buttons.button("csv", lambda *, progress: found.to_pandas().to_csv(index=False).encode(), name)


def _translations(view: View) -> CompareView:
    return replace(view.compare, shows="translations")


def _scores(found: "ComparedCorpus", sides: Sequence[Side]) -> pd.DataFrame:
    rows = []
    for side, scores in zip(sides, found.scores, strict=True):
        row = {"": side.letter, "model": side.title}
        for each, first in zip(scores, found.scores[0], strict=True):
            row[each.metric] = f"{each.value:.1f} ± {each.interval:.1f}"
            row[f"{each.metric} less A"] = "" if each.p is None else f"{each.value - first.value:+.1f}"
            row[f"p ({each.metric})"] = "" if each.p is None else f"{each.p:.3f}"
        rows.append(row)
    return pd.DataFrame(rows)


def _sentences(found: "ComparedCorpus", sides: Sequence[Side], ranked: "Sequence[ComparedSentence]") -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"source": each.source, "chrF between": round(each.likeness, 1), "nats apart": _short(each.spread)}
            | {side.letter: text for side, text in zip(sides, each.outputs, strict=True)}
            | {"reference": each.reference}
            | {f"log p {side.letter}": _short(value) for side, value in zip(sides, each.log_probs, strict=True)}
            for each in ranked
        ]
    )


def _short(value: float | None) -> float | None:
    return None if value is None or value != value else round(value, 2)


def show_layers(picture: Picture, sides: Sequence[Side], view: View) -> None:
    """The layers of every other model beside those of the first."""
    bench, texts, first = session.workbench(), texts_of(view), sides[0]
    charts: list[Chart] = []
    said = []
    for side in sides[1:]:
        try:
            found = long_work(
                ("layers", first.sentence.checkpoint, side.sentence.checkpoint, texts.pairs),
                f"Reads with {first.letter} and {side.letter}",
                lambda bar, side=side: comparing.layers(
                    bench, first.sentence.checkpoint, side.sentence.checkpoint, texts.pairs, progress=bar
                ),
            )
        except HeadscopeError as error:
            st.text(f"{side.letter} is left out: {error}.")
            continue
        if found is None:
            continue
        pair = layer_charts((first.letter, side.letter), found)
        draw_charts(pair, key=f"layers {side.letter}", large=view.present)
        charts += pair
        said.append(f"{side.letter}: {found.tokens[0]:,} and {found.tokens[1]:,} {found.unit}")
    if said:
        st.text(
            f"{len(texts.pairs):,} sentence pairs, {texts.name}. Source and target tokens: {'; '.join(said)}. "
            "Layer “embedding” is what enters the first layer; symbols at the ends are left aside."
        )
    figures(charts, f"{len(texts.pairs):,} sentence pairs", view, "these maps as")
