"""The type checks that the other tests rely on are on."""

import pytest
import torch
from jaxtyping import TypeCheckError

from headscope.analysis.records.labels import labels
from headscope.model.network.attention import attend
from headscope.model.network.masks import key_mask


def test_wrong_shape_is_refused():
    heads = torch.zeros(2, 3, 5, 4)
    attend(heads, heads, heads)
    with pytest.raises(TypeCheckError, match="value"):
        attend(heads, heads, heads[:, :, :4])


def test_wrong_number_of_axes_is_refused():
    with pytest.raises(TypeCheckError):
        key_mask(torch.ones(3, dtype=torch.bool))


def test_wrong_type_is_refused_in_analysis():
    with pytest.raises(TypeCheckError):
        labels("text")
