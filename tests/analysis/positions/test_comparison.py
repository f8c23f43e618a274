import pytest

from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.corpus.evaluation import evaluate
from headscope.analysis.positions.comparison import compared_checkpoints, paired_scores
from headscope.model.errors import HeadscopeError
from tests.toys import SENTENCES, brief, letter_translator, random_letters

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


def test_pairs_of_one_source_are_drawn_together(translator):
    pairs = corpus_pairs(translator, SENTENCES)
    once = paired_scores(translator, brief(translator, 5), pairs)
    twice = paired_scores(translator, brief(translator, 5), [*pairs, *pairs])
    assert once[1].a_interval < once[1].b_interval
    for own, found in zip(once, twice, strict=True):
        assert (found.a, found.b, found.p) == pytest.approx((own.a, own.b, own.p))
        assert (found.a_interval, found.b_interval) == pytest.approx((own.a_interval, own.b_interval))


def test_heads_beside_their_null():
    a, b, again = letter_translator(), letter_translator(seed=1), letter_translator(seed=2)
    found = compared_checkpoints(a, b, LETTERS, [(a, again)])
    assert found.sentences == len(LETTERS)
    assert [len(verdict.null) for verdict in found.verdicts] == [1] * len(found.matchings) == [1] * 6
    assert [verdict.mean for verdict in found.verdicts] == [matching.mean for matching in found.matchings]
    assert len(found.to_pandas()) == 2 * (8 + 6 + 6)
    turned = found.turned()
    assert [(score.a, score.b, score.p) for score in turned.scores] == [(s.b, s.a, s.p) for s in found.scores]
    for ours, theirs in zip(found.matchings, turned.matchings, strict=True):
        assert {(match.b, match.a) for match in ours.matches} == {(match.a, match.b) for match in theirs.matches}
        assert [match.a for match in theirs.matches] == sorted(match.a for match in theirs.matches)
    assert turned.turned() == found
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
