"""Starting a run."""

import pytest

from headscope.model.training.recipe import load_recipe
from tests.app.page_tools import settle
from tests.app.training import CHANGES, write_run


def said(page) -> list[str]:
    return [element.value for element in page.container(key="runs-told").text]


def start(page, name: str = "mine", text: str = "copying"):
    page.session_state["runs-begin"] = True
    settle(page)
    page.selectbox(key="run-text").set_value(text)
    next(field for field in page.text_input if field.key.startswith("run-name")).set_value(name)
    page.button(key="run-start").click()
    return settle(page)


def test_two_clicks_from_a_fresh_start(visit, launched, places):
    """The page, and the button: the text that ships and the smallest recipe stand there."""
    page = visit()
    assert page.selectbox(key="run-text").value == "tatoeba-en-de-text"
    page.button(key="run-start").click()
    settle(page)
    assert said(page) == ["tiny-1 is started. It goes on when this page is closed."]
    (command,) = launched
    assert "--wait" in command
    assert load_recipe(str(places / "runs" / "tiny-1" / "recipe.toml")) == load_recipe("tiny")


def test_fields_and_lines_change_the_recipe(visit, launched, places):
    page = visit()
    page.number_input(key="run-steps-tiny").set_value(77)
    page.text_area(key="run-changes").set_value(CHANGES)
    start(settle(page))
    recipe = load_recipe(str(places / "runs" / "mine" / "recipe.toml"))
    assert (recipe.steps, recipe.threads, recipe.precision, recipe.model["d_model"]) == (77, 1, "fp32", 16)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("step=3", "there is no key 'step'"),
        ("steps", "write it as key=value"),
        ("model.heads=3", "there is no key 'heads'"),
        ("clip=-1", "clip"),
    ],
)
def test_what_is_not_allowed_is_said_and_nothing_starts(visit, launched, lines, message):
    page = visit()
    page.text_area(key="run-changes").set_value(lines)
    settle(page)
    assert any(message in text.value for text in page.text)
    assert page.button(key="run-start").disabled


@pytest.mark.parametrize("name", ["../x", "a/b", ".x", "..", "<b>"])
def test_names_that_are_none(visit, launched, places, name):
    page = start(visit(), name)
    assert any("cannot name a run" in text for text in said(page))
    assert not launched
    assert not (places / "x").exists()


def test_a_second_visitor_cannot_take_the_same_name(visit, launched, places):
    start(visit())
    page = start(visit())
    assert said(page) == ["There is a run 'mine' already: choose another name."]
    assert len(launched) == 1


def test_another_like_a_run(visit, launched, places):
    write_run(places / "runs", "toy-1", "stopped")
    page = visit()
    page.button(key="run-duplicate").click()
    settle(page)
    assert page.selectbox(key="run-recipe").value == "as toy-1"
    assert page.number_input(key="run-batch_tokens-as toy-1").value == 120
    page.number_input(key="run-seed-as toy-1").set_value(2)
    page = start(settle(page), "toy-2")
    recipe = load_recipe(str(places / "runs" / "toy-2" / "recipe.toml"))
    assert (recipe.seed, recipe.batch_tokens) == (2, 120)
