"""Translation models trained with fairseq: a checkpoint and its dictionaries."""

import re
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError
from headscope.model.interop.files import read_pickle, require, stated_licence, tensors_in
from headscope.model.interop.imported import Imported
from headscope.model.interop.keys import fairseq as keys
from headscope.model.interop.naming import Names, bart_names, our_weights, tie
from headscope.model.interop.positions import position_fields
from headscope.model.interop.settings import Settings, search_settings_of
from headscope.model.interop.symbols import named_models, read_lines, symbol_vocabulary, without_padding
from headscope.model.search.settings import SearchSettings

CHECKPOINTS = ("checkpoint_best.pt", "model.pt", "checkpoint_last.pt")
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "swish": "silu"}
SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")
"""They open every dictionary, and no file names them."""
IDS = {"pad": 1, "unknown": 3, "start": 2, "end": 2}
OFFSET = 2
"""Rows of a learned position table before that of the first position."""
REFUSED = (
    *("no_token_positional_embeddings", "layernorm_embedding", "adaptive_input", "no_cross_attention"),
    *("cross_self_attention", "merge_src_tgt_embed", "no_decoder_final_norm", "char_inputs"),
)
SOURCE, TARGET, OUTPUT = (
    f"{name}.weight" for name in ("encoder.embed_tokens", "decoder.embed_tokens", "decoder.output_projection")
)
ENCODER_POSITIONS, DECODER_POSITIONS = (f"{side}.embed_positions.weight" for side in ("encoder", "decoder"))
BEAM, ALPHA, LONGEST = 5, 1.0, 200
"""What its `fairseq-generate` does by default."""


def read_fairseq(folder: Path, *, languages: tuple[str, str] | None = None) -> Imported:
    """Read a folder with `checkpoint_best.pt` (or `model.pt`, or the only .pt there is) and `dict.LANGUAGE.txt`.

    Text is ready-cut pieces with blanks between them, as in fairseq, unless there is a SentencePiece model. Weights
    under the names of older versions are understood; so are both ways in which settings are stored.

    Args:
        languages: source and target, as in the names of the dictionaries; if not given, those the checkpoint names.

    Raises:
        HeadscopeError: something is missing, damaged, or of a kind that our Transformer is not.
    """
    path = _checkpoint(folder)
    content = read_pickle(path, harmless=[Namespace])
    if not isinstance(content, dict) or "model" not in content:
        raise HeadscopeError(f"{path} holds no model of fairseq")
    settings = _settings(path, content)
    generation = Settings(path, _plain(_plain(content.get("cfg")).get("generation")))
    tensors = _modern(tensors_in(content["model"], path), path)
    source, target = languages or (settings.get("source_lang"), settings.get("target_lang"))
    tables = [_dictionary(folder, name) for name in (source, target)]
    sizes = {SOURCE: len(tables[0]), TARGET: len(tables[1]), OUTPUT: len(tables[1])}
    tensors, padding = without_padding(tensors, sizes, path)
    config = _config(settings, tensors, path, [len(table) for table in tables])
    models, missing = named_models(folder, {"sentencepiece_model": settings.get("sentencepiece_model", None)})
    _check_final_norms(settings, tensors)
    return Imported(
        config=config,
        weights=our_weights(_needed(tensors, config, path), config, _names(), path),
        vocabulary=symbol_vocabulary(folder, tables[:1] if tables[0] == tables[1] else tables, IDS, models),
        languages=(source, target),
        origin={"toolkit": "fairseq", "name": folder.resolve().name, "licence": stated_licence(folder)},
        search=_search(generation),
        notes=[*_notes(settings, generation, content), *missing, *padding],
    )


def _checkpoint(folder: Path) -> Path:
    found = sorted(path.name for path in folder.glob("*.pt"))
    chosen = next((name for name in CHECKPOINTS if name in found), None)
    if chosen is None and len(found) > 1:
        raise HeadscopeError(f"{folder} has several checkpoints ({', '.join(found)}): rename one to model.pt")
    return require(folder, chosen or (found[0] if found else "model.pt"))


