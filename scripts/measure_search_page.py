"""Measure how fast the search page answers, in a headless Chromium on this machine, and print it as a Markdown table.

    python scripts/measure_search_page.py

The sentences are translated by the shipped model with beam 8. The large tree is that of a model with random weights,
whose searches do not end before the greatest length.
"""

import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import torch
from playwright.sync_api import Page, sync_playwright

from headscope.model.card import SHIPPED, available
from headscope.model.checkpoint import save_checkpoint
from headscope.model.config import preset
from headscope.model.network.transformer import Transformer
from headscope.model.search.settings import SearchSettings
from headscope.model.text.vocabulary import Vocabulary, load_vocabulary
from scripts.measure_pages import LOOKING, SUBJECTS, VERBS, seconds, serving
from tests.browser.conftest import CHROMIUM_FLAGS, chromium_path, rest

RUNS = 7
PIECES, BEAM = 20, 8
LARGE_BEAM, LARGE_STEPS = 10, 60

# Runs in the page: what a component has painted last, and the time from the last key or click until it has painted
# something else.
HELPERS = """
  let acted = 0
  for (const kind of ["keydown", "click"]) addEventListener(kind, () => (acted = performance.now()), { capture: true })
  const seen = {
    tree: () => find(".search")?.dataset.painted,
    attention: () => find(".attend")?.dataset.painted,
    node: () => find(".lane .scroll")?.getAttribute("aria-activedescendant"),
  }
  globalThis.headscope = {
    now: (what) => seen[what](),
    until: async (what, before) => {
      acted = 0
      while (!acted || !seen[what]() || seen[what]() === before) await painted()
      await painted()
      return performance.now() - acted
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
        large = Path(folder) / "large"
        model = Transformer(preset("tiny", vocabulary=vocabulary.size("source")))
        save_checkpoint(large, model.eval(), vocabulary, ("en", "de"), search=SearchSettings(longest=LARGE_STEPS))
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=[*CHROMIUM_FLAGS])
        with serving([shipped, large]) as (address, _):
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(120_000)
            page.add_init_script(f"(() => {{{LOOKING}{HELPERS}}})()")
            rows += searches(page, address, shipped.name, sentences(vocabulary))
            rows += large_tree(page, address)
    print("| what | goal | measured |\n| --- | --- | --- |")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def sentences(vocabulary: Vocabulary) -> list[str]:
    """Different sentences of the length, end of sentence included."""
    parts = [f"{subject} {verb}" for subject in SUBJECTS for verb in VERBS]
    texts = (f"{first} because {second.lower()} every day." for first, second in itertools.permutations(parts, 2))
    found = (text for text in texts if len(vocabulary.encode(text, "source").ids) == PIECES - 1)
    return list(itertools.islice(found, RUNS + 1))


def searches(page: Page, address: str, checkpoint: str, texts: list[str]) -> list[tuple[str, str, str]]:
    """A sentence that is typed, until its tree is painted; a candidate that is clicked, until its attention is."""
    show(page, address, checkpoint=checkpoint, source=texts[0], beam=str(BEAM))
    typed, clicked = [], []
    for number, text in enumerate(texts[1:], 1):
        box = page.get_by_role("textbox", name="Sentence")
        box.fill(text)
        typed.append(timed(page, "tree", lambda box=box: box.press("Control+Enter")))
        rest(page)
        node = page.locator(f'.lane .node[aria-level="{number % 4 + 1}"]').nth(1)
        clicked.append(timed(page, "attention", node.click))
        rest(page)
    return [
        (f"{PIECES} tokens, beam {BEAM}: search, trace and painted tree, from the key", "1.0 s", seconds(typed)),
        ("attention of a selected candidate, from the click", "0.25 s", seconds(clicked)),
    ]


def large_tree(page: Page, address: str) -> list[tuple[str, str, str]]:
    """Walking through a tree of many steps."""
    show(
        page,
        address,
        checkpoint="large",
        source="A tree of sixty steps from a model that knows nothing.",
        beam=str(LARGE_BEAM),
    )
    steps = page.get_by_role("slider", name="Step").get_attribute("max")
    assert steps == str(LARGE_STEPS), steps
    page.locator(".lane .scroll").focus()
    times = [timed(page, "node", lambda: page.keyboard.press("ArrowRight")) for _ in range(LARGE_STEPS - 1)]
    drawn = page.locator(".lane .node").count()
    return [
        (f"beam {LARGE_BEAM}, {LARGE_STEPS} steps: one step by an arrow key", "a frame or two", seconds(times)),
        (f"beam {LARGE_BEAM}, {LARGE_STEPS} steps: nodes that are drawn at once", "few", str(drawn)),
    ]


def show(page: Page, address: str, **view: str) -> None:
    """Open a view, and wait until it rests."""
    page.goto(f"{address}/search?{urlencode(view)}")
    page.wait_for_selector(".attend[data-painted]")
    rest(page)


def timed(page: Page, what: str, act: Callable[[], None]) -> float:
    """Seconds from the event that an act sends until something else is painted."""
    before = page.evaluate("what => headscope.now(what)", what)
    page.evaluate("([what, before]) => { headscope.wait = headscope.until(what, before) }", [what, before])
    act()
    return page.evaluate("headscope.wait") / 1000


if __name__ == "__main__":
    main()
