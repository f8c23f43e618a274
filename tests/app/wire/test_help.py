"""The keys that are listed."""

from headscope.app.view.navigation import PAGES
from headscope.app.wire.help import OF_PAGES, key_help


def test_every_page_lists_its_keys_and_the_one_that_lists_them():
    assert set(OF_PAGES) <= set(PAGES)
    for page in PAGES:
        rows = key_help(page).rows
        assert rows[-1].keys == "?"
        assert len(rows) == len(OF_PAGES.get(page, ())) + 1
