"""Sentences too long to be shown whole, in a real browser."""

import re

import pytest

from tests.browser.conftest import rest
from tests.browser.test_head_page import SENTENCE, assert_accessible

pytestmark = pytest.mark.browser

LONG = " ".join([SENTENCE] * 5)


def exact(page) -> list[int]:
    """First and last row and key that are shown exactly, as the page says."""
    said = page.locator(".pooled").inner_text()
    return [int(number) for number in re.search(r"rows (\d+) to (\d+), keys (\d+) to (\d+)", said).groups()]


def test_the_matrix_is_pooled_and_a_part_of_it_exact(open_page):
    page = open_page(source=LONG, kind="encoder")
    page.locator(".overview canvas").wait_for()
    pieces = page.locator(".source button").count()
    assert f"all {pieces} × {pieces} weights, each cell the largest of 2 × 2" in page.locator(".pooled").inner_text()
    assert exact(page) == [1, 24, 1, 24]
    assert page.locator(".row-label").count() == page.locator(".column-label").count() == 24
    assert_accessible(page)

    page.locator(".overview").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert exact(page) == [9, 32, 17, 40]
    box = page.locator(".overview canvas").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 2)
    page.mouse.up()
    assert exact(page) == [pieces - 23, pieces, pieces - 23, pieces]
    assert page.locator(".row-label").last.inner_text() == "</s>"

    page.locator(".scroll").focus()
    page.keyboard.press("ArrowUp")
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    assert exact(page)[0] == pieces - 26
    weight = page.locator(".weight").inner_text()
    assert re.search(f": {weight}$", page.locator(".spoken").inner_text())


def test_a_pinned_token_is_in_the_part_that_is_shown(open_page):
    page = open_page(source=LONG, kind="encoder", pin="source.90")
    page.locator(".row-label.chosen").wait_for()  # the sentence above tells the map which token is pinned
    assert page.locator(".row-label.chosen").count() == 1
    first, last, left, right = exact(page)
    assert first <= 90 <= last
    strongest = page.locator(".links li").first.inner_text()
    assert left <= int(re.search(r"#(\d+)", strongest)[1]) <= right
    page.get_by_role("radiogroup", name="Head of 4").get_by_text("2").click()
    page.get_by_text("Encoder self-attention, layer 2, head 2").wait_for()
    rest(page)
    assert exact(page)[0] <= 90 <= exact(page)[1]


def test_lines_show_a_part_and_say_what_leads_out_of_it(open_page):
    page = open_page(source=LONG, kind="encoder", picture="lines")
    page.locator(".overview canvas").wait_for()
    assert page.locator(".queries button").count() == page.locator(".keys button").count() == 24
    assert re.search(r"\d+ links lead out of it", page.locator(".pooled").inner_text())
    page.locator(".queries button").last.focus()
    page.keyboard.press("ArrowDown")
    assert exact(page)[:2] == [2, 25]
    assert page.locator(".queries button:focus").get_attribute("aria-label").endswith("row 25")
    page.locator(".queries button").nth(3).click()
    page.wait_for_url(re.compile("pin=source.5"))
    rest(page)
    assert exact(page)[0] <= 5 <= exact(page)[1]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_wall_and_the_inside_of_a_head(open_page):
    page = open_page(path="overview", source=LONG, kind="encoder")
    page.locator(".wall[data-painted]").wait_for()
    page.locator(".tile canvas").first.hover()
    assert re.search(r"rows \d+ to \d+, keys \d+ to \d+: at most\s+\d\.\d{3}", page.locator(".peek").inner_text())
    inside = open_page(path="inside", source=LONG, kind="encoder", pin="source.100")
    inside.locator(".query .token").first.wait_for()
    assert inside.locator(".key").count() == inside.locator(".source button").count()


def test_a_map_that_has_to_be_scrolled_stands_whole_beside_it(open_page):
    page = open_page(source=" ".join([SENTENCE] * 2), kind="encoder", size=(1280, 720))
    page.locator(".overview canvas").wait_for()
    assert page.locator(".scroll.below").count() == 1
    first = page.locator(".pooled").inner_text()
    assert re.match(r"Of (\d+) × \1 weights, rows 1 to \d+, keys 1 to", first)
    page.locator(".overview").focus()
    page.keyboard.press("ArrowDown")
    page.get_by_text(re.compile("rows 9 to ")).wait_for()
