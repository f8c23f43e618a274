import math

import pytest
import torch

from headscope.analysis.attribution.explained import (
    ENTROPY,
    EXPLAINED,
    LOG_PROB,
    LOGIT,
    contrast,
    explained,
    second_best,
)
from headscope.model.errors import HeadscopeError

pytestmark = pytest.mark.usefixtures("float64")
LOGITS = torch.tensor([[0.0, math.log(2), math.log(5)]])
PREDICTS = torch.tensor([1, 2])


def test_values_by_hand():
    assert LOG_PROB.value(LOGITS, PREDICTS, 0).item() == pytest.approx(math.log(2 / 8))
    assert LOG_PROB.value(LOGITS, PREDICTS, 1).item() == pytest.approx(math.log(5 / 8))
    assert LOGIT.value(LOGITS, PREDICTS, 1).item() == pytest.approx(math.log(5))
    parts = (1 / 8, 2 / 8, 5 / 8)
    assert ENTROPY.value(LOGITS, PREDICTS, 0).item() == pytest.approx(-sum(part * math.log(part) for part in parts))


def test_a_contrast_is_the_difference_of_log_probabilities_and_of_logits():
    found = contrast(torch.tensor([2, 0]))
    assert found.value(LOGITS, PREDICTS, 0).item() == pytest.approx(math.log(2 / 8) - math.log(5 / 8))
    assert found.value(LOGITS, PREDICTS, 1).item() == pytest.approx(math.log(5))


def test_second_best_is_never_the_piece_itself():
    rows = LOGITS.expand(3, -1)
    assert second_best(rows, torch.tensor([0, 1, 2])).tolist() == [2, 2, 1]


def test_by_name():
    assert explained("entropy") is ENTROPY
    assert [*EXPLAINED] == ["log-probability", "logit", "entropy"]
    with pytest.raises(HeadscopeError, match="'gold' cannot be explained: choose log-probability, logit, entropy"):
        explained("gold")
