"""Layer contributions on the page of reasons."""

from headscope.analysis.attribution.contributions import layer_contributions
from headscope.analysis.capture.pairs import sentence_pair
from tests.app.page_tools import SENTENCE, settle

FAST = {"why.method": "input x gradient", "why.beside": "nothing"}


def test_the_kind_of_attention_is_chosen(open_app, translator):
    page = open_app("why", **FAST, **{"why.below": "contributions"})
    found = layer_contributions(translator, sentence_pair(translator, SENTENCE))
    assert maps(page) == len(found.layers("cross"))
    page.get_by_key("view-kind").set_value("encoder")
    settle(page)
    assert maps(page) == len(found.layers("encoder"))
    assert any("Kobayashi" in each.value for each in page.caption)


def maps(page) -> int:
    return sum("heat" in each.proto.component_name for each in page.get("bidi_component"))
