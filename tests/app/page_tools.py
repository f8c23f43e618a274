"""Pages that are run without a browser."""

import json

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from headscope.app.view.navigation import PAGES

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
