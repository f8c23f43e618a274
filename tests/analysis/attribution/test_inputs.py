import pytest
import torch

from headscope.analysis.attribution.inputs import baseline, inputs
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError
from tests.toy_seq2seq import mixing_translator

pytestmark = pytest.mark.usefixtures("float64")


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary", "none"])
def test_a_pass_from_the_inputs_is_a_pass_from_the_pieces(exact, positions):
    translator = exact(positions=positions)
    model, vocabulary = translator.model, translator.vocabulary
    pair = sentence_pair(translator, "a b c d", "e f")
    found = inputs(translator, pair)
    source = torch.tensor([[*pair.source.ids, vocabulary.end]])
    reads = torch.tensor([[vocabulary.start, *pair.target.ids]])
    expected = model(source, torch.ones_like(source, dtype=torch.bool), reads)[0]
    states = found.states(found.source[None], found.target[None])
    torch.testing.assert_close(found.logits(states[0]), expected, rtol=0, atol=1e-9)
    first = found.states(found.source[None], found.target[None, :2])
    torch.testing.assert_close(first, states[:, :2], rtol=0, atol=1e-9)
    assert found.predicts.tolist() == [*pair.target.ids, vocabulary.end]


@pytest.mark.parametrize("rows", [1, 2, 8])
@pytest.mark.parametrize("positions", ["sinusoidal", "rotary"])
def test_states_that_grow_are_the_same(exact, rows, positions):
    translator = exact(positions=positions)
    found = inputs(translator, sentence_pair(translator, "a b c d", "e f g h"))
    sources, targets = (torch.stack([part, 2 * part]) for part in (found.source, found.target))
    parts = list(found.growing(sources, targets, rows))
    assert [len(part) for part in parts] == [min(rows, 5 - first) for first in range(0, 5, rows)]
    grown = torch.stack([state for part in parts for state in part], dim=1)
    torch.testing.assert_close(grown, found.states(sources, targets), rtol=0, atol=1e-9)


def test_another_model_makes_all_states_at_once():
    translator = mixing_translator()
    found = inputs(translator, sentence_pair(translator, "a b c d", "e f"))
    (whole,) = found.growing(found.source[None], found.target[None], 1)
    torch.testing.assert_close(torch.stack(whole, dim=1), found.states(found.source[None], found.target[None]))


def test_source_and_target_are_told_apart_though_they_share_a_table(exact):
    translator = exact()
    found = inputs(translator, sentence_pair(translator, "a b c", "a b"))
    assert translator.model.config.share_source_target
    assert (len(found.source), len(found.target)) == (4, 3)
    assert found.source.data_ptr() != found.target.data_ptr()


def test_baselines(exact):
    translator = exact()
    vocabulary, scale = translator.vocabulary, translator.model.scale
    pair = sentence_pair(translator, "a b c", "a b")
    table = translator.model.source_embedding.weight * scale
    zero, unknown, mean = (baseline(translator, pair, name) for name in ("zero", "unknown", "mean"))
    assert not any(part.any() for part in zero)
    blank = [vocabulary.unknown] * 3
    assert torch.equal(unknown[0], table[[*blank, vocabulary.end]])
    assert torch.equal(unknown[1], table[[vocabulary.start, *blank[:2]]])
    torch.testing.assert_close(mean[0], table.mean(0).expand(4, -1), rtol=0, atol=1e-12)


def test_a_decoder_that_sees_what_it_is_to_predict_is_refused(exact):
    translator = exact(attention={"causal": False})
    with pytest.raises(HeadscopeError, match="no causal mask"):
        inputs(translator, sentence_pair(translator, "a", "b"))
