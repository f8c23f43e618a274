"""Attention times its gradient, head by head: how much of a number runs through each weight, to first order.

`O` numbers that are explained, `H` heads, `Q` queries, `K` keys.

What a head puts out is the sum of its weights times values. So over all keys of a query, weight times gradient sums to
the derivative of the number with respect to a gate on what the head puts out there, which is 1.
"""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from headscope.analysis.attribution.explained import Explained
from headscope.analysis.attribution.gradients import batch_rows
from headscope.analysis.attribution.inputs import Inputs
from headscope.analysis.attribution.method import Question
from headscope.model.network.probe import Probe
from headscope.model.sites import Site

Weighted = Mapping[Site, Float[Tensor, "O H Q K"]]


class AttentionWeights(Probe):
    """Keeps the weights, with how they came about: gradients pass through them."""

    def __init__(self) -> None:
        self.seen: dict[Site, Tensor] = {}

    def wants(self, site: Site) -> bool:
        """All attention."""
        return site.attends

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        """Keep them."""
        self.seen[site] = weights
        return weights


def attention_gradients(asked: Question) -> tuple[Weighted, Float[Tensor, " O"]]:
    """Weight times gradient in every attention of the model, and the numbers themselves."""
    inputs, outputs, size = asked.inputs, asked.outputs, batch_rows(asked.inputs)
    parts, values = [], []
    for first in range(0, len(outputs), size):
        asked.progress.update(first, len(outputs))
        found, weighted = _some(inputs, asked.explained, outputs[first : first + size])
        parts.append(weighted)
        values.append(found)
    asked.progress.update(len(outputs), len(outputs))
    return {site: torch.cat([part[site] for part in parts]) for site in parts[0]}, torch.cat(values)


def _some(inputs: Inputs, explained: Explained, outputs: Sequence[range]) -> tuple[Tensor, Weighted]:
    """Each number in a row of a batch of its own, which has no part in the numbers of others."""
    probe = AttentionWeights()
    with torch.inference_mode(False), torch.enable_grad():
        both = (inputs.source, inputs.target)
        source, target = (part.repeat(len(outputs), 1, 1).requires_grad_() for part in both)
        states = inputs.states(source, target, probe=probe)
        values = torch.cat([explained.of(inputs, states[[at]], rows) for at, rows in enumerate(outputs)])
        found = torch.autograd.grad(values.sum(), list(probe.seen.values()))
    pairs = zip(probe.seen.items(), found, strict=True)
    return values.detach(), {site: weights.detach() * slope for (site, weights), slope in pairs}
