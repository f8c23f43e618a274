"""The page of a head over training, in a real browser."""

import re
import signal
from urllib.parse import urlencode, urlsplit

import pytest

from headscope.analysis.measures.history import HISTORY, save_history
from tests.app.commands.measuring import copied
from tests.browser.conftest import free_port, rest, start, watch
from tests.browser.test_head_page import assert_accessible
from tests.histories import toy_history

pytestmark = pytest.mark.browser


@pytest.fixture
def watched_page(contexts, checkpoint, translator, tmp_path):
    """The page, of a server whose checkpoint has a history."""
    own, port, complaints = copied(checkpoint, tmp_path / "own"), free_port(), []
    save_history(toy_history(translator, translator.weights_digest), own / HISTORY)
    server = start(port, [own], tmp_path / "log")
    address = f"http://127.0.0.1:{port}"
    page = contexts[False].new_page()
    watch(page, urlsplit(address).netloc, complaints)
    page.goto(f"{address}/training?{urlencode({'checkpoint': 'own', 'kind': 'cross', 't.step': '40'})}")
    rest(page)
    page.locator(".course[data-shown]").wait_for()
    yield page
    page.close()
    server.send_signal(signal.SIGINT)
    server.wait(20)
    assert complaints == []


def map_pixels(page) -> list[int]:
    return page.locator(".field canvas").evaluate(
        "node => [...node.getContext('2d').getImageData(0, 0, node.width, node.height).data]"
    )


def test_the_slider_steps_through_the_training_in_the_browser(watched_page):
    page = watched_page
    slider, said = page.get_by_role("slider", name="Step of the training"), page.locator(".said")
    last = map_pixels(page)
    assert said.inner_text().startswith("After update 40")
    slider.press("ArrowLeft")
    assert said.inner_text().startswith("After update 1;")
    middle = map_pixels(page)
    assert middle != last
    slider.press("Home")
    assert said.inner_text().startswith("Before the first update")
    page.wait_for_url(re.compile(r"t\.step=0"))
    rest(page)
    assert map_pixels(page) not in (middle, last), "the page that comes back shows the step that was chosen"
    page.locator(".moment").nth(2).click()
    assert map_pixels(page) == last
    page.wait_for_url(re.compile(r"t\.step=40"))
    rest(page)
    page.locator(".course").evaluate(
        "node => { window.seen = []; const see = () => window.seen.push(node.dataset.shown);"
        "new MutationObserver(see).observe(node, { attributeFilter: ['data-shown'] }) }"
    )
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => window.seen.includes('1') && window.seen.at(-1) === '2'")
    assert list(dict.fromkeys(page.evaluate("() => window.seen"))) == ["0", "1", "2"]
    page.get_by_role("button", name="Play").wait_for()
    rest(page)
    assert map_pixels(page) == last
    assert_accessible(page)
