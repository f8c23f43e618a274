"""The page of runs as a whole: who sees it, and which runs it shows."""

from headscope.app import server
from tests.app.page_tools import settle
from tests.app.training import write_run


def texts(page) -> list[str]:
    return [element.value for element in page.text]


def test_nothing_is_trained_where_others_reach_the_server(places, visit, monkeypatch):
    write_run(places / "runs", "mine", "stopped")
    monkeypatch.setattr(server, "listens_to_this_machine_alone", lambda: False)
    page = visit()
    assert any("Whoever runs it can allow it" in text for text in texts(page))
    assert "run-start" not in [button.key for button in page.button]
    assert not any("mine" in text for text in texts(page))
    monkeypatch.setenv(server.ALLOW_TRAINING, "1")
    assert any(text.startswith("mine · stopped") for text in texts(visit()))


def test_without_runs_there_is_the_form_alone(visit):
    page = visit()
    assert page.title[0].value == "What is being trained?"
    assert page.button(key="run-start").label == "Start training"
    assert not page.multiselect


def test_the_newest_is_shown_and_others_can_be_chosen(places, visit):
    write_run(places / "runs", "old", "finished", rows=60)
    write_run(places / "runs", "new", "stopped")
    page = visit()
    assert any(text.startswith("new · stopped · update 30 of 60") for text in texts(page))
    page.multiselect(key="view-runs.shown").set_value(["new", "old"])
    settle(page)
    assert page.query_params["run.shown"] == "new,old"
    assert any(text.startswith("old · finished") for text in texts(page))
    shared = visit(**{"run.shown": "old"})
    assert not any(text.startswith("new · ") for text in texts(shared))


def test_a_run_that_is_no_more_is_left_out(places, visit):
    write_run(places / "runs", "new", "stopped")
    assert any(text.startswith("new · ") for text in texts(visit(**{"run.shown": "gone"})))


def test_presented_there_are_curves_and_no_controls(places, visit):
    write_run(places / "runs", "new", "stopped")
    page = visit(present="1")
    assert not page.button
    assert any(text.startswith("new · stopped") for text in texts(page))