def _settings(path: Path, content: Mapping[str, Any]) -> Settings:
    """The arguments of the training: flat, or in groups as newer versions have them."""
    args, cfg = content.get("args"), content.get("cfg")
    values = dict(_plain(args))
    if isinstance(cfg, dict):
        values |= _plain(cfg.get("task")) | _plain(cfg.get("model"))
        values.pop("_name", None)
        for name in ("bpe", "tokenizer"):
            group = dict(_plain(cfg.get(name)))
            if kind := group.pop("_name", None) if group else cfg.get(name):
                values |= {name: kind} | group
        for side in ("encoder", "decoder"):
            values |= {f"{side}_{key}": value for key, value in _plain(values.get(side)).items()}
    if not values:
        raise HeadscopeError(f"{path} has neither the arguments nor the configuration of its training")
    return Settings(path, values)


def _search(generation: Settings) -> SearchSettings:
    """How its `fairseq-generate` would search. A longest translation that depends on the source is none of ours."""
    return search_settings_of(
        generation,
        beam=generation.number("beam", BEAM),
        alpha=0.0 if generation.boolean("unnormalized", False) else generation.real("lenpen", ALPHA),
        kind="power",
        finish="top",
        longest=None if generation.real("max_len_a", 0) else generation.number("max_len_b", LONGEST),
    )


def _notes(settings: Settings, generation: Settings, content: Mapping[str, Any]) -> list[str]:
    """What of the arguments is not followed."""
    notes = [*keys.MODEL.notes(keys.of_the_model(settings.values)), *keys.GENERATION.notes(generation.values)]
    notes += keys.GROUPS.notes(_plain(content.get("cfg")), "cfg.")
    if generation.real("max_len_a", 0):
        notes.append(f"max_len_a = {generation.get('max_len_a')!r} is not obeyed: translations may be longer")
    for key, cut in (("bpe", "pieces"), ("tokenizer", "tokens")):
        name = settings.get(key, None)
        if name not in (None, "sentencepiece", "space"):
            notes.append(f"{key} = {name!r} is not obeyed: give texts as its {cut}, with blanks between them")
    return notes


def _plain(values: object) -> dict[str, Any]:
    return dict(vars(values)) if isinstance(values, Namespace) else values if isinstance(values, dict) else {}


def _modern(tensors: Mapping[str, Tensor], path: Path) -> dict[str, Tensor]:
    """The tensors under the names of the newest version, without what is computed."""
    norms = {
        "encoder": ("self_attn_layer_norm", "final_layer_norm"),
        "decoder": ("self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm"),
    }
    modern: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if name.endswith("._float_tensor"):
            continue
        if not tensor.dim() and not name.endswith(".version"):
            raise HeadscopeError(f"{path}: '{name}' is a single number, which no parameter is")
        if found := re.fullmatch(r"(encoder|decoder)(\.layers\.\d+)\.layer_norms\.([012])\.(\w+)", name):
            side, number = found[1], int(found[3])
            if number < len(norms[side]):
                name = f"{side}{found[2]}.{norms[side][number]}.{found[4]}"
        if name == "decoder.embed_out":
            name = OUTPUT
        if found := re.fullmatch(r"(.*)\.in_proj_(weight|bias)", name):
            for part, rows in zip(("q", "k", "v"), tensor.chunk(3), strict=False):
                modern[f"{found[1]}.{part}_proj.{found[2]}"] = rows
        else:
            modern[name] = tensor
    return modern


def _dictionary(folder: Path, language: object) -> tuple[str, ...]:
    """The pieces of a language: a file with a piece and how often it occurred on each line."""
    if not isinstance(language, str) or not re.fullmatch(r"\w[\w-]*", language):
        raise HeadscopeError(f"{language!r} is no language: dictionaries are called dict.en.txt, for example")
    path = require(folder, f"dict.{language}.txt")
    pieces = [*SPECIALS]
    for number, line in enumerate(read_lines(path), 1):
        piece, blank, count = line.removesuffix(" #fairseq:overwrite").rpartition(" ")
        if not blank or not count.isdecimal():
            raise HeadscopeError(f"{path}, line {number}: a piece and its count are expected, not {line[:40]!r}")
        pieces.append(piece)
    return tuple(pieces)


