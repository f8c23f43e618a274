"""Languages that are written from right to left, and languages without blanks, on every page about a sentence."""

import pytest

from tests.browser.test_head_page import assert_accessible, token_texts
from tests.toys import SCRIPTS

pytestmark = pytest.mark.browser

PAIRS = [(languages, *pairs[0]) for languages, pairs in SCRIPTS.items()]
IDS = ["-".join(languages) for languages in SCRIPTS]
DIRECTIONS = {"ar": "rtl", "he": "rtl", "zh": "ltr", "ja": "ltr"}


def boxes(page, tokens: str) -> list[dict]:
    return page.locator(tokens).evaluate_all("nodes => nodes.map(node => node.getBoundingClientRect().toJSON())")


@pytest.mark.parametrize(("languages", "source", "target"), PAIRS, ids=IDS)
def test_tokens_stand_in_the_order_in_which_they_are_read(open_page, languages, source, target):
    page = open_page(checkpoint="-".join(languages), source=source)
    page.locator(".field canvas").wait_for()
    for side, language, text in zip(("source", "output"), languages, (source, target), strict=True):
        assert page.locator(f".strip .{side}").get_attribute("lang") == language
        tokens = token_texts(page, side)
        assert "".join(tokens) == text.replace(" ", "") + "</s>"
        assert len(tokens) > 3
        lefts = [box["left"] for box in boxes(page, f".strip .{side} button")]
        assert lefts == sorted(lefts)
    labels = page.locator(".column-label")
    assert labels.evaluate_all("nodes => nodes.map(node => node.querySelector('.token').title.replace('▁', ''))") == (
        token_texts(page, "source")
    )
    lefts = [box["left"] for box in boxes(page, ".column-label")]
    assert lefts == sorted(lefts)
    for texts in (page.locator(".strip .text"), page.locator(".frame .text")):
        assert set(texts.evaluate_all("nodes => nodes.map(node => node.tagName)")) == {"BDI"}
        assert set(texts.evaluate_all("nodes => nodes.map(node => getComputedStyle(node).unicodeBidi)")) == {"isolate"}
    assert_accessible(page)


@pytest.mark.parametrize(("languages", "source", "target"), PAIRS, ids=IDS)
@pytest.mark.parametrize("view", ["overview", "inside", "head lines"])
def test_every_page_shows_them(open_page, view, languages, source, target):
    path, _, picture = view.partition(" ")
    more = {"picture": picture} if picture else {}
    page = open_page(path=path.replace("head", ""), checkpoint="-".join(languages), source=source, **more)
    page.get_by_role("group", name=f"Output: {target}").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("languages", "source", "target"), PAIRS, ids=IDS)
def test_running_text_runs_as_its_language_does(open_page, languages, source, target):
    page = open_page(path="what_if", checkpoint="-".join(languages), source=source, off="")
    words = page.locator(".words.before")
    words.wait_for()
    assert words.get_attribute("dir") == DIRECTIONS[languages[1]]
    assert words.inner_text().strip() == target
    lefts = [box["left"] for box in boxes(page, ".words.before bdi")]
    assert lefts == sorted(lefts, reverse=DIRECTIONS[languages[1]] == "rtl")
    box = page.get_by_role("textbox", name="Sentence")
    assert box.evaluate("node => getComputedStyle(node).unicodeBidi") == "plaintext"
