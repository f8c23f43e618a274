"""Work that takes its time, in a real browser."""

import pytest

from tests.browser.conftest import rest
from tests.browser.test_long_sentences import LONG

pytestmark = pytest.mark.browser


def test_long_work_shows_how_far_it_is_and_can_be_cancelled(open_page):
    page = open_page(source=f"{LONG} {LONG}")
    page.get_by_role("link", name="What if").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Translates without these heads: stopped.").wait_for()
    page.locator(".wall[data-painted]").wait_for()
    rest(page)
    assert page.locator(".compare").count() == 0
    page.get_by_role("button", name="Start again").click()
    page.get_by_text("Translates without these heads: ").wait_for()
    page.locator(".compare .changes li").first.wait_for()
    assert page.get_by_role("button", name="Cancel").count() == 0
