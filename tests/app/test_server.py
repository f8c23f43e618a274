"""How the pages are served."""

import asyncio
import base64
import hashlib
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit import config as streamlit_config

from headscope.app.server import (
    ALLOW_TRAINING,
    SecurityHeaders,
    listens_to_this_machine_alone,
    may_train,
    require_free,
    security_headers,
    server_config,
    streamlit_page,
)
from headscope.model.errors import HeadscopeError


def policy(page: str) -> dict[str, str]:
    parts = security_headers(page)["Content-Security-Policy"].split("; ")
    return dict(part.split(" ", 1) for part in parts)


def test_scripts_come_from_this_server_and_inline_ones_are_known_by_their_hash():
    script = "\n let x = 1 \n"
    code = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = policy(f"<script>{script}</script><script src='a.js'></script>")["script-src"].split()
    assert f"'sha256-{code}'" in allowed
    assert sum("sha256" in source for source in allowed) == 1
    assert "'unsafe-inline'" not in allowed
    assert "sha256" in policy(streamlit_page())["script-src"]


def test_no_directive_names_another_host():
    for sources in policy("").values():
        for source in sources.split():
            assert source.startswith("'") or source in ("blob:", "data:")


def test_headers_are_added_to_every_answer():
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x-old", b"1")]})
        await send({"type": "http.response.body", "body": b""})

    async def send(message):
        sent.append(message)

    async def receive():
        return {}

    answer = SecurityHeaders(app, {"X-New": "2"})({"type": "http"}, receive, send)
    with ThreadPoolExecutor() as elsewhere:  # the browser of other tests may have a loop in this thread
        elsewhere.submit(asyncio.run, answer).result()
    assert sent[0]["headers"] == [(b"x-old", b"1"), (b"x-new", b"2")]


def test_settings_are_known_to_streamlit_and_safe():
    settings = server_config("127.0.0.1", 8501)
    unknown = [name for name in settings if name not in streamlit_config._config_options_template]
    assert unknown == []
    assert settings["server.address"] == "127.0.0.1"
    assert settings["server.allowedHosts"] == ["127.0.0.1", "localhost"]
    assert settings["browser.gatherUsageStats"] is False
    assert settings["client.showErrorDetails"] == "type"
    assert settings["client.toolbarMode"] == "viewer"
    assert server_config("0.0.0.0", 1)["server.allowedHosts"] == []


@pytest.mark.parametrize(("host", "alone"), [("127.0.0.1", True), ("localhost", True), ("0.0.0.0", False), ("", False)])
def test_who_can_reach_the_server(monkeypatch, host, alone):
    settings = server_config(host, 8501)
    monkeypatch.setattr(streamlit_config, "get_option", settings.__getitem__)
    assert listens_to_this_machine_alone() == alone


def test_a_taken_port_is_an_error_with_a_way_out():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(HeadscopeError, match=f"127.0.0.1:{port} .* --port"):
            require_free("127.0.0.1", port)
    require_free("127.0.0.1", port)


@pytest.mark.parametrize("host", ["nowhere.invalid", "192.0.2.77", "::bad::"])
def test_an_address_of_another_machine_is_an_error(host):
    with pytest.raises(HeadscopeError, match=r"--host|no address"):
        require_free(host, 8501)


@pytest.mark.parametrize(
    ("host", "allowed", "may"), [("127.0.0.1", "", True), ("0.0.0.0", "", False), ("0.0.0.0", "1", True)]
)
def test_who_may_train(monkeypatch, host, allowed, may):
    monkeypatch.setattr(streamlit_config, "get_option", server_config(host, 8501).__getitem__)
    monkeypatch.setenv(ALLOW_TRAINING, allowed)
    assert may_train() == may
