"""A training in a real browser: it goes on when the page is loaded anew and when the server is another one."""

import re
import signal
from pathlib import Path

import pytest

from headscope.model.training.run_directory import read_metrics, read_status
from tests.app.training import CHANGES, write_text
from tests.browser.conftest import free_port, rest, start, watch

pytestmark = pytest.mark.browser

BEGINS = 120_000
"""Milliseconds that a training may take to begin: on a busy machine loading torch alone takes half a minute."""


def test_reload_and_restart_while_training(chromium, checkpoint: Path, tmp_path: Path):
    write_text(tmp_path / "data")
    port, log, run = free_port(), tmp_path / "log", tmp_path / "runs" / "tiny-1"
    places = ["--runs", str(tmp_path / "runs"), "--data", str(tmp_path / "data")]
    server = start(port, [checkpoint], log, places)
    page, complaints = chromium.new_page(viewport={"width": 1280, "height": 900}), []
    try:
        watch(page, f"127.0.0.1:{port}", complaints)
        page.goto(f"http://127.0.0.1:{port}/runs")
        rest(page)
        page.get_by_role("combobox", name="Prepared text").click()
        page.get_by_role("option", name="copying").click()
        page.get_by_role("textbox", name="Other values, a line each").fill(
            CHANGES + "vocabulary=300\nbatch_tokens=120\nsteps=1000000"
        )
        page.keyboard.press("Control+Enter")
        rest(page)
        page.get_by_role("button", name="Start training").click()
        page.get_by_text(re.compile(r"tiny-1 · running")).wait_for(timeout=BEGINS)
        page.locator(".st-key-chart-runs-0 .main-svg").first.wait_for()
        assert not [text for text in complaints if "error" in text]

        page.reload()
        page.get_by_text(re.compile(r"tiny-1 · running")).wait_for(timeout=BEGINS)
        before = len(read_metrics(run))
        complaints.clear()
        server.send_signal(signal.SIGINT)
        server.wait(20)
        # What is seen until then is what was drawn before, and a click is lost.
        page.wait_for_selector("[data-testid=stApp]:not([data-test-connection-state=CONNECTED])")
        server = start(port, [checkpoint], log, places)
        rest(page)
        page.get_by_text(re.compile(r"tiny-1 · running")).wait_for(timeout=BEGINS)
        assert len(read_metrics(run)) > before
        complaints.clear()  # of the time without a server

        page.get_by_role("button", name="Stop training").click()
        page.get_by_text(re.compile(r"tiny-1 · stopped")).wait_for()
        assert read_status(run).state == "stopped"
        page.get_by_role("button", name="Resume").click()
        page.get_by_text(re.compile(r"tiny-1 · running")).wait_for(timeout=BEGINS)
        page.get_by_role("button", name="Stop training").click()
        page.get_by_text(re.compile(r"tiny-1 · stopped")).wait_for()
        rest(page)
        assert complaints == []
    finally:
        if run.is_dir():
            (run / "stop").touch()
        page.close()
        server.kill()
        server.wait()
