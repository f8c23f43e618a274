"""How commands speak."""

import io
import sys

from headscope.app.commands.console import progress_bar, write_json, write_rows
from headscope.model.progress import Silent


class Terminal(io.StringIO):
    """Something that passes for a terminal."""

    def isatty(self) -> bool:
        return True


def test_no_bar_where_nobody_sees_it():
    with progress_bar("work") as progress:
        assert isinstance(progress, Silent)


def test_bar_is_drawn_on_standard_error(monkeypatch, capsys):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar("work") as progress:
        progress.update(3, 7)
        print("a result")
    assert "work" in terminal.getvalue()
    assert "3/7" in terminal.getvalue()
    assert capsys.readouterr().out == "a result\n"


def test_json_is_one_line_and_keeps_its_letters(capsys):
    write_json({"text": "zwei\nZeilen – ümlaut"})
    assert capsys.readouterr().out == '{"text": "zwei\\nZeilen – ümlaut"}\n'


def test_rows_are_aligned(capsys):
    write_rows({"a": "1", "longer": "2", "heading": ""})
    assert capsys.readouterr().out == "a        1\nlonger   2\nheading\n"
