"""How alike the layers of two models are: linear centred kernel alignment over the tokens of a corpus.

Kornblith et al. 2019 ("Similarity of Neural Network Representations Revisited", linear CKA); the estimator without bias
is that of the Hilbert-Schmidt independence criterion of Song et al. 2012, since the plain one is near 1 for any two
representations of few tokens in many dimensions. Orthogonal maps and a common factor of a representation change
nothing, so that it does not matter in which directions a model keeps what it knows.

`N` tokens, `D` and `E` widths, `L` states of a stack: what enters the first layer, and what each layer leaves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from torch import Tensor

from headscope.analysis.capture.attention import source_tokens, target_tokens
from headscope.analysis.capture.forced import forced_batch, log_probs, to_numpy
from headscope.analysis.capture.pairs import SentencePair, corpus_pairs
from headscope.analysis.positions.comparison import require_same_languages
from headscope.analysis.positions.side_by_side import read_by
from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.records.meeting import common_words
from headscope.analysis.records.table import Table
from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probe
from headscope.model.progress import Progress, Silent
from headscope.model.sites import Site
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame

Stack = Literal["encoder", "decoder"]
STACKS: tuple[Stack, ...] = ("encoder", "decoder")
LEAST = 4
"""Tokens, below which the estimator without bias is not defined."""


@dataclass(frozen=True, slots=True, eq=False)
class LayerCka(Table):
    """Two models, layer by layer."""

    names: tuple[str, str]
    encoder: np.ndarray
    """[L of the first, L of the second]: debiased linear CKA over source tokens; 1 is the same up to an orthogonal map
    and a factor, 0 is what unrelated ones have on average, which chance may take below it."""
    decoder: np.ndarray
    """The same over target tokens, each at the row that reads it."""
    tokens: tuple[int, int]
    """Of the source and of the target."""
    sentences: int
    unit: Literal["pieces", "words"]
    """Words: the two cut text into other pieces; a word's state is the mean of its pieces'."""

    def of(self, stack: Stack) -> np.ndarray:
        """The map of one stack."""
        return self.encoder if stack == "encoder" else self.decoder

    def to_pandas(self) -> "DataFrame":
        """One row a pair of layers: stack, a, b, cka; layer 0 is what enters the first one."""
        import pandas as pd

        rows = [(stack, a, b, float(v)) for stack in STACKS for (a, b), v in np.ndenumerate(self.of(stack))]
        return pd.DataFrame(rows, columns=["stack", "a", "b", "cka"])


def linear_cka(x: np.ndarray, y: np.ndarray) -> float:
    """‖Yᵀ X‖² / (‖Xᵀ X‖ ‖Yᵀ Y‖) of centred X [N, D] and Y [N, E], in Frobenius norms (Kornblith et al. 2019).

    It is biased upwards: near 1 for anything, where there are fewer tokens than dimensions. NaN: one does not vary.
    """
    x, y = (each - each.mean(0) for each in (x.astype(float), y.astype(float)))
    scale = np.linalg.norm(x.T @ x) * np.linalg.norm(y.T @ y)
    return float(np.linalg.norm(y.T @ x) ** 2 / scale) if scale > 0 else float("nan")


def debiased_cka(x: np.ndarray, y: np.ndarray) -> float:
    """The same of X [N, D] and Y [N, E] with estimates without bias in the places of the three terms.

    Raises:
        HeadscopeError: there are fewer than four tokens.
    """
    if len(x) < LEAST:
        raise HeadscopeError(f"{len(x)} tokens are too few to compare layers on: give longer or more sentences")
    x, y = (each.astype(float) for each in (x, y))
    scale = _hsic(x, x) * _hsic(y, y)
    return _hsic(x, y) / float(np.sqrt(scale)) if scale > 0 else float("nan")


def _hsic(x: np.ndarray, y: np.ndarray) -> float:
    """The estimator without bias (Song et al. 2012, equation 5) for linear kernels, without an N × N matrix.

    K and L are X Xᵀ and Y Yᵀ with zeros on the diagonal; the mean over tokens is taken away first, for the sums are
    then of numbers of a like size. (It changes no estimate of HSIC: shifts are in the kernel of its centring.)
    """
    n = len(x)
    x, y = x - x.mean(0), y - y.mean(0)
    own_x, own_y = (x**2).sum(1), (y**2).sum(1)
    rows_x, rows_y = x @ x.sum(0) - own_x, y @ y.sum(0) - own_y
    trace = float(((x.T @ y) ** 2).sum() - own_x @ own_y)
    found = trace + rows_x.sum() * rows_y.sum() / ((n - 1) * (n - 2)) - 2 * (rows_x @ rows_y) / (n - 2)
    return float(found / (n * (n - 3)))


def _each_with_each(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """[L, M]: `debiased_cka` of states [L, N, D] with states [M, N, E], the terms of one alone computed once."""
    if ours.shape[1] < LEAST:
        return np.array([[debiased_cka(x, y) for y in theirs] for x in ours])
    ours, theirs = ours.astype(float), theirs.astype(float)
    own, others = ([_hsic(each, each) for each in states] for states in (ours, theirs))
    scale = np.outer(own, others)
    shared = np.array([[_hsic(x, y) for y in theirs] for x in ours])
    return np.divide(shared, np.sqrt(np.abs(scale)), out=np.full(shared.shape, np.nan), where=scale > 0)


def layer_cka(a: Translator, b: Translator, texts: Sequence[Pair], *, progress: Progress | None = None) -> LayerCka:
    """Compare every layer of one model with every layer of another, over the tokens of sentence pairs.

    Start and end symbols are left aside. What a pre-norm model's last norm does after its last layer is not in it.

    Args:
        texts: of which those are taken that both can read; teacher-forced.
        progress: told how many pairs are read.

    Raises:
        HeadscopeError: the models have other languages or no residual stream, or there are too few tokens.
        Cancelled: `progress` wants it to stop.
    """
    require_same_languages(a, b)
    for each in (a, b):
        each.model.capabilities().require_residual_stream("layers to compare")
    progress, pairs = progress or Silent(), corpus_pairs(a, texts)
    kept: dict[Stack, list[tuple[np.ndarray, np.ndarray]]] = {stack: [] for stack in STACKS}
    in_words = False
    for done, pair in enumerate(pairs):
        progress.update(done, len(pairs))
        both = pair, read_by(b, pair)
        seen = [layer_states(*each) for each in zip((a, b), both, strict=True)]
        for stack in STACKS:
            tokens = [_tokens(*each, stack) for each in zip((a, b), both, strict=True)]
            groups, joined = _groups(tokens)
            in_words |= joined
            ours, theirs = (_means(states[stack], each) for states, each in zip(seen, groups, strict=True))
            kept[stack].append((ours, theirs))
    progress.update(len(pairs), len(pairs))
    if not pairs:
        raise HeadscopeError(f"none of the {len(texts):,} sentence pairs can be read: give others")
    maps, counts = [], []
    for stack in STACKS:
        ours, theirs = (np.concatenate(states, axis=1) for states in zip(*kept[stack], strict=True))
        maps.append(_each_with_each(ours, theirs))
        counts.append(ours.shape[1])
    return LayerCka(
        names=(a.card.name, b.card.name),
        encoder=maps[0],
        decoder=maps[1],
        tokens=(counts[0], counts[1]),
        sentences=len(pairs),
        unit="words" if in_words else "pieces",
    )


class _States(Probe):
    """Keeps what enters either stack, and the stream behind every layer's feed-forward part."""

    def __init__(self) -> None:
        self.seen: dict[Stack, list[Tensor]] = {"encoder": [], "decoder": []}

    def wants(self, site: Site) -> bool:
        return not site.attends

    def embedded(self, side: Literal["source", "target"], tokens: Tensor, positions: Tensor, total: Tensor) -> Tensor:
        self.seen["encoder" if side == "source" else "decoder"].append(total[0])
        return total

    def residual(self, site: Site, stream: Tensor, update: Tensor, normed: Tensor) -> Tensor:
        self.seen["encoder" if site.queries == "source" else "decoder"].append(normed[0])
        return normed


