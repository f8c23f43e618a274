"""Models as Marian stores them, against CTranslate2's own converter of them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from headscope.model.errors import HeadscopeError
from headscope.model.interop.marian_npz_import import read_marian_npz
from headscope.model.translator import load_translator
from tests.model.interop.ctranslate2_toys import package
from tests.model.interop.toys import sentencepiece, translator_of

PIECES = ["</s>", "<unk>", *"abcdefghij", "▁the", '"', "'", "\\", ":", "\u2028", "\x85", "ü"]
TEXTS = ["a b c d", "j i", "▁the : ' \" ü", "e f g h z"]
SETTINGS: dict[str, Any] = {
    "type": "transformer",
    "dim-emb": 16,
    "enc-depth": 2,
    "dec-depth": 3,
    "transformer-heads": 4,
    "transformer-dim-ffn": 24,
    "transformer-ffn-activation": "swish",
    "transformer-preprocess": "",
    "transformer-postprocess": "dan",
    "transformer-postprocess-top": "",
    "transformer-postprocess-emb": "d",
    "transformer-decoder-autoreg": "self-attention",
    "transformer-no-projection": False,
    "transformer-guided-alignment-layer": "last",
    "transformer-ffn-depth": 2,
    "dim-vocabs": [len(PIECES), len(PIECES)],
}
PRE = {"transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n"}


def arrays(settings: dict[str, Any], *, shared: bool = True, output: bool = False) -> dict[str, np.ndarray]:
    """The parameters of a model with random weights, under Marian's names."""
    generator, found = np.random.default_rng(0), {}

    def put(name: str, *shape: int, around: float = 0.0) -> None:
        found[name] = (around + generator.normal(scale=0.4, size=shape)).astype(np.float32)

    width, inner, rows = 16, 24, len(PIECES)
    pre = "_pre" if settings["transformer-preprocess"] else ""
    for name in ["Wemb"] if shared else ["encoder_Wemb", "decoder_Wemb"]:
        put(name, rows, width)
    for side, depth, blocks in (("encoder", 2, ["self"]), ("decoder", 3, ["self", "context"])):
        for index in range(1, depth + 1):
            layer = f"{side}_l{index}"
            for block in blocks:
                for part in "qkvo":
                    put(f"{layer}_{block}_W{part}", width, width)
                    put(f"{layer}_{block}_b{part}", 1, width)
                put(f"{layer}_{block}_Wo_ln_scale{pre}", 1, width, around=1.0)
                put(f"{layer}_{block}_Wo_ln_bias{pre}", 1, width)
            for part, shape in (("1", (width, inner)), ("2", (inner, width))):
                put(f"{layer}_ffn_W{part}", *shape)
                put(f"{layer}_ffn_b{part}", 1, shape[1])
            put(f"{layer}_ffn_ffn_ln_scale{pre}", 1, width, around=1.0)
            put(f"{layer}_ffn_ffn_ln_bias{pre}", 1, width)
        if pre:
            put(f"{side}_top_ln_scale", 1, width, around=1.0)
            put(f"{side}_top_ln_bias", 1, width)
    if output:
        put("decoder_ff_logit_out_W", width, rows)
    put("decoder_ff_logit_out_b", 1, rows)
    return found


def vocabulary_lines(pieces: list[str]) -> str:
    """A vocabulary as Marian writes it: quoted where YAML would stumble."""
    escapes = {'"': '"\\""', "\\": '"\\\\"', "\x85": '"\\x85"', "\u2028": '"\\u2028"', "'": "''''", ":": '":"'}
    return "".join(f"{escapes.get(piece, piece)}: {index}\n" for index, piece in enumerate(pieces))


def write(folder: Path, *, shared: bool = True, output: bool = False, **changes: Any) -> Path:
    """A folder as Marian leaves it."""
    folder.mkdir(exist_ok=True)
    settings = SETTINGS | {key.replace("_", "-"): value for key, value in changes.items()}
    description = np.frombuffer(yaml.safe_dump(settings).encode() + b"\0", np.int8)
    parameters = arrays(settings, shared=shared, output=output)
    np.savez(folder / "model.npz", **{"special:model.yml": description}, **parameters)
    (folder / "vocab.yml").write_text(vocabulary_lines(PIECES), "utf-8")
    return folder


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        ({}, {}),
        ({"shared": False}, {"transformer-ffn-activation": "relu"}),
        ({"output": True}, PRE),
        ({"shared": False, "output": True}, {"transformer-postprocess-emb": ""}),
    ],
    ids=["shared", "separate", "pre-norm", "three tables"],
)
def test_same_scores_as_through_ctranslate2(tmp_path, options, changes):
    """CTranslate2 takes other sinusoids and another epsilon than Marian; with those ours gives the same."""
    from ctranslate2.converters import MarianConverter

    folder = write(tmp_path / "m", **options, **changes)
    MarianConverter(str(folder / "model.npz"), [str(folder / "vocab.yml")] * 2).convert(str(tmp_path / "converted"))
    imported = read_marian_npz(folder)
    assert (imported.config.sinusoid_layout, imported.config.norm_epsilon) == ("halves_tensor2tensor", 1e-6)
    as_there = imported.config.model_copy(update={"sinusoid_layout": "halves", "norm_epsilon": 1e-5})
    translator = translator_of(replace(imported, config=as_there))
    pairs = list(zip(TEXTS, reversed(TEXTS), strict=True))
    theirs = package(tmp_path / "converted").score_batch([s.split() for s, _ in pairs], [t.split() for _, t in pairs])
    for scored, result in zip(translator.score(pairs), theirs, strict=True):
        assert scored.log_probs == pytest.approx(result.log_probs, abs=1e-4)


