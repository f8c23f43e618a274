"""Sentences side by side."""

import random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.text.segments import by_length, pad, too_long
from headscope.model.text.vocabulary import Segmentation


@given(st.lists(st.lists(st.integers(0, 20), min_size=1, max_size=2), max_size=30), st.integers(1, 60))
def test_batches_by_length(lengths, budget):
    items = [
        (index, *(Segmentation("", (5,) * n, ("",) * n, ((0, 0),) * n) for n in sides))
        for index, sides in enumerate(lengths)
    ]
    random.Random(0).shuffle(items)
    batches = list(by_length(items, budget))
    widths = [max(1 + len(side.ids) for _, *sides in batch for side in sides) for batch in batches]
    assert sorted(item[0] for batch in batches for item in batch) == list(range(len(items)))
    assert widths == sorted(widths, reverse=True)
    assert all(len(batch) == 1 or width * len(batch) <= budget for batch, width in zip(batches, widths, strict=True))


def test_padding():
    ids, present = pad([[5, 6, 7], [8], []], 9, torch.device("cpu"))
    assert ids.tolist() == [[5, 6, 7], [8, 9, 9], [9, 9, 9]]
    assert present.tolist() == [[True] * 3, [True, False, False], [False] * 3]


@pytest.mark.parametrize(("pieces", "limit", "fits"), [(4, 5, True), (5, 5, False), (500, None, True)])
def test_limit_counts_the_end_of_sentence(pieces, limit, fits):
    segmentation = Segmentation("", (5,) * pieces, ("",) * pieces, ((0, 0),) * pieces)
    assert (too_long(segmentation, limit) is None) == fits
