"""What pages open with, and the tour."""

import pytest

from headscope.app.view.navigation import PAGES
from headscope.app.view.opening import OPENINGS, TOUR
from headscope.app.view.state import STOPS
from tests.app.page_tools import sent, settle, shown


def test_every_page_has_an_opening_and_the_tour_stops_at_five():
    assert set(OPENINGS) == set(PAGES)
    assert len(TOUR) == len(set(TOUR)) == STOPS
    assert all(OPENINGS[page].told for page in TOUR)


@pytest.mark.parametrize("page", ["gallery", "head", "models", "overview"])
def test_it_says_what_is_seen_and_what_to_do_next(open_app, page):
    guide = sent(open_app(page), "headscope_guide")
    assert (guide["page"], guide["seen"], guide["stop"]) == (page, OPENINGS[page].seen, 0)
    assert guide["steps"] == list(OPENINGS[page].steps)


def test_the_tour_begins_in_the_sidebar_and_is_in_the_address(open_app):
    page = open_app("gallery")
    next(button for button in page.button if button.label == "Tour").click()
    settle(page)
    assert page.title[0].value == "Where does this head look?"
    assert (sent(page, "headscope_guide")["stop"], shown(page).tour) == (1, 1)
    assert page.query_params["tour"] == "1"
    there = open_app("what_if", tour="4", off="")
    assert sent(there, "headscope_guide")["stop"] == 4
    elsewhere = open_app("gallery", tour="4")
    assert sent(elsewhere, "headscope_guide")["stop"] == 0
    assert "tour" not in sent(there, "headscope_strip")["link"], "who is sent a link takes no tour"


def test_nobody_is_guided_through_a_presentation(open_app):
    drawn = {each.proto.component_name for each in open_app(present="1").get("bidi_component")}
    assert "headscope_guide" not in drawn
