"""Probes that keep what they are shown, and some that change it; and what a tiny model shows them."""

from torch import Tensor

from headscope.model.network.probe import Probe
from headscope.model.network.transformer import Transformer
from headscope.model.sites import Site
from tests.toys import random_batch, tiny_config

SITES = tiny_config().sites()
"""Of the tiny model."""
ATTENTION = [site for site in SITES if site.attends]


class Weights(Probe):
    """Keeps the weights of every kind of attention."""

    def __init__(self) -> None:
        self.seen: dict[Site, Tensor] = {}

    def wants(self, site: Site) -> bool:
        return site.attends

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        self.seen[site] = weights
        return weights


class Everything(Probe):
    """Keeps all that passes by, under (method, site or side); changes nothing unless `change` is told to."""

    def __init__(self) -> None:
        self.seen: dict[tuple, tuple[Tensor, ...]] = {}

    def wants(self, site: Site) -> bool:
        return True

    def change(self, name: str, place, value):
        return value

    def _pass(self, name: str, place, *tensors: Tensor):
        assert (name, place) not in self.seen, "called twice"
        self.seen[name, place] = tuple(tensor.detach().clone() for tensor in tensors)
        return self.change(name, place, tensors[-1])

    def projections(self, site, query, key, value):
        self._pass("projections", site, query, key, value)
        return self.change("query", site, query), self.change("key", site, key), self.change("value", site, value)

    def scores(self, site, scores):
        return self._pass("scores", site, scores)

    def weights(self, site, weights):
        return self._pass("weights", site, weights)

    def context(self, site, weights, value, context):
        return self._pass("context", site, weights, value, context)

    def residual(self, site, stream, update, normed):
        return self._pass("residual", site, stream, update, normed)

    def embedded(self, side, tokens, positions, total):
        return self._pass("embedded", side, tokens, positions, total)

    def logits(self, logits):
        return self._pass("logits", None, logits)


class Doubling(Everything):
    """Doubles what one method returns at one place."""

    def __init__(self, name: str, place) -> None:
        super().__init__()
        self.target = (name, place)

    def change(self, name, place, value):
        return 2 * value if (name, place) == self.target else value


class Some(Everything):
    """Wants one site."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.site = site

    def wants(self, site: Site) -> bool:
        return site == self.site


def capture(model: Transformer, **batch) -> dict[tuple, tuple[Tensor, ...]]:
    """Everything that passes by in one pass over a random batch."""
    probe = Everything()
    model(*random_batch(**batch), probe=probe)
    return probe.seen


def named(place: Site | str) -> str:
    """A site, or a side, as tests are called."""
    return place if isinstance(place, str) else f"{place.kind} {place.layer}"
