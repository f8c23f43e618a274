"""Evaluation over a test set."""

import pytest
import sacrebleu

from analysis.evaluation import evaluate
from model.errors import HeadscopeError
from tests.toys import SENTENCES


def test_scores_are_those_of_sacrebleu(translator):
    pairs = [*SENTENCES, ("We could not see the honey.", "Wir konnten keinen Honig sehen.")]
    found = evaluate(translator, pairs)
    texts = [translation.text for translation in translator.translate([source for source, _ in pairs])]
    references = [[target for _, target in pairs]]
    bleu = sacrebleu.corpus_bleu(texts, references)
    assert found.bleu.value == bleu.score
    assert found.length_ratio == bleu.sys_len / bleu.ref_len
    assert found.chrf.value == sacrebleu.corpus_chrf(texts, references).score
    assert [translation.text for translation in found.translations] == texts
    assert found.bleu.interval is not None
    assert 0 < found.bleu.interval < 50
    assert "tok:13a" in found.bleu.signature
    assert "bs:1000" in found.chrf.signature


def test_perfect_and_hopeless(translator):
    known = SENTENCES[3]
    assert evaluate(translator, [known]).chrf.value == 100
    hopeless = evaluate(translator, [(known[0], "0")])
    assert (hopeless.bleu.value, hopeless.bleu.interval) == (0, None)


def test_resamples_that_score_nothing_leave_no_interval(translator):
    found = evaluate(translator, [SENTENCES[3], *[(source, "0") for source, _ in SENTENCES]])
    assert found.chrf.value > 0
    assert found.chrf.interval is None
    assert "bs:" not in found.chrf.signature


def test_too_long_sentences_count_as_empty(translator):
    found = evaluate(translator, SENTENCES, max_source_pieces=2)
    assert found.untranslated == len(SENTENCES)
    assert found.bleu.value == 0
    assert found.sentences_per_second > 0


def test_nothing_to_evaluate(translator):
    with pytest.raises(HeadscopeError, match="no sentences"):
        evaluate(translator, [])
