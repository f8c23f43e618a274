"""Linear layers that a CPU evaluates fast.

`M` rows, `I` inputs, `O` outputs.
"""

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from headscope.model.network.seq2seq import Module


class Linear(nn.Linear):
    """xWᵀ + b. After `pack` it also holds the weights in the layout of oneDNN's kernels, for evaluation on a CPU.

    Those kernels compute the same products. On processors that torch's default library does not favour they take half
    the time, and no layout, and no rounding to bf16, is made anew at every call.
    """

    def __init__(self, inputs: int, outputs: int, *, bias: bool = True) -> None:
        super().__init__(inputs, outputs, bias=bias)
        self._packing = _Packing()

    def pack(self, dtype: torch.dtype = torch.float32) -> None:
        """Lay the weights out for float32, or for bf16 autocast; does nothing where there is nothing to gain."""
        self._packing.fill((self,), dtype)

    def forward(self, input: Float[Tensor, "*M I"]) -> Float[Tensor, "*M O"]:
        """Apply it."""
        product = self._packing.product((self,), input)
        return F.linear(input, self.weight, self.bias) if product is None else product


class FusedLinears(nn.Module):
    """Several layers applied to the same input; after `pack` in one product, which for few rows saves much of the time.

    The layers, all with a bias or none, keep their names and parameters in the module that they are part of.
    """

    def __init__(self, *layers: Linear) -> None:
        super().__init__()
        self.layers = layers  # in a tuple, where torch does not register them a second time
        self._widths = [layer.out_features for layer in layers]
        self._packing = _Packing()

    def pack(self, dtype: torch.dtype = torch.float32) -> None:
        """Lay their weights out side by side."""
        self._packing.fill(self.layers, dtype)

    def forward(self, input: Float[Tensor, "*M I"]) -> tuple[Float[Tensor, "*M O"], ...]:
        """What each of them gives."""
        product = self._packing.product(self.layers, input)
        if product is None:
            return tuple(layer(input) for layer in self.layers)
        return product.split(self._widths, dim=-1)


class _Packing:
    """The weights of layers side by side in oneDNN's layout, and their biases, once for each dtype in use."""

    def __init__(self) -> None:
        self._packed: dict[torch.dtype, tuple[Tensor, Tensor | None]] = {}
        self._back: Tensor | None = None
        self._state: list[tuple[int, int, bool]] = []

    def fill(self, layers: Sequence[nn.Linear], dtype: torch.dtype) -> None:
        """Pack them, where that is possible and not done."""
        if not all(can_pack(layer.weight, dtype) for layer in layers):
            return
        self._forget_what_changed(layers)
        if dtype not in self._packed:
            weight = torch.cat([layer.weight.detach() for layer in layers]).to(dtype)
            biases = [layer.bias.detach() for layer in layers if layer.bias is not None]
            bias = torch.cat(biases).to(dtype) if biases else None
            self._packed[dtype] = torch.ops.mkldnn._reorder_linear_weight(weight, None), bias

    def product(self, layers: Sequence[nn.Linear], input: Tensor) -> Tensor | None:
        """Their outputs side by side; None where they are not packed for this input."""
        if not self._packed:
            return None
        self._forget_what_changed(layers)
        dtype = torch.bfloat16 if torch.is_autocast_enabled("cpu") else input.dtype
        packed = self._packed.get(dtype)
        if packed is None or input.device.type != "cpu":
            return None
        if torch.is_grad_enabled() and input.requires_grad:
            return _Product.apply(input, *packed, self._way_back(layers)) if dtype == torch.float32 else None
        return torch.ops.mkldnn._linear_pointwise(input.to(dtype), *packed, "none", [], "")

    def _way_back(self, layers: Sequence[nn.Linear]) -> Tensor:
        """The weights as gradients want them, packed when the first of these comes."""
        back = self._back
        if back is None:
            weight = torch.cat([layer.weight.detach() for layer in layers]).T.contiguous()
            self._back = back = torch.ops.mkldnn._reorder_linear_weight(weight, None)
        return back

    def _forget_what_changed(self, layers: Sequence[nn.Linear]) -> None:
        # Parameters that were changed or moved since are no longer those that were packed. In training they may change
        # without a trace (torch's fused optimisers do not count their steps), but not without wanting a gradient.
        state = [
            (tensor.data_ptr(), tensor._version, tensor.requires_grad)
            for layer in layers
            for tensor in layer._parameters.values()
            if tensor is not None
        ]
        if state != self._state:
            self._packed.clear()
            self._back = None
            self._state = state

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles, which the packed layout cannot enter: they are made of the parameters alone."""
        return {"_packed": {}, "_back": None, "_state": []}


class _Product(torch.autograd.Function):
    """A packed product through which gradients flow to its input, once: attributions want them, and no weight does."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, weight: Tensor, bias: Tensor | None, back: Tensor) -> Tensor:
        ctx.back = back
        return torch.ops.mkldnn._linear_pointwise(input, weight, bias, "none", [], "")

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        return torch.ops.mkldnn._linear_pointwise(gradients[0], ctx.back, None, "none", [], ""), None, None, None


def can_pack(weight: Tensor, dtype: torch.dtype = torch.float32) -> bool:
    """Whether oneDNN can hold these weights in that precision, and they are not in training."""
    if dtype == torch.bfloat16 and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        return False  # a processor without AVX-512: oneDNN refuses, torch's own product in bf16 works
    plain = weight.device.type == "cpu" and weight.dtype == torch.float32 and not weight.requires_grad
    # Weights made in inference mode do not tell when they change.
    return plain and not weight.is_inference() and torch.backends.mkldnn.is_available()


def pack(model: Module, dtype: torch.dtype = torch.float32) -> None:
    """Pack every linear layer of a model whose weights will not change any more; what is packed already stays."""
    modules = list(model.modules())
    beside = [module for module in modules if isinstance(module, FusedLinears)]
    within = {layer for module in beside for layer in module.layers}
    for module in modules:
        if isinstance(module, Linear | FusedLinears) and module not in within:
            module.pack(dtype)
