"""Integrated gradients whose steps lie where the value changes.

On the way from the baseline a model's values jump rather than rise: equal steps are wasted on most of the way, and too
few where it matters. What is explained is known at both ends of any part of the way, and so is what its gradients
should sum to; a part whose sum is wrong is halved.

`S` source pieces, `T` target rows, `D` width of the model.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from headscope.analysis.attribution.gradients import batch_rows, slope_each, slopes
from headscope.analysis.attribution.method import Found, Question

PARTS = 8
"""Of the way, to begin with."""
NODES = 129
"""Places of the way that are looked at, at most."""
ENOUGH, CANCELLED = 0.01, 0.07
"""Relative errors of completeness at which no part is halved any more: of the whole way, and of its parts, which may
cancel, together."""
LEFT = 0.7
"""The share of all errors that waits for another look: halving the worst parts alone takes fewer places in the end."""


def adaptive_gradients(asked: Question) -> Found:
    """Integrated gradients (Sundararajan et al. 2017, equation 1), right to 1 % where halving brings it there.

    The integral over each part is Simpson's, so that halves share the gradients of their whole. The first places are
    the same for all numbers, which share the pass forward; later each looks where its own value changes, and what all
    of them want to know is read together.
    """
    found, values, at_base, steps = [], [], [], 0
    line, many = _Line(asked), batch_rows(asked.inputs)
    for first in range(0, len(asked.outputs), many):
        ways = _followed(asked, line, slice(first, first + many))
        found += [way.integral() for way in ways]
        values += [way.values[1.0] for way in ways]
        at_base += [way.values[0.0] for way in ways]
        steps = max(steps, *(len(way.values) for way in ways))
    asked.progress.update(len(found), len(found))
    from_source, from_target = map(torch.stack, zip(*found, strict=True))
    numbers = asked.inputs.source.new_tensor
    return Found(from_source, from_target, numbers(values), numbers(at_base), steps)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the way."""

    first: float
    last: float

    @property
    def nodes(self) -> tuple[float, float, float]:
        return self.first, (self.first + self.last) / 2, self.last

    @property
    def weights(self) -> tuple[tuple[float, float], ...]:
        """Of its nodes, by Simpson's rule."""
        sixth = (self.last - self.first) / 6
        return tuple(zip(self.nodes, (sixth, 4 * sixth, sixth), strict=True))

    @property
    def halves(self) -> tuple["_Part", "_Part"]:
        middle = self.nodes[1]
        return _Part(self.first, middle), _Part(middle, self.last)


