"""What has left the range of its precision is refused, and the largest weight is named."""

import math

import pytest
import torch

from headscope.model.errors import HeadscopeError
from headscope.model.network.finite import log_probs_of, require_finite
from tests.toys import tiny_model


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_one_number_is_enough(value: float):
    model = tiny_model()
    require_finite(torch.zeros(2, 3), model, "sums")
    with torch.no_grad():
        model.encoder_norm = torch.nn.LayerNorm(16)
        model.encoder_norm.bias[2] = -2e38
    expected = r"the model's sums are not finite: .*too large for this precision \(the largest, 2e\+38, is in "
    with pytest.raises(HeadscopeError, match=f"{expected}'encoder_norm.bias'"):
        require_finite(torch.tensor([[0.0, 1.0], [value, 1.0]]), model, "sums")


def test_a_weight_that_is_no_number_is_the_largest():
    model = tiny_model()
    with torch.no_grad():
        model.encoder[1].attention.query.bias[0] = math.nan
    with pytest.raises(HeadscopeError, match=r"the largest, inf, is in 'encoder\.1\.attention\.query\.bias'"):
        require_finite(torch.tensor(math.nan), model, "sums")


def test_log_probabilities_are_those_of_log_softmax():
    logits, pieces = torch.randn(2, 3, 12, dtype=torch.float64), torch.randint(12, (2, 3))
    real = torch.tensor([[True, True, True], [True, False, False]])
    found = log_probs_of(tiny_model(), logits, pieces, real)
    expected = logits.log_softmax(-1).gather(-1, pieces[..., None])[..., 0]
    torch.testing.assert_close(found, expected.where(real, 0.0), atol=1e-12, rtol=0)


def test_padding_may_be_anything_but_no_real_piece_may_be_impossible():
    logits = torch.zeros(1, 2, 12)
    pieces, real = torch.tensor([[3, 4]]), torch.tensor([[True, False]])
    logits[0, 1] = math.nan
    assert log_probs_of(tiny_model(), logits, pieces, real).tolist() == [[pytest.approx(-math.log(12)), 0.0]]
    for value in (math.inf, -math.inf, math.nan):
        logits[0, 0, 3] = value
        with pytest.raises(HeadscopeError, match="log-probabilities of the translation that it reads are not finite"):
            log_probs_of(tiny_model(), logits, pieces, real)
