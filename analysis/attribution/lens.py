"""The logit lens (nostalgebraist 2020): what the decoder would predict if it ended after each of its layers.

`L` decoder layers, `T` target rows, `k` pieces shown, `D` width of the model, `V` vocabulary.

A layer's output goes straight to the output projection; in pre-norm models through the final norm first, for only that
one gives outputs the scale the projection knows. The last layer's prediction is the model's own.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from headscope.analysis.capture.attention import target_tokens
from headscope.analysis.capture.forced import forced_batch, log_probs, to_numpy
from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.records.table import Table
from headscope.model.errors import HeadscopeError
from headscope.model.network.finite import require_finite
from headscope.model.network.probe import Probe
from headscope.model.network.transformer import transformer
from headscope.model.sites import Site
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class LogitLens(Table):
    """Predictions of every decoder layer at every row."""

    reads: Tokens
    predicts: Tokens
    ids: np.ndarray
    """[L, T, k]: the most probable pieces, best first."""
    pieces: np.ndarray
    """[L, T, k]: as strings."""
    probabilities: np.ndarray
    """[L, T, k]."""
    actual: np.ndarray
    """[L, T]: probability of the token in `predicts`."""
    rank: np.ndarray
    """[L, T]: 1 + the number of pieces that are more probable than it."""

    def to_pandas(self) -> "DataFrame":
        """One row a layer, row and place (from 1): also reads, predicts, piece, probability, actual, rank."""
        import pandas as pd

        layer, row, place = (index.ravel() for index in np.indices(self.ids.shape))
        return pd.DataFrame(
            {
                "layer": layer,
                "row": row,
                "reads": [self.reads.tokens[index].piece for index in row],
                "predicts": [self.predicts.tokens[index].piece for index in row],
                "place": place + 1,
                "piece": self.pieces.ravel(),
                "probability": self.probabilities.ravel(),
                "actual": self.actual[layer, row],
                "rank": self.rank[layer, row],
            }
        )


class _LayerProbe(Probe):
    """Keeps what every decoder layer leaves."""

    def __init__(self) -> None:
        self.left: list[Tensor] = []

    def wants(self, site: Site) -> bool:
        return site.kind == "decoder feed-forward"

    def residual(self, site: Site, stream: Tensor, update: Tensor, normed: Tensor) -> Tensor:
        self.left.append(normed[0])
        return normed


@torch.inference_mode()
def logit_lens(translator: Translator, pair: SentencePair, *, top: int = 5) -> LogitLens:
    """Read a pair, teacher-forced, and project every decoder layer's output.

    Args:
        top: pieces a row; at most as many as there are.

    Raises:
        HeadscopeError: `top` is less than 1, the model has no residual stream, or a probability is not finite.
    """
    if top < 1:
        raise HeadscopeError(f"{top} pieces a row cannot be shown: ask for 1 or more")
    translator.model.capabilities().require_residual_stream("predictions between its layers")
    model, vocabulary = transformer(translator.model, "predictions between layers"), translator.vocabulary
    batch, probe = forced_batch(translator, [pair]), _LayerProbe()
    log_probs(model, batch, probe=probe)
    best, best_ids, actual, rank = [], [], [], []
    for states in probe.left:  # a layer at a time: rows times vocabulary is much
        logits = model.project(model.decoder_norm(states)[None])[0]
        probabilities = logits.to(torch.promote_types(logits.dtype, torch.float32)).softmax(-1)
        require_finite(probabilities, model, "probabilities between its layers")
        values, ids = probabilities.topk(min(top, probabilities.shape[-1]))
        chosen = probabilities.gather(-1, batch.predicts[0][:, None])
        best.append(to_numpy(values))
        best_ids.append(ids.cpu().numpy())
        actual.append(to_numpy(chosen[:, 0]))
        rank.append(1 + (probabilities > chosen).sum(-1).cpu().numpy())
    ids = np.stack(best_ids)
    names = {index: vocabulary.piece(index, "target") for index in np.unique(ids).tolist()}
    reads, predicts = target_tokens(translator, pair)
    return LogitLens(
        reads=reads,
        predicts=predicts,
        ids=ids,
        pieces=np.array([names[index] for index in ids.ravel().tolist()], dtype=object).reshape(ids.shape),
        probabilities=np.stack(best),
        actual=np.stack(actual),
        rank=np.stack(rank),
    )
