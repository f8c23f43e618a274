"""No serious finding of axe on any page, light and dark, with everything unfolded."""

import pytest

from tests.app.page_tools import page_files
from tests.browser.conftest import rest
from tests.browser.test_head_page import SENTENCE, assert_accessible

pytestmark = pytest.mark.browser

VIEWS = sorted(page_files())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_a_page(open_page, view, scheme):
    page = open_page(path="" if view == "head" else view, source=SENTENCE, scheme=scheme)
    # One that stands open already holds others, which a click would hide.
    while (folds := page.locator("details:not([open]) > summary")).count():
        folds.first.click()
        rest(page)
    page.get_by_role("heading", level=1).wait_for()
    assert_accessible(page)


def test_lines_and_a_problem(open_page):
    assert_accessible(open_page(source=SENTENCE, picture="lines", beside="2", scheme="dark"))
    page = open_page(checkpoint="none")
    page.get_by_text("There is no checkpoint 'none' here").wait_for()
    assert_accessible(page)


def test_axe_looks_into_components(open_page):
    page = open_page(source=SENTENCE)
    page.locator(".strip .copy").evaluate("node => node.replaceChildren()")
    with pytest.raises(AssertionError, match="button-name"):
        assert_accessible(page)
