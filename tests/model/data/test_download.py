"""Downloads from a server on this machine: checked, resumed, and told plainly when they fail."""

import gzip
import io
import socket
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from headscope.model.data import download
from headscope.model.data.download import ATTEMPTS, fetch
from headscope.model.data.known_datasets import DataFile, DataSet
from headscope.model.data.preparation import prepare
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from tests.toy_data import TEXTS, digest, toy_data


@dataclass
class Server:
    """What it has, how it behaves, and what it was asked."""

    address: str
    contents: dict[str, bytes]
    knows_ranges: bool = True
    breaks_after: int = 1 << 30
    """Bytes of a response after which the connection is closed."""
    requests: list[tuple[str, str | None]] = field(default_factory=list)

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Send what was asked for, as far as the connection holds."""
        wanted = request.headers.get("Range")
        self.requests.append((request.path, wanted))
        content = self.contents.get(request.path)
        if content is None:
            request.send_error(404)
            return
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and self.knows_ranges else 0
        if start >= len(content):
            request.send_error(416)
            return
        request.send_response(206 if start else 200)
        request.send_header("Content-Length", str(len(content) - start))
        request.end_headers()
        request.wfile.write(content[start:][: self.breaks_after])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server with the files of the data set: a zip archive, a compressed and a plain file."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("about.txt", "something else")
        file.writestr("inner/pairs.txt", TEXTS["pairs.tsv.gz"])
    contents = {
        "/pairs.zip": archive.getvalue(),
        "/test.en.gz": gzip.compress(TEXTS["test/test.en"]),
        "/test.de": TEXTS["test/test.de"],
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            running.answer(self)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        running = Server(f"http://127.0.0.1:{httpd.server_port}", contents)
        thread = threading.Thread(target=httpd.serve_forever, args=[0.01])
        thread.start()
        yield running
        httpd.shutdown()
        thread.join()


@pytest.fixture
def data(server: Server) -> DataSet:
    """The data set, published on the server."""

    def published(path: str, name: str, member: str = "") -> DataFile:
        size = len(server.contents[path])
        return DataFile(url=server.address + path, size=size, sha256=(digest(TEXTS[name]),), member=member)

    return toy_data(
        {
            "pairs.tsv.gz": published("/pairs.zip", "pairs.tsv.gz", "inner/pairs.txt"),
            "test/test.en": published("/test.en.gz", "test/test.en"),
            "test/test.de": published("/test.de", "test/test.de"),
        }
    )


def paths(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_whatever_form_they_come_in_they_become_a_local_copy(server: Server, data: DataSet, tmp_path: Path):
    reports = []

    class Watch:
        def update(self, done: int, total: int | None) -> None:
            reports.append((done, total))

    folder = fetch(data, tmp_path / "cache", progress=Watch())
    assert folder == tmp_path / "cache" / "toy"
    assert paths(folder) == sorted(TEXTS)
    for name, text in TEXTS.items():
        found = (folder / name).read_bytes()
        assert (gzip.decompress(found) if name.endswith(".gz") else found) == text
    total = sum(file.size for file in data.files.values()) // 1000
    assert reports[-1] == (total, total)
    assert reports == sorted(reports)
    assert prepare(data, folder, tmp_path / "out").metadata["pairs"]["train"] == 33
    # What is there is not asked for again.
    asked = len(server.requests)
    assert asked == 3
    fetch(data, tmp_path / "cache")
    assert len(server.requests) == asked
    (folder / "test/test.de").write_bytes(b"altered")
    fetch(data, tmp_path / "cache")
    assert (folder / "test/test.de").read_bytes() == TEXTS["test/test.de"]


def test_a_transfer_that_breaks_goes_on_where_it_stopped(server: Server, data: DataSet, tmp_path: Path):
    size = data.files["pairs.tsv.gz"].size
    server.breaks_after = size // 3 + 1
    fetch(data, tmp_path)
    assert server.requests[:3] == [
        ("/pairs.zip", None),
        ("/pairs.zip", f"bytes={server.breaks_after}-"),
        ("/pairs.zip", f"bytes={2 * server.breaks_after}-"),
    ]
    assert paths(tmp_path / "toy") == sorted(TEXTS)


def test_a_later_call_goes_on_too(server: Server, data: DataSet, tmp_path: Path):
    class StopAfter:
        def update(self, done: int, total: int | None) -> None:
            if server.requests:
                raise Cancelled

    server.breaks_after = 100
    with pytest.raises(Cancelled):
        fetch(data, tmp_path, progress=StopAfter())
    assert paths(tmp_path / "toy") == ["pairs.tsv.gz.part"]
    with pytest.raises(HeadscopeError, match=f"pairs.zip: the transfer broke off {ATTEMPTS} times; what came is kept"):
        fetch(data, tmp_path)
    have = 100 * (1 + ATTEMPTS)
    assert (tmp_path / "toy" / "pairs.tsv.gz.part").stat().st_size == have
    server.breaks_after = 1 << 30
    server.requests.clear()
    fetch(data, tmp_path)
    assert server.requests[0] == ("/pairs.zip", f"bytes={have}-")


def test_a_server_without_ranges_begins_anew(server: Server, data: DataSet, tmp_path: Path):
    server.knows_ranges = False
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "pairs.tsv.gz.part").write_bytes(b"the beginning of something else")
    fetch(data, tmp_path)
    assert paths(tmp_path / "toy") == sorted(TEXTS)


def test_a_beginning_that_does_not_fit_is_thrown_away(server: Server, data: DataSet, tmp_path: Path):
    part, size = tmp_path / "toy" / "pairs.tsv.gz.part", data.files["pairs.tsv.gz"].size
    part.parent.mkdir()
    part.write_bytes(b"x" * (size - 10))
    with pytest.raises(HeadscopeError, match=r"pairs\.zip: what came is damaged"):
        fetch(data, tmp_path)
    assert not part.exists()
    part.write_bytes(b"x" * (size + 10))
    fetch(data, tmp_path)
    assert paths(tmp_path / "toy") == sorted(TEXTS)


@pytest.mark.parametrize(
    ("path", "change", "message"),
    [
        ("/test.de", lambda content: content[::-1], "what came is not the text that was published: its sha256 is"),
        ("/test.en.gz", lambda content: content[::-1], "what came is damaged"),
        ("/pairs.zip", lambda content: content[::-1], "what came is damaged"),
        ("/pairs.zip", lambda content: content.replace(b"inner", b"outer"), "what came is damaged.*inner/pairs.txt"),
    ],
)
def test_what_is_not_as_published_is_refused(server: Server, data: DataSet, tmp_path: Path, path, change, message):
    content = server.contents[path]
    server.contents[path] = change(content)
    with pytest.raises(HeadscopeError, match=f"toy cannot be downloaded: {server.address}{path}: {message}") as raised:
        fetch(data, tmp_path)
    assert "\n" not in str(raised.value)
    assert not list(tmp_path.rglob("*.part"))
    server.contents[path] = content
    fetch(data, tmp_path)
    assert paths(tmp_path / "toy") == sorted(TEXTS)


def test_what_is_not_there_any_more(server: Server, data: DataSet, tmp_path: Path):
    del server.contents["/test.de"]
    with pytest.raises(HeadscopeError, match=f"{server.address}/test.de: 404 Not Found; try again later, or put"):
        fetch(data, tmp_path)


def moved(data: DataSet, port: int) -> DataSet:
    """The data set, published at another port."""
    url = f"http://127.0.0.1:{port}/file"
    return replace(data, files={name: replace(file, url=url) for name, file in data.files.items()})


def test_without_a_connection(data: DataSet, tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    with pytest.raises(HeadscopeError) as raised:
        fetch(moved(data, port), tmp_path)
    assert str(raised.value).endswith(
        "Connection refused; try again later, or put pairs.tsv.gz, test/test.en, test/test.de into a folder and give "
        "that with --from"
    )


def test_a_silent_server_is_given_up(data: DataSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(download, "SECONDS", 0.05)
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(HeadscopeError, match="file: timed out; try again later"),
    ):
        fetch(moved(data, silent.getsockname()[1]), tmp_path)
