"""The wall of heads and the line view, in a real browser."""

import re

import pytest

from tests.browser.conftest import rest
from tests.browser.test_head_page import SENTENCE, assert_accessible, query

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_tile_opens_its_head(open_page, scheme):
    page = open_page(path="overview", source=SENTENCE, kind="encoder", scheme=scheme)
    page.locator(".wall[data-painted]").wait_for()
    assert page.locator(".tile").count() == 8
    drawn = page.locator(".tile canvas").evaluate_all(
        "nodes => nodes.map(node => new Set(node.getContext('2d').getImageData(0, 0, node.width, 9).data).size)"
    )
    assert min(drawn) > 3
    assert_accessible(page)
    page.get_by_role("button", name="Layer 2, head 3").click()
    page.get_by_text("Encoder self-attention, layer 2, head 3").wait_for()
    assert {"source": SENTENCE, "kind": "encoder", "layer": "2", "head": "3"}.items() <= query(page).items()


def test_pointing_at_a_tile_reads_its_tokens_and_their_weight(open_page):
    page = open_page(
        path="overview", source=SENTENCE, kind="cross", special="hidden", measure="confidence", order="index"
    )
    page.locator(".wall[data-painted]").wait_for()
    tile = page.get_by_role("button", name="Layer 3, head 2")
    canvas = tile.locator("canvas")
    size = canvas.evaluate("node => [node.clientWidth / node.width, node.clientHeight / node.height]")
    canvas.hover(position={"x": size[0] * 2.5, "y": size[1] * 1.5})
    said = page.locator(".peek").inner_text()
    value = float(re.search(r"looks at\s+\S+\s+(\d\.\d{3})", said)[1])
    hidden = float(re.search(r"(\d\.\d{3}) of the row on hidden symbols", said)[1])
    assert "Layer 3, head 2: confidence" in said
    tile.click()
    page.locator(".field canvas").wait_for()
    rest(page)
    page.locator(".output button").nth(1).hover()
    assert f"{hidden:.2f}" in page.locator(".rest .hidden").inner_text()
    cell = page.locator(".field").evaluate("node => node.clientWidth") / page.locator(".column-label").count()
    page.locator(".field").hover(position={"x": cell * 2.5, "y": cell * 1.5})
    assert float(page.locator(".weight").inner_text().replace("−", "-")) == pytest.approx(value, abs=6e-4)


def test_tiles_by_keyboard_and_the_selected_token_on_each(open_page):
    page = open_page(path="overview", source=SENTENCE, pin="output.2", kind="cross", order="index")
    page.locator(".wall.row[data-painted]").wait_for()
    page.locator(".tile[aria-current=true]").focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.get_by_text("Cross-attention, layer 1, head 2").wait_for()
    assert query(page)["pin"] == "output.2"


def test_lines_answer_to_pointer_and_click(open_page):
    page = open_page(source=SENTENCE, picture="lines", size=(390, 844))
    page.locator(".queries button").nth(1).hover()
    numbers = [float(text) for text in page.locator(".keys .number").all_inner_texts() if text]
    assert 0.7 <= sum(numbers) <= 1.001
    assert page.locator(".source button.painted").count() == page.locator(".source button").count()
    page.locator(".keys button").nth(2).click()
    page.wait_for_url(re.compile("pin=source.3"))
    rest(page)
    assert page.locator(".source button[aria-pressed=true]").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert_accessible(page)


def test_heads_are_taken_away_and_brought_back(open_page):
    page = open_page(path="what_if", source=SENTENCE, off="")
    page.get_by_text("The search finds it again.").wait_for()
    page.get_by_role("button", name="Layer 3, head 2").click()
    page.wait_for_url(re.compile("off=cross.3.2"))
    page.locator(".tile[aria-pressed=true]").wait_for()
    rest(page)
    assert_accessible(page)
    page.get_by_role("button", name="Layer 3, head 2").click()
    page.wait_for_url(lambda url: "off=&" in url or url.endswith("off="))
    rest(page)
    assert page.locator(".tile[aria-pressed=true]").count() == 0


def test_a_tile_that_was_opened_has_the_focus_again_after_back(open_page):
    page = open_page(path="overview", source=SENTENCE, size=(1280, 720))
    page.locator(".wall[data-painted]").wait_for()
    tile = page.locator(".tile").nth(3)
    tile.focus()
    stood = tile.bounding_box()
    page.keyboard.press("Enter")
    page.locator(".field canvas").wait_for()
    rest(page)
    assert page.locator(".frame .scroll").evaluate("node => node.matches(':focus')")
    page.go_back()
    page.locator(".wall:not(.small)[data-painted]").wait_for()
    rest(page)
    assert tile.evaluate("node => node.matches(':focus')")
    assert tile.bounding_box() == stood
