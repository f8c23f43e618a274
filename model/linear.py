"""Linear layers that a CPU evaluates fast.

`M` rows, `I` inputs, `O` outputs.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F


class Linear(nn.Linear):
    """xWᵀ + b. After `pack` it also holds the weights in the layout of oneDNN's kernels, for evaluation on a CPU.

    Those kernels compute the same products. On processors that torch's default library does not favour they take half
    the time, and no layout, and no rounding to bf16, is made anew at every call.
    """

    def __init__(self, inputs: int, outputs: int, *, bias: bool = True) -> None:
        super().__init__(inputs, outputs, bias=bias)
        self._packed: dict[torch.dtype, _Packed] = {}

    def pack(self, dtype: torch.dtype = torch.float32) -> None:
        """Lay the weights out for float32, or for bf16 autocast; does nothing where there is nothing to gain."""
        if can_pack(self.weight) and not self._is_packed(dtype):
            weight = torch.ops.mkldnn._reorder_linear_weight(self.weight.detach().to(dtype), None)
            bias = None if self.bias is None else self.bias.detach().to(dtype)
            self._packed[dtype] = _Packed(self._state(), weight, bias)

    def forward(self, input: Float[Tensor, "*M I"]) -> Float[Tensor, "*M O"]:
        """Apply it."""
        if self._packed and self.weight.requires_grad:
            # In training weights may change without a trace: torch's fused optimisers do not count their steps.
            self._packed.clear()
        dtype = torch.bfloat16 if torch.is_autocast_enabled("cpu") else input.dtype
        wants_gradient = torch.is_grad_enabled() and input.requires_grad
        if input.device.type != "cpu" or wants_gradient or not self._is_packed(dtype):
            return F.linear(input, self.weight, self.bias)
        packed = self._packed[dtype]
        return torch.ops.mkldnn._linear_pointwise(input.to(dtype), packed.weight, packed.bias, "none", [], "")

    def _is_packed(self, dtype: torch.dtype) -> bool:
        # Weights that were changed or moved since are no longer those that were packed.
        packed = self._packed.get(dtype)
        return packed is not None and packed.state == self._state()

    def _state(self) -> tuple[int, ...]:
        tensors = (self.weight,) if self.bias is None else (self.weight, self.bias)
        return tuple(number for tensor in tensors for number in (tensor.data_ptr(), tensor._version))

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles, which the packed layout cannot enter: they are made of the weights alone."""
        return self.__dict__ | {"_packed": {}}


class _Packed(NamedTuple):
    state: tuple[int, ...]
    """Of the weights when they were packed."""
    weight: Tensor
    bias: Tensor | None


def can_pack(weight: Tensor) -> bool:
    """Whether oneDNN can hold these weights, and they are not in training."""
    plain = weight.device.type == "cpu" and weight.dtype == torch.float32 and not weight.requires_grad
    # Weights made in inference mode do not tell when they change.
    return plain and not weight.is_inference() and torch.backends.mkldnn.is_available()


def pack(model: nn.Module, dtype: torch.dtype = torch.float32) -> None:
    """Pack every linear layer of a model whose weights will not change any more; what is packed already stays."""
    for module in model.modules():
        if isinstance(module, Linear):
            module.pack(dtype)
