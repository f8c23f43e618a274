"""Components on a page."""

import json
from dataclasses import dataclass

from streamlit.testing.v1 import AppTest

from headscope.app.view import draw


def page() -> None:
    import streamlit as st

    from headscope.app.components.keys.keys import KEYS
    from headscope.app.components.sheet.sheet import SHEET
    from headscope.app.view.draw import draw, said
    from headscope.app.wire.keys import keys
    from headscope.app.wire.sheet import SheetTable, sheet

    for name in ("one", "two"):
        draw(SHEET, sheet([SheetTable(name, (), [])], {}), key=name)
    draw(KEYS, keys(["a"], [], 1), on_pressed=lambda: None)
    st.text(repr(said(KEYS, "pressed")))


def test_messages_arrive_under_the_names_of_their_components():
    drawn = AppTest.from_function(page).run()
    assert not drawn.exception
    sent = [(each.proto.component_name, json.loads(each.proto.json)) for each in drawn.get("bidi_component")]
    assert [name for name, _ in sent] == ["headscope_sheet", "headscope_sheet", "headscope_keys"]
    assert [data["tables"][0]["title"] for _, data in sent[:2]] == ["one", "two"]
    assert sent[2][1]["handled"] == ["a", "Escape"]
    assert drawn.text[0].value == "None"


def test_a_component_is_registered_once(monkeypatch):
    registered = []

    @dataclass(frozen=True)
    class Made:
        name: str
        html = css = js = ""

    monkeypatch.setattr(draw, "register", lambda name, **parts: registered.append(name) or (lambda **sent: sent))
    monkeypatch.setattr(draw, "as_message", lambda message: message)
    for _ in range(2):
        draw.draw(Made("once"), {"a": 1})
    assert registered == ["headscope_once"]
