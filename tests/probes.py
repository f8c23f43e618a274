"""Probes that keep what they are shown."""

from torch import Tensor

from headscope.model.network.probe import Probe
from headscope.model.sites import Site


class Weights(Probe):
    """Keeps the weights of every kind of attention."""

    def __init__(self) -> None:
        self.seen: dict[Site, Tensor] = {}

    def wants(self, site: Site) -> bool:
        return site.attends

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        self.seen[site] = weights
        return weights
