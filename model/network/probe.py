"""The one seam through which activations are read or changed.

A probe is given to one call of the model and belongs to it: nothing is stored on the model, so one model serves many
threads. Reading attention, removing heads, replacing weights, patching activations and taking gradients are all probes.

`B` batch, `H` heads, `Q` queries, `K` keys, `d` width of a head, `D` width of the model.
"""

from typing import Literal, NamedTuple

from torch import Tensor

Kind = Literal["encoder", "decoder", "cross", "encoder feed-forward", "decoder feed-forward"]


class Site(NamedTuple):
    """One sub-layer: the three kinds of attention, and the two feed-forward kinds (for `residual` alone)."""

    kind: Kind
    layer: int


class Probe:
    """Every method is the identity: override the ones of interest. The model goes on with what a method returns.

    A site for which `wants` is False stays on the fastest path, and none of its methods is called. In a search the
    decoder is called once a step, with the newest piece of each hypothesis as the only query: `B` counts hypotheses.
    """

    def wants(self, site: Site) -> bool:
        """Whether this site's methods are to be called."""
        return False

    def projections(self, site: Site, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries [B H Q d], keys and values [B H K d], after any rotation for positions."""
        return query, key, value

    def scores(self, site: Site, scores: Tensor) -> Tensor:
        """[B H Q K]: query times key over sqrt(d), position bias added, before the mask.

        Minus infinity closes a key; in every row one of the keys that the mask allows has to stay open.
        """
        return scores

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        """[B H Q K]: after the softmax, before dropout."""
        return weights

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        """[B H Q d]: weights times values, a head each, before the output projection."""
        return context

    def residual(self, site: Site, stream: Tensor, update: Tensor, normed: Tensor) -> Tensor:
        """After a sub-layer, all [B Q D]: the stream it found, what it adds, and the stream it leaves.

        Post-norm leaves LayerNorm(stream + update), pre-norm stream + update; the statistics of the norm are those of
        stream + update, or of the stream.
        """
        return normed

    def embedded(self, side: Literal["source", "target"], tokens: Tensor, positions: Tensor, total: Tensor) -> Tensor:
        """What enters the first layer: scaled embeddings [B Q D], the positions' vectors [Q D], and their sum."""
        return total

    def logits(self, logits: Tensor) -> Tensor:
        """[B Q V]: before the softmax over the vocabulary."""
        return logits
