"""Fetching the files of a data set from where they are published.

What a transfer has brought stays in a file ending in .part, and the next one goes on from there.
"""

import gzip
import hashlib
import io
import ssl
import zipfile
import zlib
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from headscope.model.data.known_datasets import DataFile, DataSet, text_sha256
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent

SECONDS = 30
"""How long a server may say nothing."""
ATTEMPTS = 5
"""Transfers of one file that may break off before it is given up."""
BLOCK = 1 << 16

_BROKEN = (TimeoutError, ConnectionError, ssl.SSLError, HTTPException)
"""What reading from a connection raises when it breaks; a full disk raises something else."""


class Unavailable(Exception):
    """Why a file cannot be had."""


def fetch(data: DataSet, cache: Path, *, progress: Progress | None = None) -> Path:
    """Download what the cache does not hold yet, check it, and return the folder that holds all files then.

    Args:
        cache: has a folder for the files of each data set; it is made when it is not there.
        progress: told the kilobytes.

    Raises:
        HeadscopeError: a file cannot be had, or is not what it should be; the message says how to go on without.
        Cancelled: `progress` wants it to stop.
    """
    progress = progress or Silent()
    folder = cache / data.folder
    missing = {name: file for name, file in data.files.items() if not _is_there(folder / name, file)}
    done, total = 0, sum(file.size for file in missing.values())
    for name, file in missing.items():
        try:
            _bring(file, folder / name, lambda have, done=done: progress.update((done + have) // 1000, total // 1000))
        except Unavailable as error:
            raise HeadscopeError(
                f"{data.name} cannot be downloaded: {file.url}: {error}; try again later, or put "
                f"{', '.join(data.files)} into a folder and give that with --from"
            ) from error
        done += file.size
    return folder


def _is_there(path: Path, file: DataFile) -> bool:
    return path.is_file() and text_sha256(path) in file.sha256


def _bring(file: DataFile, target: Path, report: Callable[[int], None]) -> None:
    """Download a file and put its text in place, compressed if its name says so, whatever form it came in."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    _transfer(file, part, report)
    try:
        text = _text(file, part.read_bytes())
        found = hashlib.sha256(text).hexdigest()
        if found != file.sha256[0]:
            raise Unavailable(f"what came is not the text that was published: its sha256 is {found}")
    except Unavailable:
        part.unlink()  # so that the next attempt begins anew
        raise
    part.write_bytes(gzip.compress(text, mtime=0) if target.suffix == ".gz" else text)
    part.replace(target)


def _text(file: DataFile, content: bytes) -> bytes:
    try:
        if file.member:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                return archive.read(file.member)
        return gzip.decompress(content) if file.url.endswith(".gz") else content
    except (zipfile.BadZipFile, KeyError, OSError, EOFError, zlib.error) as error:
        raise Unavailable(f"what came is damaged: {error}") from error


def _transfer(file: DataFile, part: Path, report: Callable[[int], None]) -> None:
    """Bring `part` to its full size, from where it ends."""
    for _ in range(ATTEMPTS):
        have = part.stat().st_size if part.exists() else 0
        if have == file.size:
            return
        with _response(file.url, have if have < file.size else 0) as response, part.open("ab") as stream:
            if response.status != HTTPStatus.PARTIAL_CONTENT:
                stream.truncate(0)
            try:
                while block := response.read(BLOCK):
                    stream.write(block)
                    report(stream.tell())
            except _BROKEN:
                continue
    if part.stat().st_size != file.size:
        raise Unavailable(f"the transfer broke off {ATTEMPTS} times; what came is kept")


def _response(url: str, start: int) -> HTTPResponse:
    request = Request(url, headers={"Range": f"bytes={start}-"} if start else {})
    try:
        return urlopen(request, timeout=SECONDS)
    except HTTPError as error:
        raise Unavailable(f"{error.code} {error.reason}") from error
    except (URLError, *_BROKEN) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise Unavailable(getattr(reason, "strerror", None) or str(reason)) from error
