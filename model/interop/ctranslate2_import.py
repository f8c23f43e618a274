"""Translation models in the format of CTranslate2, in any of its precisions."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from headscope.model.card import UNKNOWN_LANGUAGES
from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError
from headscope.model.files import read_json
from headscope.model.interop.ctranslate2_file import ModelFile, read_model_file
from headscope.model.interop.files import require, stated_licence
from headscope.model.interop.imported import Imported, named_languages
from headscope.model.interop.keys.ctranslate2 import CONFIG
from headscope.model.interop.naming import Names, our_weights
from headscope.model.interop.positions import position_fields
from headscope.model.interop.settings import Settings
from headscope.model.interop.symbols import align, read_lines, reorder, symbol_vocabulary, without_padding
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.text.vocabulary_files import read_table

HEADS = {"TransformerBase": 8, "TransformerBig": 16}
"""Of specifications so old that the file does not say."""
ACTIVATIONS = {0: "relu", 2: "silu", 3: "gelu"}
PADDING = ("<blank>", "<pad>")
SEARCH = SearchSettings(beam=2, penalty=LengthPenalty(1.0, "power"), finish="top", longest=256)
"""What its `translate_batch` does by default."""

SOURCE, TARGET = "encoder.embeddings.weight", "decoder.embeddings.weight"
OUTPUT, BIAS = "decoder.projection.weight", "decoder.projection.bias"
ENCODER_POSITIONS, DECODER_POSITIONS = (f"{side}.position_encodings.encodings" for side in ("encoder", "decoder"))
FUSED = {
    "self_attention": (("query", "key", "value"), ("output",)),
    "attention": (("query",), ("key", "value"), ("output",)),
}
"""What stands in each matrix of an attention, row under row."""
READ = ("num_heads", "pre_norm", "activation", "scale_embeddings", "start_from_zero_embedding")
HARMLESS = ("alignment_layer", "alignment_heads", "embeddings_merge", "alibi_use_positive_positions", "source_bos")
HARMLESS += ("source_eos", "target_bos")


def read_ctranslate2(folder: Path, *, languages: tuple[str, str] | None = None) -> Imported:
    """Read a folder with `model.bin` and vocabularies. Weights in int8 or int16 are read as the numbers they stand for.

    With SentencePiece models beside it (`source.spm` and `target.spm`, or `sentencepiece.model`) text is cut by them;
    else it is symbols with blanks between them.

    Raises:
        HeadscopeError: something is missing, damaged, or of a kind that our Transformer is not.
    """
    path = require(folder, "model.bin")
    file = read_model_file(path)
    settings = _settings(folder, path, file)
    tables, specials = _tables(folder, settings)
    orders, ids = align(tables, specials)
    places = {SOURCE: orders[0], TARGET: orders[-1], OUTPUT: orders[-1], BIAS: orders[-1]}
    pieces = {name: order.known for name, order in places.items()}
    tensors, notes = without_padding(_unfused(_dequantised(file, path)), pieces, path)
    tensors = reorder(tensors, places, path)
    for name in (SOURCE, TARGET, OUTPUT):
        if name not in tensors:
            raise HeadscopeError(f"{path} lacks the tensor '{name}'")
    config = _config(settings, tensors, shared=len(tables) == 1)
    return Imported(
        config=config,
        weights=our_weights(_needed(tensors, config), config, _names(), path),
        vocabulary=symbol_vocabulary(folder, [order.pieces for order in orders], ids),
        languages=languages or named_languages(folder.resolve().name) or UNKNOWN_LANGUAGES,
        origin={"toolkit": "CTranslate2", "name": folder.resolve().name, "licence": stated_licence(folder)},
        search=SEARCH,
        notes=[*(CONFIG.notes(read_json(settings.path)) if settings.path != path else []), *notes],
    )


def _settings(folder: Path, path: Path, file: ModelFile) -> Settings:
    """What `config.json` and the scalars of the file say."""
    if file.specification not in (*HEADS, "TransformerSpec"):
        raise HeadscopeError(f"{path}: '{file.specification}' cannot be imported, only translation Transformers can")
    scalars = {_plain(name): value.item() for name, value in file.variables.items() if value.dim() == 0}
    values: dict[str, Any] = {name: value for name, value in scalars.items() if not name.endswith("weight_scale")}
    for name, value in values.items():
        if value and name.rpartition(".")[2].removeprefix("with_") not in (*READ, *HARMLESS):
            raise HeadscopeError(f"{path}: {name} = {value}: such a model cannot be imported")
    for side in ("encoder", "decoder"):
        for name in READ[:3]:  # one for both sides in older files
            values.setdefault(f"{side}.{name}", values.get(name))
    values |= {
        "unk_token": "<unk>",
        "eos_token": "</s>",
        "decoder_start_token": "<s>" if values.get("with_target_bos", True) else "</s>",
        "add_source_bos": bool(values.get("with_source_bos", False)),
        "add_source_eos": bool(values.get("with_source_eos", False)),
        "heads": HEADS.get(file.specification),
    }
    config = folder / "config.json"
    settings = Settings(config if config.exists() else path, values | (read_json(config) if config.exists() else {}))
    settings.expect("add_source_bos", False)
    return settings


def _plain(name: str) -> str:
    """A variable's name in the manner of ours."""
    parts = {"gamma": "weight", "beta": "bias", "embeddings_0": "embeddings"}
    return ".".join(parts.get(part, part) for part in name.split("/"))


