import pytest
import torch

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.methods.value_zeroing import moves, value_zeroing
from headscope.analysis.attribution.values.entropy import ENTROPY
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probe
from headscope.model.sites import Site, site_at
from tests.analysis.attribution.sums import ask
from tests.toy_seq2seq import mixing_translator

pytestmark = pytest.mark.usefixtures("float64")


class Without(Probe):
    """One value of one layer set to zero, in a pass of its own; keeps what the layer leaves."""

    def __init__(self, site: Site, key: int, last: Site) -> None:
        self.site, self.key, self.last = site, key, last

    def wants(self, site):
        return site in (self.site, self.last)

    def projections(self, site, query, key, value):
        value = value.clone()
        if self.key >= 0:
            value[:, :, self.key] = 0
        return query, key, value

    def residual(self, site, stream, update, normed):
        if site == self.last:
            self.left = normed[0]
        return normed


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_each_move_is_that_of_a_pass_of_its_own(exact, norm):
    translator = exact(norm=norm)
    asked = ask(translator, sentence_pair(translator, "a b c d", "e f"), LOG_PROB)
    inputs, config = asked.inputs, translator.model.config

    def left(kind: str, layer: int, key: int) -> torch.Tensor:
        last = site_at(config, "encoder feed-forward" if kind == "encoder" else "decoder feed-forward", layer)
        probe = Without(site_at(config, kind, layer), key, last)
        inputs.states(inputs.source[None], inputs.target[None], probe=probe)
        return probe.left

    encoder, decoder = moves(inputs)
    assert (len(encoder), len(decoder)) == (2, 3)
    for kind, layer, found in (
        ("encoder", 1, encoder[1]),
        ("decoder", 2, decoder[2][:, :3]),
        ("cross", 1, decoder[1][:, 3:]),
    ):
        for key in range(found.shape[1]):
            due = 1 - torch.nn.functional.cosine_similarity(left(kind, layer, key), left(kind, layer, -1), dim=-1)
            torch.testing.assert_close(found[:, key], due, rtol=0, atol=1e-9)


def test_shares_sum_to_one(exact):
    translator = exact()
    found = value_zeroing(ask(translator, sentence_pair(translator, "a b c d", "e f"), LOG_PROB))
    total = found.from_source.sum((1, 2)) + found.from_target.sum((1, 2))
    torch.testing.assert_close(total, torch.ones(3), rtol=0, atol=1e-9)
    assert not found.from_target[..., 0].triu(1).any()


def test_of_one_layer_it_is_the_normalised_moves(exact):
    stack = {"layers": 1, "heads": 2, "feed_forward": 24}
    translator = exact(encoder=stack, decoder=stack)
    asked = ask(translator, sentence_pair(translator, "a b c d", "e f"), LOG_PROB)
    found, (encoder, decoder) = value_zeroing(asked), moves(asked.inputs)
    read, row = encoder[0] / encoder[0].sum(-1, keepdim=True), decoder[0] / decoder[0].sum(-1, keepdim=True)
    torch.testing.assert_close(found.from_source[..., 0], row[:, 3:] @ read, rtol=0, atol=1e-9)
    torch.testing.assert_close(found.from_target[..., 0], row[:, :3], rtol=0, atol=1e-9)


def test_it_explains_nothing_in_particular(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b", "e")
    with pytest.raises(HeadscopeError, match="for entropy choose another method"):
        attribute(translator, pair, "value zeroing", explained=ENTROPY)
    other = mixing_translator()
    with pytest.raises(HeadscopeError, match="no residual stream"):
        attribute(other, sentence_pair(other, "a b", "e"), "value zeroing")