@torch.inference_mode()
def layer_states(translator: Translator, pair: SentencePair) -> dict[Stack, np.ndarray]:
    """[L, T, D] a stack: the residual stream of a pair, teacher-forced, before the first layer and after each."""
    probe = _States()
    log_probs(translator.model, forced_batch(translator, [pair]), probe=probe)
    return {stack: np.stack([to_numpy(state) for state in states]) for stack, states in probe.seen.items()}


def _tokens(translator: Translator, pair: SentencePair, stack: Stack) -> Tokens:
    return source_tokens(translator, pair.source) if stack == "encoder" else target_tokens(translator, pair)[0]


def _groups(sides: Sequence[Tokens]) -> tuple[list[list[range]], bool]:
    """The tokens of each side that stand for the same: one piece each where the pieces are alike, else those of a word;
    no symbols. And whether they are words."""
    spelt = [[(token.piece, token.span) for token in side.tokens if not token.special] for side in sides]
    if spelt[0] == spelt[1]:
        return [[range(at, at + 1) for at, t in enumerate(side.tokens) if not t.special] for side in sides], False
    words = common_words(sides)
    return [[group for group in w.groups if not w.tokens.tokens[group.start].special] for w in words], True


def _means(states: np.ndarray, groups: Sequence[range]) -> np.ndarray:
    """[L, groups, D]."""
    return np.stack([states[:, group.start : group.stop].mean(1) for group in groups], axis=1)
