"""The page of the search, in a real browser."""

import re

import pytest

from tests.app.pages.search.study_toys import SOURCE
from tests.browser.conftest import rest
from tests.browser.test_head_page import HOSTILE, SENTENCE, assert_accessible, query

pytestmark = pytest.mark.browser

SELECTED = ".lane .node[aria-selected=true]"


def open_search(open_page, **params):
    page = open_page(path="search", source=SENTENCE, **params)
    page.locator(".search[data-painted]").wait_for()
    page.locator(".attend .weighed").first.wait_for()
    return page


def selected(page) -> str:
    node = page.locator(SELECTED)
    tree = page.locator(".lane.here .scroll")
    assert tree.get_attribute("aria-activedescendant") == node.get_attribute("id")
    return node.get_attribute("aria-label")


def test_arrow_keys_walk_the_tree_and_attention_follows(open_page):
    page = open_search(open_page, pruned="1")
    page.locator(".lane .scroll").focus()
    assert selected(page).startswith("Step 1: ")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    assert selected(page).startswith("Step 3: ")
    assert "winner" not in page.locator(SELECTED).get_attribute("class")
    page.wait_for_url(re.compile(r"node=a\.3\.2"))
    rest(page)
    assert page.locator(".attend:not(.stale) .written .weighed").count() == 3
    assert page.locator(".strip .source button.painted").count() == page.locator(".strip .source button").count()
    page.keyboard.press("ArrowLeft")
    assert selected(page).startswith("Step 2: ")
    page.wait_for_url(re.compile(r"node=a\.2\."))
    rest(page)
    page.keyboard.press("End")
    assert selected(page).endswith("finished, the winner")
    box, window = page.locator(SELECTED).bounding_box(), page.locator(".lane .scroll").bounding_box()
    assert window["x"] <= box["x"]
    assert box["x"] + box["width"] <= window["x"] + window["width"] + 4
    page.wait_for_url(lambda url: "node=a.2." not in url)
    rest(page)
    # Every place that was waited for is a step back.
    for step in (2, 3):
        page.go_back()
        page.wait_for_url(re.compile(rf"node=a\.{step}\."))
        page.locator(f'{SELECTED}[aria-level="{step}"]').wait_for()
    assert "node=a.3.2" in page.url


def test_enter_opens_what_may_follow_and_a_piece_is_forced(open_page):
    page = open_search(open_page)
    page.locator(".lane .scroll").focus()
    page.keyboard.press("Enter")
    assert page.locator(f"{SELECTED}[aria-expanded=true]").count() == 1
    choices = page.get_by_role("group", name="What may follow")
    assert choices.locator("button.force").first.evaluate("node => node.matches(':focus')")
    page.keyboard.press("Escape")
    assert choices.count() == 0
    assert page.locator(".lane .scroll").evaluate("node => node.matches(':focus')")

    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Search What if 1").wait_for()
    rest(page)
    assert page.locator(".lane").count() == 2
    assert re.match(r"another translation, from piece \d+ on", page.locator(".lane .note").inner_text())
    assert "forced" in selected(page)
    assert page.locator(".lane .parts").count() == 2
    assert re.fullmatch(r"\d+(\.\d+)*", query(page)["branches"])
    assert_accessible(page)
    page.get_by_role("button", name="Undo").click()
    page.locator(".lane + .lane").wait_for(state="detached")
    assert "branches" not in query(page)


def test_a_piece_that_was_not_looked_at_is_clicked_and_forced(open_page):
    page = open_search(open_page, beam="3", node="a.2.1")
    row = page.locator(".board li", has_text="not looked at").first
    name = row.locator(".token").get_attribute("title")
    row.click()
    assert "not looked at" in page.locator(".chosen .numbers").inner_text()
    page.get_by_role("button", name=f"Forbid it: {name}").click()
    page.get_by_role("region", name="Search What if 1").wait_for()
    rest(page)
    assert re.fullmatch(r"-\d+\.\d+", query(page)["branches"])


def test_what_is_typed_is_completed_and_forced(open_page):
    page = open_search(open_page)
    page.locator(".lane .scroll").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    field = page.get_by_role("textbox", name="Another piece, or a whole word")
    assert field.evaluate("node => node.matches(':focus')")
    page.keyboard.press("Enter")
    page.get_by_text("The field is empty: type a piece or a word.").wait_for()
    field.press_sequentially("_J")
    page.locator(".choices .offer").first.wait_for()
    names = page.locator(".choices .offer .words").all_inner_texts()
    assert names
    assert all(name.startswith("▁J") for name in names)
    field.fill("Jedenfalls")
    page.get_by_role("button", name="Force ▁Jedenfalls").click()
    page.get_by_role("region", name="Search What if 1").wait_for()
    rest(page)
    assert "forced" in selected(page)
    assert field.is_hidden()


