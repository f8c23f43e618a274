"""Where a model in training drops what, and that evaluation drops nothing."""

import pytest
import torch
from torch import Tensor

from headscope.model.network.probe import Probe
from headscope.model.sites import Site
from tests.probes import Weights
from tests.toys import random_batch, tiny_model


class Places(Probe):
    """Keeps the tensors around which dropout may stand, of the first layers."""

    def __init__(self) -> None:
        self.seen: dict[tuple, Tensor] = {}

    def wants(self, site: Site) -> bool:
        return site.layer == 0

    def embedded(self, side, tokens, positions, total):
        self.seen["embedded", side] = total
        return total

    def context(self, site, weights, value, context):
        self.seen["weights drop", site.kind] = context - weights @ value
        return context

    def residual(self, site, stream, update, normed):
        self.seen["stream", site.kind] = stream
        self.seen["update", site.kind] = update
        return normed


def test_training_without_dropout_is_evaluation():
    model, batch = tiny_model(dropout=0), random_batch()
    plain = model(*batch)
    assert torch.equal(model.train()(*batch), plain)


@pytest.mark.parametrize("setting", ["dropout", "attention_dropout", "activation_dropout"])
def test_each_setting_drops_at_its_own_places(setting):
    model = tiny_model(**{"dropout": 0.0, setting: 0.5})
    batch, evaluated, trained = random_batch((12, 12), (12, 12)), Places(), Places()
    model(*batch, probe=evaluated)
    torch.manual_seed(0)
    model.train()(*batch, probe=trained)

    zeros = {key: (tensor == 0).double().mean().item() for key, tensor in trained.seen.items()}
    for kind in ("encoder", "decoder", "cross", "encoder feed-forward", "decoder feed-forward"):
        # On what a sub-layer adds (the paper).
        assert zeros["update", kind] == pytest.approx(0.5 if setting == "dropout" else 0, abs=0.1)
        # On the weights of attention, after they were shown.
        if "feed-forward" not in kind:
            drops = trained.seen["weights drop", kind].abs().max().item()
            assert (drops > 0.01) == (setting == "attention_dropout")
    # On the sum of embeddings and positions (the paper): half of what the first sub-layers find is zero.
    for kind, side in (("encoder", "source"), ("decoder", "target")):
        assert zeros["stream", kind] == pytest.approx(0.5 if setting == "dropout" else 0, abs=0.1)
        assert torch.equal(trained.seen["embedded", side], evaluated.seen["embedded", side])
    # Inside the feed-forward network: its update changes, and the attention before it does not.
    same = torch.allclose(trained.seen["update", "encoder"], evaluated.seen["update", "encoder"], atol=1e-6)
    assert same == (setting == "activation_dropout")
    assert not torch.equal(
        trained.seen["update", "encoder feed-forward"], evaluated.seen["update", "encoder feed-forward"]
    )


@pytest.mark.parametrize("probe", [None, Weights()])
def test_dropout_is_decided_by_the_seed(probe):
    model = tiny_model(dropout=0.3, attention_dropout=0.3, activation_dropout=0.3).train()
    batch = random_batch()

    def drawn(seed: int) -> Tensor:
        torch.manual_seed(seed)
        return model(*batch, probe=probe)

    assert torch.equal(drawn(1), drawn(1))
    assert not torch.equal(drawn(1), drawn(2))


def test_weights_are_shown_before_dropout():
    model, probe = tiny_model(attention_dropout=0.5).train(), Weights()
    model(*random_batch(), probe=probe)
    for weights in probe.seen.values():
        torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
