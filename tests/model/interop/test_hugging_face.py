"""Folders of Hugging Face as they come, with MarianMT models: older, damaged, of another architecture."""

import json
import os
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from headscope.model.errors import HeadscopeError
from headscope.model.interop.marian_import import read_marian
from tests.model.interop.toys import Harmful, change_json, translator_of

EMBEDDING = "model.shared.weight"
COPIES = ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight")


def change_weights(folder: Path, **values: torch.Tensor | None) -> None:
    """Change tensors; None takes one out."""
    path = folder / "model.safetensors"
    tensors = load_file(path) | values
    save_file({name: tensor.clone() for name, tensor in tensors.items() if tensor is not None}, path)


def problem(folder: Path) -> str:
    """The one line that refuses a folder."""
    with pytest.raises(HeadscopeError) as caught:
        read_marian(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def folder(marian, tmp_path):
    """A small model's to change."""
    return shutil.copytree(marian, tmp_path / "small")


def test_search_settings(folder):
    assert translator_of(read_marian(folder)).settings.beam == 1
    change_json(
        folder, "generation_config.json", num_beams=6, length_penalty=0.8, max_length=100, no_repeat_ngram_size=3
    )
    imported = read_marian(folder)
    settings = translator_of(imported).settings
    assert (settings.beam, settings.longest, settings.finish) == (6, 99, "top")
    assert (settings.penalty.alpha, settings.penalty.kind) == (0.8, "power")
    assert imported.notes == ["no_repeat_ngram_size = 3 is not obeyed: translations may repeat themselves"]
    change_json(folder, "generation_config.json", num_beams=0)
    assert "beam = 0" in problem(folder)


def test_weights_in_a_pickle(folder):
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(tensors, folder / "pytorch_model.bin")
    assert read_marian(folder).weights["source_embedding.weight"].equal(tensors[EMBEDDING])
    torch.save(tensors, folder / "pytorch_model.bin", _use_new_zipfile_serialization=False)
    assert read_marian(folder).weights["source_embedding.weight"].equal(tensors[EMBEDDING])


@pytest.mark.parametrize("zipped", [True, False])
def test_a_pickle_that_would_run_code_is_refused(folder, tmp_path, zipped):
    (folder / "model.safetensors").unlink()
    harmful = Harmful(f"touch {tmp_path / 'harm'}")
    torch.save({"weights": harmful}, folder / "pytorch_model.bin", _use_new_zipfile_serialization=zipped)
    assert f"pytorch_model.bin would run '{os.system.__module__}.system'" in problem(folder)
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"<!doctype html>", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", b"\x80\x04]\x94."],
    ids=["empty", "html", "pointer", "list"],
)
@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin", "source.spm", "vocab.json", "config.json"])
def test_files_that_are_something_else(folder, name, content):
    if name == "pytorch_model.bin":
        (folder / "model.safetensors").unlink()
    (folder / name).write_bytes(content)
    found = problem(folder)
    assert name in found or (name == "source.spm" and "source.model" in found)
    if b"git-lfs" in content:
        assert "is a Git LFS pointer" in found


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin", "source.spm", "vocab.json"])
def test_files_that_are_cut_short(folder, name):
    if name == "pytorch_model.bin":
        torch.save(load_file(folder / "model.safetensors"), folder / name)
        (folder / "model.safetensors").unlink()
    path = folder / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    found = problem(folder)
    assert name in found or (name == "source.spm" and "source.model" in found)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "vocab.json", "target.spm"])
def test_files_that_are_missing(folder, name):
    (folder / name).unlink()
    assert name in problem(folder)


def test_no_folder(tmp_path):
    assert "there is no folder" in problem(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model_type", "bart"),
        ("normalize_before", True),
        ("normalize_embedding", True),
        ("add_final_layer_norm", True),
        ("static_position_embeddings", False),
        ("activation_function", "gelu_new"),
        ("scale_embedding", "yes"),
        ("d_model", -1),
        ("encoder_attention_heads", 3),
        ("decoder_layers", 2.0),
        ("pad_token_id", 3),
        ("decoder_start_token_id", 359),
        ("eos_token_id", 5),
        ("bad_words_ids", [[7]]),
        ("bad_words_ids", 7),
        ("forced_bos_token_id", 4),
    ],
)
def test_what_cannot_be_imported_is_named_with_its_value(folder, key, value):
    for file in ("config.json", "generation_config.json"):
        change_json(folder, file, **{key: value})
    found = problem(folder)
    assert str(value) in found
    assert key in found or key == "encoder_attention_heads"


@pytest.mark.parametrize("key", ["d_model", "encoder_layers", "decoder_ffn_dim", "activation_function", "vocab_size"])
def test_no_default_is_assumed(folder, key):
    change_json(folder, **{key: None})
    assert f"the key '{key}' is missing" in problem(folder)


