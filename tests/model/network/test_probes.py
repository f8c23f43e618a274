"""Several probes as one."""

import pytest
import torch

from headscope.model.network.probe import ForwardContext, Probe, Probes
from headscope.model.sites import Site
from tests.probes import ATTENTION, SITES, Doubling, Everything, Some
from tests.toys import random_batch, tiny_model


class Adding(Everything):
    """Adds a number to what one method returns."""

    def __init__(self, by: float, name: str, place) -> None:
        super().__init__()
        self.by, self.target = by, (name, place)

    def wants(self, site: Site) -> bool:
        return self.target[1] in (site, None)

    def change(self, name, place, value):
        return value + self.by if (name, place) == self.target else value


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("name", ["query", "key", "value", "scores", "weights", "context", "residual"])
def test_probes_see_in_order_what_the_one_before_left(name):
    place = ATTENTION[-1]
    model, batch = tiny_model(), random_batch()
    first, second = Doubling(name, place), Adding(1, name, place)
    found = model(*batch, probe=Probes(first, second))
    method = "projections" if name in ("query", "key", "value") else name
    at = {"query": 0, "key": 1, "value": 2}.get(name, -1)
    torch.testing.assert_close(second.seen[method, place][at], 2 * first.seen[method, place][at], rtol=0, atol=1e-12)

    class Together(Doubling):
        def change(self, name, place, value):
            return 2 * value + 1 if (name, place) == self.target else value

    torch.testing.assert_close(found, model(*batch, probe=Together(name, place)), rtol=0, atol=1e-9)


@pytest.mark.usefixtures("float64")
def test_embeddings_and_logits_pass_through_all_probes():
    model, batch = tiny_model(), random_batch()
    for name, place in (("embedded", "source"), ("embedded", "target"), ("logits", None)):
        first, second = Doubling(name, place), Adding(1, name, place)
        found = model(*batch, probe=Probes(first, second))
        torch.testing.assert_close(second.seen[name, place][-1], 2 * first.seen[name, place][-1], rtol=0, atol=0)
        if name == "logits":
            torch.testing.assert_close(found, 2 * model(*batch, probe=Everything()) + 1, rtol=0, atol=1e-9)


def test_each_probe_is_called_at_the_sites_it_wants():
    both = [Some(SITES[0]), Some(ATTENTION[-1])]
    tiny_model()(*random_batch(), probe=Probes(*both))
    for probe in both:
        assert {site for _, site in probe.seen if isinstance(site, Site)} == {probe.site}
    assert not any(Probes(*both).wants(site) for site in SITES if site not in (SITES[0], ATTENTION[-1]))
    assert not Probes().wants(SITES[0])


def test_every_probe_is_told_of_every_pass():
    class Told(Probe):
        def __init__(self) -> None:
            self.passes: list[ForwardContext] = []

        def begin(self, forward: ForwardContext) -> None:
            self.passes.append(forward)

    first, second = Told(), Told()
    tiny_model()(*random_batch(), probe=Probes(first, second))
    assert [set(forward.links) for forward in first.passes] == [{"encoder"}, {"decoder", "cross"}]
    assert first.passes == second.passes


def test_what_a_probe_does_belongs_to_it_alone_unless_it_says_so():
    probe = Probe()
    assert probe.describe() != probe.describe() != Probe().describe()

    class Known(Probe):
        def describe(self) -> str:
            return "known"

    assert Probes(Known(), Known()).describe() == "known, then known"
