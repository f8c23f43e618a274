"""How much of its position can be read from the state of a token, layer by layer.

A linear probe (ridge regression, in closed form) is fitted to predict the position from the residual stream, on half of
the sentences, and judged on the other half: R², the share of the variance of the position that it explains. A probe can
also learn by heart which words stand where. The control task (Hewitt & Liang 2019, arXiv 1909.03368) measures that: the
same probe, fitted to a number that is drawn once for each piece of the vocabulary and is the same wherever that piece
stands. `selectivity` is the difference; where it is small, the probe is strong rather than the position there.

`D` width of the model, `N` tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import SentencePair, batches
from headscope.analysis.positions.heads import word_tokens
from headscope.analysis.records.table import Table
from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probe, Probes
from headscope.model.progress import Progress
from headscope.model.sites import Side, Site
from headscope.model.translator import BATCH_TOKENS, Translator

if TYPE_CHECKING:
    from pandas import DataFrame

PENALTIES = tuple(10.0**power for power in range(-6, 3))
"""Of the ridge, over the mean variance of a direction; each fit chooses one."""


@dataclass(frozen=True, slots=True)
class Readable:
    """What was read off one layer."""

    side: Side
    layer: int
    """0: what enters the first layer; then what each layer leaves."""
    position: float
    """R² of the position on held-out sentences; it may be negative."""
    control: float
    """R² of the control task."""
    error: float
    """Of the position: root of the mean square, in tokens."""

    @property
    def selectivity(self) -> float:
        """How much better position is read than a number learned by heart."""
        return self.position - self.control


@dataclass(frozen=True, slots=True)
class Reading(Table):
    """All layers of both sides."""

    layers: tuple[Readable, ...]
    sentences: int

    def to_pandas(self) -> "DataFrame":
        """One row a side and layer."""
        import pandas as pd

        names = ("side", "layer", "position", "control", "selectivity", "error")
        return pd.DataFrame([{name: getattr(each, name) for name in names} for each in self.layers])


class _Stream(Probe):
    """Keeps what enters the first layer of a side, and what each layer leaves."""

    def __init__(self) -> None:
        self.states: dict[Side, list[Tensor]] = {"source": [], "target": []}

    def wants(self, site: Site) -> bool:
        return not site.attends

    def embedded(self, side: Side, tokens: Tensor, positions: Tensor, total: Tensor) -> Tensor:
        self.states[side].append(total)
        return total

    def residual(self, site: Site, stream: Tensor, update: Tensor, normed: Tensor) -> Tensor:
        self.states[site.queries].append(normed)
        return normed


@torch.inference_mode()
def readable_positions(
    translator: Translator,
    pairs: Sequence[SentencePair],
    *,
    probe: Probe | None = None,
    seed: int = 0,
    batch_tokens: int = BATCH_TOKENS,
    progress: Progress | None = None,
) -> Reading:
    """Fit and judge a probe at every layer of both sides. End of sentence and start symbol are left aside.

    Args:
        probe: changes the passes.
        seed: of the halves, and of the numbers of the control task.
        progress: told how many pairs are done.

    Raises:
        HeadscopeError: the model has no residual stream, or there are too few tokens to fit a probe.
        Cancelled: `progress` wants it to stop.
    """
    translator.model.capabilities().require_residual_stream("states to read positions from")
    chance = np.random.default_rng(seed)
    fitted = {id(pairs[index]) for index in chance.permutation(len(pairs))[: len(pairs) // 2].tolist()}
    gathered: dict[Side, list[_Tokens]] = {"source": [], "target": []}
    for batch in batches(pairs, tokens=batch_tokens, progress=progress):
        forced, stream = forced_batch(translator, batch), _Stream()
        log_probs(translator.model, forced, probe=stream if probe is None else Probes(probe, stream))
        to_fit = torch.tensor([id(pair) in fitted for pair in batch], device=forced.source.device)
        words = word_tokens(translator, forced)
        pieces: dict[Side, Tensor] = {"source": forced.source, "target": forced.reads}
        for side, ids in pieces.items():
            rows, places = words[side].nonzero(as_tuple=True)
            states = torch.stack([state[rows, places] for state in stream.states[side]])
            gathered[side].append(_Tokens(states, places, ids[rows, places], to_fit[rows]))
    layers = [found for side, parts in gathered.items() for found in _read(side, _Tokens.joined(parts), chance)]
    return Reading(tuple(layers), len(pairs))


@dataclass(frozen=True, slots=True, eq=False)
class _Tokens:
    states: Tensor
    """[layers, N, D]."""
    places: Tensor
    pieces: Tensor
    to_fit: Tensor
    """[N] each."""

    @staticmethod
    def joined(parts: Sequence["_Tokens"]) -> "_Tokens":
        if not parts:
            raise HeadscopeError("there is no sentence pair to read positions from: give some that the model can read")
        return _Tokens(
            torch.cat([part.states for part in parts], dim=1),
            *(torch.cat([getattr(part, name) for part in parts]) for name in ("places", "pieces", "to_fit")),
        )


def _read(side: Side, tokens: _Tokens, chance: np.random.Generator) -> list[Readable]:
    fit, width = tokens.to_fit, tokens.states.shape[-1]
    if min(int(fit.sum()), int((~fit).sum())) <= width:
        raise HeadscopeError(
            f"{int(fit.sum()):,} {side} tokens are too few to fit a probe to states of width {width}: give more text"
        )
    numbers = torch.from_numpy(chance.standard_normal(int(tokens.pieces.max()) + 1)).to(tokens.states.device)
    wanted = torch.stack([tokens.places.double(), numbers[tokens.pieces]], dim=1)
    found = []
    for layer, states in enumerate(tokens.states.double()):
        guess = predicted(states[fit], wanted[fit], states[~fit])
        error = (guess - wanted[~fit]).square().mean(0)
        explained = 1 - error / wanted[~fit].var(0, correction=0)
        found.append(Readable(side, layer, float(explained[0]), float(explained[1]), float(error[0].sqrt())))
    return found


def predicted(states: Tensor, wanted: Tensor, others: Tensor) -> Tensor:
    """Ridge regression with an intercept, in closed form: fitted to states [n D] and numbers [n k], asked of others.

    Each number has the penalty of least generalised cross-validation error (Golub et al. 1979), so that few tokens are
    not learned by heart.
    """
    mean, level = states.mean(0), wanted.mean(0)
    left, scale, right = torch.linalg.svd(states - mean, full_matrices=False)
    along, squares = left.T @ (wanted - level), scale.square()[:, None]
    kept = [squares / (squares + penalty * squares.mean() + 1e-12) for penalty in PENALTIES]
    total = (wanted - level).square().sum(0)
    errors = torch.stack(
        [
            (total - ((2 * keep - keep.square()) * along.square()).sum(0)) / (1 - (1 + keep.sum()) / len(states)) ** 2
            for keep in kept
        ]
    )
    best = torch.stack(kept)[errors.argmin(0), :, 0].T
    return (others - mean) @ (right.T @ (best * along / scale.clamp(min=1e-12)[:, None])) + level