def test_old_files_without_newer_keys(folder):
    before = read_marian(folder)
    change_json(folder, share_encoder_decoder_embeddings=None, tie_word_embeddings=None, decoder_vocab_size=None)
    after = read_marian(folder)
    assert after.config == before.config


def test_vocabulary_of_another_model(folder):
    table = json.loads((folder / "vocab.json").read_text())
    (folder / "vocab.json").write_text(json.dumps(table | {"more": len(table)}))
    assert "vocab.json has 360 pieces, the model 359" in problem(folder)
    (folder / "vocab.json").write_text(json.dumps(dict.fromkeys(table, 0)))
    assert "is not one of 0 to 358, each once" in problem(folder)
    mixed = dict(zip(table, reversed(table.values()), strict=True))
    (folder / "vocab.json").write_text(json.dumps(mixed))
    assert "pad_token_id = 358, but the vocabulary has '</s>' there" in problem(folder)


def test_copies_of_a_shared_table(folder):
    table = load_file(folder / "model.safetensors")[EMBEDDING]
    before = read_marian(folder).weights
    change_weights(folder, **dict.fromkeys(COPIES, table))
    after = read_marian(folder).weights
    assert all(torch.equal(before[name], after[name]) for name in before)
    change_weights(folder, **{EMBEDDING: None})
    assert torch.equal(read_marian(folder).weights["source_embedding.weight"], table)


@pytest.mark.parametrize(
    "name", ["model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight"]
)
def test_tables_that_tying_would_lose(folder, name):
    table = load_file(folder / "model.safetensors")[EMBEDDING]
    change_weights(folder, **{name: table + 1})
    found = problem(folder)
    assert f"'{EMBEDDING}' and '{name}' differ" in found
    assert "share_encoder_decoder_embeddings = true" in found


def test_position_tables_in_the_file(folder):
    from headscope.model.network.positions import sinusoid_table

    table = sinusoid_table(64, 16, "halves")
    names = ("model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight")
    change_weights(folder, **{name: table.half() for name in names})
    assert read_marian(folder).config.sinusoid_layout == "halves"
    change_weights(folder, **{name: sinusoid_table(64, 16, "halves_tensor2tensor") for name in names})
    assert read_marian(folder).config.sinusoid_layout == "halves_tensor2tensor"
    change_weights(folder, **dict.fromkeys(names, table + 0.1))
    assert "no sinusoids that are known" in problem(folder)


def test_bias_that_is_missing(folder):
    change_weights(folder, final_logits_bias=None)
    imported = read_marian(folder)
    assert "no final_logits_bias" in imported.notes[0]
    assert not imported.weights["projection.bias"].any()


def test_tensors_that_do_not_fit(folder):
    name = "model.decoder.layers.2.encoder_attn.q_proj.weight"
    weights = load_file(folder / "model.safetensors")[name]
    for value, message in (
        (None, f"lacks the tensor '{name}'"),
        (weights[:3], f"'{name}' has the shape [3, 16], but the configuration asks for [16, 16]"),
        (weights / 0, f"'{name}' holds values that are not finite"),
    ):
        change_weights(folder, **{name: value})
        assert message in problem(folder)
    change_weights(folder, **{name: weights, "model.decoder.layers.3.fc1.weight": weights})
    assert "holds the tensor 'model.decoder.layers.3.fc1.weight'" in problem(folder)


def test_what_is_not_obeyed_is_named(folder):
    change_json(folder, early_stopping=True, min_length=5, invented=1)
    change_json(folder, "generation_config.json", suppress_tokens=[3], length_penalty=0.7)
    (folder / "tokenizer_config.json").write_text(json.dumps({"lowercase": True, "target_spm": "target.spm"}))
    imported = read_marian(folder)
    assert imported.search.penalty.alpha == 0.7
    assert sorted(note.partition(" is not obeyed: ")[0] for note in imported.notes) == [
        "early_stopping = True",
        "invented = 1",
        "min_length = 5",
        "suppress_tokens = [3]",
        "tokenizer_config.json: lowercase = True",
    ]


def test_sentencepiece_models_that_the_tokenizer_names(folder):
    (folder / "source.spm").rename(folder / "own.spm")
    assert "has no source.spm" in problem(folder)
    (folder / "tokenizer_config.json").write_text(json.dumps({"source_spm": "/elsewhere/own.spm"}))
    assert read_marian(folder).vocabulary.encode("The house", "source").ids


@pytest.mark.parametrize("value", [3, [0, 5]])
def test_another_end_that_is_forced(folder, value):
    change_json(folder, "generation_config.json", forced_eos_token_id=value)
    assert "forced_eos_token_id" in problem(folder)


def test_numbers_too_large_for_us(folder):
    name = "model.decoder.layers.2.encoder_attn.q_proj.weight"
    weights = load_file(folder / "model.safetensors")[name].double()
    change_weights(folder, **{name: weights + 1e300})
    assert f"'{name}' holds values that are not finite in float32" in problem(folder)
