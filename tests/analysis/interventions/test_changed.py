"""A checkpoint with a change answers as a pass with the probe does."""

import numpy as np
import pytest
import torch

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.capture.attention import record
from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.interventions.changed import changed
from headscope.analysis.interventions.heads import Zeroed
from headscope.analysis.interventions.positions import Shifted
from headscope.analysis.positions.table import position_table
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probes
from headscope.model.network.seq2seq import Seq2Seq

HEADS = [Head("encoder", 0, 1), Head("cross", 2, 0)]


@pytest.fixture
def both(exact):
    """A translator, what changes it, and the changed one."""
    translator = exact()
    change = Probes(Zeroed(translator.model.config, HEADS), Shifted(3))
    return translator, change, changed(translator, change, name="other")


def test_it_is_a_model_like_any_other(both):
    translator, _, other = both
    assert isinstance(other.model, Seq2Seq)
    assert other.model.sites() == translator.model.sites()
    assert other.card.name == "other"
    assert other.weights_digest != translator.weights_digest
    assert next(other.model.parameters()) is next(translator.model.parameters())


def test_passes_and_searches_go_by_the_change(both):
    translator, change, other = both
    pair = sentence_pair(translator, "a b c d", "e f g")
    ours, theirs = record(other, pair), record(translator, pair, probe=change)
    for kind in ours.maps:
        for a, b in zip(ours.layers(kind), theirs.layers(kind), strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours.log_probs, theirs.log_probs, rtol=0, atol=1e-12)
    assert not np.allclose(ours.log_probs, record(translator, pair).log_probs)
    found, expected = other.translate(["a b c d"])[0], translator.translate(["a b c d"], probe=change)[0]
    assert found.hypotheses == expected.hypotheses
    (scored,) = other.score([("a b c d", "e f g")])
    assert scored.log_probs == pytest.approx(ours.log_probs.tolist(), abs=1e-9)


def test_attributions_sum_to_what_the_changed_model_does(both):
    _, _, other = both
    pair = sentence_pair(other, "a b c d", "e f")
    found = attribute(other, pair, "integrated gradients")
    whole = log_probs(other.model, forced_batch(other, [pair]))[0]
    np.testing.assert_allclose(found.values, whole.detach().numpy(), rtol=0, atol=1e-9)
    assert float(found.error.max()) < 0.01


def test_what_takes_layers_apart_refuses_it(both):
    with pytest.raises(HeadscopeError, match="need the layers of a Transformer"):
        position_table(both[2], 8)


def test_a_change_sees_pieces_as_the_checkpoint_does(both):
    translator, _, other = both
    assert other.in_pieces().weights_digest == other.weights_digest
    with torch.no_grad():
        assert other.in_pieces().score([("a b", "c")]) == other.score([("a b", "c")])
    assert translator.in_pieces().score([("a b", "c")]) != other.in_pieces().score([("a b", "c")])
