"""Records of different vocabularies meet at words."""

import numpy as np
import pytest

from headscope.analysis.records.meeting import common_words, meet, same_tokens
from headscope.analysis.records.words import words
from headscope.model.errors import HeadscopeError
from tests.analysis.handmade import END, random_maps, tokens

TEXT = "ab cd."


def test_words_that_one_cuts_elsewhere_are_joined():
    split = tokens(TEXT, [(0, 1), (1, 2), (2, 5), (5, 6)], last=END)
    glued = tokens(TEXT, [(0, 2), (2, 4), (4, 6)], last=END)
    ours, theirs = common_words([split, glued])
    assert ours.groups == [range(2), range(2, 4), range(4, 5)]
    assert theirs.groups == [range(1), range(1, 3), range(3, 4)]
    (own,) = common_words([split])
    assert own.groups == [range(2), range(2, 3), range(3, 4), range(4, 5)]


def test_keys_are_summed_and_rows_averaged_by_hand():
    a = random_maps((TEXT, [(0, 1), (1, 2), (2, 5), (5, 6)]), (TEXT, [(0, 2), (2, 6)]), seed=1)
    b = random_maps((TEXT, [(0, 2), (2, 4), (4, 6)]), (TEXT, [(0, 1), (1, 2), (2, 6)]), seed=2)
    ours, theirs = meet([a, b])
    assert same_tokens([ours, theirs])
    assert [token.piece for token in ours.source.tokens] == ["ab", "cd.", END]
    keys = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1]]).T
    np.testing.assert_allclose(ours.cross[1], a.cross[1] @ keys, rtol=0, atol=1e-12)
    rows = keys.T / keys.sum(0)[:, None]
    np.testing.assert_allclose(ours.encoder[0], rows @ a.encoder[0] @ keys, rtol=0, atol=1e-12)
    np.testing.assert_allclose([ours.log_probs.sum()], [a.log_probs.sum()], rtol=0, atol=1e-12)
    np.testing.assert_allclose(theirs.cross[0].sum(-1), 1, rtol=0, atol=1e-12)


def test_the_same_pieces_stay_and_can_be_words():
    maps = random_maps((TEXT, [(0, 1), (1, 2), (2, 5), (5, 6)]), (TEXT, [(0, 2), (2, 6)]))
    assert meet([maps, maps])[0] is maps
    worded = meet([maps, maps], in_words=True)[0]
    for kind in worded.maps:
        for a, b in zip(worded.layers(kind), words(maps).layers(kind), strict=True):
            np.testing.assert_array_equal(a, b)


def test_texts_that_differ_have_no_words_in_common():
    with pytest.raises(HeadscopeError, match="of other texts"):
        common_words([tokens("ab", [(0, 2)]), tokens("ac", [(0, 2)])])
    with pytest.raises(HeadscopeError, match="end of sentence"):
        common_words([tokens("ab", [(0, 2)], last=END), tokens("ab", [(0, 2)])])
