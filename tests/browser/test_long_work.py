"""Work that takes its time, in a real browser."""

import re

import pytest

from tests.browser.conftest import rest
from tests.browser.test_long_sentences import LONG

pytestmark = pytest.mark.browser


def test_long_work_shows_how_far_it_is_and_can_be_cancelled(open_page):
    page = open_page(path="search", source=" ".join([LONG] * 3))
    page.get_by_role("radio", name="Most typical sample").click()
    page.get_by_role("button", name="Cancel").wait_for()
    assert page.get_by_role("button", name="Stop", exact=True).count() == 0, "Streamlit's own leaves half a page"
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Draws 64 samples and compares them: stopped.").wait_for()
    rest(page)
    page.locator(".search[data-painted]").wait_for()
    assert page.get_by_text("Most like all 64 samples").count() == 0
    page.get_by_role("button", name="Start again").click()
    page.get_by_text(re.compile(r"compares them: \d+ of 64")).wait_for()
    page.get_by_text("Most like all 64 samples").wait_for()
    rest(page)
    assert page.get_by_role("button", name="Cancel").count() == 0
