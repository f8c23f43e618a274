"""The trace of one sentence, free and with prescribed pieces, against teacher-forced passes."""

import random

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import Constraints
from headscope.model.search.settings import SearchSettings
from headscope.model.search.trace import SearchTrace
from headscope.model.text.language_tags import TaggedVocabulary
from headscope.model.text.vocabulary_files import Tags
from headscope.model.translator import Translator
from tests.toys import letters, random_letters

TEXTS = random_letters(64, 10)
BRIEF = SearchSettings(extra_length=4)
QUEUE = 4 + 16


@pytest.fixture(scope="module")
def tagged(reverser) -> Translator:
    """The same model, for which `q` names the language of every translation."""
    return Translator(reverser.model, TaggedVocabulary(letters(), Tags(target=QUEUE)), reverser.card)


def assert_scored_alike(translator: Translator, text: str, trace: SearchTrace, tolerance: float = 1e-5) -> None:
    """Every hypothesis has the log-probabilities of a teacher-forced pass, and they add up."""
    for h in trace.hypotheses:
        target = " ".join(translator.vocabulary.piece(piece, "target") for piece in h.pieces)
        (scored,) = translator.in_pieces().score([(text, target)])
        assert h.log_probs == pytest.approx(scored.log_probs[: len(h.log_probs)], abs=tolerance)
        assert h.total == pytest.approx(sum(h.log_probs), abs=1e-12)


def test_search_finds_what_translate_finds(reverser):
    for text in TEXTS[:3]:
        trace = reverser.search(text, settings=BRIEF)
        (translation,) = reverser.translate([text], settings=BRIEF)
        assert trace.hypotheses == translation.hypotheses


@pytest.mark.parametrize(
    ("text", "message"), [(" ", "blank: type something"), ("a b c d e", "6 pieces.*5 are the most")]
)
def test_sentence_that_cannot_be_searched(reverser, text, message):
    with pytest.raises(HeadscopeError, match=message):
        reverser.search(text, max_source_pieces=5)


def test_trace_equals_a_forced_pass(reverser):
    for text in TEXTS[:3]:
        trace = reverser.search(text, settings=SearchSettings(beam=4, n_best=4, extra_length=4))
        assert_scored_alike(reverser, text, trace)
        for step in trace.steps:
            assert len(step.candidates) >= 8
            assert all(len(prediction.pieces) == 8 for prediction in step.predictions)


def test_forced_pieces_have_the_probability_of_a_forced_pass(reverser):
    """Case 11: whatever is forced, nothing is scored wrong after it."""
    text = TEXTS[0]
    free = reverser.search(text, settings=BRIEF)
    for prefix in ("z", "a b c", text[::-1][:3]):
        ids = reverser.vocabulary.encode(prefix, "target").ids
        forced = reverser.search(text, settings=BRIEF, constraints=Constraints(prefix=ids))
        assert forced.hypotheses[0].pieces[: len(ids)] == ids
        assert_scored_alike(reverser, text, forced)
        assert [len(step.predictions) for step in forced.steps[: len(ids) + 1]] == [1] * (len(ids) + 1)
        assert forced.steps[0].predictions[0].log_probs == pytest.approx(free.steps[0].predictions[0].log_probs)


def test_a_prescribed_language_costs_nothing_in_search_and_score(reverser, tagged):
    text = TEXTS[0]
    trace = tagged.search(text, settings=BRIEF)
    assert [(c.piece, c.log_prob, c.forced) for c in trace.steps[0].candidates] == [(QUEUE, 0.0, True)]
    assert trace.hypotheses[0].pieces[0] == QUEUE
    assert not any(c.forced for c in trace.steps[1].candidates)
    written = " ".join(tagged.vocabulary.piece(piece, "target") for piece in trace.hypotheses[0].pieces)
    (scored,) = tagged.in_pieces().score([(text, written)])
    found = trace.hypotheses[0].log_probs
    assert scored.log_probs[: len(found)] == pytest.approx(found, abs=1e-5)
    assert scored.log_probs[0] == 0

    another = tagged.search(text, settings=BRIEF, constraints=Constraints(prefix=(5,)))
    given = reverser.search(text, settings=BRIEF, constraints=Constraints(prefix=(5,)))
    assert another.hypotheses == given.hypotheses
    assert another.hypotheses[0].log_probs[0] < 0


@pytest.mark.parametrize(
    ("prefix", "message"),
    [
        ((30,), "no piece 30: the last one is 29"),
        ((-1,), "no piece -1"),
        ((5, 0), "'<pad>' is never written"),
        ((2,), "'<s>' is never written"),
        ((3, 5), "end of sentence is prescribed before the last"),
        ((5,) * 6, "6 pieces are prescribed, and a translation may have 5 at most"),
    ],
)
def test_what_cannot_be_prescribed(reverser, prefix, message):
    with pytest.raises(HeadscopeError, match=message):
        reverser.search("a", settings=BRIEF, constraints=Constraints(prefix=prefix))


@pytest.mark.parametrize("pieces", [1, 200])
def test_one_word_and_two_hundred(reverser, pieces):
    text = " ".join(random.Random(0).choices("abcdef", k=pieces))
    trace = reverser.search(text, settings=SearchSettings(beam=2, extra_length=4))
    assert_scored_alike(reverser, text, trace, 1e-4)
    assert len(trace.steps) <= pieces + 4


def test_words_in_a_batch_and_alone(reverser):
    """The model reverses its letters: a letter that the text has not must be put in, one that it has left out."""
    settings = SearchSettings(beam=4, must_contain=("q",), must_not_contain=(TEXTS[0].split()[-1],))
    found = reverser.translate(TEXTS[:6], settings=settings)
    for text, translation in zip(TEXTS[:6], found, strict=True):
        trace = reverser.search(text, settings=settings)
        assert [h.pieces for h in trace.hypotheses] == [h.pieces for h in translation.hypotheses]
        assert "q" in translation.text.split()
        assert settings.must_not_contain[0] not in translation.text.split()
        assert translation.problem is None
        assert_scored_alike(reverser, text, trace)


def test_a_text_for_which_the_words_have_no_room(reverser):
    settings = SearchSettings(must_contain=("q q q q q q",), extra_length=2)
    short, long = reverser.translate(["a b", " ".join("abcdefgh")], settings=settings)
    assert (short.hypotheses, short.text) == ((), "")
    assert short.problem == "no translation was found that has 'q q q q q q': allow longer ones, or ask for fewer words"
    assert "q q q q q q" in long.text


def test_a_language_and_words(tagged):
    """What the vocabulary prescribes is no text, and words are written behind it."""
    trace = tagged.search(TEXTS[0], settings=SearchSettings(must_contain=("j",)))
    assert trace.hypotheses[0].pieces[0] == QUEUE
    assert "j" in tagged.vocabulary.decode(trace.hypotheses[0].pieces).split()
