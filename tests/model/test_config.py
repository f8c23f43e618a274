import json

import pytest

from headscope.model.config import ModelConfig, parse_config, preset
from headscope.model.errors import HeadscopeError

PLAIN = {
    "d_model": 8,
    "encoder": {"layers": 1, "heads": 2, "feed_forward": 16},
    "decoder": {"layers": 2, "heads": 4, "feed_forward": 8},
    "source_vocabulary": 20,
    "target_vocabulary": 20,
}


def test_defaults_are_the_paper():
    config = parse_config(PLAIN)
    assert (config.norm, config.activation, config.positions) == ("post", "relu", "sinusoidal")
    assert config.sinusoid_layout == "interleaved"
    assert config.share_source_target
    assert config.share_output
    assert config.scale_embedding
    assert not config.logits_bias
    assert not config.zero_start
    assert (config.dropout, config.attention_dropout, config.activation_dropout) == (0.1, 0, 0)


@pytest.mark.parametrize(
    ("name", "d_model", "layers", "heads", "feed_forward", "dropout"),
    [
        ("tiny", 128, 4, 4, 256, 0.1),
        ("small", 256, 4, 8, 1024, 0.1),
        ("base", 512, 6, 8, 2048, 0.1),
        ("big", 1024, 6, 16, 4096, 0.3),
    ],
)
def test_presets(name, d_model, layers, heads, feed_forward, dropout):
    config = preset(name, vocabulary=37_000)
    for stack in (config.encoder, config.decoder):
        assert (stack.layers, stack.heads, stack.feed_forward) == (layers, heads, feed_forward)
    assert (config.d_model, config.dropout) == (d_model, dropout)
    assert config.source_vocabulary == config.target_vocabulary == 37_000


def test_preset_with_changes():
    config = preset("big", vocabulary=100, dropout=0.1, positions="learned", position_table=64)
    assert (config.dropout, config.position_limit) == (0.1, 64)


def test_of_a_stack_what_is_given_is_changed_in_a_preset():
    config = preset("tiny", vocabulary=100, encoder={"heads": 8}, decoder={"layers": 2, "feed_forward": 64})
    assert (config.encoder.layers, config.encoder.heads, config.encoder.feed_forward) == (4, 8, 256)
    assert (config.decoder.layers, config.decoder.heads, config.decoder.feed_forward) == (2, 4, 64)
    with pytest.raises(HeadscopeError, match=r"there is no key .encoder\.hats"):
        preset("tiny", vocabulary=100, encoder={"hats": 8})


def test_position_limit_is_that_of_learned_positions_alone():
    assert parse_config(PLAIN).position_limit is None
    assert parse_config(PLAIN | {"positions": "learned", "position_table": 9}).position_limit == 9


def test_configuration_survives_json():
    config = parse_config(PLAIN | {"activation": "silu", "norm_epsilon": 1e-6, "norm": "pre"})
    assert parse_config(json.loads(json.dumps(config.model_dump()))) == config


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"activation": "tanh"}, ["activation", "'tanh'", "relu", "gelu", "silu"]),
        ({"norm": "middle"}, ["norm", "'middle'", "post", "pre"]),
        ({"sinusoid_layout": "spiral"}, ["sinusoid_layout", "'spiral'", "interleaved"]),
        ({"dropout": 1.0}, ["dropout", "1.0", "less than 1"]),
        ({"attention_dropout": -0.1}, ["attention_dropout", "-0.1", "0"]),
        ({"norm_epsilon": 0}, ["norm_epsilon", "greater than 0"]),
        ({"norm_epsilon": float("nan")}, ["norm_epsilon", "nan"]),
        ({"d_model": "wide"}, ["d_model", "'wide'", "integer"]),
        ({"d_model": 7, "encoder": {"layers": 1, "heads": 7, "feed_forward": 4}}, ["d_model", "7"]),
        ({"encoder": {"layers": 1, "heads": 3, "feed_forward": 4}}, ["encoder.heads", "3", "d_model", "8"]),
        ({"decoder": {"layers": 0, "heads": 2, "feed_forward": 4}}, ["decoder.layers", "0", "1"]),
        ({"decoder": {"layers": 1, "heads": 2}}, ["decoder.feed_forward", "missing"]),
        ({"encoder": 3}, ["encoder", "3"]),
        ({"target_vocabulary": 21}, ["share_source_target", "20", "21"]),
        ({"hidden_size": 512}, ["hidden_size"]),
    ],
)
def test_error_is_one_line_with_key_value_and_way_out(changes, words):
    with pytest.raises(HeadscopeError) as caught:
        parse_config(PLAIN | changes)
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in words), message


def test_missing_key_is_named():
    with pytest.raises(HeadscopeError, match="'d_model' is missing"):
        parse_config({key: value for key, value in PLAIN.items() if key != "d_model"})


def test_unknown_preset_lists_those_there_are():
    with pytest.raises(HeadscopeError, match=r"'huge'.*tiny, small, base, big"):
        preset("huge", vocabulary=100)


def test_configuration_cannot_be_changed():
    config: ModelConfig = parse_config(PLAIN)
    with pytest.raises(ValueError, match="frozen"):
        config.d_model = 16
