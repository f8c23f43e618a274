"""Measure how fast the pages answer, in a headless Chromium on this machine, and print it as a Markdown table.

    python scripts/measure_pages.py

The model is as large as the paper's base model (6 + 6 layers of 8 heads) with random weights, its scores scattered as
widely as attention gets (a standard deviation of 2). For the memory of the server the shipped model takes turns with a
copy.
"""

import shutil
import signal
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import torch
from playwright.sync_api import Page, sync_playwright

from headscope.model.card import SHIPPED, available
from headscope.model.checkpoint import save_checkpoint
from headscope.model.config import preset
from headscope.model.network.attention import MultiHeadAttention
from headscope.model.network.transformer import Transformer
from headscope.model.search.settings import SearchSettings
from headscope.model.text.vocabulary import Vocabulary, load_vocabulary
from tests.browser.conftest import CHROMIUM_FLAGS, chromium_path, free_port, rest, start

LENGTHS = (128, 256)
RUNS = 9
HEADS = ("1", "2", "3", "4", "5", "6", "7", "8")
SUBJECTS = ("My neighbour", "The old man", "Her brother", "A friend of mine", "The teacher", "Our cat")
VERBS = ("sleeps on the sofa", "reads a letter", "lives by the river", "waits for the train", "has lost a key")

# Run in the page: what a selector finds, through shadow roots too, and the time when the next frame is on the screen.
LOOKING = """
  const find = (selector, root = document) => {
    const found = root.querySelector(selector)
    if (found) return found
    for (const node of root.querySelectorAll("*")) {
      const inside = node.shadowRoot && find(selector, node.shadowRoot)
      if (inside) return inside
    }
    return null
  }
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
"""
# Behind that: `until` waits for something to be seen, and for the frame that shows it; `times` are those of the last
# event of each kind.
HELPERS = """
  const times = { click: 0, pointermove: 0 }
  for (const kind of Object.keys(times)) {
    addEventListener(kind, () => (times[kind] = performance.now()), { capture: true })
  }
  const seen = {
    wall: () => find(".wall")?.dataset.painted,
    head: () => find(".frame .title")?.textContent,
    line: () => find(".queries .chosen")?.getAttribute("aria-label"),
  }
  globalThis.headscope = {
    now: (what) => seen[what](),
    until: async (what, before, kind) => {
      times[kind] = 0
      while (!times[kind] || !seen[what]() || seen[what]() === before) await painted()
      await painted()
      return performance.now() - times[kind]
    },
  }
"""


def main() -> None:
    """Measure and print."""
    torch.manual_seed(0)
    shipped = SHIPPED / available()[0]
    vocabulary = load_vocabulary(shipped / "vocabulary")
    rows: list[tuple[str, str, str]] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        place = Path(folder)
        for length in LENGTHS:
            save_random(place / "random" / f"tokens-{length}", vocabulary, length)
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=[*CHROMIUM_FLAGS])
        with serving([place / "random"]) as (address, _):
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(300_000)
            page.add_init_script(f"(() => {{{LOOKING}{HELPERS}}})()")
            for measure in (wall, line_view, another_head, long_sentence):
                rows += measure(page, address, vocabulary)
                print(f"{measure.__name__} done", file=sys.stderr, flush=True)
            page.close()
        shutil.copytree(shipped, place / "two" / "one")
        shutil.copytree(shipped, place / "two" / "other")
        with serving([place / "two"]) as (address, process):
            rows.append(memory(browser.new_page(), address, process))
    print("| what | goal | measured |\n| --- | --- | --- |")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def wall(page: Page, address: str, vocabulary: Vocabulary) -> list[tuple[str, str, str]]:
    """Another kind of attention on the wall: until it is painted, and what is sent for it."""
    received: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: received.append(len(data))))
    open_view(page, address, "overview", vocabulary, 128, kind="cross")
    page.wait_for_selector(".wall[data-painted]")
    times, sizes = [], []
    for run in range(RUNS):
        received.clear()
        kind = ("Encoder", "Decoder", "Cross")[run % 3]
        times.append(timed(page, "wall", "click", page.get_by_text(kind, exact=True).click))
        rest(page)
        sizes.append(sum(received))
    tiles = page.locator(".tile").count()
    assert tiles == 48, tiles
    return [
        ("wall of 6×8 heads at 128 tokens, from click to painted", "0.4 s", seconds(times)),
        ("messages to the browser for one wall, 128 tokens", "1 MB", f"{max(sizes) / 1e6:.2f} MB"),
    ]


def line_view(page: Page, address: str, vocabulary: Vocabulary) -> list[tuple[str, str, str]]:
    """Pointing at rows of the line view of eight heads."""
    everyone = ",".join(HEADS)
    open_view(page, address, "", vocabulary, 128, picture="lines", kind="encoder", head="1", beside=everyone)
    page.wait_for_selector(".queries button")
    tokens = page.locator(".queries button").count()
    assert tokens == 128, tokens
    times = [
        timed(page, "line", "pointermove", page.locator(".queries button").nth(2 * row + 1).hover)
        for row in range(RUNS)
    ]
    return [("line view, 8 heads, 128 tokens: hover to repaint", "50 ms", seconds(times))]


