import torch

from headscope.analysis.attribution.values.logit import LOGIT


def test_by_hand():
    assert LOGIT.value(torch.tensor([[0.0, 3.0, -2.0]]), torch.tensor([1, 2]), 1).item() == -2
