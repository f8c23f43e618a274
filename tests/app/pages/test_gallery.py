"""The page of worked examples."""

from urllib.parse import parse_qs

import pytest

from headscope.analysis.gallery.minimal_pairs import PAIRS
from headscope.analysis.gallery.record import GALLERY, save_gallery
from headscope.analysis.gallery.wording import NEVER
from headscope.analysis.records.heads import Head
from headscope.app.view.state import Pin, View, from_query
from headscope.app.workbench import attributions
from tests.analysis.gallery.galleries import HOSTILE, a_gallery, a_number, a_sentence, an_example


@pytest.fixture
def with_gallery(checkpoint, translator):
    """Puts a gallery into the checkpoint's folder for one test."""

    def put(*examples, **changes):
        save_gallery(a_gallery(*examples, **{"weights": translator.weights_digest} | changes), checkpoint)

    yield put
    (checkpoint / GALLERY).unlink(missing_ok=True)


@pytest.fixture(autouse=True)
def minimal_pairs(monkeypatch):
    """The pairs that the model tells apart: none, until some are put in."""
    found = []
    monkeypatch.setattr(attributions, "minimal_pairs", lambda bench, checkpoint: tuple(found))
    return found


def texts(page) -> list[str]:
    """What is said after the name of the checkpoint."""
    return [text.value for text in page.main.text][1:]


def links(page) -> list[tuple[str, View]]:
    """Pages that are linked to, and what they will show."""
    found = [element.proto for element in page.main if element.type == "page_link"]
    queries = [{key: values[0] for key, values in parse_qs(link.query_string).items()} for link in found]
    return [(link.page, from_query(query, View("", ""))) for link, query in zip(found, queries, strict=True)]


def test_without_a_gallery(open_app):
    page = open_app("gallery")
    assert page.title[0].value == "What do heads do in this model?"
    said = page.container(key="none").markdown[0].value
    assert "No gallery lies with this checkpoint" in said
    assert "Whoever runs this server can make it, from text that the model was not trained on" in said
    assert "`" not in said
    assert not page.code


def test_a_gallery_of_other_weights_is_not_shown(open_app, with_gallery):
    with_gallery(an_example(), weights="f" * 32)
    page = open_app("gallery")
    assert page.container(key="none")
    assert not page.header


def test_a_damaged_gallery_is_named(open_app, checkpoint, with_gallery):
    with_gallery(an_example(head=Head("cross", 77, 0)))
    assert "there is no head cross 78.1" in open_app("gallery").container(key="problem").text[0].value


def test_an_example_says_its_numbers_and_opens_both_sentences(open_app, with_gallery):
    shown = a_sentence("How much does it cost?", pin=("output", 1))
    with_gallery(an_example(sentence=shown), length_penalty=1.0, beam=3)
    page = open_app("gallery", checkpoint="toy", quantity="contribution")
    assert page.header[0].value == "Rests on the end of sentence"
    said = [element.value for element in page.markdown]
    assert (
        "**90.0\u00a0% of the weight**  \n:small[:gray[cross-attention 2.1; other heads of its layer: 20.0\u00a0%]]"
        in said
    )
    assert texts(page)[2].startswith(
        "Cross-attention 2.1 has 90.0\u00a0% (80.0 to 100) of its weight on the source's end"
    )
    assert any("1,234 sentences" in element.value for element in page.markdown)
    assert {"How much does it cost?", "A cat."} < set(texts(page))
    assert "CC0; attribution: nobody" in texts(page)[-1]
    (there, first), (_, second) = links(page)
    assert there == ""  # the page that opens first
    off = (Head("cross", 1, 0),)
    assert first == View("toy", "How much does it cost?", 3, 1.0, "cross", 1, 0, pin=Pin("output", 1), off=off)
    assert (second.source, second.pin) == ("A cat.", None)


def test_what_matters_most_stands_first(open_app, with_gallery):
    unclear = an_example("start", head=Head("decoder", 1, 0), number=a_number(0.4))
    with_gallery(an_example(control=a_number(0.6)), unclear, an_example("final_verb", number=a_number(0.8)))
    titles = [element.value for element in open_app("gallery").header]
    assert titles[0] == "Finds the verb over a distance", "four times the other heads, and not 1.5 times"
    assert titles[2].startswith("No head clearly")


def test_a_head_that_is_taken_away_opens_there(open_app, with_gallery):
    with_gallery(an_example("idle", head=Head("encoder", 1, 2), counter=None))
    page = open_app("gallery")
    ((there, view),) = links(page)
    assert (there, view.off, view.instead) == ("what_if", (Head("encoder", 1, 2),), "zero")
    assert f"**Counter-example**: {NEVER}" in [element.value for element in page.markdown]


def test_hostile_text_stays_text(open_app, with_gallery):
    with_gallery(an_example(sentence=a_sentence(HOSTILE, target=HOSTILE)), data=HOSTILE, attribution=HOSTILE)
    page = open_app("gallery")
    assert texts(page).count(HOSTILE) == 2
    others = [*page.markdown, *page.header]
    assert not any("script" in element.value for element in others)
    assert links(page)[0][1].source == HOSTILE


def test_a_translation_that_was_cut_off_says_so(open_app, with_gallery):
    with_gallery(an_example(sentence=a_sentence(finished=False)))
    found = texts(open_app("gallery"))
    assert (found.count("Ein Hund. (cut off)"), found.count("Ein Hund.")) == (1, 1)


def test_minimal_pairs_open_in_patching(open_app, minimal_pairs):
    minimal_pairs += (PAIRS[0], PAIRS[-1])
    page = open_app("gallery", checkpoint="toy")
    assert page.header[0].value == "What makes it choose the other translation?"
    assert "She is a good cousin. → ist eine gute Cousine." in texts(page)
    assert "The teacher laughed. → Die Lehrerin lachte." in texts(page)
    for pair, (there, view) in zip(minimal_pairs, links(page), strict=True):
        assert (there, view.source, view.why.below) == ("why", pair.sources[1], "patching")
        assert ((view.why.this, view.why.that), view.why.prefix) == (pair.translations, pair.prefix)
        assert view.why.other == ("" if pair.prefix else pair.sources[0])


def test_a_map_has_a_name(open_app, with_gallery):
    with_gallery(an_example())
    images = [image for element in open_app("gallery").get("image") for image in element.proto.imgs]
    assert [image.alt for image in images] == ["Map of cross-attention 2.1: 3 rows that look at 2 tokens"] * 2
