"""What the formats of Hugging Face's `transformers` have in common: Marian and M2M-100 are two of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError
from headscope.model.files import read_json
from headscope.model.interop.files import require
from headscope.model.interop.keys.hugging_face import MODEL, TOKENIZER
from headscope.model.interop.naming import bart_names, tie
from headscope.model.interop.settings import Settings, search_settings_of
from headscope.model.search.settings import SearchSettings

ACTIVATIONS = {"swish": "silu", "silu": "silu", "relu": "relu", "gelu": "gelu"}
WEIGHTS = ("model.safetensors", "pytorch_model.bin")
SOURCE, TARGET = "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"
SHARED, OUTPUT = "model.shared.weight", "lm_head.weight"


def read_settings(folder: Path) -> Settings:
    """`config.json`, with what `generation_config.json` says instead."""
    path = require(folder, "config.json")
    generation = folder / "generation_config.json"
    return Settings(path, read_json(path) | (read_json(generation) if generation.exists() else {}))


def layer_fields(settings: Settings) -> dict[str, Any]:
    """The fields of a configuration that both kinds state alike. Defaults of `transformers` are never assumed."""
    settings.expect("is_encoder_decoder", True)
    if settings.get("forced_eos_token_id", None) not in (None, settings.get("eos_token_id", None)):
        raise settings.refuse("forced_eos_token_id", "only the end of sentence can be imported")
    stacks = {
        side: {
            "layers": settings.number(f"{side}_layers"),
            "heads": settings.number(f"{side}_attention_heads"),
            "feed_forward": settings.number(f"{side}_ffn_dim"),
        }
        for side in ("encoder", "decoder")
    }
    return stacks | {
        "d_model": settings.number("d_model"),
        "activation": settings.choice("activation_function", ACTIVATIONS),
        "scale_embedding": settings.boolean("scale_embedding"),
        "share_output": settings.boolean("tie_word_embeddings", True),
        "dropout": settings.get("dropout", 0.0),
        "attention_dropout": settings.get("attention_dropout", 0.0),
        "activation_dropout": settings.get("activation_dropout", 0.0),
    }


def table_names(config: ModelConfig) -> dict[str, str]:
    """The names of the embedding tables, beside those of the layers."""
    names = bart_names("model.") | {"projection.weight": OUTPUT, "projection.bias": "final_logits_bias"}
    if config.share_source_target:
        return names | {"source_embedding.weight": SHARED}
    return names | {"source_embedding.weight": SOURCE, "target_embedding.weight": TARGET}


def tied(tensors: Mapping[str, Tensor], config: ModelConfig, path: Path) -> dict[str, Tensor]:
    """The tensors with one name for every table.

    Files hold a shared table under one name or under several. What the settings call one table has to be one already:
    tying tables that differ loses one of them.

    Raises:
        HeadscopeError: they differ.
    """
    output = [OUTPUT] if config.share_output else []
    if config.share_source_target:
        one = [SHARED, SOURCE, TARGET, *output]
        reason = "share_encoder_decoder_embeddings = true" + (" with tie_word_embeddings = true" if output else "")
        found = tie(tensors, one, path, reason)
        return {SHARED if name in one else name: tensor for name, tensor in found.items()}
    found = tie(tensors, [SOURCE, SHARED], path, "share_encoder_decoder_embeddings = false")
    return tie(found, [TARGET, *output], path, "tie_word_embeddings = true")


def tokenizer_settings(folder: Path) -> dict[str, Any]:
    """What `tokenizer_config.json` says, if it is there."""
    path = folder / "tokenizer_config.json"
    return read_json(path) if path.exists() else {}


def notes(settings: Settings, folder: Path) -> list[str]:
    """What neither `generate` nor the tokenizer of ours would do as the files say."""
    return [*MODEL.notes(settings.values), *TOKENIZER.notes(tokenizer_settings(folder), "tokenizer_config.json: ")]


def search_settings(settings: Settings) -> SearchSettings:
    """How `generate` would search, as a card says it."""
    return search_settings_of(
        settings,
        beam=settings.get("num_beams", 1),
        alpha=settings.get("length_penalty", 1.0),
        kind="power",
        finish="top",
        # `generate` counts the start symbol in max_length.
        longest=settings.get("max_new_tokens", settings.number("max_length", 512) - 1),
    )


def model_name(settings: Settings, folder: Path) -> str:
    """What the model is called."""
    stated = settings.get("_name_or_path", None)
    return Path(stated).name if isinstance(stated, str) and stated else folder.resolve().name


def token(table: tuple[str, ...], settings: Settings, key: str, piece: str) -> int:
    """The id that a key gives, which has to be that of a piece.

    Raises:
        HeadscopeError: it is that of another, so the vocabulary is not the model's.
    """
    index = settings.number(key)
    if index >= len(table) or table[index] != piece:
        found = repr(table[index]) if index < len(table) else "no piece"
        raise HeadscopeError(f"{settings.path}: {key} = {index}, but the vocabulary has {found} there, not '{piece}'")
    return index
