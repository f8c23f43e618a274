"""Checkpoints of fairseq: models of `transformers` that were made after it, stored as fairseq stores them."""

import re
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from headscope.model.errors import HeadscopeError
from headscope.model.interop.fairseq_import import read_fairseq
from headscope.model.network.positions import sinusoid_table
from headscope.model.translator import load_translator
from tests.model.interop.toys import SHAPE, Harmful, assert_same_inside, randomise, sentencepiece, translator_of

LETTERS = [*"abcdefghijkl"]
TEXTS = ["a b c d", "l k", "e f g h i j", "a z c"]
ARGS: dict[str, Any] = {
    "arch": "transformer",
    "source_lang": "de",
    "target_lang": "en",
    "encoder_embed_dim": 16,
    "decoder_embed_dim": 16,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 2,
    "encoder_ffn_embed_dim": 24,
    "decoder_ffn_embed_dim": 20,
    "encoder_normalize_before": False,
    "decoder_normalize_before": False,
    "share_all_embeddings": False,
    "share_decoder_input_output_embed": False,
}
PRE = {"encoder_normalize_before": True, "decoder_normalize_before": True, "share_all_embeddings": True}


def write(folder: Path, state: dict[str, Tensor], *, target: list[str] | None = None, **changes: Any) -> None:
    """A folder as fairseq leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    for language, letters in (("de", LETTERS), ("en", target or LETTERS)):
        lines = [f"{letter} {1000 - index}" for index, letter in enumerate(letters)]
        (folder / f"dict.{language}.txt").write_text("\n".join(lines) + "\n")
    content = {"args": Namespace(**ARGS | changes), "model": state, "extra_state": {"epoch": 3}}
    torch.save(content, folder / "checkpoint_best.pt")


def exact_positions(theirs: Any, name: str) -> None:
    """Tables computed in float32 are replaced: what they lose is more than is compared here."""
    for side in (theirs.get_encoder(), theirs.get_decoder()):
        table = getattr(side.embed_positions, name)
        exact = sinusoid_table(len(table) - 2, table.shape[1], "halves_fairseq")
        assert torch.allclose(table[2:], exact, rtol=0, atol=1e-3)
        table.data[2:] = exact


def state_of(theirs: Any) -> dict[str, Tensor]:
    """The weights under fairseq's names, with what else it stores."""
    state = {name.removeprefix("model."): tensor.clone().float() for name, tensor in theirs.state_dict().items()}
    state = {name: tensor for name, tensor in state.items() if "embed_positions" not in name and "shared" not in name}
    for side in ("encoder", "decoder"):
        state |= {f"{side}.version": torch.tensor([3.0]), f"{side}.embed_positions._float_tensor": torch.zeros(1)}
    return state


def post_norm() -> tuple[Any, dict[str, Tensor]]:
    """FSMT, the port of fairseq's WMT19 models: post-norm, two dictionaries."""
    from transformers import FSMTConfig, FSMTForConditionalGeneration

    torch.manual_seed(0)
    config = FSMTConfig(langs=["de", "en"], src_vocab_size=16, tgt_vocab_size=18, attn_implementation="eager", **SHAPE)
    theirs = FSMTForConditionalGeneration(config)
    randomise(theirs)
    theirs = theirs.float().to(torch.get_default_dtype()).eval()
    exact_positions(theirs, "weight")
    return theirs, state_of(theirs)


def pre_norm() -> tuple[Any, dict[str, Tensor]]:
    """M2M-100, also a port: pre-norm, all tables shared."""
    from transformers import M2M100Config, M2M100ForConditionalGeneration

    torch.manual_seed(0)
    theirs = M2M100ForConditionalGeneration(M2M100Config(vocab_size=16, **SHAPE))
    randomise(theirs)
    theirs = theirs.float().to(torch.get_default_dtype()).eval()
    exact_positions(theirs, "weights")
    state = state_of(theirs)
    state["decoder.output_projection.weight"] = state.pop("lm_head.weight")
    return theirs, state


