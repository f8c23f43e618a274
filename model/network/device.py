"""Where and how exactly to compute."""

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import torch
from torch import Tensor

from headscope.model.errors import HeadscopeError

Precision = Literal["fp32", "bf16"]


def choose_device(name: str = "auto") -> torch.device:
    """`auto`: CUDA where there is a device, else the CPU.

    Raises:
        HeadscopeError: the device is not there.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise HeadscopeError(f"there is no device '{name}': choose auto, cpu or cuda") from error
    wrapped = str(device) != name  # torch makes -128 of 128
    if device.type == "cuda" and (wrapped or (device.index or 0) >= torch.cuda.device_count()):
        raise HeadscopeError(f"there is no device '{name}' on this machine: choose auto or cpu")
    if device.type not in ("cpu", "cuda"):
        raise HeadscopeError(f"device '{name}' is not supported: choose auto, cpu or cuda")
    return device


def autocast(device: torch.device, precision: Precision) -> AbstractContextManager[object]:
    """Matrix products in bf16 with `bf16`; weights and sums stay in float32 either way."""
    if precision == "bf16":
        return torch.autocast(device.type, torch.bfloat16)
    return nullcontext()


def product_dtype(x: Tensor) -> torch.dtype:
    """In which precision a matrix product reads `x` here."""
    kind = x.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else x.dtype


def for_products(x: Tensor) -> Tensor:
    """`x` as matrix products read it: rounded once for all of them, where autocast would round it for each."""
    return x.to(product_dtype(x))
