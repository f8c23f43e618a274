"""The page of queries and keys, in a real browser."""

import re

import pytest

from tests.browser.conftest import rest
from tests.browser.test_head_page import SENTENCE, assert_accessible, query

pytestmark = pytest.mark.browser


def opened(open_page, **params):
    page = open_page(path="inside", source=SENTENCE, **params)
    page.locator(".query .token").first.wait_for()
    return page


def column(page, index: int) -> list[float]:
    texts = page.locator(".column").nth(index).locator(".number").all_inner_texts()
    return [float(text.replace("−", "-").replace("∞", "inf")) for text in texts]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pinned_token_is_the_query(open_page, scheme):
    page = opened(open_page, kind="cross", scheme=scheme)
    assert page.locator(".query").inner_text().endswith("row 1 of " + str(page.locator(".output button").count()))
    first = column(page, 3)
    page.locator(".output button").nth(2).click()
    page.wait_for_url(re.compile("pin=output.3"))
    rest(page)
    assert "row 3 of" in page.locator(".query").inner_text()
    assert sum(column(page, 3)) == pytest.approx(1, abs=0.01)
    assert column(page, 3) != first
    assert column(page, 1) == column(page, 2)
    ratios = [score / scaled for score, scaled in zip(column(page, 0), column(page, 1), strict=True)]
    assert ratios == pytest.approx([4.0] * len(ratios), rel=0.02)
    assert_accessible(page)


def test_the_decoder_is_masked_and_a_matrix_leads_to_its_rows(open_page):
    page = opened(open_page, kind="decoder", layer="1")
    assert column(page, 2)[1:] == [float("-inf")] * (len(column(page, 2)) - 1)
    assert column(page, 3) == [1.0] + [0.0] * (len(column(page, 3)) - 1)
    matrix = page.locator(".map canvas").first
    size = matrix.evaluate("node => [node.clientWidth, node.clientHeight, node.width, node.height]")
    spot = {"x": size[0] / size[2] * 1.5, "y": size[1] / size[3] * 4.5}
    matrix.hover(position=spot)
    assert "row 5 of" in page.locator(".query").inner_text()
    assert re.search(r"Σ = q·k: −?\d", page.locator(".readout").inner_text())
    matrix.click(position=spot)
    page.wait_for_url(re.compile("pin=output.5"))
    rest(page)
    assert query(page)["kind"] == "decoder"
    assert column(page, 2)[5:] == [float("-inf")] * (len(column(page, 2)) - 5)


def test_who_pins_a_piece_sees_pieces_from_then_on(open_page):
    page = opened(open_page, unit="words", kind="encoder", pin="source.2")
    assert page.locator(".source button[aria-pressed=true]").count() == 0
    page.locator(".source button").nth(3).click()
    page.wait_for_url(re.compile("pin=source.4"))
    assert query(page)["unit"] == "pieces"
    rest(page)
    assert "row 4 of" in page.locator(".query").inner_text()


def test_every_number_by_keyboard_on_a_phone(open_page):
    page = opened(open_page, kind="encoder", size=(390, 844))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".scroll").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    said = page.locator(".spoken").inner_text().replace("−", "-")
    found = re.fullmatch(r".+, dimension 2: (\S+) × (\S+) = (\S+)", said)
    assert float(found[1]) * float(found[2]) == pytest.approx(float(found[3]), rel=0.02)
    row = int(re.search(r"row (\d+) of", page.locator(".query").inner_text())[1])
    assert page.locator(".why").is_visible()
    page.keyboard.press("PageDown")
    page.wait_for_url(re.compile(f"pin=source.{row + 1}&"))
    rest(page)
    assert f"row {row + 1} of" in page.locator(".query").inner_text()
    assert not page.locator(".why").is_visible()
    assert_accessible(page)
