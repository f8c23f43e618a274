"""A model whose logits are sums over its inputs, so that every attribution is known."""

from typing import Any

import torch
from torch import Tensor

from headscope.analysis.attribution.inputs import Inputs
from headscope.model.network.transformer import Transformer
from tests.toys import tiny_config


class Sums(Transformer):
    """Row t's logits are a matrix times the sum of all source tokens and of the target tokens up to t."""

    def __init__(self, matrix: Tensor) -> None:
        super().__init__(tiny_config())
        self.matrix = matrix

    def encode(self, embedded: Tensor, present: Tensor, **_: Any) -> Tensor:
        return embedded.sum(1, keepdim=True)

    def decode(self, embedded: Tensor, memory: Tensor, **_: Any) -> Tensor:
        return embedded.cumsum(1) + memory

    def project(self, states: Tensor, **_: Any) -> Tensor:
        return states @ self.matrix.T


def sums(source: int = 3, target: int = 4, width: int = 5, pieces: int = 6) -> Inputs:
    """Random tokens before it; positions count as well, and are no part of any attribution."""
    torch.manual_seed(0)
    tokens = [torch.randn(length, width) for length in (source, source, target, target)]
    return Inputs(Sums(torch.randn(pieces, width)), *tokens, torch.randint(pieces, (target,)))
