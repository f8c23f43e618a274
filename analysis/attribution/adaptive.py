"""Integrated gradients whose steps lie where the value changes.

On the way from the baseline a model's values jump rather than rise: equal steps are wasted on most of the way, and too
few where it matters. What is explained is known at both ends of any part of the way, and so is what its gradients
should sum to; a part whose sum is wrong is halved.

`S` source pieces, `T` target rows, `D` width of the model.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from headscope.analysis.attribution.gradients import batch_rows, slopes
from headscope.analysis.attribution.method import Base, Found, Question

PARTS = 4
"""Of the way, to begin with."""
NODES = 129
"""Places of the way that are looked at, at most."""
ENOUGH, CANCELLED = 0.01, 0.05
"""Relative errors of completeness at which no part is halved any more: of the whole way, and of its parts, which may
cancel, together."""


def adaptive_gradients(asked: Question) -> Found:
    """Integrated gradients (Sundararajan et al. 2017, equation 1), right to 1 % where halving brings it there.

    The integral over each part is Simpson's, so that halves share the gradients of their whole.
    """
    found, ways, base = [], [], asked.base()
    for index, output in enumerate(asked.outputs):
        asked.progress.update(index, len(asked.outputs))
        way = _Way(asked, base, output)
        while parts := way.wrong():
            way.halve(parts)
        ways.append(way)
        found.append(way.integral())
    asked.progress.update(len(found), len(found))
    values, at_base = (torch.stack([way.values[end] for way in ways]) for end in (1.0, 0.0))
    from_source, from_target = map(torch.stack, zip(*found, strict=True))
    return Found(from_source, from_target, values, at_base, max(len(way.values) for way in ways))


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

    def __init__(self, asked: Question, base: Base, output: range) -> None:
        self._asked, self._output, inputs = asked, output, asked.inputs
        self._base = base[0], base[1][: output.stop]
        self._ways = inputs.source - base[0], (inputs.target - base[1])[: output.stop]
        self.values: dict[float, Tensor] = {}
        self._gradients: dict[float, tuple[Tensor, Tensor]] = {}
        self._along: dict[float, np.ndarray] = {}
        self._parts: list[_Part] = []
        self._add([_Part(part / PARTS, (part + 1) / PARTS) for part in range(PARTS)])

    def wrong(self) -> list[_Part]:
        """The parts to be halved next: those with the largest errors, until the others sum to little enough."""
        errors = {part: self._integral(part).sum() - self._rise(part.first, part.last) for part in self._parts}
        size = np.abs(np.sum([self._integral(part) for part in self._parts], axis=0)).sum()
        scale, left = max(abs(self._rise(0.0, 1.0)), size), sum(map(abs, errors.values()))
        if left <= CANCELLED * scale and abs(sum(errors.values())) <= ENOUGH * scale:
            return []
        found = []
        for part in sorted(errors, key=lambda part: -abs(errors[part]))[: (NODES - len(self.values)) // 2]:
            if left <= ENOUGH * scale:
                break
            left -= abs(errors[part])
            found.append(part)
        return found

    def halve(self, parts: list[_Part]) -> None:
        """Look closer at some parts."""
        self._parts = [part for part in self._parts if part not in parts]
        self._add([half for part in parts for half in part.halves])

    def integral(self) -> tuple[Float[Tensor, "S D"], Float[Tensor, "T D"]]:
        """The attributions; those of later target tokens are 0."""
        source, target = self._integrated()
        whole = torch.zeros_like(self._asked.inputs.target)
        whole[: self._output.stop] = target
        return source, whole

    def _add(self, parts: list[_Part]) -> None:
        self._parts += parts
        missing = sorted({node for part in parts for node in part.nodes} - self.values.keys())
        inputs, explained = self._asked.inputs, self._asked.explained
        size = batch_rows(inputs)
        for first in range(0, len(missing), size):
            nodes = missing[first : first + size]
            share = torch.tensor(nodes).to(self._ways[0])[:, None, None]
            source, target = (start + share * way for start, way in zip(self._base, self._ways, strict=True))
            (found,) = slopes(inputs, explained, source, target, [self._output])
            for node, value, *gradients in zip(nodes, found.values, found.source, found.target, strict=True):
                self.values[node] = value
                self._gradients[node] = (gradients[0], gradients[1])
                by_token = [(gradient * way).sum(-1) for gradient, way in zip(gradients, self._ways, strict=True)]
                self._along[node] = torch.cat(by_token).double().cpu().numpy()

    def _rise(self, first: float, last: float) -> float:
        return float(self.values[last]) - float(self.values[first])

    def _integral(self, part: _Part) -> np.ndarray:
        """Of one part, by token: source and target."""
        return np.sum([weight * self._along[node] for node, weight in part.weights], axis=0)

    def _integrated(self) -> tuple[Tensor, Tensor]:
        weights = dict.fromkeys(self.values, 0.0)
        for part in self._parts:
            for node, weight in part.weights:
                weights[node] += weight
        source, target = (
            torch.stack([weights[node] * gradients[side] for node, gradients in self._gradients.items()]).sum(0) * way
            for side, way in enumerate(self._ways)
        )
        return source, target
