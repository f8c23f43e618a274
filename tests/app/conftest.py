"""The command line, run in this process."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from app.cli import run


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """Standard output, line by line."""
        return self.out.removesuffix("\n").split("\n")

    def refuses(self, *words: str) -> bool:
        """Whether it ended as it should on bad input: code 2, nothing written, and one line that has these words."""
        one_line = self.err.count("\n") == 1 and self.err.startswith("headscope: ")
        return self.code == 2 and self.out == "" and one_line and all(word in self.err for word in words)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs `headscope` with the given arguments."""

    def run_command(*arguments: object) -> Outcome:
        code = run([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return run_command