@pytest.fixture
def separate(tmp_path):
    theirs, state = post_norm()
    write(tmp_path / "m", state, target=[*LETTERS, "y", "z"])
    return tmp_path / "m", theirs, state


def test_post_norm_and_two_dictionaries(separate):
    folder, theirs, _ = separate
    translator = translator_of(read_fairseq(folder))
    config = translator.model.config
    assert (config.norm, config.share_source_target, config.share_output) == ("post", False, False)
    assert (config.source_vocabulary, config.target_vocabulary) == (16, 18)
    # FSMT looks ahead where it may use its cache, and its mask knows no float64.
    assert_same_inside(translator, theirs, TEXTS, tolerance=2e-5, use_cache=False)


def test_pre_norm_and_a_joined_dictionary(tmp_path, float64):
    theirs, state = pre_norm()
    write(tmp_path / "m", state, **PRE)
    translator = translator_of(read_fairseq(tmp_path / "m"))
    assert translator.model.config.share_output
    assert_same_inside(translator, theirs, TEXTS)


def test_vocabulary_and_languages(separate):
    imported = read_fairseq(separate[0])
    vocabulary = imported.vocabulary
    assert imported.languages == ("de", "en")
    assert [vocabulary.piece(index, "source") for index in range(6)] == ["<s>", "<pad>", "</s>", "<unk>", "a", "b"]
    assert vocabulary.encode("a z", "source").ids == (4, 3)
    assert vocabulary.encode("a z", "target").ids == (4, 17)
    assert (vocabulary.start, vocabulary.end, vocabulary.pad) == (2, 2, 1)


# Older and newer ways of storing the same


