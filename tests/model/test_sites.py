import subprocess
import sys

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import ForwardContext, Probe
from headscope.model.sites import (
    KINDS,
    Capabilities,
    Site,
    heads_at,
    layers_of,
    require_length,
    site_at,
)
from tests.toys import random_batch, tiny_config, tiny_model


def test_every_sub_layer_in_the_order_of_a_pass():
    assert tiny_config().sites() == (
        *(
            site
            for layer in range(2)
            for site in (
                Site("encoder", layer, 4, "source", "source", False),
                Site("encoder feed-forward", layer, 0, "source", "source", False),
            )
        ),
        *(
            site
            for layer in range(3)
            for site in (
                Site("decoder", layer, 2, "target", "target", True),
                Site("cross", layer, 2, "target", "source", False),
                Site("decoder feed-forward", layer, 0, "target", "target", False),
            )
        ),
    )


def test_a_model_has_the_sites_of_its_configuration_and_visits_them_in_that_order():
    class Order(Probe):
        def __init__(self) -> None:
            self.seen: list[Site] = []

        def wants(self, site: Site) -> bool:
            return True

        def residual(self, site, stream, update, normed):
            self.seen.append(site)
            return normed

    model, probe = tiny_model(), Order()
    model(*random_batch(), probe=probe)
    assert tuple(probe.seen) == model.sites() == model.config.sites()


def test_what_a_site_says_of_queries_keys_and_causality_is_what_the_pass_does():
    class Passes(Probe):
        def __init__(self) -> None:
            self.links = {}

        def begin(self, forward: ForwardContext) -> None:
            self.links |= forward.links

    model, probe = tiny_model(), Passes()
    batch = random_batch((5,), (4,))
    model(*batch, probe=probe)
    sizes = {"source": 5, "target": 4}
    assert set(probe.links) == set(KINDS)
    for kind, links in probe.links.items():
        site = site_at(model, kind, 0)
        allowed = links.allowed(0)
        assert allowed.shape == (sizes[site.queries], sizes[site.keys])
        assert allowed.triu(1).any().item() != site.causal
        assert allowed.tril().equal(allowed.new_ones(allowed.shape).tril())


def test_layers_and_heads_of_a_kind():
    config = tiny_config()
    assert [site.layer for site in layers_of(config, "cross")] == [0, 1, 2]
    assert [site.heads for site in layers_of(config, "encoder")] == [4, 4]
    assert site_at(config, "encoder feed-forward", 1) == Site(
        "encoder feed-forward", 1, 0, "source", "source", causal=False
    )
    assert [heads_at(config, kind, 1) for kind in KINDS] == [4, 2, 2]
    assert heads_at(config, "encoder", 2) == 0
    assert {site.kind for site in config.sites() if site.attends} == set(KINDS)
    with pytest.raises(IndexError):
        site_at(config, "encoder", 2)


def test_what_a_model_cannot_show_is_said_in_one_line():
    whole = tiny_config(positions="learned", position_table=9).capabilities()
    assert whole == Capabilities(KINDS, residual_stream=True, position_limit=9)
    for kind in KINDS:
        whole.require_kind(kind)
    whole.require_residual_stream("contributions")

    some = Capabilities(("encoder", "decoder"), residual_stream=False, position_limit=None)
    some.require_kind("decoder")
    with pytest.raises(HeadscopeError, match=r"no heads of cross-attention .*encoder self-attention or decoder self"):
        some.require_kind("cross")
    with pytest.raises(HeadscopeError, match="no residual stream, so it has no contributions: choose another model"):
        some.require_residual_stream("contributions")
    with pytest.raises(HeadscopeError, match="no heads of encoder self-attention"):
        Capabilities((), residual_stream=True, position_limit=None).require_kind("encoder")


def test_sentences_that_fit():
    require_length(7, 7)
    require_length(10**9, None)
    with pytest.raises(HeadscopeError, match=r"8 pieces.*end at 7"):
        require_length(8, 7)


def test_sites_and_configurations_need_no_torch():
    code = "import sys, headscope.model.network.architectures; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_other_scores_and_a_decoder_that_looks_ahead_are_refused_where_they_would_mislead():
    changed = tiny_config(attention={"cross": {"pattern": "uniform"}, "causal": False}).capabilities()
    assert (changed.other_scores, changed.looks_ahead) == (("cross",), True)
    changed.require_products("encoder", "things")
    with pytest.raises(HeadscopeError, match=r"weights of cross-attention are not the softmax .* there are no things"):
        changed.require_products("cross", "things")
    with pytest.raises(HeadscopeError, match=r"no causal mask.*things would explain nothing"):
        changed.require_causal("things")
    tiny_config().capabilities().require_causal("things")
