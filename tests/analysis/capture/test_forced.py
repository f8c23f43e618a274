import numpy as np
import pytest
import torch

from headscope.analysis.capture.attention import records
from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import SentencePair, sentence_pair
from headscope.model.errors import HeadscopeError
from headscope.model.translator import Translator

TEXTS = (("a b c d e", "f g"), ("h", "i j k l m n"), ("o p", ""))


def pairs_of(translator: Translator) -> list[SentencePair]:
    return [sentence_pair(translator, *texts) for texts in TEXTS]


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_records_are_the_same_alone_and_in_a_padded_batch(exact, norm: str):
    translator = exact(norm=norm)
    pairs = pairs_of(translator)
    for pair, beside in zip(pairs, records(translator, pairs), strict=True):
        (alone,) = records(translator, [pair])
        assert beside.source == alone.source
        assert beside.fingerprint == alone.fingerprint
        np.testing.assert_allclose(beside.log_probs, alone.log_probs, atol=1e-9)
        for kind in ("encoder", "decoder", "cross"):
            for one, other in zip(beside.layers(kind), alone.layers(kind), strict=True):
                np.testing.assert_allclose(one, other, atol=1e-9)
                np.testing.assert_allclose(one.sum(-1), 1)


def test_log_probabilities_are_those_of_the_translator(exact):
    translator = exact()
    pairs = pairs_of(translator)
    found = log_probs(translator.model, forced_batch(translator, pairs))
    for row, scored in zip(found, translator.score(TEXTS), strict=True):
        assert row[: len(scored.log_probs)].tolist() == pytest.approx(scored.log_probs, abs=1e-9)
        assert not row[len(scored.log_probs) :].any()


def test_targets_beside_one_source_are_as_good_as_pairs(exact):
    translator = exact()
    batch = forced_batch(translator, pairs_of(translator)[:2])
    repeated, fanned = (log_probs(translator.model, given) for given in (batch.repeat(3), batch.fan_out(3)))
    torch.testing.assert_close(fanned, repeated, atol=1e-9, rtol=0)
    torch.testing.assert_close(repeated, log_probs(translator.model, batch).repeat_interleave(3, 0), atol=1e-9, rtol=0)


def test_training_mode_is_refused(exact):
    translator = exact()
    translator.model.train()
    with pytest.raises(HeadscopeError, match=r"call model\.eval"):
        records(translator, pairs_of(translator))
