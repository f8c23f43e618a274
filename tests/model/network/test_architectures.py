import pytest

from headscope.model.config import ModelConfig
from headscope.model.data.batching import EncodedCorpus, Sequences, make_batch
from headscope.model.errors import HeadscopeError
from headscope.model.network.architectures import ARCHITECTURES, FIRST, architecture, build
from headscope.model.network.seq2seq import DecoderState, Seq2Seq
from headscope.model.network.transformer import Transformer, transformer
from headscope.model.search.settings import SearchSettings
from headscope.model.training.step import Objective, TrainStep
from tests.toy_seq2seq import Mixer, mixing_translator
from tests.toys import random_batch, tiny_config, tiny_model


def test_a_name_leads_to_configuration_and_model():
    config = tiny_config()
    assert FIRST == config.architecture == "transformer"
    assert ARCHITECTURES["transformer"].config is ModelConfig
    assert isinstance(build(config), Transformer)


@pytest.mark.parametrize("name", ["mamba", None, 3, ["transformer"]])
def test_an_unknown_name_is_refused_with_those_that_are_known(name):
    with pytest.raises(HeadscopeError, match=r"architecture = .* is unknown: this version knows transformer"):
        architecture(name)


@pytest.mark.parametrize("model", [tiny_model(), Mixer()], ids=["transformer", "mixer"])
def test_models_are_what_the_rest_of_the_program_goes_by(model):
    assert isinstance(model, Seq2Seq)
    source, present, _ = random_batch()
    assert isinstance(model.start(model.encode(model.embed("source", source), present)), DecoderState)


def test_what_needs_the_layers_of_a_transformer_says_so():
    model = tiny_model()
    assert transformer(model, "contributions") is model
    with pytest.raises(HeadscopeError, match="contributions need the layers of a Transformer"):
        transformer(Mixer(), "contributions")


def test_another_architecture_translates_scores_and_is_trained():
    translator = mixing_translator()
    (found,) = translator.translate(["a b c"], settings=SearchSettings(beam=2, extra_length=3))
    (scored,) = translator.score([("a b c", found.text)])
    assert len(found.hypotheses[0].pieces) == 6
    assert scored.log_probs[:6] == pytest.approx(found.hypotheses[0].log_probs, abs=1e-5)

    model, vocabulary = translator.model.requires_grad_(True).train(), translator.vocabulary
    rows = Sequences.of([[5, 6, 7], [8, 9]])
    batch = make_batch(EncodedCorpus(rows, rows, vocabulary.pad, vocabulary.start, vocabulary.end), range(2))
    step = TrainStep(Objective(model, smoothing=0.0), lambda _: 1e-2, clip=0.0, precision="fp32")
    losses = [step.update(number, [batch]).loss for number in range(1, 6)]
    assert losses[-1] < losses[0]
