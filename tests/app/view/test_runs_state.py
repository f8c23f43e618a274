"""What the page of runs adds to the address."""

from headscope.analysis.records.heads import Head
from headscope.app.view.codec import read, write
from headscope.app.view.runs_state import MOST_SHOWN, RunsView


def test_what_is_written_is_read():
    view = RunsView(("tiny-1", "small-2"), 3, Head("cross", 1, 0), 40)
    assert write(view) == {"shown": "tiny-1,small-2", "sample": "3", "head": "cross.2.1", "step": "40"}
    assert read(write(view), RunsView()) == view
    assert write(RunsView()) == {}


def test_names_that_make_no_sense():
    assert read({"shown": ",a,,a,b"}, RunsView()).shown == ("a", "b")
    assert read({"shown": "x" * 101}, RunsView()).shown == ()
    assert read({"head": "cross.0.1", "step": "x"}, RunsView()) == RunsView()
    assert len(read({"shown": ",".join(map(str, range(20)))}, RunsView()).shown) == MOST_SHOWN
