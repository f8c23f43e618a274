"""What first-layer scores owe to positions: P W_Q W_Kᵀ Pᵀ of a head, and the score of a sentence term by term.

Both are exact in the first self-attention layer alone, where what enters is content + position: positions have to be
added to the embeddings, and nothing may be normalised in between.

`H` heads, `Q` queries, `K` keys, `T` positions, `D` width of the model, `d` of a head.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from headscope.analysis.capture.attention import source_tokens, target_tokens
from headscope.analysis.capture.embedded import embedded
from headscope.analysis.capture.forced import forced_batch, to_numpy
from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.positions.regions import SIDES, Training
from headscope.analysis.positions.table import position_table, with_table
from headscope.analysis.positions.terms import CorpusShares, ScoreTerms, Stack, pooled
from headscope.model.errors import HeadscopeError
from headscope.model.network.masks import causal_mask
from headscope.model.network.transformer import Transformer
from headscope.model.progress import Progress, Silent
from headscope.model.sites import site_at
from headscope.model.translator import Translator

UNRECORDED = 64
"""Positions that stand for the trained ones where nobody has counted."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadScores:
    """What the heads of a first layer make of positions alone, without content and without biases."""

    scores: np.ndarray
    """[H, T, T]: p W_Q W_Kᵀ pᵀ / √d of the centred table, query by key."""
    training: Training
    """Of the same T positions."""


def head_scores(translator: Translator, stack: Stack, length: int) -> HeadScores:
    """P W_Q W_Kᵀ Pᵀ / √d of every head of a first self-attention layer, the table centred over its trained rows.

    Raises:
        HeadscopeError: position and content do not add up in this checkpoint's first layer.
    """
    model = _additive(translator, stack)
    table = position_table(translator, length)
    rows = table.rows - _mean_row(translator)
    query, key = (_of_heads(rows @ weight.T, model, stack) for weight, _ in _projections(model, stack))
    return HeadScores(query @ key.transpose(0, 2, 1) * query.shape[-1] ** -0.5, table.training)


@torch.inference_mode()
def score_terms(translator: Translator, pair: SentencePair, stack: Stack) -> ScoreTerms:
    """The scores of one sentence pair, teacher-forced.

    Raises:
        HeadscopeError: position and content do not add up in this checkpoint's first layer.
    """
    model, batch = _additive(translator, stack), forced_batch(translator, [pair])
    site = site_at(model, stack, 0)
    ids = batch.source if site.queries == "source" else batch.reads
    entering = embedded(model, site.queries, ids)
    mean = _mean_row(translator)
    content = to_numpy(entering.tokens[0]).astype(np.float64)
    places = to_numpy(entering.positions).astype(np.float64) - mean
    constant = np.zeros_like(places)  # the mean row joins the bias
    query, key = (
        np.stack(
            [
                _of_heads(content @ weight.T, model, stack),
                _of_heads(places @ weight.T, model, stack),
                _of_heads(constant + mean @ weight.T + bias, model, stack),
            ],
            axis=1,
        )
        for weight, bias in _projections(model, stack)
    )
    terms = np.einsum("haqd,hbkd->habqk", query, key, optimize=True) * query.shape[-1] ** -0.5
    queries, keys = terms.shape[-2:]
    allowed = np.ones((queries, keys), dtype=bool)
    if site.causal:
        allowed = causal_mask(queries, keys, ids.device).allowed[0, 0].cpu().numpy()
    read = source_tokens(translator, pair.source) if site.queries == "source" else target_tokens(translator, pair)[0]
    return ScoreTerms(read, terms, allowed)


def corpus_shares(
    translator: Translator, pairs: Sequence[SentencePair], stack: Stack, *, progress: Progress | None = None
) -> CorpusShares:
    """The share of each term in how scores vary over the keys (`ScoreTerms.shares`), pooled over all rows of all pairs.

    Raises:
        HeadscopeError: there are no pairs, or position and content do not add up in this checkpoint's first layer.
        Cancelled: `progress` wants it to stop.
    """
    if not pairs:
        raise HeadscopeError("there are no sentences to take shares from: give one at least")
    progress, found = progress or Silent(), []
    for done, pair in enumerate(pairs):
        progress.update(done, len(pairs))
        parts = score_terms(translator, pair, stack)
        found.append(parts.variances)
    progress.update(len(pairs), len(pairs))
    return pooled(found)


def _additive(translator: Translator, stack: Stack) -> Transformer:
    model = with_table(translator)
    model.capabilities().require_products(stack, "terms of scores")
    if model.config.norm == "pre":
        raise HeadscopeError(
            "this checkpoint normalises what enters its first layer (pre-norm), so position and content do not add up "
            "in its scores: choose a post-norm checkpoint"
        )
    return model


def _projections(model: Transformer, stack: Stack) -> list[tuple[np.ndarray, np.ndarray]]:
    """Weights and biases of the queries, and of the keys, in float64; a bias that is left out is 0."""
    attention, _ = model.attention(site_at(model, stack, 0))
    return [
        (
            to_numpy(linear.weight).astype(np.float64),
            np.zeros(linear.out_features) if linear.bias is None else to_numpy(linear.bias).astype(np.float64),
        )
        for linear in (attention.query, attention.key)
    ]


def _of_heads(rows: np.ndarray, model: Transformer, stack: Stack) -> np.ndarray:
    """[rows, D] as [H, rows, d]."""
    return rows.reshape(len(rows), site_at(model, stack, 0).heads, -1).transpose(1, 0, 2)


def _mean_row(translator: Translator) -> np.ndarray:
    """[D]: the mean of the well-trained rows; where training is not recorded, of the first `UNRECORDED`."""
    lengths = [translator.card.trained_length(side) or 0 for side in SIDES]
    table = position_table(translator, max(lengths) or UNRECORDED)
    return table.rows[table.trained].mean(0)
