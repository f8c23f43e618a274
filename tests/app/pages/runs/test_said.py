"""What came of a click."""

from headscope.app.pages.runs import said
from headscope.app.pages.runs.said import SAID, do, sentence
from headscope.model.errors import HeadscopeError


def test_good_and_bad_ends_are_kept(places, monkeypatch):
    state: dict = {}
    monkeypatch.setattr(said.st, "session_state", state)
    do(lambda: "done")
    assert state[SAID] == ("done", True)

    def fail() -> str:
        raise HeadscopeError("use `x`", on_pages=f"{places / 'runs'} is full")

    do(fail)
    assert state[SAID] == ("…/runs is full.", False)


def test_a_sentence_is_one_line(places):
    assert sentence("a\nb") == "A b."