def test_vocabulary(tmp_path):
    vocabulary = read_marian_npz(write(tmp_path / "m")).vocabulary
    assert {vocabulary.piece(index, "source") for index in range(vocabulary.size("source"))} == set(PIECES)
    assert vocabulary.piece(vocabulary.end, "target") == "</s>"
    assert vocabulary.pad == vocabulary.start == vocabulary.end
    assert vocabulary.encode("a \" ' \\ ü", "source").pieces == ("a", '"', "'", "\\", "ü")


def test_vocabulary_on_two_lines(tmp_path):
    folder = write(tmp_path / "m")
    lines = vocabulary_lines(PIECES).splitlines()
    two = [f"? {line.rpartition(':')[0]}\n: {line.rpartition(':')[2].strip()}" for line in lines]
    (folder / "vocab.yml").write_text("\n".join(two) + "\n", "utf-8")
    assert read_marian_npz(folder).vocabulary.size("source") == len(PIECES)


def test_saved_and_loaded(tmp_path):
    read_marian_npz(write(tmp_path / "opus-mt-de-en")).save(tmp_path / "checkpoint")
    loaded = load_translator(tmp_path / "checkpoint", "cpu")
    assert loaded.card.languages == ("de", "en")
    assert loaded.translate(["a b"])[0].hypotheses


def problem(folder: Path) -> str:
    """The one line that refuses a folder."""
    with pytest.raises(HeadscopeError) as caught:
        read_marian_npz(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("type", "s2s"),
        ("transformer-decoder-autoreg", "average-attention"),
        ("transformer-no-projection", True),
        ("transformer-ffn-depth", 3),
        ("transformer-ffn-activation", "gelu"),
        ("transformer-preprocess", "n"),
        ("transformer-postprocess-emb", "n"),
        ("dim-emb", None),
    ],
)
def test_what_cannot_be_imported_is_named(tmp_path, key, value):
    found = problem(write(tmp_path / "m", **{key: value}))
    assert key in found
    assert value is None or str(value) in found


@pytest.mark.parametrize("name", ["../vocab.yml", "/etc/passwd", "a/b.yml"])
def test_vocabularies_elsewhere(tmp_path, name):
    folder = write(tmp_path / "m")
    (folder / "decoder.yml").write_text(yaml.safe_dump({"vocabs": [name, "vocab.yml"]}))
    assert f"the vocabulary '{name}' is not a file beside it" in problem(folder)


def test_vocabularies_that_are_named(tmp_path):
    folder = write(tmp_path / "m")
    (folder / "vocab.yml").rename(folder / "opus.vocab.yml")
    assert "has no vocab.yml" in problem(folder)
    (folder / "decoder.yml").write_text(yaml.safe_dump({"vocabs": ["opus.vocab.yml"] * 2}))
    assert read_marian_npz(folder).config.d_model == 16
    (folder / "decoder.yml").write_text(yaml.safe_dump({"vocabs": "opus.vocab.yml"}))
    assert "two files are expected" in problem(folder)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("</s>: 0\nx\n", "line 2: a piece and its id are expected"),
        ("</s>: 0\n<unk>: 2\n", "ids are missing"),
        ("a: 0\n<unk>: 1\n", "the pieces </s> and <unk>"),
        ("</s>: 0\n<unk>: 1\n", "'Wemb' has 20 rows, the vocabulary 2 pieces"),
    ],
)
def test_vocabularies_that_do_not_fit(tmp_path, lines, message):
    folder = write(tmp_path / "m")
    (folder / "vocab.yml").write_text(lines)
    assert message in problem(folder)


@pytest.mark.parametrize("content", [b"", b"PK\3\4", b"<!doctype html>"])
def test_files_that_are_something_else(tmp_path, content):
    folder = write(tmp_path / "m")
    (folder / "model.npz").write_bytes(content)
    assert "model.npz is damaged, or no .npz of plain numbers" in problem(folder)


def test_objects_are_never_unpickled(tmp_path):
    folder = write(tmp_path / "m")
    np.savez(folder / "model.npz", x=np.array([{}], dtype=object))
    assert "no .npz of plain numbers" in problem(folder)
    np.savez(folder / "model.npz", x=np.ones(2))
    assert "holds no settings" in problem(folder)