def old_names(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The names of fairseq before 2019: fused projections, numbered norms."""
    old: dict[str, Tensor] = {}
    numbers = {
        "encoder": {"self_attn_layer_norm": 0, "final_layer_norm": 1},
        "decoder": {"self_attn_layer_norm": 0, "encoder_attn_layer_norm": 1, "final_layer_norm": 2},
    }
    for name, tensor in state.items():
        if found := re.fullmatch(r"(.*_attn)\.q_proj\.(weight|bias)", name):
            parts = [state[f"{found[1]}.{part}_proj.{found[2]}"] for part in "qkv"]
            old[f"{found[1]}.in_proj_{found[2]}"] = torch.cat(parts)
        elif found := re.fullmatch(r"(encoder|decoder)(\.layers\.\d\.)(\w+_layer_norm)\.(\w+)", name):
            old[f"{found[1]}{found[2]}layer_norms.{numbers[found[1]][found[3]]}.{found[4]}"] = tensor
        elif not re.search(r"_attn\.[kv]_proj\.", name) and not name.endswith("version"):
            old[name] = tensor
    old["decoder.embed_out"] = old.pop("decoder.output_projection.weight")
    return old


def test_old_names(separate, tmp_path):
    folder, _, state = separate
    write(tmp_path / "old", old_names(state), target=[*LETTERS, "y", "z"])
    expected, found = read_fairseq(folder).weights, read_fairseq(tmp_path / "old").weights
    assert all(torch.equal(expected[name], found[name]) for name in expected)


def grouped(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Store the arguments as newer versions do."""
    content = torch.load(path, weights_only=False)
    content["cfg"], content["args"] = change(vars(content["args"])), None
    torch.save(content, path)


def nested(args: dict[str, Any]) -> dict[str, Any]:
    """Groups by task and model, and in the model by side."""
    sides = {
        side: {key.removeprefix(f"{side}_"): value for key, value in args.items() if key.startswith(f"{side}_")}
        for side in ("encoder", "decoder")
    }
    rest = {key: value for key, value in args.items() if not key.startswith(("encoder_", "decoder_"))}
    return {"_name": None, "task": {"source_lang": "de", "target_lang": "en"}, "model": rest | sides}


@pytest.mark.parametrize(
    "change", [lambda args: {"model": Namespace(**args), "task": {"_name": "translation"}}, nested], ids=["flat", ""]
)
def test_newer_settings(separate, change):
    folder = separate[0]
    expected = read_fairseq(folder)
    grouped(folder / "checkpoint_best.pt", change)
    found = read_fairseq(folder)
    assert (found.config, found.languages) == (expected.config, expected.languages)
    assert all(torch.equal(expected.weights[name], found.weights[name]) for name in expected.weights)


def test_learned_positions(tmp_path):
    _, state = pre_norm()
    table = torch.randn(34, 16)
    state |= {f"{side}.embed_positions.weight": table.clone() for side in ("encoder", "decoder")}
    write(tmp_path / "m", state, **PRE, encoder_learned_pos=True, decoder_learned_pos=True)
    imported = read_fairseq(tmp_path / "m")
    assert (imported.config.positions, imported.config.position_table) == ("learned", 32)
    assert torch.equal(imported.weights["positions.table"], table[2:])
    state["decoder.embed_positions.weight"] += 1
    write(tmp_path / "m", state, **PRE, encoder_learned_pos=True, decoder_learned_pos=True)
    assert "different tables of positions" in problem(tmp_path / "m")


def test_saved_and_loaded(separate, tmp_path):
    read_fairseq(separate[0]).save(tmp_path / "checkpoint")
    loaded = load_translator(tmp_path / "checkpoint", "cpu")
    assert loaded.card.training["imported"]["toolkit"] == "fairseq"
    assert loaded.translate(["a b c"])[0].hypotheses


def test_the_only_checkpoint(separate):
    path = separate[0] / "checkpoint_best.pt"
    path.rename(separate[0] / "wmt.pt")
    assert read_fairseq(separate[0]).config.d_model == 16
    torch.save({}, separate[0] / "other.pt")
    assert "has several checkpoints (other.pt, wmt.pt)" in problem(separate[0])


# What is refused


def problem(folder: Path, languages: tuple[str, str] | None = None) -> str:
    """The one line that refuses a folder."""
    with pytest.raises(HeadscopeError) as caught:
        read_fairseq(folder, languages=languages)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("layernorm_embedding", True),
        ("no_token_positional_embeddings", True),
        ("adaptive_softmax_cutoff", [100]),
        ("activation_fn", "tanh"),
        ("decoder_embed_dim", 8),
        ("decoder_normalize_before", True),
        ("encoder_layers", None),
    ],
)
def test_what_cannot_be_imported_is_named(tmp_path, key, value):
    _, state = pre_norm()
    write(tmp_path / "m", state, **{key: value})
    found = problem(tmp_path / "m")
    assert key in found
    assert value is None or str(value) in found


def test_pre_norm_models_before_the_norm_behind_the_stack(tmp_path):
    _, state = pre_norm()
    del state["encoder.version"]
    write(tmp_path / "m", state, **PRE)
    assert "encoder.version = 1" in problem(tmp_path / "m")
    state |= {"encoder.version": torch.tensor([3.0]), "decoder.version": torch.tensor([2.0])}
    write(tmp_path / "m", state, **PRE)
    assert "decoder.version = 2" in problem(tmp_path / "m")


def test_tables_that_tying_would_lose(tmp_path):
    _, state = pre_norm()
    state["decoder.embed_tokens.weight"] += 1
    write(tmp_path / "m", state, **PRE)
    assert "'encoder.embed_tokens.weight' and 'decoder.embed_tokens.weight' differ" in problem(tmp_path / "m")


def test_single_numbers(separate):
    folder, _, state = separate
    write(folder, state | {"encoder.layers.0.self_attn.in_proj_weight": torch.tensor(1.0)}, target=[*LETTERS, "y", "z"])
    assert "'encoder.layers.0.self_attn.in_proj_weight' is a single number" in problem(folder)