def _dequantised(file: ModelFile, path: Path) -> dict[str, Tensor]:
    """The tensors in float32: integers are divided by the scale of their row, or of them all."""
    tensors = {}
    for name, value in file.variables.items():
        if value.dim() == 0 or name.endswith("weight_scale"):
            continue
        tensors[_plain(name)] = value.float()
        if not value.is_floating_point():
            scale = file.variables.get(f"{name}_scale")
            if scale is None or scale.shape not in ((), value.shape[:1]) or not scale.all():
                raise HeadscopeError(f"{path}: '{name}' holds integers without a scale that fits them")
            tensors[_plain(name)] /= scale.float().view(-1, *[1] * (value.dim() - 1))
    return tensors


def _unfused(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The matrices of attention under names of their own."""
    apart: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        found = re.fullmatch(r"(.+\.(self_attention|attention))\.linear_([012])\.(weight|bias)", name)
        if found is None:
            apart[name] = tensor
            continue
        parts = FUSED[found[2]][int(found[3])] if int(found[3]) < len(FUSED[found[2]]) else (f"linear_{found[3]}",)
        for part, rows in zip(parts, tensor.chunk(len(parts)), strict=False):
            apart[f"{found[1]}.{part}.{found[4]}"] = rows
    return apart


def _tables(folder: Path, settings: Settings) -> tuple[list[list[str]], dict[str, str]]:
    """The vocabulary, or those of source and target, and which symbols are special."""
    kinds = ("json", "txt")
    shared = any((folder / f"shared_vocabulary.{kind}").exists() for kind in kinds)
    unknown, tables = settings.get("unk_token"), []
    for name in ("shared",) if shared else ("source", "target"):
        path = require(folder, *(f"{name}_vocabulary.{kind}" for kind in kinds))
        table = list(read_table(path)) if path.suffix == ".json" else read_lines(path)
        tables.append(table if unknown in table else [*table, unknown])
    keys = {"unknown": "unk_token", "start": "decoder_start_token", "end": "eos_token"}
    specials = {name: settings.get(key) for name, key in keys.items()}
    for name, piece in specials.items():
        if piece not in tables[-1]:
            raise settings.refuse(keys[name], "the target vocabulary has no such symbol")
    return tables, specials | {"pad": next((piece for piece in PADDING if piece in tables[-1]), specials["end"])}


def _config(settings: Settings, tensors: Mapping[str, Tensor], *, shared: bool) -> ModelConfig:
    def stack(side: str) -> dict[str, int]:
        layers = {name.split(".")[1] for name in tensors if name.startswith(f"{side}.layer_") and ".ffn." in name}
        inner = tensors.get(f"{side}.layer_0.ffn.linear_0.weight", torch.empty(0))
        return {
            "layers": len(layers),
            "heads": settings.number(f"{side}.num_heads", settings.get("heads", 8)),
            "feed_forward": len(inner),
        }

    def both(name: str, missing: Any) -> Any:
        first, second = (settings.get(f"{side}.{name}", missing) for side in ("encoder", "decoder"))
        if first != second:
            raise settings.refuse(f"decoder.{name}", f"encoder.{name} = {first!r}; ours is one for both")
        return first

    width = tensors[SOURCE].shape[-1]
    activation, scale = both("activation", 0), both("scale_embeddings", 1)
    if activation not in ACTIVATIONS:
        raise settings.refuse("encoder.activation", f"only {', '.join(map(str, ACTIVATIONS))} can be imported")
    if isinstance(scale, float) and scale != 1 and abs(scale - width**0.5) > 1e-4:
        raise settings.refuse("encoder.scale_embeddings", f"only 1 or the root of {width} can be imported")
    positions: dict[str, Any] = {"sinusoid_layout": "halves_opennmt"}
    if ENCODER_POSITIONS in tensors and DECODER_POSITIONS in tensors:
        positions = position_fields(tensors[ENCODER_POSITIONS], tensors[DECODER_POSITIONS], settings.path)
    return settings.model(
        d_model=width,
        encoder=stack("encoder"),
        decoder=stack("decoder"),
        source_vocabulary=len(tensors[SOURCE]),
        target_vocabulary=len(tensors[TARGET]),
        **positions,
        norm="pre" if both("pre_norm", 1) else "post",
        norm_epsilon=settings.get("layer_norm_epsilon", 1e-5),
        activation=ACTIVATIONS[activation],
        attention_bias="encoder.layer_0.self_attention.query.bias" in tensors,
        feed_forward_bias="encoder.layer_0.ffn.linear_0.bias" in tensors,
        share_source_target=shared and torch.equal(tensors[SOURCE], tensors[TARGET]),
        share_output=torch.equal(tensors[TARGET], tensors[OUTPUT]),
        logits_bias=BIAS in tensors,
        # The whole number 1 is a flag: by the root of the width. The fraction 1.0 is the factor itself.
        scale_embedding=bool(scale) if isinstance(scale, int) else scale != 1,
        zero_start=bool(settings.get("decoder.start_from_zero_embedding", 0)),
        source_end=settings.boolean("add_source_eos"),
        dropout=0.0,
    )


def _needed(tensors: Mapping[str, Tensor], config: ModelConfig) -> dict[str, Tensor]:
    """The tensors without second copies of tables, and without sinusoids."""
    copies = {DECODER_POSITIONS} | ({ENCODER_POSITIONS} if config.positions == "sinusoidal" else set())
    copies |= ({TARGET} if config.share_source_target else set()) | ({OUTPUT} if config.share_output else set())
    return {name: tensor for name, tensor in tensors.items() if name not in copies}


def _names() -> Names:
    names = {
        "source_embedding.weight": SOURCE,
        "target_embedding.weight": TARGET,
        "projection": "decoder.projection",
        "positions.table": ENCODER_POSITIONS,
        "encoder_norm": "encoder.layer_norm",
        "decoder_norm": "decoder.layer_norm",
    }
    for side, attentions in (
        ("encoder", {"attention": "self_attention"}),
        ("decoder", {"attention": "self_attention", "cross": "attention"}),
    ):
        ours, theirs = f"{side}.{{}}.", f"{side}.layer_{{}}."
        for one, other in attentions.items():
            names |= {f"{ours}{one}.{part}": f"{theirs}{other}.{part}" for part in ("query", "key", "value", "output")}
            names[f"{ours}{one}_residual.norm"] = f"{theirs}{other}.layer_norm"
        names[f"{ours}feed_forward.inner"] = f"{theirs}ffn.linear_0"
        names[f"{ours}feed_forward.outer"] = f"{theirs}ffn.linear_1"
        names[f"{ours}feed_forward_residual.norm"] = f"{theirs}ffn.layer_norm"
    return names
