"""Log-probabilities of given translations."""

import pytest
import torch

from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from tests.toys import random_letters

TEXTS = random_letters(64, 10)


@pytest.mark.parametrize("alpha", [0.0, 0.6])
def test_given_translations_score_what_the_trace_says(reverser, alpha):
    settings = SearchSettings(n_best=3, extra_length=4, penalty=LengthPenalty(alpha))
    translations = reverser.translate(TEXTS[:60], settings=settings)
    found = [
        (t.source.text, target.text, hypothesis)
        for t in translations
        for target, hypothesis in zip(t.targets, t.hypotheses, strict=True)
        if hypothesis.finished
    ]
    assert len(found) > 20
    scored = reverser.score([(source, target) for source, target, _ in found], batch_tokens=64)
    for scores, (_, _, hypothesis) in zip(scored, found, strict=True):
        assert scores.target.ids == hypothesis.pieces
        assert scores.log_probs == pytest.approx(hypothesis.log_probs, abs=1e-5)
        assert scores.total == pytest.approx(hypothesis.total, abs=1e-5)
        length = len(scores.log_probs)
        assert scores.total / ((5 + length) / 6) ** alpha == pytest.approx(hypothesis.score, abs=1e-5)


def test_score_equals_a_whole_pass(reverser):
    (scored,) = reverser.score([("a b c", "c b a")])
    source = torch.tensor([[*reverser.vocabulary.encode_ids(["a b c"])[0], 3]])
    target = reverser.vocabulary.encode_ids(["c b a"])[0]
    logits = reverser.model(source, source != 0, torch.tensor([[2, *target]]))
    expected = logits[0].log_softmax(-1)[range(4), [*target, 3]]
    assert scored.log_probs == pytest.approx(expected.tolist(), abs=1e-5)


def test_scores_do_not_depend_on_neighbours(reverser):
    pairs = list(zip(TEXTS[:30], TEXTS[30:60], strict=True))
    together, alone = reverser.score(pairs), reverser.score(pairs, batch_tokens=1)
    for one, other in zip(together, alone, strict=True):
        assert one.log_probs == pytest.approx(other.log_probs, abs=1e-5)
        assert len(one.log_probs) == len(one.target.ids) + 1


def test_blank_sides_can_be_scored(reverser):
    blank_target, blank_source = reverser.score([("a b", ""), ("", "a")])
    assert len(blank_target.log_probs) == 1
    assert len(blank_source.log_probs) == 2
    assert all(value < 0 for value in blank_target.log_probs + blank_source.log_probs)
