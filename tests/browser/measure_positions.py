"""How long every view of the page of positions takes, from the click: run this file.

It prints, for a sinusoidal and a learned checkpoint of width 512 side by side and 256 positions, the seconds from the
click on a view until nothing of the page changes any more: of the first click on it, and the median of three more. What
a corpus says of them are the numbers of the twins that ship, so that charts have as many points as theirs.
"""

import signal
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from headscope.analysis.positions.study import load_position_study, save_position_study
from headscope.app.pages.positions.texts import TEXTS
from headscope.model.card import SHIPPED
from headscope.model.translator import load_translator
from tests.browser.conftest import CHROMIUM_FLAGS, chromium_path, free_port, rest, start
from tests.toys import save_toy_checkpoint

RUNS = 3
QUIET = 600
"""Milliseconds without a change, after which a page is at rest."""
WATCH = """(name) => new Promise((resolve) => {
  const button = [...document.querySelectorAll("button")].find((each) => each.innerText.trim() === name)
  const begin = performance.now()
  let last = begin
  const observer = new MutationObserver(() => (last = performance.now()))
  observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
  const look = () => {
    const running = document.querySelector("[data-testid=stApp]").dataset.testScriptState !== "notRunning"
    if (running || performance.now() - last < QUIET) return setTimeout(look, 20)
    observer.disconnect()
    resolve((last - begin) / 1000)
  }
  button.click()
  setTimeout(look, 20)
})""".replace("QUIET", str(QUIET))


def seconds(page: Page, name: str) -> float:
    """From a click on a view until the page is at rest."""
    return page.evaluate(WATCH, name)


def random_twins(folder: Path) -> list[str]:
    """Two checkpoints of the shape of those that ship and twice their width, with their studies."""
    shipped = {kind: load_position_study(SHIPPED / f"tatoeba-en-de-{kind}") for kind in ("sinusoidal", "learned")}
    stack = {"layers": 4, "heads": 8, "feed_forward": 64}
    size = {"d_model": 512, "encoder": stack, "decoder": stack, "position_table": 512, "passes": 2}
    made = {kind: save_toy_checkpoint(folder / kind, positions=kind, **size) for kind in shipped}
    digests = {kind: load_translator(place).weights_digest for kind, place in made.items()}
    for kind, study in shipped.items():
        assert study is not None
        other = next(each for each in shipped if each != kind)
        own = {"weights": digests[kind], "other": other, "other_weights": digests[other]}
        save_position_study(study.model_copy(update=own), made[kind])
    return [str(place) for place in made.values()]


def main(checkpoints: list[str]) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        places = checkpoints or random_twins(Path(folder))
        port = free_port()
        server = start(port, places, Path(folder) / "log")
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=[*CHROMIUM_FLAGS])
        try:
            for view in ("table", "head", "attention", "length"):
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                page.goto(f"http://127.0.0.1:{port}/positions?p.view={view}&p.length=256&source=We+could+not+see.")
                rest(page)
                page.wait_for_timeout(1500)
                names = [button.inner_text() for button in page.locator("[data-testid=stButtonGroup] button").all()]
                known = {text.name for key, text in TEXTS.items() if key != "what_if"}  # the name of a part too
                own = [name for name in names if name in known and name != TEXTS[view].name]
                first = {name: seconds(page, name) for name in own}
                again = {name: [] for name in own}
                for _ in range(RUNS):
                    for name in own:
                        again[name].append(seconds(page, name))
                for name in own:
                    print(
                        f"{name:20} first {first[name]:.2f} s, then {statistics.median(again[name]):.2f} s", flush=True
                    )
                page.close()
        finally:
            browser.close()
            server.send_signal(signal.SIGINT)
            server.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