def test_dictionaries(separate):
    folder = separate[0]
    assert "'../de' is no language" in problem(folder, ("../de", "en"))
    assert "has no dict.xx.txt" in problem(folder, ("xx", "en"))
    (folder / "dict.de.txt").write_text("a 1\nb\n")
    assert "line 2: a piece and its count are expected, not 'b'" in problem(folder)
    (folder / "dict.de.txt").write_text("a 1\n")
    assert "'encoder.embed_tokens.weight' has the shape [16, 16], but the configuration asks for [5" in problem(folder)


def test_other_contents(separate, tmp_path):
    path = separate[0] / "checkpoint_best.pt"
    torch.save({"args": None, "cfg": None, "model": {"x": torch.ones(1)}}, path)
    assert "neither the arguments nor the configuration" in problem(separate[0])
    torch.save([1], path)
    assert "holds no model of fairseq" in problem(separate[0])
    torch.save({"model": {"x": Harmful(f"touch {tmp_path / 'harm'}")}}, path)
    assert "would run 'posix.system'" in problem(separate[0])
    assert not (tmp_path / "harm").exists()
    path.write_bytes(path.read_bytes()[:-100])
    assert "is damaged" in problem(separate[0])


# What is not obeyed


def test_arguments_of_a_training_need_no_note(separate, tmp_path):
    _, _, state = separate
    training = {"lr": [5e-4], "warmup_updates": 4000, "clip_norm": 0.1, "max_tokens": 4096, "adam_betas": "(0.9, 0.98)"}
    write(tmp_path / "m", state, target=[*LETTERS, "y", "z"], left_pad_source=True, **training)
    assert read_fairseq(tmp_path / "m").notes == []


def test_what_is_not_obeyed_is_named(separate, tmp_path):
    _, _, state = separate
    named = {"bpe": "subword_nmt", "bpe_codes": "/x/codes", "tokenizer": "moses", "invented": 3}
    write(tmp_path / "m", state, target=[*LETTERS, "y", "z"], **named)
    assert sorted(note.partition(" is not obeyed: ")[0] for note in read_fairseq(tmp_path / "m").notes) == [
        "bpe = 'subword_nmt'",
        "bpe_codes = '/x/codes'",
        "invented = 3",
        "tokenizer = 'moses'",
    ]


def test_groups_beside_the_model(separate):
    folder, _, _ = separate
    path = folder / "checkpoint_best.pt"

    def change(args: dict[str, Any]) -> dict[str, Any]:
        generation = {"_name": None, "beam": 7, "lenpen": 0.6, "min_len": 5, "max_len_b": 99, "no_repeat_ngram_size": 2}
        tools = {"bpe": {"_name": "sentencepiece", "sentencepiece_model": "/x/my.model"}, "tokenizer": None}
        return nested(args) | {"generation": generation, "common": {"seed": 1}, "new_group": {"a": 1}, **tools}

    grouped(path, change)
    imported = read_fairseq(folder)
    assert (imported.search.beam, imported.search.penalty.alpha, imported.search.longest) == (7, 0.6, 99)
    assert sorted(note.partition(" is not obeyed: ")[0] for note in imported.notes) == [
        "cfg.new_group = {'a': 1}",
        "min_len = 5",
        "no_repeat_ngram_size = 2",
        "sentencepiece_model = '/x/my.model'",
    ]
    model, _ = sentencepiece()
    (folder / "my.model").write_bytes(model)
    assert read_fairseq(folder).kind_of_text == "text, cut by SentencePiece"


def test_padded_tables(separate, tmp_path):
    _, _, state = separate
    write(tmp_path / "m", state, target=[*LETTERS, "y"])
    imported = read_fairseq(tmp_path / "m")
    assert imported.config.target_vocabulary == 17
    assert "'decoder.embed_tokens.weight' has 18 rows for 17 pieces" in imported.notes[0]
