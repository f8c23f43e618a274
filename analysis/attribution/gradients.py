"""Gradients of what is explained with respect to what enters the model: what several methods are made of.

One pass serves all numbers that are explained, for a row knows nothing of later ones: what differs is where the way
back begins. So a batch of `R` inputs costs one pass forward, and one back for each of the `O` numbers. Where the inputs
are few, or each has a number of its own, they are put into a batch once for each number instead, and one way back
serves all.

`S` source pieces, `T` target rows (`n` of them in a shorter input), `D` width of the model.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from headscope.analysis.attribution.explained import Explained
from headscope.analysis.attribution.inputs import Inputs
from headscope.analysis.attribution.method import Base, Found, Question
from headscope.model.errors import HeadscopeError

BATCH_TOKENS = 2048
"""Source and target tokens that are read at once."""
ROWS = 4
"""Target rows that are read at once where the way back begins at each in turn."""


class Slopes(NamedTuple):
    """Of one number that is explained, in a batch of inputs."""

    output: int
    """Which of the numbers it is."""
    values: Float[Tensor, " R"]
    source: Float[Tensor, "R S D"]
    target: Float[Tensor, "R n D"]


def slopes(
    inputs: Inputs,
    explained: Explained,
    source: Float[Tensor, "R S D"],
    target: Float[Tensor, "R n D"],
    outputs: Sequence[range],
) -> Iterator[Slopes]:
    """Some numbers, each the sum of a range of target rows, and their gradients with respect to both inputs."""
    with torch.inference_mode(False), torch.enable_grad():
        source, target = (tensor.clone().requires_grad_() for tensor in (source, target))
        growing = inputs.growing(source, target, ROWS if len(outputs) > 1 else target.shape[1])
        states: list[Tensor] = []
        for index, output in enumerate(outputs):
            while len(states) < output.stop:
                states += next(growing)
            values = explained.of_rows(inputs, states, output)
            more = index < len(outputs) - 1
            yield Slopes(
                index, values.detach(), *torch.autograd.grad(values.sum(), (source, target), retain_graph=more)
            )


@torch.no_grad()
def values_of(
    inputs: Inputs, explained: Explained, source: Float[Tensor, "R S D"], target: Float[Tensor, "R T D"]
) -> Float[Tensor, "O R"]:
    """What is explained, in a batch of inputs."""
    states = inputs.states(source, target)
    return torch.stack([explained.of(inputs, states, output) for output in explained.outputs(states.shape[1])])


def single(asked: Question, made: Callable[[Tensor, Tensor], Tensor]) -> Found:
    """What is made of the gradient at the inputs themselves.

    Args:
        made: of gradients and tokens, of one side.
    """
    inputs, outputs, size = asked.inputs, asked.outputs, batch_rows(asked.inputs)
    of_source, of_target, values = [], [], []
    for first in range(0, len(outputs), size):
        asked.progress.update(first, len(outputs))
        some = outputs[first : first + size]
        source, target = (part.expand(len(some), -1, -1) for part in (inputs.source, inputs.target))
        found, source, target = slope_each(inputs, asked.explained, source, target, some)
        values.append(found)
        of_source.append(made(source, inputs.source))
        of_target.append(made(target, inputs.target))
    asked.progress.update(len(outputs), len(outputs))
    return Found(torch.cat(of_source), torch.cat(of_target), torch.cat(values))


def slope_each(
    inputs: Inputs,
    explained: Explained,
    source: Float[Tensor, "R S D"],
    target: Float[Tensor, "R n D"],
    outputs: Sequence[range],
) -> tuple[Float[Tensor, " R"], Float[Tensor, "R S D"], Float[Tensor, "R n D"]]:
    """Numbers and their gradients, each in a row of a batch: a row has no part in the numbers of others.

    Args:
        outputs: [R]: of each row, the target rows that its number is the sum of.
    """
    with torch.inference_mode(False), torch.enable_grad():
        source, target = (tensor.clone().requires_grad_() for tensor in (source, target))
        states = inputs.states(source, target)
        found = []
        for output, alike in groupby(range(len(outputs)), key=lambda row: outputs[row]):
            found.append(explained.of(inputs, states[[*alike]], output))
        values = torch.cat(found)
        of_source, of_target = torch.autograd.grad(values.sum(), (source, target))
        return values.detach(), of_source, of_target


def require_steps(steps: int) -> None:
    """Check that there are some.

    Raises:
        HeadscopeError: there are none.
    """
    if steps < 1:
        raise HeadscopeError(f"{steps} steps from the baseline are none: choose 1 or more")


def along(asked: Question, places: Tensor, weights: Tensor) -> Found:
    """The weighted sum of the gradients at some places of the way from the baseline, times the way."""
    inputs, explained, outputs, base = asked.inputs, asked.explained, asked.outputs, asked.base()
    ways = inputs.source - base[0], inputs.target - base[1]
    size, total = batch_rows(inputs), len(places) * len(outputs)
    sums = [way.new_zeros(len(outputs), *way.shape) for way in ways]
    for first in range(0, len(places), size):
        share, weight = (part[first : first + size].to(inputs.source) for part in (places, weights))
        source, target = (start + share[:, None, None] * way for start, way in zip(base, ways, strict=True))
        for found in slopes(inputs, explained, source, target, outputs):
            asked.progress.update(first * len(outputs) + found.output * len(share), total)
            for summed, gradient in zip(sums, (found.source, found.target), strict=True):
                summed[found.output] += torch.einsum("r,rtd->td", weight, gradient)
    asked.progress.update(total, total)
    from_source, from_target = (summed * way for summed, way in zip(sums, ways, strict=True))
    values, at_base = ends(inputs, explained, base)
    return Found(from_source, from_target, values, at_base, len(places))


def ends(inputs: Inputs, explained: Explained, base: Base) -> tuple[Float[Tensor, " O"], Float[Tensor, " O"]]:
    """What is explained, at the inputs and at the baseline."""
    both = (torch.stack(pair) for pair in zip((inputs.source, inputs.target), base, strict=True))
    values, at_base = values_of(inputs, explained, *both).T
    return values, at_base


def batch_rows(inputs: Inputs) -> int:
    """Inputs that are read at once."""
    return max(1, BATCH_TOKENS // (len(inputs.source) + len(inputs.target)))
