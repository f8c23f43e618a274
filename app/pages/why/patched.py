"""Patching on the page: activations of a second source, or from behind another prefix, put into the run over the
sentence in view, one at a time."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from headscope.app.export.chart import Charts, figure
from headscope.app.export.paper import FIGURES
from headscope.app.pages.why.pairs import buttons
from headscope.app.view import saving, session
from headscope.app.view.charts import draw_charts
from headscope.app.view.frame import Picture
from headscope.app.view.state import View
from headscope.app.view.why_state import LONGEST_TEXT
from headscope.app.view.working import long_work
from headscope.app.wire.attribution_charts import patching_charts
from headscope.app.wire.chart import Chart
from headscope.app.wire.encoding import number
from headscope.app.workbench import attributions

if TYPE_CHECKING:
    from headscope.analysis.attribution.patching import Patching
    from headscope.analysis.records.attention_maps import Tokens


def patched(picture: Picture, view: View) -> None:
    """Ask for a second source, and draw what its activations change."""
    bench, asked, own = session.workbench(), picture.sentence, view.why
    if not view.present:
        _texts(view)
        if asked.entry == "text":
            buttons(attributions.minimal_pairs(bench, asked.checkpoint))
    if not own.other and not own.prefix:
        st.caption(
            "Type a second source: one that differs from the sentence in a word or two, and is as long. Or another "
            "prefix: words in the place of those that both translations begin with."
        )
        return
    other = own.other or asked.source
    translations = attributions.compared(bench, asked, other, (own.this, own.that))
    if translations[0] == translations[1]:
        st.caption("Both runs are translated alike: type a second translation, which the first is compared with.")
        return
    found = long_work(
        ("patching", asked, other, translations, own.prefix),
        "Patches",
        lambda bar: attributions.patched(bench, asked, other, translations, prefix=own.prefix, progress=bar),
    )
    if found is None:
        return
    charts = patching_charts(found)
    st.text(summary(found))
    draw_charts(charts, key="patching", large=view.present)
    st.caption(
        "Each cell: how the difference changes when that activation alone is the second source's; a change as large as "
        "the gap turns one run into the other. Streams are patched at one token, heads at all. What moves it suffices "
        "there, beside all that this run computes itself; several places may, and none has to be needed. Empty: no "
        "token of the second run stands for this one."
    )
    if not view.present:
        _save(found, charts, view)


def summary(found: "Patching") -> str:
    """What the two runs differ by."""
    first, second = (f"“{each.text}”" for each in found.translations)
    prefix, other = (_written(each) for each in (found.prefix, found.other_prefix))
    begun = f", begun “{other}”" if other != prefix else ""
    return (
        f"log p of {first} minus that of {second}: {number(found.difference)} nats here, "
        f"{number(found.other_difference)} after “{found.other_source.text}”{begun}. The gap: {number(found.gap)} nats."
    )


def _written(prefix: "Tokens") -> str:
    return prefix.text[: prefix.tokens[-1].span[1]]


def _texts(view: View) -> None:
    own = view.why

    def clean(text: str) -> str:
        return " ".join(text.split())

    with st.container(horizontal=True, vertical_alignment="bottom"):
        for label, field, value, hint in (
            ("Second source", "other", own.other, "a sentence"),
            ("Translation", "this", own.this, "that of the sentence"),
            ("Compared with", "that", own.that, "that of the second source"),
            ("Begun in the second run", "prefix", own.prefix, "as both begin"),
        ):
            with st.container(width=240):
                control = session.control(f"why.{field}", value, clean=clean)
                st.text_input(label, placeholder=hint, max_chars=LONGEST_TEXT, **control)


def _save(found: "Patching", charts: Sequence[Chart], view: View) -> None:
    """The changes and their maps as files."""
    name, wanted = (
        f"{view.checkpoint.replace('/', '-')}-patching",
        Charts(charts, f"{view.checkpoint}: {summary(found)}"),
    )
    with saving.row("patching") as buttons:
        saving.label("Save the changes as")
        table = found.to_pandas
        buttons.button("csv", lambda *, progress: table().to_csv(index=False).encode(), name)
        saving.label("their maps as")
        for form in FIGURES:
            buttons.button(form, partial(figure, wanted, form), name, long=wanted.takes_long(form))
