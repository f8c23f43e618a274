"""Questions about positions."""

from dataclasses import replace

import pytest

from headscope.app.workbench import positions, studies
from headscope.app.workbench.sentences import Sentence, read
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from tests.analysis.gallery.galleries import a_gallery, a_sentence, an_example
from tests.app.page_tools import SENTENCE
from tests.toys import SENTENCES, save_toy_checkpoint


@pytest.fixture(scope="module")
def bench(checkpoint, learned, tmp_path_factory) -> Workbench:
    folder = tmp_path_factory.mktemp("positions")
    turned = [(target, source) for source, target in SENTENCES]
    broken = folder / "broken"
    broken.mkdir()
    return Workbench(
        {
            "toy": checkpoint,
            "broken": broken,
            "back": save_toy_checkpoint(folder / "back", turned, ("de", "en"), passes=4, positions="rotary"),
            "learned": learned,
        }
    )


ASKED = Sentence("toy", SENTENCE, 1, 0.6)


def test_the_twin_has_the_same_languages_and_other_positions(bench):
    assert positions.twin(bench, "toy") == "learned"
    assert positions.twin(bench, "learned") == "toy"
    assert positions.twin(bench, "back") is None


def test_everything_is_computed_once(bench):
    assert positions.table(bench, "toy", 30) is positions.table(bench, "toy", 30)
    for question in (positions.shift_map, positions.projection, positions.spectrum):
        assert question(bench, "toy", 30, every=True) is question(bench, "toy", 30, every=True)
        assert question(bench, "toy", 30, every=False) is not question(bench, "toy", 30, every=True)
    assert positions.spectrum(bench, "toy", 30, every=True).positions == 30
    assert positions.scores(bench, "learned", "encoder", 64).scores.shape == (4, 48, 48)
    assert positions.relative(bench, "back", "decoder", 9).angles.shape == (9, 8)
    assert positions.terms(bench, ASKED, "decoder") is positions.terms(bench, ASKED, "decoder")


def test_the_twin_reads_the_same_sentence_with_the_same_translation(bench):
    own = read(bench, ASKED).maps
    asked = positions.asked_of(bench, ASKED, "learned")
    assert asked == replace(
        ASKED, checkpoint="learned", target=tuple(token.id for token in own.predicts.tokens), cut=not own.finished
    )
    assert read(bench, asked).maps.predicts == own.predicts
    with pytest.raises(HeadscopeError, match="back reads 'de', the sentence is 'en'"):
        positions.asked_of(bench, ASKED, "back")


def test_without_a_gallery_there_are_no_sentences(bench):
    with pytest.raises(HeadscopeError, match="no gallery of these weights"):
        studies.examples(bench, "toy")


def test_sentences_of_a_gallery_come_once(bench, monkeypatch):
    found = a_gallery(an_example(), an_example(counter=None), an_example(sentence=a_sentence("A cow.")))
    monkeypatch.setattr(studies, "gallery", lambda bench, checkpoint: found)
    assert studies.examples(bench, "toy") == tuple((f"A {who}.", "Ein Hund.") for who in ("dog", "cat", "cow"))
