import pytest

from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.corpus.evaluation import evaluate
from headscope.analysis.positions.comparison import compared_checkpoints, paired_scores
from headscope.model.errors import HeadscopeError
from tests.toys import SENTENCES, letter_translator, random_letters

LETTERS = [(text, text[::-1]) for text in random_letters(14, 9, 3)]


def test_scores_of_both(translator):
    pairs = corpus_pairs(translator, SENTENCES)
    scores = paired_scores(translator, translator, pairs)
    alone = evaluate(translator, SENTENCES)
    assert [score.metric for score in scores] == ["BLEU", "chrF"]
    assert scores[0].a == scores[0].b == pytest.approx(alone.bleu.value)
    assert scores[1].b == pytest.approx(alone.chrf.value)
    assert [score.p for score in scores] == [1, 1]
    assert "bs:1000" in scores[0].signature


def test_heads_beside_their_null():
    a, b, again = letter_translator(), letter_translator(seed=1), letter_translator(seed=2)
    found = compared_checkpoints(a, b, LETTERS, [(a, again)])
    assert found.sentences == len(LETTERS)
    assert [len(verdict.null) for verdict in found.verdicts] == [1] * len(found.matchings) == [1] * 6
    assert [verdict.mean for verdict in found.verdicts] == [matching.mean for matching in found.matchings]
    assert len(found.to_pandas()) == 2 * (8 + 6 + 6)
    same = compared_checkpoints(a, a, LETTERS)
    assert same.matchings[0].mean == pytest.approx(0, abs=1e-9)
    assert same.verdicts[0].outside is None
    assert same.unmatched is None


def test_models_of_other_pieces_have_scores_and_no_matched_heads(translator):
    found = compared_checkpoints(translator.in_pieces(), translator, SENTENCES)
    assert "into other pieces" in found.unmatched
    assert [score.metric for score in found.scores] == ["BLEU", "chrF"]
    assert found.matchings == found.verdicts == ()
    assert found.to_pandas().empty


def test_other_languages(translator):
    with pytest.raises(HeadscopeError, match=r"letters translates ab-ba, .* en-de: choose two of the same"):
        compared_checkpoints(letter_translator(), translator, LETTERS)
