"""MarianMT models, against `transformers`."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from model.errors import HeadscopeError
from model.interop.marian_import import read_marian
from model.translator import load_translator
from tests.model.interop.toys import (
    SOURCES,
    assert_same_inside,
    assert_same_translations,
    learn,
    marian_pieces,
    mixtures,
    real_marian,
    sentencepiece,
    small_marian,
    translator_of,
    write_marian,
)
from tests.toys import SENTENCES

FRENCH = ["Le vieux château a été vendu l'été dernier.", "Combien coûte un billet ?", "Bonjour", "Il neige… 5 °C !"]
CHINESE = ["你好，世界！", "昨天我在河边看到一座老房子。", "多少钱？"]
EMBEDDING = "model.shared.weight"
COPIES = ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight")


def change(folder: Path, file: str = "config.json", **values: Any) -> None:
    """Change keys of a file; None takes one out."""
    content = json.loads((folder / file).read_text()) | values
    (folder / file).write_text(json.dumps({key: value for key, value in content.items() if value is not None}))


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


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A folder with a small model."""
    folder = tmp_path_factory.mktemp("small")
    small_marian(folder)
    return folder


@pytest.fixture
def folder(small, tmp_path):
    """A copy of it to change."""
    return shutil.copytree(small, tmp_path / "small")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with a model that writes something else for each sentence, and the model."""
    folder = tmp_path_factory.mktemp("trained")
    theirs = small_marian(folder, d_model=32, dropout=0.0, noise=0.0, init_std=0.18)
    vocabulary = read_marian(folder).vocabulary
    rows = [(vocabulary.encode(s, "source").ids, vocabulary.encode(t, "target").ids) for s, t in SENTENCES]
    learn(theirs, rows, steps=80, before=[vocabulary.start])
    theirs.final_logits_bias[0, vocabulary.end] += 2  # so that most of what it writes comes to an end
    theirs.save_pretrained(folder)
    return folder, theirs


@pytest.mark.parametrize(
    "changes", [{}, {"activation_function": "relu"}, {"activation_function": "gelu", "scale_embedding": False}], ids=str
)
def test_same_inside(tmp_path, float64, changes):
    theirs = small_marian(tmp_path, **changes)
    assert_same_inside(translator_of(read_marian(tmp_path)), theirs, SOURCES)


@pytest.mark.parametrize("tied", [True, False])
def test_separate_vocabularies(tmp_path, float64, tied):
    model, pieces = sentencepiece()
    target_model, target = sentencepiece(340)
    (tmp_path / "source.spm").write_bytes(model)
    (tmp_path / "target.spm").write_bytes(target_model)
    padded = marian_pieces(target, *(f"more{i}" for i in range(20)))
    theirs = write_marian(tmp_path, marian_pieces(pieces), [*padded, "beyond"], tie_word_embeddings=tied)
    translator = translator_of(read_marian(tmp_path))
    assert (translator.vocabulary.size("source"), translator.vocabulary.size("target")) == (359, 360)
    assert not translator.model.config.share_source_target
    assert translator.model.config.share_output == tied
    assert_same_inside(translator, theirs, SOURCES)


@pytest.mark.parametrize(("beam", "alpha"), [(1, 1.0), (2, 1.0), (4, 1.0), (4, 0.6), (4, 0.0)])
def test_same_translations(trained, beam, alpha):
    folder, theirs = trained
    assert_same_translations(translator_of(read_marian(folder)), theirs, mixtures(24), beam=beam, alpha=alpha)


def test_same_translations_when_padding_shares_no_probability(trained, tmp_path):
    folder, theirs = trained
    shutil.copytree(folder, tmp_path / "m")
    change(tmp_path / "m", "generation_config.json", renormalize_logits=True)
    translator = translator_of(read_marian(tmp_path / "m"))
    assert_same_translations(translator, theirs, mixtures(24), beam=4, renormalize_logits=True)
    scored = translator.score([(SOURCES[0], SOURCES[1])])[0].total
    assert scored > translator_of(read_marian(folder)).score([(SOURCES[0], SOURCES[1])])[0].total + 1e-3


@pytest.mark.parametrize(("files", "texts"), [("fr-en", FRENCH), ("zh-en", CHINESE)])
def test_real_tokenizer_files(tmp_path, shared, float64, files, texts):
    from transformers import MarianTokenizer

    theirs = real_marian(tmp_path, shared / "data" / "opus_mt_shapes" / files)
    tokenizer = MarianTokenizer.from_pretrained(tmp_path)
    translator = translator_of(read_marian(tmp_path))
    vocabulary = translator.vocabulary
    for text in texts:
        ids = vocabulary.encode(text, "source").ids
        assert [*ids, vocabulary.end] == tokenizer(text)["input_ids"]
        assert ids
    english = tokenizer(text_target="The old castle was sold last summer (5 times)!")["input_ids"]
    # Its default decodes with the source's SentencePiece model, which gives the same text for plain pieces.
    assert vocabulary.decode(english[:-1]) == tokenizer.decode(
        english, skip_special_tokens=True, use_source_tokenizer=False
    )
    assert vocabulary.piece(vocabulary.unknown, "source") == "<unk>"
    assert_same_inside(translator, theirs, texts)


def test_pieces_that_the_vocabulary_lacks_are_unknown(tmp_path, shared):
    from transformers import MarianTokenizer

    real_marian(tmp_path, shared / "data" / "opus_mt_shapes" / "zh-en")
    vocabulary = read_marian(tmp_path).vocabulary
    tokenizer = MarianTokenizer.from_pretrained(tmp_path)
    missing = [
        piece for piece in (tokenizer.spm_source.id_to_piece(i) for i in range(32000)) if piece not in tokenizer.encoder
    ]
    assert len(missing) == 39
    ids = vocabulary.encode(missing[-1], "source").ids
    assert [*ids, vocabulary.end] == tokenizer(missing[-1])["input_ids"]
    assert vocabulary.unknown in ids


def test_languages_and_licence(small, tmp_path):
    folder = shutil.copytree(small, tmp_path / "opus-mt-tc-big-xx-yy")
    assert read_marian(folder).languages == ("xx", "yy")
    (folder / "tokenizer_config.json").write_text(json.dumps({"source_lang": "fr", "target_lang": "en"}))
    assert read_marian(folder).languages == ("fr", "en")
    assert read_marian(folder, languages=("a", "b")).languages == ("a", "b")
    assert read_marian(folder).origin["licence"] is None
    (folder / "README.md").write_text("---\nlanguage:\n- fr\nlicense: cc-by-4.0\n---\n# A model\nlicense: none\n")
    assert read_marian(folder).origin["licence"] == "cc-by-4.0"


def test_unknown_languages(small):
    assert read_marian(small).languages == ("source", "target")


def test_language_tags(tmp_path):
    from transformers import MarianTokenizer

    small_marian(tmp_path, ">>deu<<", ">>fra<<")
    vocabulary = read_marian(tmp_path).vocabulary
    tokenizer = MarianTokenizer.from_pretrained(tmp_path)
    for text in (">>deu<< The old house", ">>fra<<The >>deu<< house", ">>deu<<  a << b"):
        found = vocabulary.encode(text, "source")
        assert [*found.ids, vocabulary.end] == tokenizer(text)["input_ids"]
        assert found.pieces[0] == text[found.spans[0][0] : found.spans[0][1]] == text[:7]
        assert vocabulary.encode_ids([text], "source") == [list(found.ids)]
    assert vocabulary.encode("Das >>deu<< Haus", "target").pieces[0] != ">>deu<<"


def test_a_language_has_to_be_named(tmp_path):
    small_marian(tmp_path, ">>deu<<", ">>fra<<")
    translator = translator_of(read_marian(tmp_path))
    found = translator.translate(["The house", ">>eng<< The house", ">>deu<< The house", ">>deu<< ", "  "])
    assert found[0].problem == "this model writes several languages: begin the text with one of >>deu<<, >>fra<<"
    assert found[1].problem == "'>>eng<<' is no language of this model: begin the text with one of >>deu<<, >>fra<<"
    assert [translation.problem for translation in found[2:]] == [None] * 3
    assert [bool(translation.hypotheses) for translation in found] == [False, False, True, False, False]
    with pytest.raises(HeadscopeError, match="several languages"):
        translator.source("The house")


def test_half_precision(tmp_path, float64):
    theirs = small_marian(tmp_path / "fp16", dtype=torch.float16)
    imported = read_marian(tmp_path / "fp16")
    assert_same_inside(translator_of(imported), theirs, SOURCES)
    imported.save(tmp_path / "checkpoint")
    assert load_file(tmp_path / "checkpoint" / "model.safetensors")["source_embedding.weight"].dtype == torch.float16


def test_saved_and_loaded(small, tmp_path):
    imported = read_marian(small)
    imported.save(tmp_path / "checkpoint")
    loaded = load_translator(tmp_path / "checkpoint", "cpu")
    for name, parameter in loaded.model.named_parameters():
        assert torch.equal(parameter, imported.weights[name])
    assert loaded.card.languages == ("source", "target")
    assert loaded.card.training["imported"]["toolkit"] == "Marian (Hugging Face)"
    before, after = translator_of(imported).translate(SOURCES), loaded.translate(SOURCES)
    for one, other in zip(before, after, strict=True):
        assert one.hypotheses[0].pieces == other.hypotheses[0].pieces
        assert one.hypotheses[0].score == pytest.approx(other.hypotheses[0].score, abs=1e-5)


def test_saved_with_language_tags(tmp_path):
    small_marian(tmp_path, ">>deu<<", ">>fra<<")
    read_marian(tmp_path).save(tmp_path / "checkpoint")
    loaded = load_translator(tmp_path / "checkpoint", "cpu")
    assert loaded.vocabulary.encode(">>fra<< a house", "source").pieces[0] == ">>fra<<"


def test_search_settings(folder):
    assert translator_of(read_marian(folder)).settings.beam == 1
    change(folder, "generation_config.json", num_beams=6, length_penalty=0.8, max_length=100, no_repeat_ngram_size=3)
    imported = read_marian(folder)
    settings = translator_of(imported).settings
    assert (settings.beam, settings.longest, settings.finish) == (6, 99, "top")
    assert (settings.penalty.alpha, settings.penalty.kind) == (0.8, "power")
    assert "no_repeat_ngram_size = 3 is not applied" in imported.notes[0]
    change(folder, "generation_config.json", num_beams=0)
    assert "beam = 0" in problem(folder)


def test_padding_is_never_written(small):
    translator = translator_of(read_marian(small))
    with torch.no_grad():
        translator.model.projection.bias[translator.vocabulary.pad] = 1e3
    for translation in translator.translate(SOURCES):
        assert translator.vocabulary.pad not in translation.hypotheses[0].pieces


def test_weights_in_a_pickle(folder):
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(tensors, folder / "pytorch_model.bin")
    assert read_marian(folder).weights["source_embedding.weight"].equal(tensors[EMBEDDING])
    torch.save(tensors, folder / "pytorch_model.bin", _use_new_zipfile_serialization=False)
    assert read_marian(folder).weights["source_embedding.weight"].equal(tensors[EMBEDDING])


class Harmful:
    """Would run a command when it is unpickled."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple:
        return os.system, (self.command,)


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
        change(folder, file, **{key: value})
    found = problem(folder)
    assert str(value) in found
    assert key in found or key == "encoder_attention_heads"


@pytest.mark.parametrize("key", ["d_model", "encoder_layers", "decoder_ffn_dim", "activation_function", "vocab_size"])
def test_no_default_is_assumed(folder, key):
    change(folder, **{key: None})
    assert f"the key '{key}' is missing" in problem(folder)


def test_old_files_without_newer_keys(folder):
    before = read_marian(folder)
    change(folder, share_encoder_decoder_embeddings=None, tie_word_embeddings=None, decoder_vocab_size=None)
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
    from model.positions import sinusoid_table

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
