"""What pages open with, the tour, and the sentence box, in a real browser."""

import re

import pytest

from tests.browser.conftest import rest
from tests.browser.test_head_page import SENTENCE, query

pytestmark = pytest.mark.browser


def test_enter_translates_and_several_lines_are_stepped_through(open_page):
    page = open_page(source="A cat.")
    box = page.get_by_role("textbox", name="Sentence")
    box.fill(SENTENCE)
    box.press("Enter")
    page.wait_for_url(lambda url: "A+cat" not in url)
    page.get_by_role("group", name=re.compile(f"Source: {re.escape(SENTENCE)}")).wait_for()
    assert "line" not in query(page)

    box.press("End")
    box.press("Shift+Enter")
    box.type("A dog.")
    box.press("Enter")
    page.get_by_text("Sentence 2 of 2").wait_for()
    rest(page)
    assert query(page)["line"] == "2"
    page.get_by_role("button", name="Previous").click()
    page.get_by_text("Sentence 1 of 2").wait_for()
    page.get_by_role("group", name=re.compile(f"Source: {re.escape(SENTENCE)}")).wait_for()
    rest(page)
    page.go_back()
    page.get_by_text("Sentence 2 of 2").wait_for()
    page.get_by_role("group", name=re.compile("Source: A dog")).wait_for()


def test_the_opening_is_hidden_for_good_and_the_tour_walks_by_keyboard(open_page):
    page = open_page(path="gallery", source=SENTENCE)
    page.evaluate("localStorage.removeItem('headscope.guide')")
    page.reload()
    rest(page)
    guide = page.locator(".guide")
    guide.get_by_role("button", name="No tour").click()
    assert guide.get_by_role("button").all_text_contents() == ["Hide"]
    guide.get_by_role("button", name="Hide").click()
    guide.wait_for(state="hidden")
    page.reload()
    rest(page)
    page.get_by_role("heading", name="What do heads do in this model?").wait_for()
    assert not guide.is_visible()

    page.get_by_role("button", name="Tour").click()
    page.get_by_text("Stop 1 of 5").wait_for()
    for stop in range(2, 6):
        page.locator(".guide button:focus").wait_for()
        page.keyboard.press("Enter")
        page.get_by_text(f"Stop {stop} of 5").wait_for()
    page.get_by_role("heading", name="How was it found?").wait_for()
    page.locator(".guide button:focus").wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_text("Stop 4 of 5").wait_for()
    page.locator(".guide button:focus").wait_for()
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "tour=" not in url)
    page.get_by_text("The translation with all heads, and without").wait_for()
