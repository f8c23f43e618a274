from dataclasses import replace

import numpy as np
import pytest

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.registry import explained
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError
from headscope.model.text.symbol_vocabulary import SymbolVocabulary
from headscope.model.translator import Translator


@pytest.mark.parametrize("width", [16, 32])
def test_it_is_the_difference_of_two_attributions(exact, width):
    one, two = exact(), exact(norm="pre", d_model=width)
    pair = sentence_pair(one, "a b c d", "e f")
    difference = explained(one, pair, "checkpoint difference", other=two)
    for method in ("integrated gradients", "feature ablation"):
        found = attribute(one, pair, method, explained=difference, steps=5)
        apart = [attribute(of, pair, method, steps=5) for of in (one, two)]
        for ours, first, second in zip(found.reduced(), apart[0].reduced(), apart[1].reduced(), strict=True):
            np.testing.assert_allclose(ours, first - second, atol=1e-9)
        np.testing.assert_allclose(found.values, apart[0].values - apart[1].values, atol=1e-9)


def test_checkpoints_of_different_pieces_are_refused(exact):
    one = exact()
    pair = sentence_pair(one, "a b c d", "e f")
    other = SymbolVocabulary([["<pad>", "<unk>", "<s>", "</s>", *"zyxwvutsrqponmlkjihgfedcba"]])
    two = Translator(one.model, other, replace(one.card, name="other"))
    with pytest.raises(HeadscopeError, match="letters and other do not cut this sentence alike"):
        explained(one, pair, "checkpoint difference", other=two)
    with pytest.raises(HeadscopeError, match="needs another one"):
        explained(one, pair, "checkpoint difference")
