"""Whose turn it is to train: one run a device at a time among those of a folder, first come first served. No torch.

Whoever starts a run writes a request into its folder and launches the process, which waits for its turn itself: so the
line outlives the server, and a process that dies leaves it. One that waits holds the lock of its run, as a trainer
does, and looks who came before; whose turn it is holds the lock of the device until it ends.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import portalocker

from headscope.model.errors import HeadscopeError
from headscope.model.files import read_json
from headscope.model.progress import Cancelled
from headscope.model.training.run_directory import LIVE, RunDirectory, read_status

REQUEST = "request.json"
LOOK = 0.5
"""Seconds between two looks whether the turn has come."""


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody wants to be trained."""

    data: str
    """The folder of the prepared text."""
    device: str
    """cpu or cuda:N."""
    asked: float = 0.0
    """Seconds since 1970."""
    skip_bad_lines: bool = False


def read_request(run: Path) -> Request | None:
    """What was asked for; None: nobody has, it was started otherwise.

    Raises:
        HeadscopeError: the file is damaged.
    """
    file = run / REQUEST
    if not file.exists():
        return None
    known = {field.name for field in fields(Request)}
    try:
        return Request(**{name: value for name, value in read_json(file).items() if name in known})
    except TypeError as error:
        raise HeadscopeError(f"{file} is damaged ({error}): start the run with its command") from error


def ask(directory: RunDirectory, request: Request, *, steps: int) -> None:
    """Put a run in line: its process is launched next."""
    directory.path.mkdir(parents=True, exist_ok=True)
    directory.forget_stop()
    directory.write_json(directory.path / REQUEST, asdict(request))
    directory.set_status("waiting", steps=steps)


@contextmanager
def turn(run: Path, *, cancelled: Callable[[], bool]) -> Iterator[None]:
    """Wait until no run that came before trains or waits on the device, and hold the device.

    Raises:
        HeadscopeError: another process holds the run, or nobody has asked for it.
        Cancelled: somebody has touched `stop`, or `cancelled` says so.
    """
    own = read_request(run)
    if own is None:
        raise HeadscopeError(f"nobody has asked for the run in {run}: there is no {REQUEST}")
    directory, device = RunDirectory(run), run.parent / f".{own.device.replace(':', '-')}.lock"
    with device.open("a+") as file:
        with directory.held():
            while not (_is_first(run, own) and _locked(file)):
                _go_on(directory, cancelled)
                time.sleep(LOOK)
            directory.set_status("waiting", message="its turn has come")
            _go_on(directory, cancelled)
        yield


def ahead(run: Path, own: Request) -> list[str]:
    """The runs of the folder that a run waits for, by name."""
    found = []
    for other in sorted(run.parent.iterdir()):
        if other == run or not (other / "status.json").exists():
            continue
        state, asked = read_status(other).state, read_request(other)
        if state not in LIVE or not _same_device(other, asked, own.device):
            continue
        before = asked is None or (asked.asked, other.name) < (own.asked, run.name)
        if state != "waiting" or before:
            found.append(other.name)
    return found


def _is_first(run: Path, own: Request) -> bool:
    return not ahead(run, own)


def _same_device(run: Path, asked: Request | None, device: str) -> bool:
    """Whether a run is on a device: one that was started by a command and says no more than its kind may be."""
    if asked is not None:
        return asked.device == device
    about = run / "run.json"
    return not about.exists() or read_json(about).get("device", device) == device.partition(":")[0]


def _locked(file) -> bool:
    try:
        portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)
    except portalocker.LockException:
        return False
    return True


def _go_on(directory: RunDirectory, cancelled: Callable[[], bool]) -> None:
    if cancelled() or directory.stop_requested:
        directory.set_status("stopped")
        raise Cancelled
