"""How the pages are served: address, security headers, warm-up. One process, one workbench."""

import base64
import hashlib
import os
import re
import socket
import threading
import tomllib
import webbrowser
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config as streamlit_config

from headscope.app.view import session
from headscope.app.workbench.folders import checkpoint_folders
from headscope.app.workbench.training import Places
from headscope.model.errors import HeadscopeError

HERE = Path(__file__).resolve().parent
LOCAL = ("127.0.0.1", "localhost")
ALLOW_TRAINING = "HEADSCOPE_ALLOW_TRAINING"
"""Environment variable by which the command tells the pages that all visitors may train."""


def serve(host: str, port: int, checkpoints: Sequence[str], training: Places, *, allow_training: bool = False) -> None:
    """Serve the pages until Ctrl-C.

    Args:
        host: address to listen on; anything but 127.0.0.1 opens the pages to other machines.
        checkpoints: checkpoints, or folders that hold some; none: those that ship.
        training: where runs and their texts are.
        allow_training: whoever reaches the server may train.

    Raises:
        HeadscopeError: the port is taken, the address is not one of this machine, or there is no checkpoint.
    """
    checkpoint_folders(checkpoints)
    require_free(host, port)
    # Small models gain nothing from a second thread, and lose much where training runs beside the server.
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // 2)))
    os.environ[session.CHECKPOINTS] = os.pathsep.join(checkpoints)
    os.environ[session.RUNS], os.environ[session.DATA] = str(training.runs), str(training.data)
    os.environ[ALLOW_TRAINING] = "1" if allow_training else ""
    app = st.App(
        HERE / "pages" / "main.py",
        lifespan=_lifespan,
        middleware=[Middleware(SecurityHeaders, headers=security_headers(streamlit_page()))],
    )
    try:
        app.run(config=server_config(host, port))
    except KeyboardInterrupt:
        print(flush=True)
        # Torch aborts a process that ends while another thread still computes; nothing here is left to be saved.
        os._exit(0)


def server_config(host: str, port: int) -> dict[str, Any]:
    """All settings of the server, by Streamlit's dotted names."""
    settings = dict(_flat(tomllib.loads((HERE / ".streamlit/config.toml").read_text(encoding="utf-8"))))
    return settings | {
        "server.address": host,
        "server.port": port,
        # Foreign names for this machine are refused (DNS rebinding); whoever opens the server up may use any name.
        "server.allowedHosts": [*LOCAL] if host in LOCAL else [],
    }


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def listens_to_this_machine_alone() -> bool:
    """Whether the server that runs in this process can be reached from no other machine."""
    return streamlit_config.get_option("server.address") in LOCAL


def may_train() -> bool:
    """Whether who sees the pages may train on this machine."""
    return listens_to_this_machine_alone() or os.environ.get(ALLOW_TRAINING) == "1"


def require_free(host: str, port: int) -> None:
    """Check that the server can listen there.

    Raises:
        HeadscopeError: it cannot.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except socket.gaierror as error:
            raise HeadscopeError(f"'{host}' is no address to listen on: use 127.0.0.1 or 0.0.0.0") from error
        except OverflowError as error:
            raise HeadscopeError(f"there is no port {port}: choose one between 0 and 65535") from error
        except OSError as error:
            raise HeadscopeError(
                f"cannot listen on {host}:{port} ({error.strerror}): choose another with --port or --host"
            ) from error


def streamlit_page() -> str:
    """The HTML page that Streamlit serves."""
    return (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")


def security_headers(page: str) -> dict[str, str]:
    """What the browser is told: scripts and data from this server alone, no frames, no referrer (addresses hold text).

    Args:
        page: the HTML that is served; its inline scripts are allowed by their hash.
    """
    inline = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in inline]
    policy = {
        "default-src": "'self'",
        "script-src": " ".join(["'self' blob: 'wasm-unsafe-eval'", *(f"'sha256-{code}'" for code in hashes)]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }


class SecurityHeaders:
    """Adds the same headers to every answer."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self._app, self._headers = app, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self._app(scope, receive, send_with_headers)


@asynccontextmanager
async def _lifespan(app: st.App) -> AsyncIterator[None]:
    """Say where the pages are, and compute the example while the browser is still loading the page."""
    workbench = session.workbench()
    threading.Thread(target=session.warm_up, args=(workbench,), name="warm-up", daemon=True).start()
    host, port = streamlit_config.get_option("server.address"), streamlit_config.get_option("server.port")
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    print(f"Headscope: {url}  (Ctrl-C ends it)", flush=True)
    if not streamlit_config.get_option("server.headless"):
        webbrowser.open(url)
    yield
