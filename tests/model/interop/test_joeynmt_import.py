"""Checkpoints of JoeyNMT, written in its own names."""

from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from torch import Tensor

from headscope.model.errors import HeadscopeError
from headscope.model.interop.joeynmt_import import read_joeynmt
from headscope.model.network.positions import sinusoid_table
from headscope.model.network.transformer import Transformer
from headscope.model.translator import load_translator
from tests.model.interop.toys import sentencepiece, translator_of
from tests.toys import random_batch, tiny_model

PIECES = ["<unk>", "<pad>", "<s>", "</s>", *"abcdefgh"]


def side(layers: int, heads: int, inner: int, norm: str) -> dict[str, Any]:
    """The configuration of an encoder or a decoder."""
    return {
        "type": "transformer",
        "num_layers": layers,
        "num_heads": heads,
        "embeddings": {"embedding_dim": 16, "scale": True, "dropout": 0.0},
        "hidden_size": 16,
        "ff_size": inner,
        "dropout": 0.1,
        "layer_norm": norm,
    }


def config(norm: str = "pre", **model: Any) -> dict[str, Any]:
    """The configuration of a model that is shaped like `tiny_model`."""
    sides = {"encoder": side(2, 4, 24, norm), "decoder": side(3, 2, 20, norm)}
    return {
        "name": "toy",
        "data": {"src": {"lang": "de", "voc_min_freq": 1}, "trg": {"lang": "en"}, "special_symbols": {"pad_id": 1}},
        "testing": {"beam_size": 5, "beam_alpha": 1.0},
        "model": {"initializer": "xavier_uniform", "tied_embeddings": True, "tied_softmax": True, **sides, **model},
    }


def joey_state(model: Transformer) -> dict[str, Tensor]:
    """A model's weights as JoeyNMT's modules name them."""
    state: dict[str, Tensor] = {}

    def put(name: str, module: Any) -> None:
        state.update({f"{name}.{kind}": tensor.clone() for kind, tensor in module.state_dict().items()})

    def attention(name: str, module: Any) -> None:
        for theirs, ours in (("k", "key"), ("v", "value"), ("q", "query"), ("output", "output")):
            put(f"{name}.{theirs}_layer", getattr(module, ours))

    def feed_forward(name: str, layer: Any) -> None:
        put(f"{name}.feed_forward.layer_norm", layer.feed_forward_residual.norm)
        put(f"{name}.feed_forward.pwff_layer.0", layer.feed_forward.inner)
        put(f"{name}.feed_forward.pwff_layer.3", layer.feed_forward.outer)

    put("src_embed.lut", model.source_embedding)
    put("trg_embed.lut", model.target_embedding)
    for index, layer in enumerate(model.encoder):
        name = f"encoder.layers.{index}"
        put(f"{name}.layer_norm", layer.attention_residual.norm)
        attention(f"{name}.src_src_att", layer.attention)
        feed_forward(name, layer)
    for index, layer in enumerate(model.decoder):
        name = f"decoder.layers.{index}"
        put(f"{name}.x_layer_norm", layer.attention_residual.norm)
        put(f"{name}.dec_layer_norm", layer.cross_residual.norm)
        attention(f"{name}.trg_trg_att", layer.attention)
        attention(f"{name}.src_trg_att", layer.cross)
        feed_forward(name, layer)
    for name, norm in (("encoder", model.encoder_norm), ("decoder", model.decoder_norm)):
        put(f"{name}.layer_norm", norm)
        state[f"{name}.pe.pe"] = sinusoid_table(50, 16)[None]
    state["decoder.output_layer.weight"] = model.projection.weight.detach().clone()
    return state


def write(folder: Path, model: Transformer, settings: dict[str, Any], file: str = "best.ckpt") -> Path:
    """A folder as JoeyNMT leaves it."""
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(settings))
    for name in ("src_vocab.txt", "trg_vocab.txt"):
        (folder / name).write_text("\n".join(PIECES) + "\n")
    torch.save({"steps": 7, "best_ckpt_score": 1.5, "model_state": joey_state(model)}, folder / file)
    return folder


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"norm": "pre"}, config("pre")),
        ({"norm": "post"}, config("post")),
        (
            {"norm": "pre", "share_source_target": False, "share_output": False},
            config("pre", tied_embeddings=False, tied_softmax=False),
        ),
        ({"norm": "pre", "share_source_target": False}, config("pre", tied_embeddings=False)),
    ],
    ids=["pre-norm", "post-norm", "three tables", "two tables"],
)
def test_the_same_model(tmp_path, float64, ours, theirs):
    model = tiny_model(norm_epsilon=1e-6, **ours)
    imported = read_joeynmt(write(tmp_path / "m", model, theirs))
    again = imported.model()
    assert {key for key, value in model.config if value != getattr(again.config, key)} <= {"dropout"}
    batch = random_batch()
    assert torch.allclose(model(*batch), again(*batch), rtol=0, atol=1e-5)
    assert all(torch.equal(p.float(), imported.weights[name]) for name, p in model.named_parameters())


@pytest.fixture
def folder(tmp_path):
    """A small folder to change."""
    return write(tmp_path / "m", tiny_model(norm="pre", norm_epsilon=1e-6), config())


