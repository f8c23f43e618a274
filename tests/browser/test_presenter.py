"""Presenter mode in a real browser."""

import pytest

from tests.browser.conftest import rest
from tests.browser.test_head_page import SENTENCE, assert_accessible, query

pytestmark = pytest.mark.browser

CHROME = "[data-testid=stHeader], [data-testid=stSidebar], [data-testid=stSidebarNav], [data-testid=stToolbar]"


def chrome(page) -> int:
    """Visible parts of Streamlit that are not the page."""
    return page.locator(CHROME).filter(visible=True).count()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_keys_walk_heads_layers_and_tokens(open_page, scheme):
    page = open_page(source=SENTENCE, scheme=scheme)
    assert chrome(page) > 0
    page.get_by_role("button", name="Present").click()
    page.locator(".presenter").wait_for()
    rest(page)
    assert chrome(page) == 0
    assert page.locator("button:visible").count() == page.locator(".strip .tokens button, .presenter button").count()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert_accessible(page)

    page.keyboard.press("ArrowUp")
    page.get_by_text("Cross-attention, layer 2, head 1").wait_for()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Cross-attention, layer 2, head 2").wait_for()
    for _ in range(5):
        page.keyboard.press("Shift+ArrowRight")
    page.wait_for_url("**pin=output.5**")
    page.locator(".output button[aria-pressed=true]").wait_for()
    page.keyboard.press("?")
    assert not page.locator(".presenter .hint").first.is_visible()

    page.keyboard.press("Escape")
    page.locator(".presenter").wait_for(state="detached")
    rest(page)
    assert chrome(page) > 0
    assert "present" not in query(page)
    assert {"layer": "2", "head": "2", "pin": "output.5"}.items() <= query(page).items()


def test_a_presented_page_is_in_its_link(open_page):
    page = open_page(source=SENTENCE, picture="lines", present="1", kind="decoder", layer="2")
    page.locator(".presenter").wait_for()
    page.keyboard.press("ArrowDown")
    page.get_by_text("Decoder self-attention, layer 3").first.wait_for()
    other = open_page(**query(page))
    other.get_by_text("Decoder self-attention, layer 3").first.wait_for()
    assert other.locator(".presenter").count() == 1
    assert chrome(other) == 0


def test_pointing_hits_the_cell_however_large_the_page_is(open_page):
    page = open_page(source=SENTENCE, present="1", size=(1920, 1080))
    page.locator(".field canvas").wait_for()
    field = page.locator(".field")
    box, rows = field.bounding_box(), page.locator(".row-label").count()
    cell = box["height"] / rows
    page.mouse.move(box["x"] + 4.5 * cell, box["y"] + 6.5 * cell)
    chosen = "nodes => nodes.findIndex(node => node.classList.contains('chosen'))"
    assert page.locator(".row-label").evaluate_all(chosen) == 6
    assert page.locator(".column-label").evaluate_all(chosen) == 4


def test_a_phone_can_leave_it(open_page):
    page = open_page(source=SENTENCE, present="1", size=(390, 844), touch=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Esc leaves").tap()
    page.locator(".presenter").wait_for(state="detached")


def test_the_wall_is_presented_too(open_page):
    page = open_page(path="overview", source=SENTENCE, present="1")
    page.locator(".wall[data-painted]").wait_for()
    page.keyboard.press("ArrowRight")
    page.locator('.tile[aria-current=true][aria-label^="Layer 3, head 2"]').wait_for()
    assert_accessible(page)
