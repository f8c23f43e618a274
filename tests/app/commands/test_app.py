"""The command that serves the pages. That it serves them, and ends with Ctrl-C, the browser tests show."""

import socket

import pytest

from headscope.app.commands.cli import run


@pytest.fixture
def taken():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_taken_port(checkpoint, taken, capsys):
    assert run(["app", "--port", str(taken), "--checkpoints", str(checkpoint)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"127.0.0.1:{taken}" in error
    assert "--port" in error


@pytest.mark.parametrize(
    "flags", [["--port", "70000"], ["--port", "-1"], ["--checkpoints", "nowhere"], ["--host", "::x"]]
)
def test_wrong_flags(flags, checkpoint, capsys):
    assert run(["app", "--checkpoints", str(checkpoint), *flags]) == 2
    assert flags[1] in capsys.readouterr().err
