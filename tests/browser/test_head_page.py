"""The page of one head, in a real browser."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import TIMEOUT_MS, rest

pytestmark = pytest.mark.browser

SENTENCE = "My neighbour keeps bees and gives us honey."
HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)> </s> &amp; <b>b</b> שלום مرحبا \u202eabc \u200b "
    + "x" * 200
)


def token_texts(page, side: str) -> list[str]:
    return [name.removeprefix("▁") for name in page.locator(f".strip .{side} .token").evaluate_all(TITLES)]


TITLES = "nodes => nodes.map(node => node.title)"


def query(page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def assert_accessible(page) -> None:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import expect

    # The script has ended, but a component may still wait for its data; one that stays empty fails here.
    expect(page.locator("h2:empty, .wall:not([data-painted])")).to_have_count(0, timeout=TIMEOUT_MS)
    found = Axe().run(page).response["violations"]
    assert not found, [(item["id"], item["nodes"][0]["html"]) for item in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_example_is_on_the_screen(open_page, scheme):
    page = open_page(scheme=scheme)
    assert page.title() == "Headscope"
    assert page.get_by_role("heading", name="Where does this head look?").is_visible()
    page.locator(".field canvas").wait_for()
    rows, columns = page.locator(".row-label").count(), page.locator(".column-label").count()
    assert (rows, columns) == (page.locator(".output button").count(), page.locator(".source button").count())
    size = page.locator(".field canvas").evaluate("node => [node.width, node.height, node.clientWidth / node.width]")
    assert size[:2] == [columns, rows]
    assert 16 <= size[2] <= 32
    corner = page.locator(".field canvas").evaluate("node => [...node.getContext('2d').getImageData(0, 0, 1, 1).data]")
    assert (min(corner[:3]) > 128) == (scheme == "light")
    assert_accessible(page)


def test_a_copied_link_opens_the_same_view(open_page):
    page = open_page(source=SENTENCE)
    page.get_by_role("radiogroup", name="Attention").get_by_text("Decoder").click()
    page.get_by_text("Decoder self-attention, layer 3, head 1").wait_for()
    page.get_by_role("radiogroup", name="Layer of 3").get_by_text("2").click()
    page.get_by_text("Decoder self-attention, layer 2, head 1").wait_for()
    page.locator(".output button").nth(4).click()
    page.wait_for_url(re.compile("pin=output.5"))
    rest(page)
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Link copied").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url
    wanted = {"source": SENTENCE, "kind": "decoder", "layer": "2", "head": "1", "pin": "output.5"}
    assert wanted.items() <= query(page).items()

    other = open_page(**query(page))
    other.get_by_text("Decoder self-attention, layer 2, head 1").wait_for()
    assert other.locator(".output button[aria-pressed=true]").count() == 1
    assert token_texts(other, "output") == token_texts(page, "output")
    assert other.locator(".links").inner_text() == page.locator(".links").inner_text()


def test_the_back_button_walks_through_the_views(open_page):
    page = open_page(source=SENTENCE)
    head = page.get_by_role("radiogroup", name="Head of 2")
    head.get_by_text("2").click()
    page.get_by_text("Cross-attention, layer 3, head 2").wait_for()
    page.go_back()
    page.get_by_text("Cross-attention, layer 3, head 1").wait_for()
    assert head.get_by_role("radio", name="1").get_attribute("aria-checked") == "true"
    page.go_forward()
    page.get_by_text("Cross-attention, layer 3, head 2").wait_for()


def test_labels_stand_for_the_tokens_of_what_is_shown(open_page):
    page = open_page(source=SENTENCE, pin="output.3")
    labels = page.locator(".row-label")
    labels.first.evaluate("node => (node.dataset.drawn = 'once')")
    page.get_by_role("radiogroup", name="Head of 2").get_by_text("2").click()
    page.get_by_text("Cross-attention, layer 3, head 2").wait_for()
    rest(page)
    assert labels.first.get_attribute("data-drawn") == "once", "another head has the same tokens"
    assert page.locator(".row-label.chosen").evaluate("node => [...node.parentNode.children].indexOf(node)") == 2
    page.get_by_role("radiogroup", name="Attention").get_by_text("Encoder").click()
    page.get_by_text("Encoder self-attention, layer 2, head 2").wait_for()
    rest(page)
    assert [name.removeprefix("▁") for name in page.locator(".row-label .token").evaluate_all(TITLES)] == token_texts(
        page, "source"
    )
    page.get_by_role("radiogroup", name="Tokens").get_by_text("Words").click()
    page.wait_for_url(re.compile("unit=words"))
    rest(page)
    assert labels.count() == page.locator(".source button").count()


def test_a_typed_sentence_is_translated(open_page):
    page = open_page()
    box = page.get_by_role("textbox", name="Sentence")
    box.fill("How much does a ticket cost?")
    box.press("Control+Enter")
    page.get_by_role("group", name="Output: Wie viel kostet eine Fahrkarte an die Küste?").wait_for()
    assert query(page)["source"] == "How much does a ticket cost?"


def test_pointing_shows_exact_weights_and_pinning_keeps_them(open_page):
    page = open_page(source=SENTENCE)
    token = page.locator(".output button").nth(2)
    token.hover()
    assert page.locator(".row-label.chosen").count() == 1
    assert page.locator(".source button.painted").count() == page.locator(".source button").count()
    numbers = [float(text) for text in page.locator(".links .number").all_inner_texts()]
    assert numbers == sorted(numbers, reverse=True)
    rest_of_row = float(re.search(r": ([\d.]+) together", page.locator(".rest").inner_text())[1])
    assert sum(numbers) + rest_of_row == pytest.approx(1, abs=0.005)

    token.click()
    page.wait_for_url(re.compile("pin=output.3"))
    page.mouse.move(2, 2)
    assert page.locator(".row-label.chosen").count() == 1
    cell = (
        page.locator(".field").evaluate("node => parseFloat(getComputedStyle(node).height)")
        / page.locator(".row-label").count()
    )
    page.locator(".field").hover(position={"x": cell * 1.5, "y": cell * 0.5})
    assert re.fullmatch(r"\d\.\d+(e−\d+)?", page.locator(".weight").inner_text())
    assert page.locator(".column-label.chosen").count() == 1
    page.locator(".output button").nth(2).press("Escape")
    page.wait_for_url(lambda url: "pin" not in url)


def test_everything_can_be_reached_by_keyboard(open_page):
    page = open_page(source=SENTENCE)
    page.locator(".source button").first.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("pin=output"))
    assert page.locator(".output button:focus[aria-pressed=true]").count() == 1
    page.keyboard.press("Tab")
    assert page.get_by_role("button", name="Copy link").evaluate("node => node.matches(':focus')")
    page.locator(".scroll").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert re.search(r"reads <s>, predicts .+, looks at .+: \d", page.locator(".spoken").inner_text())


def test_hostile_text_stays_text(open_page):
    page = open_page(source=HOSTILE)
    page.locator(".field canvas").wait_for()
    shown = "".join(page.locator(".strip .source .token:not(.more) .text").all_inner_texts())
    for part in (
        "<script>alert(1)</script>",
        "onerror=alert(1)>",
        "</s>",
        "&amp;",
        "<b>b</b>",
        "שלום",
        "مرحبا",
        "‹202E›",
        "xxx",
    ):
        assert part in shown
    assert page.locator(".strip script, .strip img, .strip b, .frame script, .frame img").count() == 0
    assert page.locator(".column-label").count() == 24, "the sentence is long: a part of it is shown"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    unknown = open_page(checkpoint="<img src=x onerror=alert(1)>**bold**")
    assert (
        "There is no checkpoint '<img src=x onerror=alert(1)>**bold**' here"
        in unknown.locator(".st-key-problem").inner_text()
    )


def test_on_a_phone(open_page):
    page = open_page(size=(390, 844), touch=True, source=SENTENCE)
    page.locator(".field canvas").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".output button").nth(1).tap()
    page.wait_for_url(re.compile("pin=output.2"))
    rest(page)
    assert_accessible(page)


def test_a_cell_that_is_clicked_can_be_set_and_reset(open_page):
    page = open_page(source=SENTENCE)
    assert not page.locator(".set").is_visible()
    box, rows = page.locator(".field").bounding_box(), page.locator(".row-label").count()
    cell = box["height"] / rows
    page.mouse.click(box["x"] + 2.5 * cell, box["y"] + 1.5 * cell)
    page.locator(".set .value").fill("0.9")
    page.get_by_role("button", name="Set", exact=True).click()
    page.wait_for_url(re.compile("set=cross.3.1.2.3.0.9"))
    page.locator(".was-set").wait_for()
    assert "The dashed cell was set: 0.900; it was " in page.locator(".was").inner_text()
    assert "One weight is changed: cross 3.1, row 2, column 3 set to 0.9." in page.locator(".st-key-set").inner_text()
    assert "with the weight set" in page.locator(".compare .facts").inner_text()
    page.get_by_role("button", name="Reset").click()
    page.wait_for_url(lambda url: "set=" not in url)
    page.locator(".was-set").wait_for(state="hidden")


def test_colours_switch_heads_and_a_line_names_them(open_page):
    page = open_page(source=SENTENCE, picture="lines", kind="encoder", layer="1", share="1")
    chips = page.locator(".heads .chip")
    chips.first.wait_for()
    assert chips.evaluate_all("nodes => nodes.map(node => node.ariaPressed)") == ["true", "false", "false", "false"]
    chips.nth(2).click()
    page.wait_for_url(re.compile("beside=3"))
    rest(page)
    assert chips.nth(2).evaluate("node => node.matches(':focus')")
    page.keyboard.press("ArrowRight")
    assert chips.nth(3).evaluate("node => node.matches(':focus')")
    field, rows = page.locator(".field").bounding_box(), page.locator(".queries button").count()
    page.mouse.move(field["x"] + 4, field["y"] + field["height"] / rows / 2)
    assert re.search(r"looks at[^§]*Head [13]\s+\d[^§]*Head [13]\s+\d", page.locator(".lines .peek").inner_text())
    page.locator(".source button").nth(1).hover()
    named = page.locator(".named-links .named").all_inner_texts()
    assert {text.split()[1] for text in named} == {"1", "3"}


def test_hidden_symbols_are_hatched_and_their_mass_is_said(open_page):
    page = open_page(source=SENTENCE, special="hidden")
    canvas = page.locator(".field canvas")
    alpha = "(node, x) => node.getContext('2d').getImageData(x, 0, 1, 1).data[3]"
    last = page.locator(".column-label").count() - 1
    assert [canvas.evaluate(alpha, column) for column in (0, last)] == [255, 0]
    assert re.search(r"0\.\d+ of a row, on average, on hidden symbols \(hatched\)$", page.locator(".rest").inner_text())
    box = page.locator(".field").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 3)
    assert page.locator(".weight").inner_text() == "hidden"


def test_what_an_address_asks_in_vain_is_said_until_something_changes(open_page):
    page = open_page(source=SENTENCE, v="7", colour="**red**", beam="900")
    said = (
        "Not understood in this address: v=7 (here 1), beam=900 (here 16), colour. The link may be of a newer server."
    )
    page.get_by_text(said).wait_for()
    page.get_by_role("radiogroup", name="Head of 2").get_by_text("2").click()
    page.get_by_text(said).wait_for(state="detached")


def test_home_end_and_the_list_of_keys(open_page):
    page = open_page(source=SENTENCE)
    page.locator(".source button").nth(3).focus()
    page.keyboard.press("End")
    assert page.locator(".source button").last.evaluate("node => node.matches(':focus')")
    page.keyboard.press("Home")
    assert page.locator(".source button").first.evaluate("node => node.matches(':focus')")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    dialog.get_by_text("walk its tokens; Enter pins one, Escape lets go").wait_for()
    assert_accessible(page)
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")


def test_the_map_uses_a_large_screen(open_page):
    page = open_page(source=SENTENCE, size=(2560, 1440))
    page.locator(".small .tile").first.wait_for()
    box = page.locator(".field").bounding_box()
    assert 1440 * 0.9 < box["y"] + box["height"] <= 1440
    assert not page.locator(".overview").is_visible()
