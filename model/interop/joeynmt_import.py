"""Transformers trained with JoeyNMT 2: a checkpoint, its vocabularies and its configuration."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import Tensor

from headscope.model.card import UNKNOWN_LANGUAGES
from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError
from headscope.model.interop.files import read_bytes, read_pickle, require, stated_licence, tensors_in
from headscope.model.interop.imported import Imported
from headscope.model.interop.keys import joeynmt as keys
from headscope.model.interop.naming import Names, our_weights, tie
from headscope.model.interop.settings import Settings, parse_yaml, search_settings_of
from headscope.model.interop.symbols import named_models, read_lines, symbol_vocabulary, without_padding
from headscope.model.search.settings import SearchSettings

CHECKPOINTS = ("best.ckpt", "latest.ckpt")
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "swish": "silu"}
EPSILON = 1e-6
SPECIALS = {"unk_token": "<unk>", "pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>"}
IDS = {"unknown": "unk_token", "pad": "pad_token", "start": "bos_token", "end": "eos_token"}
SOURCE, TARGET, OUTPUT = "src_embed.lut.weight", "trg_embed.lut.weight", "decoder.output_layer.weight"


def read_joeynmt(folder: Path, *, languages: tuple[str, str] | None = None) -> Imported:
    """Read a folder with `best.ckpt` (or `latest.ckpt`), `config.yaml`, `src_vocab.txt` and `trg_vocab.txt`.

    Text is ready-cut pieces with blanks between them, unless there is a SentencePiece model.

    Args:
        languages: source and target; if not given, those that the configuration names.

    Raises:
        HeadscopeError: something is missing, damaged, or of a kind that our Transformer is not.
    """
    path = require(folder, *CHECKPOINTS)
    plain = parse_yaml(read_bytes(folder, "config.yaml"), folder / "config.yaml")
    data, model, testing = (_group(plain, key, folder) for key in ("data", "model", "testing"))
    content = read_pickle(path)
    if not isinstance(content, dict) or "model_state" not in content:
        raise HeadscopeError(f"{path} holds no model of JoeyNMT")
    tensors = {name: t for name, t in tensors_in(content["model_state"], path).items() if not name.endswith(".pe.pe")}
    tables = [tuple(read_lines(require(folder, f"{side}_vocab.txt"))) for side in ("src", "trg")]
    config = _config(model, [len(table) for table in tables])
    sizes = {SOURCE: len(tables[0]), TARGET: len(tables[1]), OUTPUT: len(tables[1])}
    tensors, padding = without_padding(tensors, sizes, path)
    models, missing = named_models(folder, _tokenizers(data))
    named = tuple(_inner(data, side).get("lang", None) for side in ("src", "trg"))
    return Imported(
        config=config,
        weights=our_weights(_tied(tensors, config, path), config, _names(), path),
        vocabulary=symbol_vocabulary(
            folder, tables[:1] if tables[0] == tables[1] else tables, _ids(data, tables), models
        ),
        languages=languages or ((str(named[0]), str(named[1])) if all(named) else UNKNOWN_LANGUAGES),
        origin={"toolkit": "JoeyNMT", "name": plain.get("name", folder.name), "licence": stated_licence(folder)},
        search=_search(testing),
        notes=[*_notes(plain, data, model, testing), *missing, *padding],
    )


def _group(content: Mapping[str, Any], key: str, folder: Path) -> Settings:
    group = content.get(key, {})
    if not isinstance(group, dict):
        raise HeadscopeError(f"{folder / 'config.yaml'}: {key} = {group!r}: settings are expected")
    return Settings(folder / "config.yaml", group)


def _inner(settings: Settings, key: str) -> Settings:
    """The settings inside a key."""
    inner = settings.get(key, {})
    if not isinstance(inner, dict):
        raise settings.refuse(key, "settings are expected")
    return Settings(settings.path, inner)


def _search(testing: Settings) -> SearchSettings:
    """How its `test` would search; -1 stands for what is not wanted."""
    longest = testing.get("max_output_length", -1)
    return search_settings_of(
        testing,
        beam=max(testing.number("beam_size", 1), 1),
        alpha=max(testing.real("beam_alpha", 0), 0.0),
        longest=None if longest == -1 else longest,
    )


def _tokenizers(data: Settings) -> dict[str, object]:
    """The SentencePiece models that the sides name, by key."""
    sides = {side: _inner(data, side) for side in ("src", "trg")}
    return {
        f"data.{side}.tokenizer_cfg.model_file": _inner(settings, "tokenizer_cfg").get("model_file", None)
        for side, settings in sides.items()
        if settings.get("tokenizer_type", "sentencepiece") == "sentencepiece"
    }


def _notes(plain: Mapping[str, Any], data: Settings, model: Settings, testing: Settings) -> list[str]:
    """What of the configuration is not followed."""
    notes = [*keys.TOP.notes(plain), *keys.DATA.notes(data.values, "data."), *keys.MODEL.notes(model.values, "model.")]
    notes += keys.TESTING.notes(testing.values, "testing.")
    notes += keys.SYMBOLS.notes(_inner(data, "special_symbols").values, "data.special_symbols.")
    for name in ("src", "trg"):
        side = _inner(data, name)
        notes += keys.SIDE.notes(side.values, f"data.{name}.")
        notes += keys.TOKENIZER.notes(_inner(side, "tokenizer_cfg").values, f"data.{name}.tokenizer_cfg.")
    for name in ("encoder", "decoder"):
        stack = _inner(model, name)
        notes += keys.STACK.notes(stack.values, f"model.{name}.")
        notes += keys.EMBEDDINGS.notes(_inner(stack, "embeddings").values, f"model.{name}.embeddings.")
    return notes


def _config(model: Settings, sizes: Sequence[int]) -> ModelConfig:
    sides = {side: _inner(model, side) for side in ("encoder", "decoder")}

    def both(key: str, missing: Any = None) -> Any:
        first, second = (side.get(key, missing) for side in sides.values())
        if first != second:
            raise sides["decoder"].refuse(key, f"the encoder has {first!r}; ours is one for both")
        return first

    for side in sides.values():
        if side.get("type") != "transformer":
            raise side.refuse("type", "only 'transformer' can be imported")
        side.expect("alpha", 1.0, 1)
        # Without this key its encoder and decoder choose different norms.
        side.choice("layer_norm", {"pre": "pre", "post": "post"})
        side.choice("activation", ACTIVATIONS, "relu")
    scales = [_inner(side, "embeddings").boolean("scale", False) for side in sides.values()]
    tied = model.boolean("tied_embeddings", False)
    if scales[0] != scales[1] and not tied:
        raise HeadscopeError(f"{model.path}: scale is {scales[0]} for the source and {scales[1]} for the target")
    stacks = {
        name: {
            "layers": side.number("num_layers"),
            "heads": side.number("num_heads"),
            "feed_forward": side.number("ff_size"),
        }
        for name, side in sides.items()
    }
    return model.model(
        d_model=both("hidden_size"),
        **stacks,
        source_vocabulary=sizes[0],
        target_vocabulary=sizes[1],
        norm=both("layer_norm"),
        norm_epsilon=EPSILON,
        activation=ACTIVATIONS[both("activation", "relu")],
        share_source_target=tied,
        share_output=model.boolean("tied_softmax", False),
        scale_embedding=scales[0],
        dropout=sides["encoder"].get("dropout", 0.0),
    )


def _ids(data: Settings, tables: Sequence[Sequence[str]]) -> dict[str, int]:
    """The ids of the special symbols, which have to be the same on both sides."""
    stated = _inner(data, "special_symbols")
    ids = {}
    for name, key in IDS.items():
        piece = stated.get(key, SPECIALS[key])
        places = {table.index(piece) if piece in table else None for table in tables}
        if None in places or len(places) > 1:
            raise HeadscopeError(f"{data.path}: {key} = {piece!r} is not at one place in both vocabularies")
        ids[name] = places.pop()
    return ids


def _tied(tensors: dict[str, Tensor], config: ModelConfig, path: Path) -> dict[str, Tensor]:
    """The tensors with one name for every table."""
    if config.share_source_target:
        tensors = tie(tensors, [SOURCE, TARGET], path, "tied_embeddings: True")
    if config.share_output:
        first = SOURCE if config.share_source_target else TARGET
        tensors = tie(tensors, [first, OUTPUT], path, "tied_softmax: True")
    return tensors


def _names() -> Names:
    names = {
        "source_embedding.weight": SOURCE,
        "target_embedding.weight": TARGET,
        "projection.weight": OUTPUT,
        "encoder_norm": "encoder.layer_norm",
        "decoder_norm": "decoder.layer_norm",
    }
    attentions = {
        "encoder": {"attention": ("src_src_att", "layer_norm")},
        "decoder": {"attention": ("trg_trg_att", "x_layer_norm"), "cross": ("src_trg_att", "dec_layer_norm")},
    }
    parts = {"query": "q_layer", "key": "k_layer", "value": "v_layer", "output": "output_layer"}
    for side, kinds in attentions.items():
        layer = f"{side}.layers.{{}}."
        for ours, (theirs, norm) in kinds.items():
            names |= {f"{side}.{{}}.{ours}.{part}": f"{layer}{theirs}.{name}" for part, name in parts.items()}
            names[f"{side}.{{}}.{ours}_residual.norm"] = f"{layer}{norm}"
        names[f"{side}.{{}}.feed_forward.inner"] = f"{layer}feed_forward.pwff_layer.0"
        names[f"{side}.{{}}.feed_forward.outer"] = f"{layer}feed_forward.pwff_layer.3"
        names[f"{side}.{{}}.feed_forward_residual.norm"] = f"{layer}feed_forward.layer_norm"
    return names
