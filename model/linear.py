"""Linear layers that a CPU evaluates fast.

`M` rows, `I` inputs, `O` outputs.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F


class Linear(nn.Linear):
    """xWᵀ + b. After `pack` it also holds the weights in the layout of oneDNN's kernels, for evaluation on a CPU.

    Those kernels compute the same products in float32. On processors that torch's default library does not favour they
    take half the time, and no layout is made anew at every call.
    """

    def __init__(self, inputs: int, outputs: int, *, bias: bool = True) -> None:
        super().__init__(inputs, outputs, bias=bias)
        self._packed: tuple[tuple[int, int], Tensor] | None = None

    def pack(self) -> None:
        """Lay the weights out; does nothing where there is nothing to gain."""
        if can_pack(self.weight):
            packed = torch.ops.mkldnn._reorder_linear_weight(self.weight.detach(), None)
            self._packed = self._state_of_weights(), packed

    def forward(self, x: Float[Tensor, "*M I"]) -> Float[Tensor, "*M O"]:
        """Apply it."""
        if self._packed is None or self._needs_original(x):
            return F.linear(x, self.weight, self.bias)
        return torch.ops.mkldnn._linear_pointwise(x, self._packed[1], self.bias, "none", [], "")

    def _needs_original(self, x: Tensor) -> bool:
        # Gradients, autocast and weights that were changed or moved since all want the plain product.
        assert self._packed is not None
        return (
            (torch.is_grad_enabled() and (x.requires_grad or self.weight.requires_grad))
            or x.dtype != torch.float32
            or torch.is_autocast_enabled("cpu")
            or x.device.type != "cpu"
            or self._state_of_weights() != self._packed[0]
        )

    def _state_of_weights(self) -> tuple[int, int]:
        return self.weight.data_ptr(), self.weight._version

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles, which the packed layout cannot enter: they are made of the weights alone."""
        return self.__dict__ | {"_packed": None}


def can_pack(weight: Tensor) -> bool:
    """Whether oneDNN can hold these weights."""
    plain = weight.device.type == "cpu" and weight.dtype == torch.float32
    # Weights made in inference mode do not tell when they change.
    return plain and not weight.is_inference() and torch.backends.mkldnn.is_available()


def pack(model: nn.Module) -> None:
    """Pack every linear layer of a model whose weights will not change any more."""
    for module in model.modules():
        if isinstance(module, Linear):
            module.pack()
