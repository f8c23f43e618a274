import math

import pytest
import torch

from headscope.analysis.attribution.values.entropy import ENTROPY

pytestmark = pytest.mark.usefixtures("float64")


def test_by_hand():
    found = ENTROPY.value(torch.tensor([[0.0, math.log(2), math.log(5)]]), torch.tensor([1]), 0)
    assert found.item() == pytest.approx(-sum(part * math.log(part) for part in (1 / 8, 2 / 8, 5 / 8)))