def test_vocabulary_languages_and_search(folder):
    imported = read_joeynmt(folder)
    vocabulary = imported.vocabulary
    assert (vocabulary.unknown, vocabulary.pad, vocabulary.start, vocabulary.end) == (0, 1, 2, 3)
    assert vocabulary.encode("a h x", "source").ids == (4, 11, 0)
    assert imported.languages == ("de", "en")
    settings = translator_of(imported).settings
    assert (settings.beam, settings.penalty.alpha, settings.penalty.kind, settings.finish) == (5, 1.0, "gnmt", "any")


def test_latest_checkpoint(folder):
    (folder / "best.ckpt").rename(folder / "latest.ckpt")
    assert read_joeynmt(folder).config.norm_epsilon == 1e-6


def test_saved_and_loaded(folder, tmp_path):
    read_joeynmt(folder).save(tmp_path / "checkpoint")
    loaded = load_translator(tmp_path / "checkpoint", "cpu")
    assert loaded.card.training["imported"] == {"toolkit": "JoeyNMT", "name": "toy", "licence": None}
    assert loaded.translate(["a b c"])[0].hypotheses


def problem(folder: Path) -> str:
    """The one line that refuses a folder."""
    with pytest.raises(HeadscopeError) as caught:
        read_joeynmt(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("encoder", "type", "recurrent"),
        ("decoder", "alpha", 1.2),
        ("encoder", "layer_norm", None),
        ("decoder", "layer_norm", "post"),
        ("encoder", "activation", "tanh"),
        ("encoder", "num_layers", "six"),
        ("decoder", "hidden_size", 32),
        ("encoder", "embeddings", "none"),
    ],
)
def test_what_cannot_be_imported_is_named(folder, name, key, value):
    settings = config()
    settings["model"][name][key] = value
    (folder / "config.yaml").write_text(yaml.safe_dump(settings))
    found = problem(folder)
    assert key in found
    assert value is None or str(value) in found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("!!python/object/apply:os.system ['touch harm']", "is not YAML, or asks for more than plain values"),
        ("a: [", "is not YAML"),
        ("[1, 2]", "holds no settings"),
        ("model: 3", "model = 3"),
        ("data: {}", "the key 'type' is missing"),
    ],
)
def test_configurations(folder, content, message):
    (folder / "config.yaml").write_text(content)
    assert message in problem(folder)


def test_vocabularies(folder):
    (folder / "src_vocab.txt").write_text("\n".join(["<pad>", "<unk>", *PIECES[2:]]) + "\n")
    assert "unk_token = '<unk>' is not at one place in both vocabularies" in problem(folder)
    (folder / "src_vocab.txt").write_text("\n".join(PIECES[:-1]) + "\n")
    assert "share_source_target needs vocabularies of one size" in problem(folder)
    (folder / "src_vocab.txt").unlink()
    assert "src_vocab.txt" in problem(folder)


def test_other_contents(folder):
    torch.save({"model": {}}, folder / "best.ckpt")
    assert "holds no model of JoeyNMT" in problem(folder)
    (folder / "best.ckpt").write_bytes(b"PK")
    assert "best.ckpt" in problem(folder)


def change(folder: Path, part: str, **values: Any) -> None:
    """Change keys of a part of the configuration, such as `data.src`."""
    content = yaml.safe_load((folder / "config.yaml").read_text())
    group = content
    for key in part.split("."):
        group = group.setdefault(key, {})
    group.update(values)
    (folder / "config.yaml").write_text(yaml.safe_dump(content))


def test_what_is_not_obeyed_is_named(folder):
    assert read_joeynmt(folder).notes == []
    change(folder, "testing", min_output_length=4, no_repeat_ngram_size=3, max_output_length=60, repetition_penalty=-1)
    change(folder, "data.src", lowercase=True, level="char", max_length=100)
    change(folder, "data.trg.tokenizer_cfg", pretokenizer="moses")
    change(folder, "model.encoder", invented=2)
    imported = read_joeynmt(folder)
    assert imported.search.longest == 60
    assert sorted(note.partition(" is not obeyed: ")[0] for note in imported.notes) == [
        "data.src.level = 'char'",
        "data.src.lowercase = True",
        "data.trg.tokenizer_cfg.pretokenizer = 'moses'",
        "model.encoder.invented = 2",
        "testing.min_output_length = 4",
        "testing.no_repeat_ngram_size = 3",
    ]


@pytest.mark.parametrize(("key", "value"), [("beam_alpha", "much"), ("beam_size", [1]), ("max_output_length", "no")])
def test_search_settings_that_cannot_be(folder, key, value):
    change(folder, "testing", **{key: value})
    assert str(value) in problem(folder)


def test_a_tokeniser_that_the_configuration_names(folder):
    for side in ("src", "trg"):
        change(folder, f"data.{side}", tokenizer_type="sentencepiece", level="bpe")
        change(folder, f"data.{side}.tokenizer_cfg", model_file="/elsewhere/my.model", model_type="bpe")
    imported = read_joeynmt(folder)
    assert imported.kind_of_text == "pieces with blanks between them"
    assert (
        "data.src.tokenizer_cfg.model_file = '/elsewhere/my.model' is not obeyed: there is no such" in imported.notes[0]
    )
    model, _ = sentencepiece()
    (folder / "my.model").write_bytes(model)
    imported = read_joeynmt(folder)
    assert (imported.kind_of_text, imported.notes) == ("text, cut by SentencePiece", [])