def _config(settings: Settings, tensors: Mapping[str, Tensor], path: Path, sizes: list[int]) -> ModelConfig:
    def both(key: str, missing: Any) -> Any:
        first, second = (settings.get(f"{side}_{key}", missing) for side in ("encoder", "decoder"))
        if first != second:
            raise settings.refuse(f"decoder_{key}", f"encoder_{key} = {first!r}; ours is one for both")
        return first

    for key in REFUSED:
        settings.expect(key, False)
    settings.expect("adaptive_softmax_cutoff", None)
    settings.expect("base_layers", 0)
    for side in ("encoder", "decoder"):
        settings.expect(f"{side}_layers_to_keep", None)
    width = settings.number("encoder_embed_dim")
    for key in ("decoder_embed_dim", "decoder_input_dim", "decoder_output_dim"):
        settings.expect(key, width)
    shared = settings.boolean("share_all_embeddings", False)
    positions: dict[str, Any] = {"sinusoid_layout": "halves_fairseq"}
    if both("learned_pos", False):
        first, second = (tensors.get(name, torch.empty(0))[OFFSET:] for name in (ENCODER_POSITIONS, DECODER_POSITIONS))
        positions = position_fields(first, second, path)
    stacks = {
        side: {
            "layers": settings.number(f"{side}_layers"),
            "heads": settings.number(f"{side}_attention_heads"),
            "feed_forward": settings.number(f"{side}_ffn_embed_dim"),
        }
        for side in ("encoder", "decoder")
    }
    return settings.model(
        d_model=width,
        **stacks,
        **positions,
        source_vocabulary=sizes[0],
        target_vocabulary=sizes[1],
        norm="pre" if both("normalize_before", False) else "post",
        activation=settings.choice("activation_fn", ACTIVATIONS, "relu"),
        share_source_target=shared,
        share_output=shared or settings.boolean("share_decoder_input_output_embed", False),
        scale_embedding=not settings.boolean("no_scale_embedding", False),
        dropout=settings.get("dropout", 0.0),
        attention_dropout=settings.get("attention_dropout", 0.0),
        activation_dropout=settings.get("activation_dropout", 0.0),
    )


def _check_final_norms(settings: Settings, tensors: dict[str, Tensor]) -> None:
    """Very old pre-norm models have no norm behind the stacks, which ours has."""
    for side, first in (("encoder", 2), ("decoder", 3)):
        version = tensors.pop(f"{side}.version", None)
        number = 1 if version is None else float(version.flatten()[0])
        if settings.get(f"{side}_normalize_before", False) and number < first:
            raise HeadscopeError(
                f"{settings.path}: {side}.version = {number:g}: this model has no norm behind its {side}; ours has"
            )


def _needed(tensors: dict[str, Tensor], config: ModelConfig, path: Path) -> dict[str, Tensor]:
    """The tensors with one name for every table."""
    if config.share_source_target:
        tensors = tie(tensors, [SOURCE, TARGET, OUTPUT], path, "share_all_embeddings = True")
    elif config.share_output:
        tensors = tie(tensors, [TARGET, OUTPUT], path, "share_decoder_input_output_embed = True")
    if config.positions == "learned":
        table = tensors[ENCODER_POSITIONS][OFFSET:]
        tensors = {name: tensor for name, tensor in tensors.items() if name != DECODER_POSITIONS}
        tensors[ENCODER_POSITIONS] = table
    return tensors


def _names() -> Names:
    return bart_names() | {
        "source_embedding.weight": SOURCE,
        "target_embedding.weight": TARGET,
        "projection.weight": OUTPUT,
        "positions.table": ENCODER_POSITIONS,
    }