class _Way:
    """The way from the baseline, for one number: what is known at some places of it."""

    def __init__(self, output: range, ways: tuple[Float[Tensor, "S D"], Float[Tensor, "T D"]]) -> None:
        self.output, self._rows = output, len(ways[1])
        self._ways = ways[0], ways[1][: output.stop]
        self.values: dict[float, float] = {}
        self._gradients: dict[float, tuple[Tensor, Tensor]] = {}
        self._along: dict[float, np.ndarray] = {}
        self._parts: dict[_Part, np.ndarray] = {}
        """The integral of each, by token: source and target."""

    def missing(self, parts: Iterable[_Part]) -> list[float]:
        """The places of the halves of some parts that nothing is known of."""
        return sorted({node for part in parts for half in part.halves for node in half.nodes} - self.values.keys())

    def keep(self, nodes: Sequence[float], values: Tensor, source: Tensor, target: Tensor) -> None:
        """What was found at some places."""
        both = source, target[:, : self.output.stop]
        along = [(gradient * way).sum(-1) for gradient, way in zip(both, self._ways, strict=True)]
        along = torch.cat(along, dim=1).double().cpu().numpy()
        for row, node in enumerate(nodes):
            self.values[node], self._along[node] = float(values[row]), along[row]
            self._gradients[node] = both[0][row], both[1][row]

    def divide(self, parts: Iterable[_Part]) -> None:
        """Take some parts, of which all places are known."""
        for part in parts:
            self._parts[part] = np.sum([weight * self._along[node] for node, weight in part.weights], axis=0)

    def wrong(self) -> list[_Part]:
        """The parts to be halved next: those with the largest errors."""
        errors = {part: float(found.sum()) - self._rise(part.first, part.last) for part, found in self._parts.items()}
        size = np.abs(np.sum([*self._parts.values()], axis=0)).sum()
        scale, left = max(abs(self._rise(0.0, 1.0)), size), sum(map(abs, errors.values()))
        if left <= CANCELLED * scale and abs(sum(errors.values())) <= ENOUGH * scale:
            return []
        found, enough = [], max(ENOUGH * scale, LEFT * left)
        for part in sorted(errors, key=lambda part: -abs(errors[part]))[: (NODES - len(self.values)) // 2]:
            if left <= enough:
                break
            left -= abs(errors[part])
            found.append(part)
        return found

    def halve(self, parts: Iterable[_Part]) -> None:
        """Look closer at some parts, of which the places of both halves are known by now."""
        for part in parts:
            del self._parts[part]
            self.divide(part.halves)

    def integral(self) -> tuple[Float[Tensor, "S D"], Float[Tensor, "T D"]]:
        """The attributions; those of later target tokens are 0."""
        weights = dict.fromkeys(self.values, 0.0)
        for part in self._parts:
            for node, weight in part.weights:
                weights[node] += weight
        source, target = (
            sum(weights[node] * gradients[side] for node, gradients in self._gradients.items()) * way
            for side, way in enumerate(self._ways)
        )
        return source, F.pad(target, (0, 0, 0, self._rows - len(target)))

    def _rise(self, first: float, last: float) -> float:
        return self.values[last] - self.values[first]


class _Line:
    """The straight way itself, and what is read of it."""

    def __init__(self, asked: Question) -> None:
        self._asked, self._base, inputs = asked, asked.base(), asked.inputs
        self.ways = inputs.source - self._base[0], inputs.target - self._base[1]

    def look(self, ways: Sequence[_Way], nodes: Sequence[float]) -> None:
        """Look at some places for all numbers."""
        outputs = [way.output for way in ways]
        for found in slopes(self._asked.inputs, self._asked.explained, *self._at(nodes, outputs), outputs):
            ways[found.output].keep(nodes, found.values, found.source, found.target)

    def look_each(self, wanted: Sequence[tuple[_Way, float]]) -> None:
        """Look at a place for one number each: those of similar length together."""
        wanted = sorted(wanted, key=lambda each: each[0].output.stop)
        size = batch_rows(self._asked.inputs)
        for first in range(0, len(wanted), size):
            some = wanted[first : first + size]
            ways, nodes = [way for way, _ in some], [node for _, node in some]
            outputs = [way.output for way in ways]
            found = slope_each(self._asked.inputs, self._asked.explained, *self._at(nodes, outputs), outputs)
            for row, way in enumerate(ways):
                alone = slice(row, row + 1)
                way.keep(nodes[alone], *(part[alone] for part in found))

    def _at(
        self, nodes: Sequence[float], outputs: Sequence[range]
    ) -> tuple[Float[Tensor, "R S D"], Float[Tensor, "R n D"]]:
        share = torch.tensor(nodes).to(self.ways[0])[:, None, None]
        source, target = (start + share * way for start, way in zip(self._base, self.ways, strict=True))
        return source, target[:, : max(output.stop for output in outputs)]


def _followed(asked: Question, line: _Line, some: slice) -> list[_Way]:
    """The ways of some numbers, each followed until its integral is right, or as far as it goes."""
    total, progress = len(asked.outputs), asked.progress
    progress.update(some.start, total)
    ways = [_Way(output, line.ways) for output in asked.outputs[some]]
    parts = [_Part(at / PARTS, (at + 1) / PARTS) for at in range(PARTS)]
    line.look(ways, sorted({node for part in parts for node in part.nodes}))
    for way in ways:
        way.divide(parts)
    open_ways = [(way, parts) for way in ways if (parts := way.wrong())]
    while open_ways:
        progress.update(some.start + len(ways) - len(open_ways), total)
        line.look_each([(way, node) for way, parts in open_ways for node in way.missing(parts)])
        for way, parts in open_ways:
            way.halve(parts)
        open_ways = [(way, parts) for way, _ in open_ways if (parts := way.wrong())]
    return ways
