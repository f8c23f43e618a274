"""Attributions by gradients: saliency, input × gradient, integrated gradients, gradient SHAP.

One pass serves all target rows, for a row knows nothing of later ones: what differs is where the way back begins. So
a batch of `R` inputs costs one pass forward, and one back for each of the `T` rows.

`S` source pieces, `T` target rows, `D` width of the model.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from headscope.analysis.attribution.explained import Explained
from headscope.analysis.attribution.inputs import Inputs
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress

BATCH_TOKENS = 2048
"""Source and target tokens that are read at once."""

Base = tuple[Float[Tensor, "S D"], Float[Tensor, "T D"]]


class Gradients(NamedTuple):
    """What a method finds."""

    from_source: Float[Tensor, "T S D"]
    from_target: Float[Tensor, "T T D"]
    values: Float[Tensor, " T"]
    at_baseline: Float[Tensor, " T"] | None
    steps: int | None


class Slopes(NamedTuple):
    """Of one target row in a batch of inputs."""

    row: int
    values: Float[Tensor, " R"]
    source: Float[Tensor, "R S D"]
    target: Float[Tensor, "R n D"]


def slopes(
    inputs: Inputs, explained: Explained, source: Float[Tensor, "R S D"], target: Float[Tensor, "R n D"], rows: range
) -> Iterator[Slopes]:
    """The value of some target rows, and its gradient with respect to both inputs, row after row."""
    with torch.inference_mode(False), torch.enable_grad():
        source, target = (tensor.clone().requires_grad_() for tensor in (source, target))
        states = inputs.states(source, target)
        for row in rows:
            values = explained.value(inputs.logits(states[:, row]), inputs.predicts, row)
            found = torch.autograd.grad(values.sum(), (source, target), retain_graph=row != rows[-1])
            yield Slopes(row, values.detach(), *found)


@torch.no_grad()
def values_of(
    inputs: Inputs, explained: Explained, source: Float[Tensor, "R S D"], target: Float[Tensor, "R T D"]
) -> Float[Tensor, "T R"]:
    """What is explained, of every target row."""
    states = inputs.states(source, target)
    rows = range(states.shape[1])
    return torch.stack([explained.value(inputs.logits(states[:, row]), inputs.predicts, row) for row in rows])


def saliency(inputs: Inputs, explained: Explained, progress: Progress) -> Gradients:
    """The gradient itself (Simonyan et al. 2014, section 3): how fast the value would change, whichever way."""
    return _single(inputs, explained, progress, lambda gradient, _: gradient)


def input_x_gradient(inputs: Inputs, explained: Explained, progress: Progress) -> Gradients:
    """Gradient times embedding (Denil et al. 2014): to first order, what the value loses without the token."""
    return _single(inputs, explained, progress, lambda gradient, tokens: gradient * tokens)


def _single(
    inputs: Inputs, explained: Explained, progress: Progress, made: Callable[[Tensor, Tensor], Tensor]
) -> Gradients:
    of_source, of_target, values, rows = [], [], [], len(inputs.target)
    for found in slopes(inputs, explained, inputs.source[None], inputs.target[None], range(rows)):
        progress.update(found.row, rows)
        values.append(found.values[0])
        of_source.append(made(found.source[0], inputs.source))
        of_target.append(made(found.target[0], inputs.target))
    progress.update(rows, rows)
    return Gradients(torch.stack(of_source), torch.stack(of_target), torch.stack(values), None, None)


def gradient_shap(
    inputs: Inputs, explained: Explained, base: Base, *, steps: int, seed: int, progress: Progress
) -> Gradients:
    """The mean of gradient times way from the baseline, at random places of the way (Lundberg and Lee 2017, as Captum's
    GradientShap has it, with one baseline and no noise). Its sum is right in expectation alone.

    Raises:
        HeadscopeError: there are no samples.
    """
    require_steps(steps)
    along = torch.rand(steps, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return _along(inputs, explained, base, along, torch.full_like(along, 1 / steps), progress)


def integrated_gradients(
    inputs: Inputs, explained: Explained, base: Base, *, steps: int, progress: Progress
) -> Gradients:
    """The gradient, averaged on the straight way from the baseline, times the way (Sundararajan et al. 2017, equation
    1). Source and target move together. The integral is that of the midpoints of equal steps.

    Raises:
        HeadscopeError: there are no steps.
    """
    require_steps(steps)
    along = (torch.arange(steps, dtype=torch.float64) + 0.5) / steps
    return _along(inputs, explained, base, along, torch.full_like(along, 1 / steps), progress)


def require_steps(steps: int) -> None:
    """Check that there are some.

    Raises:
        HeadscopeError: there are none.
    """
    if steps < 1:
        raise HeadscopeError(f"{steps} steps from the baseline are none: choose 1 or more")


def _along(
    inputs: Inputs, explained: Explained, base: Base, along: Tensor, weights: Tensor, progress: Progress
) -> Gradients:
    """The weighted sum of the gradients at some places of the way from the baseline, times the way."""
    ways = inputs.source - base[0], inputs.target - base[1]
    rows, size = len(inputs.target), batch_rows(inputs)
    sums = [way.new_zeros(rows, *way.shape) for way in ways]
    for first in range(0, len(along), size):
        share, weight = (part[first : first + size].to(inputs.source) for part in (along, weights))
        source, target = (start + share[:, None, None] * way for start, way in zip(base, ways, strict=True))
        for found in slopes(inputs, explained, source, target, range(rows)):
            progress.update(first * rows + found.row * len(share), len(along) * rows)
            for total, gradient in zip(sums, (found.source, found.target), strict=True):
                total[found.row] += torch.einsum("r,rtd->td", weight, gradient)
    progress.update(len(along) * rows, len(along) * rows)
    from_source, from_target = (total * way for total, way in zip(sums, ways, strict=True))
    ends = (torch.stack(both) for both in zip((inputs.source, inputs.target), base, strict=True))
    values, at_base = values_of(inputs, explained, *ends).T
    return Gradients(from_source, from_target, values, at_base, len(along))


def batch_rows(inputs: Inputs) -> int:
    """Inputs that are read at once."""
    return max(1, BATCH_TOKENS // (len(inputs.source) + len(inputs.target)))
