"""Other scores of queries and keys than the scaled dot product, as `ModelConfig.attention` names them.

Each is a `Compatibility` in the place of the paper's: softmax, mask, dropout, probe and cache are those of
`MultiHeadAttention` all the same, and what a probe sees as scores is what the softmax is taken of.

`B` batch, `H` heads, `Q` queries, `K` keys, `d` width of a head's queries and keys, `e` of its values.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from headscope.model.config import ModelConfig
from headscope.model.network.attention import Compatibility, attend, attention_scores, attention_weights
from headscope.model.network.dropout import dropout
from headscope.model.network.probe import Links
from headscope.model.network.relative_positions import distances
from headscope.model.sites import AttentionKind

AWAY = 1e4
"""How much a key's score falls with every place that it stands further from the wanted one: e^-10000 is exactly 0."""


def compatibility(config: ModelConfig, kind: AttentionKind, heads: int) -> Compatibility:
    """What the configuration says of a kind of attention, in a layer with so many heads."""
    chosen = config.attention.of(kind)
    if chosen.pattern == "uniform":
        return Uniform()
    if chosen.pattern == "positional":
        return Positional(heads, chosen.offsets)
    width = config.key_width(heads)
    if chosen.score == "additive":
        return Additive(heads, width, chosen.temperature)
    if chosen.plain:
        return Compatibility()
    return Product(1.0 if chosen.score == "unscaled" else width**-0.5, chosen.temperature)


class Explicit(Compatibility):
    """One without a kernel of its own: scores, softmax, dropout and sum one after the other."""

    def attend(
        self,
        query: Float[Tensor, "B H Q d"],
        keys_values: tuple[Float[Tensor, "B H K d"], Float[Tensor, "B H K e"]],
        links: Links,
        bias: Float[Tensor, "#B H Q K"] | None,
        dropout_rate: float,
    ) -> Float[Tensor, "B H Q e"]:
        """softmax(scores)V."""
        key, value = keys_values
        scores = self.scores(query, key, links, bias)
        with torch.autocast(scores.device.type, enabled=False):
            weights = dropout(attention_weights(scores, links.mask), dropout_rate, True)
        return weights @ value


class Product(Compatibility):
    """(scale · q·k + bias) / temperature."""

    def __init__(self, scale: float, temperature: float) -> None:
        super().__init__()
        self.scale, self.temperature = scale, temperature

    def scores(
        self,
        query: Float[Tensor, "B H Q d"],
        key: Float[Tensor, "B H K d"],
        links: Links,
        bias: Float[Tensor, "#B H Q K"] | None,
    ) -> Float[Tensor, "B H Q K"]:
        """What the mask and the softmax are applied to."""
        return attention_scores(self._ready(query), key, self._cooled(bias))

    def attend(
        self,
        query: Float[Tensor, "B H Q d"],
        keys_values: tuple[Float[Tensor, "B H K d"], Float[Tensor, "B H K e"]],
        links: Links,
        bias: Float[Tensor, "#B H Q K"] | None,
        dropout_rate: float,
    ) -> Float[Tensor, "B H Q e"]:
        """By the kernels of the scaled dot product, of a query that undoes their scale."""
        key, value = keys_values
        cooled = self._cooled(bias)
        return attend(self._ready(query), key, value, mask=links.mask, bias=cooled, dropout_rate=dropout_rate)

    def _ready(self, query: Tensor) -> Tensor:
        return query * (self.scale * math.sqrt(query.shape[-1]) / self.temperature)

    def _cooled(self, bias: Tensor | None) -> Tensor | None:
        return None if bias is None else bias / self.temperature


class Additive(Explicit):
    """(v·tanh(q + k) + bias) / temperature, with a trained v for each head (Bahdanau et al. 2014).

    Their W s + U h are the projected query and key. All sums q + k are in memory at once: d times what products take.
    """

    def __init__(self, heads: int, width: int, temperature: float) -> None:
        super().__init__()
        self.vector = nn.Parameter(torch.empty(heads, width))
        nn.init.xavier_uniform_(self.vector)
        self.temperature = temperature

    def scores(
        self,
        query: Float[Tensor, "B H Q d"],
        key: Float[Tensor, "B H K d"],
        links: Links,
        bias: Float[Tensor, "#B H Q K"] | None,
    ) -> Float[Tensor, "B H Q K"]:
        """What the mask and the softmax are applied to."""
        sums = torch.tanh(query[:, :, :, None] + key[:, :, None])
        found = (sums @ self.vector[:, None, :, None])[..., 0]
        return (found if bias is None else found + bias) / self.temperature


class Uniform(Explicit):
    """Every key that may be looked at weighs the same: each head takes the mean of the values."""

    projects = False

    def scores(
        self,
        query: Float[Tensor, "B H Q d"],
        key: Float[Tensor, "B H K d"],
        links: Links,
        bias: Float[Tensor, "#B H Q K"] | None,
    ) -> Float[Tensor, "B H Q K"]:
        """Zeros."""
        return query.new_zeros(*query.shape[:3], key.shape[2])


class Positional(Explicit):
    """Each head looks at the key that stands at one distance of the query, or at the nearest that it may look at."""

    projects = False

    def __init__(self, heads: int, offsets: tuple[int, ...]) -> None:
        super().__init__()
        cycle = [offsets[head % len(offsets)] for head in range(heads)]
        self.register_buffer("offsets", torch.tensor(cycle), persistent=False)
        self.offsets: Tensor

    def scores(
        self,
        query: Float[Tensor, "B H Q d"],
        key: Float[Tensor, "B H K d"],
        links: Links,
        bias: Float[Tensor, "#B H Q K"] | None,
    ) -> Float[Tensor, "B H Q K"]:
        """-10,000 for each place from the wanted one; in float32 at least, where distant places stay apart."""
        away = (distances(links.queries, links.keys) - self.offsets[:, None, None]).abs()
        scores = -AWAY * away.to(torch.promote_types(query.dtype, torch.float32))
        return scores.expand(len(query), -1, -1, -1)
