import numpy as np
import pytest

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.registry import explained
from headscope.analysis.attribution.values.phrase_contrast import phrase_contrast
from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import SentencePair, sentence_pair
from headscope.model.errors import HeadscopeError


@pytest.fixture
def both(exact):
    translator = exact()
    return translator, *(sentence_pair(translator, "a b c d", text) for text in ("e f g h", "e f i"))


def test_it_is_the_difference_of_how_two_translations_go_on(both):
    translator, pair, other = both
    sums = [log_probs(translator.model, forced_batch(translator, [of]))[0, 2:].sum().item() for of in (pair, other)]
    for method in ("integrated gradients", "occlusion", "saliency"):
        found = attribute(translator, pair, method, explained=phrase_contrast(translator, pair, other), base="unknown")
        np.testing.assert_allclose(found.values, [sums[0] - sums[1]], atol=1e-9)
        assert found.from_target.shape[:2] == (1, 3)
        assert [token.piece for token in found.reads.tokens] == ["<s>", "e", "f"]
        assert (np.abs(found.reduced()[1][:, 1:]) > 0).all()  # the start symbol stays in this baseline


def test_it_is_complete_with_what_follows_left_as_it_is(both):
    translator, pair, other = both
    explains = phrase_contrast(translator, pair, other)
    found = attribute(translator, pair, explained=explains, base="unknown", steps=2000)
    assert found.error.max() < 0.002
    assert not np.allclose(found.at_baseline, found.values)


def test_by_name(both):
    translator, pair, _ = both
    made = explained(translator, pair, "phrase contrast", text="e f i")
    assert (made.first, made.columns) == (2, 3)
    with pytest.raises(HeadscopeError, match="do not part"):
        explained(translator, pair, "phrase contrast", text="e f g h")
    with pytest.raises(HeadscopeError, match="needs another translation"):
        explained(translator, pair, "phrase contrast")
    cut = SentencePair(pair.source, sentence_pair(translator, "a", "e f").target, finished=False)
    with pytest.raises(HeadscopeError, match="do not part"):
        phrase_contrast(translator, cut, pair)
