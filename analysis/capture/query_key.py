"""Inside one head: from queries and keys to weights, step by step (Vaswani et al. 2017, equation 1).

`Q` queries, `K` keys, `d` width of a head.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from headscope.analysis.capture.attention import source_tokens, target_tokens
from headscope.analysis.capture.forced import forced_batch, log_probs, to_numpy
from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.records.heads import Head, require, site_of
from headscope.model.network.finite import require_finite
from headscope.model.network.probe import ForwardContext, Probe
from headscope.model.sites import Site
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

    def __init__(self, site: Site, head: Head) -> None:
        self._site, self._head = site, head
        self.seen: dict[str, Tensor] = {}

    def wants(self, site: Site) -> bool:
        return site == self._site

    def begin(self, forward: ForwardContext) -> None:
        if links := forward.links.get(self._head.kind):
            self.seen["allowed"] = links.allowed(0)

    def projections(self, site: Site, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        self.seen |= {"query": query[0, self._head.head], "key": key[0, self._head.head]}
        return query, key, value

    def scores(self, site: Site, scores: Tensor) -> Tensor:
        self.seen["scaled"] = scores[0, self._head.head]
        return scores

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        self.seen["weights"] = weights[0, self._head.head]
        return weights


@torch.inference_mode()
def query_key(translator: Translator, pair: SentencePair, head: Head) -> QueryKey:
    """Read a pair, teacher-forced, and look into one head.

    Raises:
        HeadscopeError: the model has no such head, its weights do not come from products, or one is not finite.
    """
    model = translator.model
    require(model, [head])
    model.capabilities().require_products(head.kind, "queries and keys to look at")
    site = site_of(model, head)
    probe = _HeadDetail(site, head)
    log_probs(model, forced_batch(translator, [pair]), probe=probe)
    scores = probe.seen["query"] @ probe.seen["key"].T
    for values in (scores, probe.seen["scaled"]):
        require_finite(values, model, "products of queries and keys")
    query, key, scaled, weights = (to_numpy(probe.seen[name]) for name in ("query", "key", "scaled", "weights"))
    sides = {"source": source_tokens(translator, pair.source), "target": target_tokens(translator, pair)[0]}
    return QueryKey(
        head=head,
        queries=sides[site.queries],
        keys=sides[site.keys],
        query=query,
        key=key,
        scores=to_numpy(scores),
        scaled=scaled,
        masked=np.where(probe.seen["allowed"].cpu().numpy(), scaled, -np.inf),
        weights=weights,
    )
