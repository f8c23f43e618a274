"""Pages that are run without a browser."""

import base64
import json
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from headscope.app.view.navigation import PAGES
from headscope.app.view.state import View
from headscope.app.wire.beam_tree import NodeRow

SENTENCE = "We could not see the mountains."


def settle(page: AppTest) -> AppTest:
    """Run the script to its end, without an exception."""
    page.run()
    assert not page.exception
    return page


def sent(page: AppTest | Block, name: str) -> dict:
    """What a component was given."""
    for element in page.get("bidi_component"):
        if element.proto.component_name == name:
            return json.loads(element.proto.json)
    raise AssertionError(f"{name} is not on the page")


def page_files() -> dict[str, str]:
    """Every page by its name: its file, as the navigation names it."""
    return {name: page.file for name, page in PAGES.items()}


def shown(page: AppTest) -> View:
    """What the session shows."""
    return page.session_state["view"]


def nodes(lane: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows that go to the browser, by name."""
    return [dict(zip(NodeRow._fields, row, strict=True)) for row in lane["nodes"]]


def lanes(page: AppTest) -> list[dict[str, Any]]:
    """The searches that are drawn."""
    return sent(page, "headscope_beam_tree")["lanes"]


def press(page: AppTest, key: str) -> AppTest:
    """Click a button by its key."""
    page.get_by_key(key).click()
    return settle(page)


def weights(page: AppTest) -> np.ndarray:
    """The map of the head that is drawn."""
    data = sent(page, "headscope_head_map")
    raw = np.frombuffer(base64.b64decode(data["weights"]), "<f4")
    return raw.reshape(len(data["rows"]), len(data["columns"]))
