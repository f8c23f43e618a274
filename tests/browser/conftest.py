"""A server with a toy checkpoint, and a browser that reports whatever it complains about."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

COMMAND = [sys.executable, "-m", "headscope", "app"]
CHROMIUM_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
READY = "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
# Opening /page directly makes Streamlit's frontend try /page/_stcore/… before /_stcore/….
EXPECTED_404 = re.compile(r"/\w+/_stcore/(health|host-config)$")
TIMEOUT_MS = 30_000


def start(port: int, checkpoints: Sequence[str | Path], log: Path, more: Sequence[str] = ()) -> subprocess.Popen:
    """`headscope app`, answering."""
    places = [part for place in checkpoints for part in ("--checkpoints", str(place))]
    with log.open("w") as output:
        server = subprocess.Popen([*COMMAND, "--port", str(port), *places, *more], stdout=output, stderr=output)
    for _ in range(1200):
        if server.poll() is not None:
            pytest.fail(f"the server ended: {log.read_text()}")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1)
        except OSError:
            time.sleep(0.05)
        else:
            return server
    server.kill()
    pytest.fail("the server does not answer")


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def chromium_path() -> str | None:
    """The browser that is installed."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def server(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a server that all browser tests share: with the toy checkpoint, and one for each pair of `SCRIPTS`.

    With those lies a study of searches.
    """
    from headscope.analysis.search.study import save_study
    from headscope.model.translator import load_translator
    from tests.app.pages.search.study_toys import toy_study
    from tests.toys import SCRIPTS, save_toy_checkpoint

    folder = tmp_path_factory.mktemp("scripts")
    scripts = [save_toy_checkpoint(folder / "-".join(pair), texts, pair) for pair, texts in SCRIPTS.items()]
    for each in scripts:
        save_study(toy_study(load_translator(each, "cpu").weights_digest), each)
    log, port = tmp_path_factory.mktemp("server") / "log", free_port()
    process = start(port, [checkpoint, *scripts], log)
    yield f"http://127.0.0.1:{port}"
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0, log.read_text()
    assert "Traceback" not in log.read_text()


@pytest.fixture(scope="session")
def chromium() -> Iterator["Browser"]:
    """A headless Chromium; without one the test is skipped, or fails where HEADSCOPE_REQUIRE_ALL=1."""
    from playwright.sync_api import sync_playwright

    path = chromium_path()
    if path is None:
        reason = "there is no chromium on the path"
        if os.environ.get("HEADSCOPE_REQUIRE_ALL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*CHROMIUM_FLAGS])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def contexts(chromium: "Browser") -> Iterator[dict[bool, "BrowserContext"]]:
    """Without and with a touch screen. All tests share them, so that scripts and fonts are loaded and parsed once."""

    def context(touch: bool) -> "BrowserContext":
        made = chromium.new_context(has_touch=touch, permissions=["clipboard-read", "clipboard-write"])
        made.set_default_timeout(TIMEOUT_MS)
        return made

    found = {touch: context(touch) for touch in (False, True)}
    yield found
    for each in found.values():
        each.close()


@pytest.fixture
def open_page(server: str, contexts: dict[bool, "BrowserContext"]) -> Iterator[Callable[..., "Page"]]:
    """Opens the app with query parameters and waits until it rests. Afterwards the browser must not have complained."""
    complaints: list[str] = []
    pages: list[Page] = []

    def visit(
        *, scheme: str = "light", size: tuple[int, int] = (1280, 800), touch: bool = False, path: str = "", **params
    ) -> "Page":
        page = contexts[touch].new_page()
        pages.append(page)
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        watch(page, urlsplit(server).netloc, complaints)
        page.goto(f"{server}/{path}?{urlencode(params)}" if params else f"{server}/{path}")
        rest(page)
        return page

    yield visit
    for page in pages:
        page.close()
    assert complaints == []


def rest(page: "Page") -> None:
    """Wait until the script has ended and everything is drawn."""
    page.wait_for_selector(READY)
    page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton], [data-stale=true]')")


def watch(page: "Page", host: str, complaints: list[str]) -> None:
    """Collect errors, dialogs, failed requests, and requests to anybody else."""

    def request(found) -> None:
        if urlsplit(found.url).netloc not in (host, ""):
            complaints.append(f"request to {found.url}")

    def response(found) -> None:
        if found.status >= 400 and not EXPECTED_404.search(found.url):
            complaints.append(f"{found.status} {found.url}")

    def console(message) -> None:
        if message.type == "error" and not EXPECTED_404.search(message.location["url"]):
            complaints.append(f"console: {message.text}")

    def dialog(found) -> None:
        complaints.append(f"dialog: {found.message}")
        found.dismiss()

    page.on("request", request)
    page.on("response", response)
    page.on("console", console)
    page.on("dialog", dialog)
    page.on("pageerror", lambda error: complaints.append(f"page error: {error} {error.stack}"))
