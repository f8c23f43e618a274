"""An exported file, opened from the disk in a real browser."""

from pathlib import Path

import pytest

from tests.browser.conftest import rest, watch
from tests.browser.test_head_page import HOSTILE, SENTENCE, assert_accessible

pytestmark = pytest.mark.browser

BREAKERS = f"</script><!--<script> \\u003c ]]> {HOSTILE}"


@pytest.fixture(scope="module")
def saved(translator, tmp_path_factory):
    """Writes a file; gives its record and its place."""
    from headscope.analysis.capture.attention import attention_maps
    from headscope.analysis.records.heads import Head
    from headscope.app.export.files import Export, html

    def save(source: str):
        maps = attention_maps(translator, source, "Wie viel? </script><script>alert(1)</script>")
        file = tmp_path_factory.mktemp("export") / "file.html"
        file.write_bytes(html(Export(maps, Head("cross", 2, 0), "toy", "translation given", ("en", "de"))))
        return maps, file

    return save


@pytest.fixture
def open_file(chromium):
    """Opens a file; afterwards the browser must not have complained, nor have asked for anything else."""
    complaints: list[str] = []
    contexts = []

    def visit(file: Path, *, scheme: str = "light", size: tuple[int, int] = (1280, 800)):
        context = chromium.new_context(color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
        contexts.append(context)
        page = context.new_page()
        watch(page, "", complaints)
        requests: list[str] = []
        page.on("request", lambda found: requests.append(found.url))
        page.goto(file.as_uri())
        page.locator(".wall[data-painted]").wait_for()
        assert requests == [file.as_uri()]
        page.on("request", lambda found: complaints.append(found.url))
        return page

    yield visit
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_hostile_sentence_stays_text_and_weights_are_those_of_the_record(saved, open_file, scheme):
    maps, file = saved(BREAKERS)
    page = open_file(file, scheme=scheme)
    shown = "".join(page.locator("#strip .source .token:not(.more) .text").all_inner_texts())
    for part in ("</script><!--<script>", "\\u003c", "onerror=alert(1)>", "&amp;", "<b>b</b>", "שלום", "‹202E›"):
        assert part in shown
    assert page.locator("#strip script, #strip img, #strip b, main > script").count() == 0
    assert page.title() == f"Headscope: {BREAKERS}"
    assert page.locator(".tile").count() == 6
    assert_accessible(page)

    page.get_by_role("button", name="Layer 2, head 2").click()
    page.get_by_text("Cross-attention, layer 2, head 2").wait_for()
    assert page.get_by_role("radio", name="2").last.evaluate("node => node.matches(':focus')")
    cell = page.locator(".field").bounding_box()["height"] / page.locator(".row-label").count()
    page.locator(".field").hover(position={"x": cell * 3.5, "y": cell * 2.5})
    assert float(page.locator(".weight").inner_text()) == pytest.approx(float(maps.cross[1][1, 2, 3]), rel=6e-3)
    assert_accessible(page)

    page.get_by_text("Lines", exact=True).click()
    page.locator(".keys button").first.wait_for()
    assert page.locator(".keys button").count() > 10
    assert_accessible(page)


def test_by_keyboard(saved, open_file):
    maps, file = saved(SENTENCE)
    page = open_file(file)
    page.locator(".tile[aria-current=true]").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.get_by_text("Cross-attention, layer 2, head 1").wait_for()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Cross-attention, layer 2, head 2").wait_for()
    page.get_by_role("radio", name="Cross").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Encoder self-attention, layer 2, head 2").wait_for()
    assert page.get_by_role("radio", name="Encoder").evaluate("node => node.matches(':focus')")
    page.locator(".scroll").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    spoken = page.locator(".spoken").inner_text()
    assert float(spoken.rpartition(": ")[2]) == pytest.approx(float(maps.encoder[1][1, 0, 1]), rel=6e-3)


def test_tokens_are_pinned_and_kept_from_head_to_head(saved, open_file):
    _, file = saved(SENTENCE)
    page = open_file(file, size=(390, 844))
    page.locator("#strip .output button").nth(2).click()
    assert page.locator(".wall.row").count() == 1
    page.get_by_role("button", name="Layer 1, head 2").click()
    page.get_by_text("Cross-attention, layer 1, head 2").wait_for()
    page.mouse.move(2, 2)
    assert page.locator(".row-label.chosen").count() == 1
    assert page.locator("#strip .output button[aria-pressed=true]").count() == 1
    assert page.locator("#strip .source button.painted").count() == page.locator("#strip .source button").count()
    assert not page.get_by_role("button", name="Copy link").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_head_page_saves_it(open_page, tmp_path):
    page = open_page(source=SENTENCE, kind="encoder", layer="2", head="3")
    with page.expect_download() as download:
        page.get_by_role("button", name="html", exact=True).click()
    assert download.value.suggested_filename.endswith("encoder-2-3.html")
    download.value.save_as(tmp_path / "file.html")
    assert b'"first":{"kind":"encoder","layer":1,"head":2}' in (tmp_path / "file.html").read_bytes()
    rest(page)
