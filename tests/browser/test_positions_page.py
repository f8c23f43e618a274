"""The page of positions, in a real browser."""

import re

import pytest

from tests.browser.conftest import rest
from tests.browser.test_head_page import SENTENCE, assert_accessible, query

pytestmark = pytest.mark.browser


def at_rest(page):
    """The page with the pointer away from its controls, whose colours have settled."""
    page.mouse.move(0, 0)
    page.wait_for_function("() => document.getAnimations().every(each => each.playState !== 'running')")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_views_are_drawn_and_kept_in_the_address(open_page, scheme):
    page = open_page(path="positions", source=SENTENCE, scheme=scheme, size=(390, 844))
    page.locator(".heat[data-painted]").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_text("Norms", exact=True).click()
    page.wait_for_url(re.compile("p.view=norms"))
    rest(page)
    page.get_by_text("How long are the vectors?").wait_for()
    page.locator(".js-plotly-plot .xtitle").first.wait_for()
    assert "never trained" in page.locator(".js-plotly-plot").first.inner_text()
    assert_accessible(at_rest(page))
    page.get_by_text("What the model does with it").click()
    page.wait_for_url(re.compile("p.view=head"))
    rest(page)
    page.locator(".heat[data-painted]").first.wait_for()
    assert query(page)["p.view"] == "head"
    assert_accessible(at_rest(page))


def test_a_map_is_read_with_keys_and_positions_are_exchanged(open_page):
    page = open_page(path="positions", source=SENTENCE, **{"p.view": "pairs", "p.beside": "0", "p.length": "40"})
    chart = page.locator(".heat .map")
    page.locator(".heat[data-painted]").wait_for()
    assert page.locator(".heat canvas").evaluate("node => [node.width, node.height]") == [40, 40]
    chart.focus()
    for key in ("ArrowDown", "ArrowRight"):
        chart.press(key)
    assert re.match(r"position \(from 0\) 1, position \(from 0\) 0: ", page.locator(".heat .spoken").inner_text())
    page.get_by_text("What if", exact=True).last.click()
    page.wait_for_url(re.compile("p.view=what_if"))
    rest(page)
    page.locator(".wall[data-painted]").wait_for()
    assert page.locator(".wall .least").inner_text().startswith("−")
    tile = page.locator(".wall .tile").first
    tile.click()
    page.wait_for_url(re.compile("layer=1"))
    rest(page)
    page.get_by_text("Largest changes", exact=False).first.wait_for()
