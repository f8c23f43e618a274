"""A search as a file of its page."""

import json

from headscope.app.pages.search.lanes import lanes
from headscope.app.pages.search.saving import _json
from headscope.app.view.session import sentence, workbench
from tests.app.page_tools import shown


def test_files(open_app, translator):
    page = open_app("search", branches="7")
    assert {button.label for button in page.get("download_button")} >= {"json", "csv"}
    assert {button.label for button in page.button} >= {"svg", "png", "pdf"}
    first, branch = lanes(workbench(), sentence(shown(page)), shown(page))
    content = json.loads(_json(branch.record, first.record))
    assert content["steps"][0]["candidates"]
    assert content["free"]["text"] == first.record.text
