"""How commands speak: results go to standard output, everything else to standard error."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headscope.model.progress import Progress, Silent

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


def say(text: str) -> None:
    """One line on standard error."""
    print("headscope:", " ".join(text.splitlines()), file=sys.stderr, flush=True)


def write_json(content: Mapping[str, Any]) -> None:
    """An object as one line on standard output."""
    print(json.dumps(content, ensure_ascii=False))


def write_rows(rows: Mapping[str, str]) -> None:
    """Names and values in two columns on standard output; an empty value makes its name a heading."""
    width = max(map(len, rows)) + 2
    for name, value in rows.items():
        print(f"{name:{width}}{value}".rstrip())


@contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """A bar on standard error while work goes on; none where that is no terminal."""
    if not sys.stderr.isatty():
        yield Silent()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bars:
        yield _Bar(bars, bars.add_task(label, total=None))


@dataclass(frozen=True, slots=True)
class _Bar:
    bars: "Bars"
    task: "TaskID"

    def update(self, done: int, total: int | None) -> None:
        self.bars.update(self.task, completed=done, total=total)
