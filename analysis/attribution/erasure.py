"""Tokens taken away, and what is left without them. Positions never move.

`R` rows of a batch, `O` numbers that are explained, `S` source pieces, `T` target rows (`n` of them in a shorter
target), `D` width of the model.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from headscope.analysis.attribution.gradients import batch_rows
from headscope.analysis.attribution.inputs import BASELINES, Inputs, baseline
from headscope.analysis.attribution.method import Base, Found, Question
from headscope.model.network.probe import Probe
from headscope.model.sites import KINDS, Site

Gone = tuple[Bool[Tensor, "#R S"], Bool[Tensor, "R n"]]
"""Which source and target tokens are taken away, a set in each row of a batch; one row of the source serves all."""
Without = Callable[[Gone], Float[Tensor, "R n D"]]
"""The decoder's states without these tokens; the target may end early."""
Operator = Literal["mask", "zero", "unknown", "mean"]
OPERATORS: Mapping[Operator, str] = MappingProxyType({"mask": "nobody can look at the token", **BASELINES})
"""How a token is taken away."""


class KeysClosed(Probe):
    """Attention in which nobody looks at some tokens; a token may always look at itself.

    Where nothing is left to look at, attention puts out nothing.
    """

    def __init__(self, source: Bool[Tensor, "#R S"], target: Bool[Tensor, "#R n"]) -> None:
        self._open = {"source": ~source, "target": ~target}

    def wants(self, site: Site) -> bool:
        """All attention."""
        return site.attends

    def _allowed(self, site: Site) -> Bool[Tensor, "R 1 #Q K"]:
        allowed = self._open[site.keys][:, None]
        if site.queries == site.keys:
            allowed = allowed | torch.eye(allowed.shape[-1], dtype=torch.bool, device=allowed.device)
        return allowed[:, None]

    def scores(self, site: Site, scores: Tensor) -> Tensor:
        """Minus infinity where a key is closed, unless all are."""
        allowed = self._allowed(site)
        return scores.masked_fill(~allowed & allowed.any(-1, keepdim=True), -torch.inf)

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        """Nothing where all keys are closed."""
        return weights * self._allowed(site).any(-1, keepdim=True)


def without(asked: Question, operator: Operator) -> Without:
    """One way to take tokens away.

    Raises:
        HeadscopeError: the model has no attention that could be closed.
    """
    if operator == "mask":
        return by_mask(asked.inputs)
    return by_baseline(asked.inputs, baseline(asked.translator, asked.pair, operator))


def by_baseline(inputs: Inputs, base: Base) -> Without:
    """Another embedding in the token's place."""

    def states(gone: Gone) -> Tensor:
        length = gone[1].shape[1]
        return inputs.states(
            torch.where(gone[0][..., None], base[0], inputs.source),
            torch.where(gone[1][..., None], base[1][:length], inputs.target[:length]),
        )

    return states


def by_mask(inputs: Inputs) -> Without:
    """Nobody looks at the token any more, and where it stands nothing is read: its embedding is zeros there.

    Raises:
        HeadscopeError: the model has no attention that could be closed.
    """
    for kind in KINDS:
        inputs.model.capabilities().require_kind(kind)

    def states(gone: Gone) -> Tensor:
        source, target = (
            own[: there.shape[1]] * ~there[..., None]
            for there, own in zip(gone, (inputs.source, inputs.target), strict=True)
        )
        return inputs.states(source, target, probe=KeysClosed(*gone))

    return states


@torch.no_grad()
def one_by_one(asked: Question, states: Without) -> Found:
    """What the value loses without each token, one token at a time."""
    inputs, device = asked.inputs, asked.inputs.source.device
    source, target = len(inputs.source), len(inputs.target)
    total, size = source + target, batch_rows(inputs)

    def values(gone: Bool[Tensor, "R n"]) -> Float[Tensor, "O R"]:
        found = states((gone[:, :source], gone[:, source:]))
        return torch.stack([asked.explained.of(inputs, found, output) for output in asked.outputs])

    whole = values(torch.zeros(1, total, dtype=torch.bool, device=device))
    lost = []
    for first in range(0, total, size):
        asked.progress.update(first, total)
        lost.append(whole - values(torch.eye(total, dtype=torch.bool, device=device)[first : first + size]))
    asked.progress.update(total, total)
    by_token = torch.cat(lost, dim=1)[..., None]
    from_target = by_token[:, source:]
    for number, output in enumerate(asked.outputs):
        from_target[number, output.stop :] = 0  # not rounding errors of what a row cannot know
    return Found(by_token[:, :source], from_target, whole[:, 0])
