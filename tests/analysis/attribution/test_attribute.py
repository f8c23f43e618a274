from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from headscope.analysis.attribution.attribute import METHODS, attribute
from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError
from tests.toys import SENTENCES


@pytest.mark.parametrize("method", METHODS)
def test_every_method_attributes_to_source_and_earlier_target_alone(exact, method):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    found = attribute(translator, pair, method, steps=5 if "adient" in method else None)
    of_source, of_target = found.reduced()
    assert (of_source.shape, of_target.shape) == ((3, 5), (3, 3))
    assert (of_source != 0).all()
    assert (np.triu(of_target, 1) == 0).all()
    assert (np.tril(of_target) != 0).sum() == 6
    np.testing.assert_allclose(found.values, attention_maps(translator, "a b c d", "e f").log_probs, atol=1e-9)
    assert found.settings.baseline == ("zero" if METHODS[method].compares else None)


def test_nothing_is_left_on_the_model_and_threads_keep_apart(exact):
    translator = exact()
    pairs = [sentence_pair(translator, text, "e f") for text in ("a b", "b c d", "d", "a b c d e")]
    alone = [attribute(translator, pair, "input x gradient").from_source for pair in pairs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda pair: attribute(translator, pair, "input x gradient").from_source, pairs * 4))
    for index, found in enumerate(together):
        np.testing.assert_array_equal(found, alone[index % 4])
    assert all(parameter.grad is None for parameter in translator.model.parameters())


def test_without_cross_attention_the_source_did_nothing(without_cross):
    for method in METHODS.keys() - {"attention"}:  # which is there all the same
        found = attribute(without_cross, sentence_pair(without_cross, "a b c d", "e f"), method, steps=3)
        np.testing.assert_allclose(found.from_source, 0, atol=1e-12)


def test_an_unknown_method_is_refused(exact):
    translator = exact()
    with pytest.raises(HeadscopeError, match=r"there is no method 'magic': choose ALTI\+, attention, attention x"):
        attribute(translator, sentence_pair(translator, "a b", "e"), "magic")


def test_source_and_prefix_of_one_shared_table_are_told_apart(exact):
    # The same letters on both sides of one table: each side has its own numbers, and together they are complete.
    translator = exact()
    assert translator.model.config.share_source_target
    pair = sentence_pair(translator, "a b c", "a b c")
    found = attribute(translator, pair, base="unknown", steps=2000)
    of_source, of_target = found.reduced()
    assert (of_source.shape, of_target.shape) == ((4, 4), (4, 4))
    assert not np.allclose(of_source[-1, :3], of_target[-1, 1:])
    total = of_source.sum(-1) + of_target.sum(-1)
    np.testing.assert_allclose(total, found.values - found.at_baseline, atol=2e-3)


@pytest.mark.parametrize("steps", [20, 50, 200])
def test_a_confident_step_is_explained_and_its_error_is_told(translator, steps):
    pair = sentence_pair(translator, *SENTENCES[2])
    found = attribute(translator, pair, steps=steps)
    assert np.exp(found.values).max() > 0.95
    error = found.error
    due = np.abs(sum(part.sum(-1) for part in found.reduced()) - (found.values - found.at_baseline))
    assert (error[due > 1e-6] > 0).all()
    assert (found.warning is not None) == (error > 0.05).any()
    assert min(part.min() for part in found.reduced()) < 0  # no norm has taken the sign
