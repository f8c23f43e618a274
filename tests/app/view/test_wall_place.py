"""What stands in a wall's place while something is computed."""

from streamlit.testing.v1 import AppTest


def page() -> None:
    """A script whose wall waits for something twice."""
    import streamlit as st

    from headscope.analysis.records.heads import Head
    from headscope.app.view.wall_place import WallPlace
    from headscope.app.wire.shown import Shown
    from headscope.app.wire.wall import wall
    from tests.app.wire.test_wall import record

    def message(measure: str):
        heads = [Head("cross", 0, head) for head in range(2)]
        return wall(Shown(record(1, 2, 3), None), "cross", heads=heads, measure=measure)

    place = WallPlace("a sentence")
    if "slow" in st.session_state:
        for _ in range(2):
            place.meanwhile(lambda: message("nothing yet"))
    if "stopped" not in st.session_state:
        place.draw(message("measured"), on_chosen=lambda: None)


def walls(script: AppTest) -> list[str]:
    """The measures of the walls that are on the page."""
    import json

    script.run()
    assert not script.exception
    drawn = [json.loads(each.proto.json) for each in script.get("bidi_component")]
    return [wall["layout"].split()[2] for wall in drawn]


def test_the_wall_alone_where_nothing_takes_its_time():
    assert walls(AppTest.from_function(page)) == ["measured"]


def test_a_wall_without_measure_stands_there_until_the_other_one_is_ready():
    script = AppTest.from_function(page)
    script.session_state["slow"] = script.session_state["stopped"] = True
    assert walls(script) == ["nothing"]
    del script.session_state["stopped"]
    assert walls(script) == ["measured"]


def test_the_old_wall_of_the_same_maps_is_not_replaced_before():
    script = AppTest.from_function(page)
    walls(script)
    script.session_state["slow"] = script.session_state["stopped"] = True
    assert walls(script) == [], "in the browser the old one stays until the run is over"
