"""Masks and positions of a pass, in the cache as in a whole pass, and what probes are told of them."""

import pytest
import torch
from torch import Tensor

from headscope.model.network.positions import PositionScheme
from headscope.model.network.probe import ForwardContext, Links, Probe
from headscope.model.network.transformer import Transformer
from headscope.model.sites import KINDS
from tests.probes import Weights
from tests.toys import random_batch, tiny_model

pytestmark = pytest.mark.usefixtures("float64")


class Window(PositionScheme):
    """Own pieces at most two back, and the source no further than two from the query's place."""

    def visible(self, queries, keys, kind):
        return (queries[:, None] - keys).abs() <= 2


class Relative(PositionScheme):
    """A bias that falls with the distance, steeper in every head."""

    def bias(self, query, queries, keys, site):
        away = (queries[:, None] - keys).abs().to(torch.get_default_dtype())
        return -torch.arange(1, site.heads + 1)[None, :, None, None] * 0.3 * away


class Both(Window, Relative):
    """A window and a bias."""


class Heard(Probe):
    """Keeps what it is told of every pass."""

    def __init__(self) -> None:
        self.passes: list[ForwardContext] = []

    def begin(self, forward: ForwardContext) -> None:
        self.passes.append(forward)


def with_scheme(scheme: type[PositionScheme]) -> Transformer:
    model = tiny_model()
    model.positions = scheme()
    return model


@pytest.mark.parametrize("scheme", [Window, Relative, Both])
@pytest.mark.parametrize("rows", [1, 3])
def test_cached_steps_equal_the_whole_pass(scheme, rows):
    model = with_scheme(scheme)
    source, present, _ = random_batch((6, 4), (1, 1))
    target = torch.randint(3, 12, (2 * rows, 7), generator=torch.Generator().manual_seed(1))
    memory = model.encode(model.embed("source", source), present)
    full = model.project(model.decode(model.embed("target", target), memory))
    assert not torch.allclose(full, tiny_model()(source, present, target))

    cache, plain = model.start(memory), Weights()
    cache.select(torch.arange(2).repeat_interleave(rows))
    for t in range(7):
        torch.testing.assert_close(model.step(target[:, t], cache), full[:, t], rtol=0, atol=1e-9)
    parts, cache = [], model.start(memory)
    for first, last in ((0, 3), (3, 4), (4, 7)):
        embedded = model.embed("target", target[:, first:last], first=first)
        parts.append(model.project(model.decode(embedded, cache=cache, probe=plain)))
    torch.testing.assert_close(torch.cat(parts, dim=1), full, rtol=0, atol=1e-9)


def test_a_window_hides_what_is_far_in_every_kind_of_attention():
    probe = Weights()
    with_scheme(Window)(*random_batch((6,), (7,)), probe=probe)
    for weights in probe.seen.values():
        queries, keys = weights.shape[2:]
        away = (torch.arange(queries)[:, None] - torch.arange(keys)).abs()
        assert (weights[..., away > 2] == 0).all()
        assert (weights[..., away <= 2] > 0).any()


def test_several_targets_a_source_share_a_window():
    model = with_scheme(Window)
    source, present, _ = random_batch((6, 4), (1, 1))
    target = torch.randint(3, 12, (6, 5), generator=torch.Generator().manual_seed(2))
    beside = model(source, present, target)
    alone = model(source.repeat_interleave(3, 0), present.repeat_interleave(3, 0), target)
    torch.testing.assert_close(beside, alone, rtol=0, atol=1e-9)
    torch.testing.assert_close(model(source, present, target, probe=Weights()), alone, rtol=0, atol=1e-9)


def test_a_probe_is_told_of_masks_and_positions_in_every_pass_and_step():
    model, probe = tiny_model(), Heard()
    source, present, target = random_batch((5, 3), (4, 2))
    model(source, present, target, probe=probe)
    encoder, decoder = probe.passes
    assert set(encoder.links) | set(decoder.links) == set(KINDS)
    assert encoder.probe is decoder.probe is probe
    assert encoder.links["encoder"].allowed(1).equal(present[1].expand(5, 5))
    assert decoder.links["cross"].allowed(1).equal(present[1].expand(4, 5))
    assert decoder.links["decoder"].allowed(1).equal(torch.ones(4, 4).tril().bool())

    probe = Heard()
    cache = model.start(model.encode(model.embed("source", source), present))
    for t in range(3):
        model.step(target[:, t], cache, probe=probe)
    for t, step in enumerate(probe.passes):
        own = step.links["decoder"]
        assert (own.queries.tolist(), own.keys.tolist()) == ([t], list(range(t + 1)))
        assert own.mask is None  # nothing is hidden from the newest piece, and no mask is the fastest
        assert own.allowed(0).all()
        assert step.links["cross"].queries.tolist() == [t]


def test_links_without_a_mask_allow_all():
    links = Links(None, torch.arange(2, 4), torch.arange(5))
    assert links.allowed(3).equal(torch.ones(2, 5, dtype=torch.bool))


def test_a_row_whose_window_holds_padding_alone_stays_finite():
    model = with_scheme(Window)
    source, present, target = random_batch((7, 2), (6, 6))
    out: Tensor = model(source, present, target)
    assert out.isfinite().all()
