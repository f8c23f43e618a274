"""Keys and values kept between the steps of decoding.

`N` sentences, `R` rows (hypotheses; R / N a sentence), `H` heads, `T` steps so far, `S` source pieces, `d` width of a
head's keys, `e` of its values.
"""

import copy

import torch
from jaxtyping import Float, Int
from torch import Tensor

from headscope.model.network.masks import Mask


class SelfCache:
    """Keys and values of one decoder layer's own pieces, one row a hypothesis."""

    def __init__(self) -> None:
        self._key: Tensor | None = None
        self._value: Tensor | None = None

    def extend(
        self, key: Float[Tensor, "R H t d"], value: Float[Tensor, "R H t e"]
    ) -> tuple[Float[Tensor, "R H T d"], Float[Tensor, "R H T e"]]:
        """Add the newest steps and return all of them."""
        if self._key is None or self._value is None:
            self._key, self._value = key, value
        else:
            self._key = torch.cat([self._key, key], dim=2)
            self._value = torch.cat([self._value, value], dim=2)
        return self._key, self._value

    def select(self, rows: Int[Tensor, " r"]) -> None:
        """Go on with these rows, in this order; a row may be taken several times."""
        if self._key is not None and self._value is not None:
            self._key, self._value = self._key.index_select(0, rows), self._value.index_select(0, rows)


class DecoderCache:
    """All that decoding keeps: self-attention by hypothesis, cross-attention by sentence, the number of pieces read."""

    def __init__(
        self, cross: list[tuple[Float[Tensor, "N H S d"], Float[Tensor, "N H S e"]]], mask: Mask | None
    ) -> None:
        self.length = 0
        self.layers = [SelfCache() for _ in cross]
        self.cross = cross
        self.mask = mask

    def drop_idle_mask(self) -> None:
        """Decode without the mask where no sentence is padded: one alone, to begin with."""
        if self.mask is not None and bool(self.mask.allowed.all()):
            self.mask = None

    def branch(self) -> "DecoderCache":
        """A second one that begins where this one stands; what becomes of either does not touch the other."""
        other = copy.copy(self)
        other.layers = [copy.copy(layer) for layer in self.layers]
        return other

    def select(self, rows: Int[Tensor, " r"]) -> None:
        """Go on with these hypotheses: after every step of a beam, each in the place of its parent."""
        for layer in self.layers:
            layer.select(rows)

    def keep_sentences(self, sentences: Int[Tensor, " n"]) -> None:
        """Drop the source side of all other sentences; the caller drops their rows with `select`."""
        self.cross = [(key[sentences], value[sentences]) for key, value in self.cross]
        self.mask = self.mask and self.mask.rows(sentences)
