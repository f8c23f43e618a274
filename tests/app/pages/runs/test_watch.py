"""What is seen of runs while they go on."""

import json

import pytest

from headscope.model.training.run_directory import RunDirectory
from headscope.model.training.turns import Request, ask
from tests.app.page_tools import settle
from tests.app.training import write_run


def texts(page) -> list[str]:
    return [element.value for element in page.text]


def titles(page) -> list[str]:
    """Of the charts that are drawn."""
    known = ("Loss", "Translations of", "Learning", "Gradient", "Speed", "Padding", "Memory")
    return [text for text in texts(page) if text.startswith(known)]


def test_curves_spikes_and_translations(places, visit):
    write_run(places / "runs", "mine", "stopped")
    page = visit()
    assert titles(page) == ["Loss: without label smoothing", "Translations of development lines"]
    assert "Update 25: the gradient was 9.00 long, 9 times as long as usual before." in texts(page)
    line = next(text for text in texts(page) if "Reference" in text)
    assert line == "<b>ab</b>\nReference: ab"
    (samples,) = [table.value for table in page.dataframe if "translation" in table.value]
    assert samples.values.tolist() == [[30, "*x* 30"], [20, "*x* 20"], [10, "*x* 10"]]
    page.selectbox(key="view-runs.sample").set_value(1)
    settle(page)
    (samples,) = [table.value for table in page.dataframe if "translation" in table.value]
    assert samples["translation"].tolist() == ["y 30", "y 20", "y 10"]


def test_several_are_drawn_on_the_same_axes(places, visit):
    for name in ("a", "b"):
        write_run(places / "runs", name, "stopped")
    page = visit(**{"run.shown": "a,b"})
    loss = json.loads(page.get("plotly_chart")[0].proto.spec)
    assert [line["name"] for line in loss["data"]] == [
        f"{run}: {part}" for run in "ab" for part in ("training", "development")
    ]


@pytest.mark.parametrize(
    ("state", "message", "told"),
    [
        ("failed", "update 7: the loss is not finite", "crashed"),
        ("failed", "[Errno 28] No space left on device", "disk full"),
        ("running", "", "killed"),
    ],
)
def test_what_ended_badly_says_so(places, visit, state, message, told):
    write_run(places / "runs", "mine", state, message=message)
    page = visit()
    assert any(text.startswith(f"mine · {told}") for text in texts(page))
    words = page.error[0].value.replace("\\", "").replace("\u2060", "")
    assert (message[1:] or "Its process was ended from outside.")[:30] in words
    assert "Resume goes on from the last validation." in words


def test_the_reason_is_text_and_tells_no_folder(places, visit):
    write_run(places / "runs", "mine", "failed", message=f"<b>{places / 'runs'}/mine</b> **x**")
    page = visit()
    words = page.error[0].value
    assert str(places) not in words
    assert "**" not in words


def test_who_waits_says_for_whom(places, visit):
    first, second = RunDirectory(places / "runs" / "a"), RunDirectory(places / "runs" / "b")
    ask(first, Request("text", "cpu", 1.0), steps=9)
    ask(second, Request("text", "cpu", 2.0), steps=9)
    page = visit(**{"run.shown": "a,b"})
    assert {"a · starting", "b · waits for a"} <= set(texts(page))


def test_nothing_is_looked_at_again_where_nothing_runs(places, visit, monkeypatch):
    from headscope.app.pages.runs import watch

    asked = []
    original = watch.st.fragment
    monkeypatch.setattr(watch.st, "fragment", lambda *a, **k: asked.append(k["run_every"]) or original(*a, **k))
    directory = write_run(places / "runs", "mine", "stopped")
    visit()
    with directory.held():
        directory.set_status("running")
        visit()
    assert asked == [None, watch.EVERY]
