"""How long the first page takes, from the start of the command: run this file with checkpoints or folders of them.

It prints, for five starts and as their median, the seconds until the title can be seen and until the example's
attention is drawn, in a headless Chromium that is already running.
"""

import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS, chromium_path, free_port, start

RUNS = 5


def measure(browser: Browser, checkpoints: list[str]) -> tuple[float, float]:
    """Seconds until title and attention, for one start."""
    port = free_port()
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        server = start(port, checkpoints, Path(folder) / "log")
        page = browser.new_page()
        try:
            page.goto(f"http://127.0.0.1:{port}/", wait_until="commit")
            page.get_by_role("heading", name="Where does this head look?").wait_for()
            title = time.perf_counter() - begin
            page.locator(".frame .links li").first.wait_for()
            return title, time.perf_counter() - begin
        finally:
            page.close()
            server.send_signal(signal.SIGINT)
            server.wait()


def main() -> None:
    """Measure and print."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=[*CHROMIUM_FLAGS])
        times = []
        for run in range(RUNS):
            times.append(measure(browser, sys.argv[1:]))
            print(f"run {run + 1}: title {times[-1][0]:.2f} s, attention {times[-1][1]:.2f} s", flush=True)
    title, attention = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"median: title {title:.2f} s, attention {attention:.2f} s")


if __name__ == "__main__":
    main()
