"""Patching on the page: a second source that is typed, and worked examples as buttons."""

import json

import pytest

from headscope.analysis.attribution.patching import patching
from headscope.app.pages.why.patched import summary
from headscope.app.wire.attribution_charts import patching_charts
from tests.app.page_tools import SENTENCE, press, settle, shown

FAST = {"why.method": "input x gradient", "why.beside": "nothing"}


def test_patching_a_second_source(open_app, translator):
    other = "We could not see the river."
    page = open_app("why", **FAST, **{"why.below": "patching"})
    assert any("Type a second source" in each.value for each in page.caption)
    page.get_by_key("view-why.other").set_value(f"  {other} ")
    page.get_by_key("view-why.this").set_value("Wir konnten die Berge nicht sehen.")
    page.get_by_key("view-why.that").set_value("Wir konnten den Fluss nicht sehen.")
    settle(page)
    assert shown(page).why.other == other
    texts = (shown(page).why.this, shown(page).why.that)
    found = patching(translator, SENTENCE, other, texts)
    charts = patching_charts(found)
    heats = [json.loads(each.proto.json) for each in page.get("bidi_component") if "heat" in each.proto.component_name]
    assert [each["y"]["count"] for each in heats] == [len(chart.grid.values) for chart in charts]
    assert heats[0]["most"] == pytest.approx(charts[0].grid.most, rel=1e-3)
    assert summary(found) in [each.value for each in page.text]
    press(page, "patching-pdf")
    assert page.get_by_key("patching-made").proto.label.startswith("Save toy-patching.pdf (0.")


def test_patching_another_prefix(open_app, translator):
    page = open_app("why", **FAST, **{"why.below": "patching"})
    both = "Wir konnten die Berge sehen.", "Wir konnten die Stadt sehen."
    others = "Ihr konntet die Berge sehen.", "Ihr konntet die Stadt sehen."
    for field, text in zip(("this", "that", "prefix"), (*both, "Ihr konntet die"), strict=True):
        page.get_by_key(f"view-why.{field}").set_value(text)
    settle(page)
    found = patching(translator, SENTENCE, SENTENCE, both, other_translations=others)
    said = summary(found)
    assert "begun “Ihr konntet die”" in said
    assert said in [each.value for each in page.text]
