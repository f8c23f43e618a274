"""Tokens taken away: what that leaves of what is explained. Positions never move.

`R` rows of a batch, `O` numbers that are explained, `S` source pieces, `T` target rows, `D` width of the model.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from headscope.analysis.attribution.explained import Explained
from headscope.analysis.attribution.gradients import batch_rows
from headscope.analysis.attribution.inputs import Inputs
from headscope.analysis.attribution.method import Base, Found, Question
from headscope.model.network.probe import Probe
from headscope.model.sites import KINDS, Site

Gone = tuple[Bool[Tensor, "R S"], Bool[Tensor, "R T"]]
"""Which source and target tokens are taken away, a set in each row of a batch."""
Erased = Callable[[Gone], Float[Tensor, "O R"]]
"""What is explained, without these tokens."""


class KeysClosed(Probe):
    """Attention in which nobody looks at some tokens; a token may always look at itself.

    Where nothing is left to look at, attention puts out nothing.
    """

    def __init__(self, source: Bool[Tensor, "R S"], target: Bool[Tensor, "R T"]) -> None:
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


def by_baseline(inputs: Inputs, explained: Explained, base: Base) -> Erased:
    """Another embedding in the token's place."""

    def erased(gone: Gone) -> Tensor:
        source, target = (
            torch.where(without[..., None], other, own)
            for without, other, own in zip(gone, base, (inputs.source, inputs.target), strict=True)
        )
        return _values(inputs, explained, source, target, None)

    return erased


def by_mask(inputs: Inputs, explained: Explained) -> Erased:
    """Nobody looks at the token any more, and where it stands nothing is read: its embedding is zeros there.

    Raises:
        HeadscopeError: the model has no attention that could be closed.
    """
    for kind in KINDS:
        inputs.model.capabilities().require_kind(kind)

    def erased(gone: Gone) -> Tensor:
        source, target = (
            own * ~without[..., None] for without, own in zip(gone, (inputs.source, inputs.target), strict=True)
        )
        return _values(inputs, explained, source, target, KeysClosed(*gone))

    return erased


def one_by_one(asked: Question, erased: Erased) -> Found:
    """What the value loses without each token, one token at a time."""
    inputs, device = asked.inputs, asked.inputs.source.device
    source, target = len(inputs.source), len(inputs.target)
    none = tuple(torch.zeros(1, length, dtype=torch.bool, device=device) for length in (source, target))
    whole = erased((none[0], none[1]))
    lost, total, size = [], source + target, batch_rows(inputs)
    for first in range(0, total, size):
        asked.progress.update(first, total)
        gone = torch.eye(total, dtype=torch.bool, device=device)[first : first + size]
        lost.append(whole - erased((gone[:, :source], gone[:, source:])))
    asked.progress.update(total, total)
    by_token = torch.cat(lost, dim=1)[..., None]
    from_target = by_token[:, source:]
    for number, output in enumerate(asked.outputs):
        from_target[number, output.stop :] = 0  # not rounding errors of what a row cannot know
    return Found(by_token[:, :source], from_target, whole[:, 0])


@torch.no_grad()
def _values(inputs: Inputs, explained: Explained, source: Tensor, target: Tensor, probe: Probe | None) -> Tensor:
    states = inputs.states(source, target, probe=probe)
    return torch.stack([explained.of(inputs, states, output) for output in explained.outputs(states.shape[1])])
