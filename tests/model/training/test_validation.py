"""Scores on development lines: the loss whatever the batches, without dropout; BLEU and chrF of translations."""

from copy import deepcopy

import pytest
import torch

from headscope.model.data.batching import Batch, TokenBatches, encode_corpus
from headscope.model.errors import HeadscopeError
from headscope.model.text.bleu_tokens import bleu_tokens
from headscope.model.training.loss import Loss
from headscope.model.training.step import Objective, TrainStep
from headscope.model.training.validation import measure_loss, measure_translation
from headscope.model.translation import Translation
from headscope.model.translator import Translator
from tests.toys import SENTENCES

WORDS = bleu_tokens("de")


@pytest.fixture
def learning(translator: Translator) -> Translator:
    """A model that knows `SENTENCES`, in the midst of training."""
    return Translator(deepcopy(translator.model).train(), translator.vocabulary, translator.card)


def batches(translator: Translator, tokens: int = 500) -> list[Batch]:
    corpus = TokenBatches(encode_corpus(SENTENCES, translator.vocabulary), tokens=tokens, seed=0)
    return [corpus.batch(0, index) for index in range(corpus.count(0))]


def test_loss_is_that_of_scoring_each_pair(translator: Translator, learning: Translator):
    scored = translator.score(SENTENCES)
    pieces = sum(len(each.log_probs) for each in scored)
    for tokens in (80, 1000):
        found = measure_loss(Objective(learning.model, smoothing=0.1), batches(translator, tokens), "fp32")
        assert found.nll == pytest.approx(-sum(each.total for each in scored) / pieces, rel=1e-4, abs=1e-6)
        assert found.loss > found.nll
    assert learning.model.training


def test_validating_draws_no_random_numbers(learning: Translator):
    before = torch.get_rng_state()
    measure_loss(Objective(learning.model, smoothing=0.1), batches(learning), "fp32")
    measure_translation(learning, SENTENCES, "fp32", WORDS)
    assert torch.equal(before, torch.get_rng_state())


def test_a_model_that_knows_its_sentences_gets_full_marks(learning: Translator):
    assert measure_translation(learning, SENTENCES, "fp32", WORDS)[:2] == (pytest.approx(100), pytest.approx(100))
    assert learning.model.training


@pytest.mark.parametrize(("language", "expected"), [("zh", 100), ("target", 100), ("de", 0)])
def test_chinese_is_cut_into_signs(learning: Translator, language: str, expected: float):
    """A translation without any blank is one word by the rules for English: too few to count four in a row."""

    class Chinese(Translator):
        def translate(self, texts, **options) -> list[Translation]:
            said = self.vocabulary.encode("今天的天气很好。")
            return [Translation(said, (), (said,)) for _ in texts]

    chinese = Chinese(learning.model, learning.vocabulary, learning.card)
    pairs = [("It is fine.", "今天的天气很好。")]
    found, *_ = measure_translation(chinese, pairs, "fp32", bleu_tokens(language, [pairs[0][1]]))
    assert found == pytest.approx(expected)


def test_a_loss_that_is_not_finite_is_an_error(learning: Translator):
    class Broken(Objective):
        def forward(self, batch: Batch) -> Loss:
            found = super().forward(batch)
            return Loss(found.smoothed * torch.inf, found.nll)

    with pytest.raises(HeadscopeError, match="not finite"):
        measure_loss(Broken(learning.model, smoothing=0.1), batches(learning), "fp32")


def test_weights_that_cannot_be_computed_with_are_no_bad_translation(learning: Translator):
    learning.model.encoder[1].feed_forward_residual.norm.weight.data[0] = 3e38
    with pytest.raises(HeadscopeError, match="its weights are damaged, or too large"):
        measure_translation(learning, SENTENCES, "fp32", WORDS)


def test_validating_again_sees_the_weights_of_now(learning: Translator):
    """Torch's fused Adam does not count its steps as changes: what was packed before them would be stale."""
    objective = Objective(learning.model.requires_grad_(True), smoothing=0.1)
    measure_translation(learning, SENTENCES, "bf16", WORDS)
    before = measure_loss(objective, batches(learning), "bf16")
    train_step = TrainStep(objective, lambda _: 0.05, clip=0.0, precision="bf16")
    for step in range(1, 4):
        train_step.update(step, batches(learning))
    after = measure_loss(objective, batches(learning), "bf16")
    exact = measure_loss(objective, batches(learning), "fp32")
    assert abs(after.nll - before.nll) > 0.5
    assert after.nll == pytest.approx(exact.nll, rel=0.02)
