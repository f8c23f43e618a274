"""A head beside the translations of a line, as it came to be."""

from headscope.analysis.measures.history import HistoryWriter
from headscope.model.data.prepared import load_prepared
from headscope.model.training.recipe import parse_recipe, recipe_toml
from headscope.model.training.trainer import train
from tests.app.page_tools import sent, settle
from tests.training_toys import toy_fields


def test_the_newest_map_and_an_earlier_one(places, visit):
    data, run = load_prepared(places / "data" / "copying"), places / "runs" / "mine"
    recipe = parse_recipe(toy_fields(dev_lines=3))
    train(recipe, data, run, device="cpu", observers=[HistoryWriter(run, data)])
    (run / "recipe.toml").write_text(recipe_toml(recipe))
    page = visit()
    assert "Cross 1.1 at update 6, reading the reference" in [text.value for text in page.text]
    newest = sent(page, "headscope_heat")
    page.selectbox(key="watched-runs.step").set_value(0)
    settle(page)
    assert "Cross 1.1 at update 0, reading the reference" in [text.value for text in page.text]
    assert sent(page, "headscope_heat")["values"] != newest["values"]
    assert (page.query_params["run.step"], "run.head" in page.query_params) == ("0", False)