def test_all_steps_fit_and_a_map_moves_a_longer_search(open_page):
    page = open_search(open_page, size=(1440, 900), longest="13")
    window = page.locator(".lane .scroll")
    assert window.evaluate("node => node.scrollWidth <= node.clientWidth")
    assert re.fullmatch(r"\d+ (pruned|left out)", page.locator(".lane .folded").first.text_content())
    assert page.locator(".lane .node.pruned").count() == 0
    page = open_search(open_page, size=(600, 800), longest="13")
    map = page.locator(".lane .map")
    box = map.bounding_box()
    map.click(position={"x": box["width"] - 2, "y": 5})
    assert page.locator(".lane .scroll").evaluate("node => node.scrollLeft + node.clientWidth >= node.scrollWidth - 2")
    assert page.locator(".lane .node").last.get_attribute("aria-level") != "1"


def test_playing_and_stepping_stay_in_the_browser(open_page):
    page = open_page(path="search", source=SENTENCE)
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    page.reload()
    page.locator(".attend .weighed").first.wait_for()
    rest(page)
    sent.clear()
    page.locator(".lane .scroll").focus()
    page.keyboard.press(" ")
    page.get_by_text("Step 3 of").wait_for()
    assert sent == [], "nothing is asked of the server while it plays"
    assert page.get_by_role("button", name="Play").inner_text() == "Pause"
    page.keyboard.press(" ")
    page.wait_for_url(re.compile(r"node=a\.3\."))
    page.get_by_role("slider", name="Step").fill("5")
    assert selected(page).startswith("Step 5: ")
    page.get_by_role("button", name="One step back").click()
    assert selected(page).startswith("Step 4: ")
    cards = page.locator(".board .card")
    assert 1 <= cards.count() <= 4
    shares = [float(text.replace("<", "")) for text in cards.first.locator(".p").all_inner_texts()]
    assert sum(shares) == pytest.approx(1, abs=0.1)


def test_a_link_opens_the_same_searches(open_page):
    params = {"b": "1", "b.beam": "2", "n_best": "2", "node": "b.2.1", "beam": "3"}
    page = open_search(open_page, scheme="dark", **params)
    assert page.locator(".lane").count() == 2
    assert page.locator(".lane.here .title").inner_text() == "B"
    assert selected(page).startswith("Step 2: ")
    assert page.locator(".lane").first.locator(".found li").count() == 2
    assert_accessible(page)
    page.get_by_role("button", name="Open this hypothesis in the attention browser").click()
    page.get_by_role("heading", name="Where does this head look?").wait_for()
    page.wait_for_url(re.compile("target="))
    rest(page)
    assert page.locator(".output button").count() == 2
    assert page.locator(".output .cut-off").inner_text() == "cut off"
    page.get_by_role("button", name="Back to the best translation").click()
    page.wait_for_url(lambda url: "target=" not in url)


def test_a_link_to_the_page_that_it_stands_on_is_followed(open_page):
    page = open_page(path="search", checkpoint="zh-ja")
    here = page.url
    page.get_by_text("Beam search over a corpus, and worked examples").click()
    page.get_by_role("link", name="Open both searches").click()
    page.wait_for_url(re.compile(r"b\.beam=4"))
    rest(page)
    assert page.locator(".lane").count() == 2
    assert query(page)["source"] == SOURCE
    page.get_by_text("These are A and B at the top of this page.").wait_for()
    page.go_back()
    page.wait_for_url(here)
    page.locator(".lane + .lane").wait_for(state="detached")
    page.go_forward()
    page.wait_for_url(re.compile(r"b\.beam=4"))
    page.locator(".lane + .lane").wait_for()


def test_hostile_text_stays_text(open_page):
    page = open_page(path="search", source=HOSTILE, beam="2", longest="4")
    page.locator(".attend .weighed").first.wait_for()
    box = page.get_by_role("textbox", name="Let the translation begin with")
    box.fill("<img src=x onerror=alert(1)> שלום &amp; <b>b</b>")
    box.press("Tab")
    page.get_by_role("button", name="Search on from there").click()
    page.get_by_text("are prescribed, and a translation may have 4 at most").wait_for()
    page = open_page(path="search", source=HOSTILE, beam="2")
    page.locator(".attend .weighed").first.wait_for()
    box = page.get_by_role("textbox", name="Let the translation begin with")
    box.fill("<img src=x onerror=alert(1)> שלום &amp; <b>b</b>")
    box.press("Tab")
    page.get_by_role("button", name="Search on from there").click()
    branch = page.get_by_role("region", name="Search What if 1")
    branch.wait_for()
    assert "<img src=x onerror=alert(1)>" in branch.locator(".found").inner_text()
    assert page.locator(".search script, .search img, .search b, .attend script, .attend img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_presented_and_on_a_phone(open_page):
    page = open_search(open_page, present="1")
    assert page.locator(".lane .scroll").evaluate("node => node.matches(':focus')")
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("ArrowRight")
    assert selected(page).startswith("Step 2: ")
    page.keyboard.press("Shift+ArrowRight")
    page.get_by_text("Layer 3, head 2 predicts").wait_for()
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.locator(".presenter").wait_for(state="detached")
    phone = open_search(open_page, size=(390, 844), touch=True)
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    phone.locator(".lane .node").nth(3).tap()
    phone.wait_for_url(re.compile("node=a"))
