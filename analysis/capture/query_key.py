"""Inside one head: from queries and keys to weights, step by step (Vaswani et al. 2017, equation 1).

`Q` queries, `K` keys, `d` width of a head.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from headscope.analysis.capture.attention import tokens
from headscope.analysis.capture.forced import forced_batch, log_probs, to_numpy
from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.records.heads import Head, require
from headscope.model.network.probe import Probe, Site
from headscope.model.translator import Translator


@dataclass(frozen=True, slots=True, eq=False)
class QueryKey:
    """One head in one sentence pair."""

    head: Head
    queries: Tokens
    """What the rows stand for; in decoder and cross-attention, what is read."""
    keys: Tokens
    query: np.ndarray
    """[Q, d]."""
    key: np.ndarray
    """[K, d]."""
    scores: np.ndarray
    """[Q, K]: query · key, before scaling."""
    scaled: np.ndarray
    """[Q, K]: over √d, and where positions add a bias to scores, with it."""
    masked: np.ndarray
    """[Q, K]: −inf where the row may not look."""
    weights: np.ndarray
    """[Q, K]: after the softmax."""

    def products(self, row: int) -> np.ndarray:
        """[K, d]: the row's query times every key, element by element; each sums to its entry in `scores`."""
        return self.query[row] * self.key


class _HeadDetail(Probe):
    """Keeps all that leads to one head's weights."""

    def __init__(self, head: Head) -> None:
        self._site, self._head = Site(head.kind, head.layer), head.head
        self.seen: dict[str, Tensor] = {}

    def wants(self, site: Site) -> bool:
        return site == self._site

    def projections(self, site: Site, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        self.seen |= {"query": query[0, self._head], "key": key[0, self._head]}
        return query, key, value

    def scores(self, site: Site, scores: Tensor) -> Tensor:
        self.seen["scaled"] = scores[0, self._head]
        return scores

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        self.seen["weights"] = weights[0, self._head]
        return weights


@torch.inference_mode()
def query_key(translator: Translator, pair: SentencePair, head: Head) -> QueryKey:
    """Read a pair, teacher-forced, and look into one head.

    Raises:
        HeadscopeError: the model has no such head.
    """
    require(translator.model.config, [head])
    probe = _HeadDetail(head)
    log_probs(translator.model, forced_batch(translator, [pair]), probe=probe)
    query, key, scaled, weights = (to_numpy(probe.seen[name]) for name in ("query", "key", "scaled", "weights"))
    queries = tokens(translator, *((pair.source, "source") if head.kind == "encoder" else (pair.target, "reads")))
    keys = tokens(translator, *((pair.target, "reads") if head.kind == "decoder" else (pair.source, "source")))
    allowed = np.tri(*scaled.shape, dtype=bool) if head.kind == "decoder" else np.ones(scaled.shape, dtype=bool)
    return QueryKey(
        head=head,
        queries=queries,
        keys=keys,
        query=query,
        key=key,
        scores=query @ key.T,
        scaled=scaled,
        masked=np.where(allowed, scaled, -np.inf),
        weights=weights,
    )
