"""What stands above and around a picture, and in its place where there is none."""

import pytest

from headscope.app.view import session
from headscope.app.view.state import View, fit, from_query
from tests.app.page_tools import SENTENCE, sent


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"checkpoint": "**no** <b>such</b>"},
            "There is no checkpoint '**no** <b>such</b>' here; there are: toy, other.",
        ),
        ({"checkpoint": "../toy"}, "There is no checkpoint '../toy' here"),
        ({"source": "word " * 600}, "512 are the most: shorten it"),
    ],
)
def test_problems_stand_where_the_picture_would_be(open_app, params, message):
    page = open_app(**params)
    assert message in page.container(key="problem").text[0].value
    assert page.title
    drawn = {each.proto.component_name for each in page.main.get("bidi_component")}
    assert drawn == {"headscope_guide"}, "nothing of the sentence"
    page.get_by_key("view-checkpoint").set_value("other").run()
    page.get_by_key("view-source").set_value(SENTENCE).run()
    assert not page.exception
    assert sent(page, "headscope_strip")["source"]["text"] == SENTENCE


def test_an_empty_sentence_keeps_the_last_picture_and_says_what_to_do(open_app):
    page = open_app()
    page.get_by_key("view-source").set_value("  ").run()
    assert not page.exception
    assert "Type a sentence" in page.info[0].value
    assert sent(page, "headscope_strip")["source"]["text"] == SENTENCE
    first = open_app(source="")
    assert (
        sent(first, "headscope_strip")["source"]["text"]
        == from_query({}, session.first_view(session.workbench(), "toy")).source
    )


def test_what_is_warned_of_stands_beside_the_lengths(open_app):
    def warnings(page) -> list[str]:
        return [fact["warning"] for fact in sent(page, "headscope_strip")["facts"] if fact["warning"]]

    assert warnings(open_app()) == []
    assert " (most of them unknown)" in warnings(open_app(entry="pieces", source="Mountains everywhere."))
    hypothesis = open_app(target="5.6.7.8.5.6.7.8.5.6.7.8", cut="1")
    assert warnings(hypothesis) == [" (cut off, repeats itself)"]
    strip = sent(hypothesis, "headscope_strip")
    assert (len(strip["output"]["labels"]), strip["output"]["cut_off"]) == (12, True)


def test_a_hypothesis_has_ended_unless_its_address_says_that_it_was_cut_off(open_app, translator):
    """As addresses without the end of sentence meant it from the first, and those with it do."""
    end = str(translator.vocabulary.end)

    def output(**address: str) -> dict:
        return sent(open_app(**address), "headscope_strip")["output"]

    old, ended, cut = output(target="5.6.7"), output(target=f"5.6.7.{end}"), output(target="5.6.7", cut="1")
    assert old == ended
    assert [(len(each["labels"]), each["cut_off"]) for each in (old, cut)] == [(4, False), (3, True)]
    assert not fit(View("toy", "a", cut=True), translator.model.config).cut, "there is no target to be cut off"


def test_sentences_longer_than_any_in_training_are_marked(open_app, translator):
    def pieces_in(strip: dict) -> dict:
        return next(fact for fact in strip["facts"] if fact["text"].endswith("pieces in"))

    assert pieces_in(sent(open_app(), "headscope_strip"))["warning"] == ""
    strip = sent(open_app(source=" ".join([SENTENCE] * 3)), "headscope_strip")
    trained = translator.card.trained_length("source")
    assert pieces_in(strip)["warning"] == f" (longest in training: {trained})"
    beyond = [note["beyond"] for note in strip["source"]["notes"]]
    assert beyond == [index >= trained for index in range(len(beyond))]
    assert any(beyond)


@pytest.mark.parametrize("picture", ["matrix", "lines"])
def test_several_sentences_are_stepped_through(open_app, picture):
    page = open_app(source=f"A cat.\n{SENTENCE}", line="2", picture=picture)
    assert sent(page, "headscope_strip")["source"]["text"] == SENTENCE
    assert "Sentence 2 of 2" in [text.value for text in page.main.text]
    assert page.get_by_key("line Next").disabled
    page.get_by_key("line Previous").click().run()
    assert not page.exception
    assert sent(page, "headscope_strip")["source"]["text"] == "A cat."
    assert "line" not in page.query_params


def test_keys_step_through_several_sentences_where_they_are_presented(open_app):
    page = open_app(source=f"A cat.\n{SENTENCE}", present="1")
    assert "Shift Page ↑ ↓ sentence" in sent(page, "headscope_keys")["hints"]
    assert "line Next" not in [button.key for button in page.button]
