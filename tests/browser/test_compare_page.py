"""The page that compares models, in a real browser."""

import re

import pytest

from tests.browser.conftest import rest
from tests.browser.test_head_page import SENTENCE, assert_accessible

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("size", "scheme"), [((1280, 800), "light"), ((390, 844), "dark")])
def test_a_change_beside_the_model_and_its_heads(open_page, size, scheme):
    page = open_page(path="compare", source=SENTENCE, scheme=scheme, size=size)
    page.get_by_role("button", name="Add a change").click()
    page.get_by_role("button", name=re.compile("^Without head")).click()
    page.wait_for_url(re.compile("c.others="))
    rest(page)
    page.keyboard.press("Escape")
    rows = page.locator(".versions tbody tr")
    rows.nth(1).wait_for()
    assert "without cross" in rows.last.inner_text()
    assert len(rows.first.locator(".number").all()) == rows.count()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert_accessible(page)
    page.get_by_role("radio", name="Heads").click()
    page.wait_for_url(re.compile("c.shows=heads"))
    page.get_by_text("B less A").first.wait_for()
    rest(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert_accessible(page)