def test_arrays_that_are_no_parameters(tmp_path):
    folder = write(tmp_path / "m")
    content = dict(np.load(folder / "model.npz"))
    for name, value, message in (
        ("Wemb", np.float32(1), "'Wemb' is a single number"),
        ("encoder_l1_self_Wq", np.array(["x"]), "'encoder_l1_self_Wq' holds no numbers"),
        ("encoder_l1_self_Wq", np.ones((3, 16), np.float32), "'encoder.0.self.q.weight' has the shape [16, 3]"),
        ("decoder_l1_context_bq", np.full((1, 16), np.nan), "holds values that are not finite"),
    ):
        np.savez(folder / "model.npz", **content | {name: value})
        assert message in problem(folder)


def test_several_models(tmp_path):
    folder = write(tmp_path / "m")
    (folder / "model.npz").rename(folder / "a.npz")
    assert read_marian_npz(folder).config.d_model == 16
    (folder / "b.npz").touch()
    assert "has several models (a.npz, b.npz)" in problem(folder)


def test_what_the_decoder_is_asked_for(tmp_path):
    folder = write(tmp_path / "m")
    decoder = {"vocabs": ["vocab.yml"] * 2, "models": ["/there/model.npz"], "beam-size": 3, "normalize": 1}
    (folder / "decoder.yml").write_text(yaml.safe_dump(decoder | {"word-penalty": 0.5, "mini-batch": 16}))
    imported = read_marian_npz(folder)
    assert (imported.search.beam, imported.search.penalty.alpha) == (3, 1.0)
    assert imported.notes == [
        "decoder.yml: word-penalty = 0.5 is not obeyed: a piece costs nothing more than its probability"
    ]
    (folder / "decoder.yml").write_text(yaml.safe_dump(decoder | {"beam-size": 0}))
    assert "beam = 0" in problem(folder)
    (folder / "decoder.yml").write_text(yaml.safe_dump(decoder | {"models": ["a.npz", "b.npz"]}))
    assert "one model can be imported" in problem(folder)


@pytest.mark.parametrize(
    ("key", "value"),
    [("right-left", True), ("transformer-attention-mask", "alibi"), ("transformer-pool", True), ("lemma-dim-emb", 8)],
)
def test_more_that_cannot_be_imported(tmp_path, key, value):
    assert f"{key} = {value!r}" in problem(write(tmp_path / "m", **{key: value}))


def test_unknown_settings_are_named(tmp_path):
    assert read_marian_npz(write(tmp_path / "m")).notes == []
    imported = read_marian_npz(write(tmp_path / "m", invented=3))
    assert imported.notes == ["invented = 3 is not obeyed: no such key is known here"]


@pytest.mark.parametrize("name", ["vocab.json", "vocab.txt", "vocab.yaml"])
def test_other_vocabularies_make_the_same_model(tmp_path, name):
    folder = write(tmp_path / "m")
    expected = read_marian_npz(folder)
    (folder / "vocab.yml").unlink()
    ids = {piece: index for index, piece in enumerate(PIECES)}
    (folder / name).write_text("\n".join(PIECES) if name == "vocab.txt" else json.dumps(ids), "utf-8")
    found = read_marian_npz(folder)
    assert all(torch.equal(expected.weights[one], found.weights[one]) for one in expected.weights)
    assert found.vocabulary.encode("a ▁the", "source") == expected.vocabulary.encode("a ▁the", "source")


def test_sentencepiece_for_a_vocabulary(tmp_path, monkeypatch):
    model, pieces = sentencepiece()
    monkeypatch.setattr("tests.model.interop.test_marian_npz_import.PIECES", pieces)
    folder = write(tmp_path / "m", dim_vocabs=[0, 0])
    expected = read_marian_npz(folder)
    (folder / "vocab.yml").unlink()
    (folder / "vocab.spm").write_bytes(model)
    found = read_marian_npz(folder)
    assert all(torch.equal(expected.weights[one], found.weights[one]) for one in expected.weights)
    assert found.vocabulary.decode(found.vocabulary.encode("The old house", "source").ids) == "The old house"


def test_vocabularies_larger_and_smaller_than_the_model(tmp_path):
    folder = write(tmp_path / "m")
    whole = read_marian_npz(folder)
    most = len(PIECES)
    text = vocabulary_lines([*PIECES, "more", "and more"])
    (folder / "vocab.yml").write_text(text, "utf-8")
    assert read_marian_npz(folder).vocabulary.size("source") == most  # dim-vocabs says so
    (folder / "vocab.yml").write_text(vocabulary_lines(PIECES[:-2]), "utf-8")
    padded = read_marian_npz(folder)
    assert padded.notes[0].startswith(f"'Wemb' has {most} rows for {most - 2} pieces: the 2 that no piece has are cut")
    a, b = (one.vocabulary.encode("a j", "source").ids for one in (whole, padded))
    for name in ("source_embedding.weight", "projection.bias"):
        assert torch.equal(whole.weights[name][list(a)], padded.weights[name][list(b)])
    assert padded.model()
