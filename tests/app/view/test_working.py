"""Work that takes its time: a bar, and a way out."""

from streamlit.testing.v1 import AppTest

from headscope.app.view import working


def page() -> None:
    """A script with work of three parts; in the middle of the second one it is interrupted, as a visitor would do."""
    import streamlit as st

    from headscope.app.view.working import long_work

    def compute(progress) -> str:
        for done in range(3):
            progress.update(done, 3)
            if done == 1 and "interrupt" in st.session_state:
                st.stop()
        progress.update(3, 3)
        return "found"

    question = st.session_state.get("question", "a question")
    st.text(f"result: {long_work(question, 'Counts', compute)}")
    if "twice" in st.session_state:
        st.text(f"result: {long_work('another', 'Counts again', compute)}")


def opened(monkeypatch, delay: float, **state) -> AppTest:
    monkeypatch.setattr(working, "DELAY", delay)
    monkeypatch.setattr(working, "EVERY", 0)
    found = AppTest.from_function(page)
    for name, value in state.items():
        found.session_state[name] = value
    found.run()
    assert not found.exception
    return found


def test_work_that_ends_leaves_only_its_result(monkeypatch):
    for delay in (0, 60):
        found = opened(monkeypatch, delay)
        assert found.text[0].value == "result: found"
        assert not found.button


def test_a_bar_with_a_count_and_a_button_while_it_goes_on(monkeypatch):
    found = opened(monkeypatch, 0, interrupt=True)
    bar = found.get("progress")[0]
    assert (bar.proto.text, bar.proto.value) == ("Counts: 1 of 3", 33)
    assert [button.label for button in found.button] == ["Cancel"]
    assert not opened(monkeypatch, 60, interrupt=True).button, "work that is soon done shows nothing"


def test_one_work_after_the_other(monkeypatch):
    found = opened(monkeypatch, 0, twice=True)
    assert [text.value for text in found.text] == ["result: found"] * 2


def test_work_that_was_cancelled_stays_so_until_it_is_started_again(monkeypatch):
    found = opened(monkeypatch, 0, interrupt=True)
    found.button[0].click().run()
    assert [text.value for text in found.text] == ["Counts: stopped.", "result: None"]
    found.run()
    assert [button.label for button in found.button] == ["Start again"]
    del found.session_state["interrupt"]
    found.button[0].click().run()
    assert [text.value for text in found.text] == ["result: found"]


def test_another_question_is_worked_on_at_once(monkeypatch):
    found = opened(monkeypatch, 0, interrupt=True)
    found.button[0].click().run()
    del found.session_state["interrupt"]
    found.session_state["question"] = "another"
    found.run()
    assert [text.value for text in found.text] == ["result: found"]
