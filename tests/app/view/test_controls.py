"""Controls that several pages share."""

from tests.app.page_tools import settle, shown


def test_how_to_read_this_is_three_sentences_and_the_equation(open_app):
    page = open_app()
    assert not page.latex
    page.session_state["how_to_read"] = True
    settle(page)
    assert page.markdown[-1].value.count(". ") == 2
    assert "QK^" in page.latex[0].value


def test_a_control_may_stand_for_a_field_of_a_pages_state(open_app):
    page = open_app("search", n_best="2")
    page.get_by_key("view-search.mode").set_value("mbr").run()
    assert not page.exception
    assert (shown(page).search.mode, shown(page).search.n_best) == ("mbr", 2)
    assert page.query_params["mode"] == "mbr"