def another_head(page: Page, address: str, vocabulary: Vocabulary) -> list[tuple[str, str, str]]:
    """Another head, then another layer, of the sentence that is shown."""
    open_view(page, address, "", vocabulary, 128, kind="encoder", layer="1", head="1")
    page.wait_for_selector(".frame .links li")
    times = []
    for run in range(RUNS):
        group = page.get_by_role("radiogroup", name=("Head of 8", "Layer of 6")[run % 2])
        choice = group.get_by_text(str(run % 5 + 2), exact=True)
        times.append(timed(page, "head", "click", choice.click))
        rest(page)
    return [("another head or layer, sentence unchanged", "0.2 s", seconds(times))]


def long_sentence(page: Page, address: str, vocabulary: Vocabulary) -> list[tuple[str, str, str]]:
    """256 tokens: drawn, pooled, said to be so, and the part that is exact can be moved."""
    open_view(page, address, "", vocabulary, 256, kind="encoder")
    said = page.locator(".pooled")
    said.wait_for()
    assert "pooled: all 256 × 256 weights" in said.inner_text(), said.inner_text()
    page.locator(".overview").focus()
    page.keyboard.press("ArrowDown")
    assert "rows 9 to 32" in said.inner_text(), said.inner_text()
    times = [timed(page, "head", "click", choose(page, head)) for head in HEADS[1:]]
    return [("256 tokens", "works, pooled with a window, and says so", f"works; another head: {seconds(times)}")]


def memory(page: Page, address: str, process: int) -> tuple[str, str, str]:
    """Thirty sentences and ten changes of the checkpoint, against the server that has both models loaded."""

    def read(checkpoint: str, sentence: str) -> None:
        page.goto(f"{address}/?{urlencode({'checkpoint': checkpoint, 'source': sentence})}")
        page.wait_for_selector(".frame .links li")
        rest(page)

    sentences = [f"{subject} {verb} every evening." for subject in SUBJECTS for verb in VERBS]
    for checkpoint in ("one", "other"):
        read(checkpoint, "We could not see the mountains.")
    before = resident(process)
    for index, sentence in enumerate(sentences):
        read(("one", "other")[index // 3 % 2], sentence)
    after = resident(process)
    change = f"{after - before:+.0f} MB of {before:.0f} MB ({(after - before) / before:+.1%})"
    return "memory of the server after 30 sentences and 10 changes of checkpoint", "within 10 %", change


def save_random(path: Path, vocabulary: Vocabulary, length: int) -> None:
    """A checkpoint of size base whose translations have that many tokens: they are cut off there."""
    model = Transformer(preset("base", vocabulary=vocabulary.size("source")))
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, MultiHeadAttention):
                module.query.weight *= 2**0.5
                module.key.weight *= 2**0.5
    save_checkpoint(path, model.eval(), vocabulary, ("en", "de"), search=SearchSettings(longest=length))


def text_of(vocabulary: Vocabulary, length: int) -> str:
    """A text of that many tokens, end of sentence included."""
    words = [word for subject in SUBJECTS for verb in VERBS for word in f"{subject} {verb}".split()] * 4
    text = ""
    for word in words:
        longer = f"{text} {word}".strip()
        if len(vocabulary.encode(longer, "source").ids) < length:
            text = longer
    assert len(vocabulary.encode(text, "source").ids) == length - 1
    return text


def open_view(page: Page, address: str, path: str, vocabulary: Vocabulary, length: int, **view: str) -> None:
    """Open a page about a sentence of that length, and wait until it rests."""
    asked = {"checkpoint": f"tokens-{length}", "source": text_of(vocabulary, length), "beam": "1"} | view
    page.goto(f"{address}/{path}?{urlencode(asked)}")
    page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton]')")
    rest(page)


def choose(page: Page, head: str) -> Callable[[], None]:
    """A click on another head."""
    return page.get_by_role("radiogroup", name="Head of 8").get_by_text(head, exact=True).click


def timed(page: Page, what: str, event: str, act: Callable[[], None]) -> float:
    """Seconds from the event that an act sends until what is seen has changed and is painted."""
    before = page.evaluate("what => headscope.now(what)", what)
    waiting = "([what, before, kind]) => { headscope.wait = headscope.until(what, before, kind) }"
    page.evaluate(waiting, [what, before, event])
    act()
    return page.evaluate("headscope.wait") / 1000


def seconds(times: list[float]) -> str:
    """Median and largest."""
    return f"{statistics.median(times):.3f} s (largest of {len(times)}: {max(times):.3f} s)"


def resident(process: int) -> float:
    """Memory of a process, in megabytes."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1000


@contextmanager
def serving(checkpoints: list[Path]) -> Iterator[tuple[str, int]]:
    """The address and process of a server."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        server = start(port, checkpoints, Path(folder) / "log")
        try:
            yield f"http://127.0.0.1:{port}", server.pid
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()


if __name__ == "__main__":
    main()
