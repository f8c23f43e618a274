"""The error that is written for the user."""

from headscope.model.errors import HeadscopeError


def test_a_page_shows_what_a_command_prints():
    error = HeadscopeError("there is no sentence: give one")
    assert str(error) == error.on_pages == "there is no sentence: give one"


def test_a_page_has_words_of_its_own_where_the_message_names_a_command():
    error = HeadscopeError("it is stale: run `headscope profile`", on_pages="it is stale")
    assert str(error) == "it is stale: run `headscope profile`"
    assert error.on_pages == "it is stale"
    assert HeadscopeError("empty", on_pages="").on_pages == ""
