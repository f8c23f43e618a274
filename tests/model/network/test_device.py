import pytest
import torch

from headscope.model.errors import HeadscopeError
from headscope.model.network.device import autocast, choose_device

CUDA = torch.cuda.is_available()


def test_automatic_choice():
    assert choose_device().type == ("cuda" if CUDA else "cpu")


def test_cpu():
    assert choose_device("cpu") == torch.device("cpu")


@pytest.mark.gpu
@pytest.mark.skipif(not CUDA, reason="needs a CUDA device")
@pytest.mark.parametrize("name", ["cuda", "cuda:0"])
def test_cuda(name):
    assert choose_device(name) == torch.device(name)


@pytest.mark.parametrize("name", ["cuda:99", "cuda:128", "cuda:256", "cuda:1000"])  # torch takes 256 for 0
def test_cuda_device_that_is_not_there(name):
    with pytest.raises(HeadscopeError, match=f"no device '{name}' on this machine: choose auto or cpu"):
        choose_device(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gpu", "no device 'gpu': choose auto, cpu or cuda"),
        ("", "no device ''"),
        ("cuda:-1", "no device 'cuda:-1'"),
        ("mps", "'mps' is not supported: choose auto, cpu or cuda"),
        ("meta", "'meta' is not supported"),
    ],
)
def test_device_of_another_kind(name, message):
    with pytest.raises(HeadscopeError, match=message) as caught:
        choose_device(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("precision", "dtype"), [("fp32", torch.float32), ("bf16", torch.bfloat16)])
def test_precision_of_matrix_products(precision, dtype):
    a = torch.ones(2, 2)
    with autocast(torch.device("cpu"), precision):
        assert (a @ a).dtype == dtype
        assert (a + a).dtype == torch.float32
    assert (a @ a).dtype == torch.float32
