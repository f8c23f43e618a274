import math

import pytest
import torch

from headscope.analysis.attribution.values.log_probability import log_prob

pytestmark = pytest.mark.usefixtures("float64")


def test_by_hand():
    logits, predicts = torch.tensor([[0.0, math.log(2), math.log(5)]]), torch.tensor([1, 2])
    assert log_prob(logits, predicts, 0).item() == pytest.approx(math.log(2 / 8))
    assert log_prob(logits, predicts, 1).item() == pytest.approx(math.log(5 / 8))
