import pytest

from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.corpus.evaluation import evaluate
from headscope.analysis.interventions.positions import Shifted
from headscope.analysis.positions.effects import position_effects, usual_changes
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from tests.toys import SENTENCES, brief, letter_translator


def test_the_corpus_unchanged_and_changed(translator):
    translator = brief(translator, 30)
    pairs = corpus_pairs(translator, SENTENCES)
    changes = usual_changes(translator, pairs, translator)
    found = {each.change: each for each in position_effects(translator, pairs, changes)}
    assert list(found) == ["unchanged", *changes]
    before = found["unchanged"]
    scored = translator.score(SENTENCES)
    pieces = [value for each in scored for value in each.log_probs[:-1]]
    assert before.loss.value == pytest.approx(-sum(pieces) / len(pieces), abs=1e-4)
    evaluated = evaluate(translator, SENTENCES)
    assert before.decoded.bleu.value == pytest.approx(evaluated.bleu.value, abs=1e-3)
    assert before.decoded.chrf.value == pytest.approx(evaluated.chrf.value, abs=1e-3)
    assert found["no positions"].loss.value > before.loss.value + 0.5
    assert found["no positions"].decoded.chrf.value < before.decoded.chrf.value - 10
    blind = found["no positions"]
    assert blind.difference.value == pytest.approx(blind.loss.value - before.loss.value, abs=1e-6)
    own = found[f"positions of {translator.card.name}"]
    assert own.difference.value == 0
    assert own.decoded == before.decoded


def test_what_cannot_be_changed_says_why():
    translator = brief(letter_translator(positions="t5"))
    pairs = corpus_pairs(translator, [("a b c", "d e"), ("f g", "h")])
    changes = usual_changes(translator, pairs, letter_translator(d_model=32))
    found = {each.change: each for each in position_effects(translator, pairs, changes)}
    assert "trained for whole distances" in found["interpolated by 2"].refused
    assert found["interpolated by 2"].loss is found["interpolated by 2"].decoded is None
    assert "models of one width only" in found["positions of letters"].refused
    assert found["shifted by 8"].difference.value == pytest.approx(0, abs=1e-5)
    learned = brief(letter_translator(positions="learned", position_table=6))
    (_, far) = position_effects(learned, corpus_pairs(learned, [("a b c", "d e")]), {"far": Shifted(5)})
    assert "end at 5" in far.refused


def test_without_pairs_and_cancelled():
    translator = letter_translator()
    with pytest.raises(HeadscopeError, match="no sentence pair"):
        position_effects(translator, [], {})

    class Stop:
        def update(self, done, total):
            raise Cancelled

    with pytest.raises(Cancelled):
        position_effects(translator, corpus_pairs(translator, [("a b", "c")]), {}, progress=Stop())
