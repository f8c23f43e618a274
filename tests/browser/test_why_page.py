"""The page of reasons, in a real browser."""

import re

import pytest

from tests.browser.conftest import rest
from tests.browser.test_head_page import SENTENCE, assert_accessible

pytestmark = pytest.mark.browser


def test_arrow_keys_move_the_token_that_is_asked_about(open_page):
    page = open_page(path="why", source=SENTENCE, **{"why.method": "ALTI+", "why.beside": "nothing", "pin": "output.1"})
    asked = page.locator(".why .asked")
    asked.wait_for()
    names = page.locator(".strip .output .token").evaluate_all("nodes => nodes.map(node => node.textContent)")
    assert names[0] in asked.inner_text()
    page.locator(".why .scroll").focus()
    for key in ("ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    assert names[1] in asked.inner_text()
    assert re.search(r"ALTI\+: .+ \(source\) for .+: \S*\d", page.locator(".why .spoken").inner_text())
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("pin=output.2"))
    rest(page)
    assert names[1] in page.locator(".why .asked").inner_text()
    assert_accessible(page)
