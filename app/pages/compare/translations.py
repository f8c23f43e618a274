"""The translations of all models, and what each thinks of each."""

import json
import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from headscope.app.components.versions.versions import VERSIONS
from headscope.app.export.chart import FORMS, Charts
from headscope.app.export.comparison import translations_object
from headscope.app.pages.compare.sides import Side
from headscope.app.view import saving, session
from headscope.app.view.charts import draw_charts
from headscope.app.view.draw import draw
from headscope.app.view.frame import Picture
from headscope.app.view.state import View
from headscope.app.view.working import long_work
from headscope.app.wire.chart import Chart
from headscope.app.wire.compare_charts import surprisals
from headscope.app.wire.versions import versions
from headscope.app.workbench import comparing
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.analysis.comparison.translations import ComparedTranslations


def show(picture: Picture, sides: Sequence[Side], view: View) -> None:
    """All of it."""
    bench, asked = session.workbench(), [side.sentence for side in sides]
    found = long_work(
        ("compared translations", *asked),
        "Translates with every model",
        lambda bar: comparing.translations(bench, asked, [side.title for side in sides], progress=bar),
    )
    if found is None:
        return
    draw(VERSIONS, versions(found))
    owner = whose(sides, view)
    charts: list[Chart] = []
    try:
        met = comparing.met(bench, asked, owner.sentence, in_words=view.unit == "words")
        title = f"Surprise at {owner.letter}'s translation, token by token"
        charts = [surprisals(title, [side.letter for side in sides], met)]
        draw_charts(charts, key="surprisal", large=view.present)
    except HeadscopeError as error:
        st.text(f"No map of tokens: {error}.")
    if not view.present:
        save(found, charts, view)


def whose(sides: Sequence[Side], view: View) -> Side:
    """Whose translation all read, which the visitor may change."""
    if not view.present:
        names = {index: side.letter for index, side in enumerate(sides)}
        at = min(view.compare.read, len(sides) - 1)
        st.segmented_control(
            "All read the translation of",
            list(names),
            required=True,
            format_func=names.__getitem__,
            **session.control("compare.read", at),
        )
    return sides[min(view.compare.read, len(sides) - 1)]


def file_name(view: View) -> str:
    """Of what is saved, without its ending."""
    return re.sub(r"[^\w.-]+", "-", f"{view.checkpoint}-compared-{view.compare.shows}")


def save(found: "ComparedTranslations", charts: Sequence[Chart], view: View) -> None:
    """Buttons that save the numbers, and the figure of the map."""
    name = file_name(view)
    with saving.row() as buttons:
        saving.label("Save the translations as")
        buttons.button("csv", lambda *, progress: found.to_pandas().to_csv(index=False).encode(), name)
        buttons.button("json", lambda *, progress: _json(translations_object(found)), name)
    figures(charts, found.source, view, "the map as")


def figures(charts: Sequence[Chart], source: str, view: View, title: str) -> None:
    """Buttons that save charts."""
    if not charts or view.present:
        return
    wanted = Charts(charts, f"{view.checkpoint}, compared. Source: {source}")
    with saving.row("export-charts") as buttons:
        saving.label(f"Save {title}")
        for form, make in FORMS.items():
            buttons.button(form, partial(make, wanted), f"{file_name(view)}-map", long=wanted.takes_long(form))


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode()
