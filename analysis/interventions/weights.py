"""One weight of one head set to a value: a probe that any pass and any search can be given.

`B` sentences or hypotheses, `H` heads, `Q` queries, `K` keys.
"""

from jaxtyping import Float
from torch import Tensor

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.heads import Cell, require, site_of
from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import ForwardContext, Links, Probe
from headscope.model.sites import KINDS, Anatomy, AttentionKind, Site


class WeightSet(Probe):
    """One weight set, and the rest of its row scaled so that the row still sums to 1.

    Where the rest is nothing it is shared out evenly among the other keys that the query may look at; a query with no
    other key keeps its weight of 1. In a search every hypothesis is changed at the step that is this query.
    """

    def __init__(self, model: Anatomy, cell: Cell, weight: float) -> None:
        """Choose the weight.

        Args:
            model: or its configuration.
            weight: from 0 to 1.

        Raises:
            HeadscopeError: the model lacks the head, or the weight is none.
        """
        require(model, [cell.head])
        if not 0 <= weight <= 1:
            raise HeadscopeError(f"a weight of {weight:g} is out of range: choose one from 0 to 1")
        self._site, self._cell, self._weight = site_of(model, cell.head), cell, weight
        self._links: dict[AttentionKind, Links] = {}

    def wants(self, site: Site) -> bool:
        """The attention this head is in."""
        return site == self._site

    def describe(self) -> str:
        """Which weight, and its value."""
        return f"{type(self).__name__} {self._cell} {self._weight!r}"

    def begin(self, forward: ForwardContext) -> None:
        """Keep where the queries stand, for a search reads the target piece by piece."""
        self._links |= forward.links

    def weights(self, site: Site, weights: Float[Tensor, "B H Q K"]) -> Float[Tensor, "B H Q K"]:
        """The weights with that row of that head changed."""
        assert site.kind in KINDS
        links, cell = self._links[site.kind], self._cell
        at = (links.queries == cell.query).nonzero().flatten().tolist()
        if not at or cell.key >= weights.shape[-1]:
            return weights
        changed = weights.clone()
        for row in range(len(weights)):
            changed[row, cell.head.head, at[0]] = self._row(weights[row, cell.head.head, at[0]], links, row, at[0])
        return changed

    def _row(self, weights: Tensor, links: Links, row: int, query: int) -> Tensor:
        key = self._cell.key
        others = links.allowed(row)[query].clone()
        if not others[key]:
            return weights
        others[key] = False
        if not others.any():
            return weights
        rest = weights * others
        rest = rest if rest.sum() > 0 else others.to(weights.dtype)
        rest = rest * ((1 - self._weight) / rest.sum())
        rest[key] = self._weight
        return rest


def require_cell(maps: AttentionMaps, cell: Cell) -> None:
    """Check that a record has a weight that can be set.

    Raises:
        HeadscopeError: it has no such cell, or the query may not look there, or at nothing else.
    """
    allowed = maps.allowed[cell.head.kind]
    rows, columns = allowed.shape
    if cell.query >= rows or cell.key >= columns:
        raise HeadscopeError(
            f"there is no weight in row {cell.query + 1}, column {cell.key + 1}: "
            f"this map has {rows} rows and {columns} columns"
        )
    if not allowed[cell.query, cell.key]:
        raise HeadscopeError(
            f"row {cell.query + 1} may not look at column {cell.key + 1}, which comes after it: choose an earlier one"
        )
    if allowed[cell.query].sum() == 1:
        raise HeadscopeError(f"row {cell.query + 1} has one key alone, whose weight is always 1: choose another row")
