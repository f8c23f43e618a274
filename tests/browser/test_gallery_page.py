"""The gallery, in a real browser."""

import pytest

from headscope.analysis.gallery.record import GALLERY, save_gallery
from headscope.analysis.records.heads import Head
from tests.analysis.gallery.galleries import HOSTILE, a_gallery, a_sentence, an_example
from tests.browser.conftest import rest
from tests.browser.test_head_page import SENTENCE, assert_accessible, query

pytestmark = pytest.mark.browser


@pytest.fixture
def gallery(checkpoint, translator):
    """A gallery that lies with the server's checkpoint."""
    known, hostile = a_sentence(SENTENCE, pin=("source", 1)), a_sentence(HOSTILE)
    examples = an_example(sentence=known, counter=hostile), an_example("idle", head=Head("encoder", 1, 2), counter=None)
    save_gallery(a_gallery(*examples, weights=translator.weights_digest), checkpoint)
    yield
    (checkpoint / GALLERY).unlink()


@pytest.mark.parametrize(("scheme", "size"), [("light", (1280, 800)), ("dark", (390, 844))])
def test_a_link_opens_the_example(gallery, open_page, scheme, size):
    page = open_page(path="gallery", source="Another sentence.", scheme=scheme, size=size)
    page.get_by_role("heading", name="Rests on the end of sentence").wait_for()
    assert page.get_by_text(HOSTILE, exact=True).count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert_accessible(page)
    page.get_by_role("link", name="Open this head").first.click()
    page.get_by_text("Cross-attention, layer 2, head 1").wait_for()
    rest(page)
    asked = {"source": SENTENCE, "kind": "cross", "layer": "2", "head": "1", "pin": "source.2"}
    assert asked.items() <= query(page).items()
    page.go_back()
    page.get_by_role("link", name="Take it away").click()
    page.get_by_role("heading", name="What happens without these heads?").wait_for()
    rest(page)
    assert query(page)["off"] == "encoder.2.3"
