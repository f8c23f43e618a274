"""Pages that are run without a browser."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

import headscope.app

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
    folder = Path(headscope.app.__file__).with_name("pages")
    loose = {path.stem: path.name for path in folder.glob("[a-z]*.py") if path.stem != "main"}
    return loose | {path.name: f"{path.name}/{path.name}.py" for path in folder.glob("[a-z]*/")}
