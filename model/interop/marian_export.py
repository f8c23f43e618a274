"""Our models in the MarianMT format of Hugging Face's `transformers`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from headscope.model.checkpoint import weights_of, write_weights
from headscope.model.errors import HeadscopeError
from headscope.model.files import new_folder, write_json
from headscope.model.interop.ctranslate2_export import copy_models, pieces
from headscope.model.interop.hugging_face import SHARED, SOURCE, TARGET, table_names
from headscope.model.interop.naming import shapes, their_name
from headscope.model.interop.paper_attention import require_paper_attention
from headscope.model.sites import Side
from headscope.model.text.vocabulary import Vocabulary
from headscope.model.translator import Translator

LONGEST = 512
BIAS = "final_logits_bias"
ONLY: Mapping[str, tuple[Any, ...]] = {
    "norm": ("post",),
    "norm_epsilon": (1e-5,),
    "positions": ("sinusoidal",),
    "sinusoid_layout": ("halves", "interleaved"),
    "zero_start": (False,),
    "source_end": (True,),
}
"""What a Marian model can be."""
INWARDS = ("embedding", "projection", "query", "key", "value", "inner")
"""Matrices that read the width of the model; all others write it."""


def export_marian(translator: Translator, out: Path) -> list[str]:
    """Write a folder that `MarianMTModel` and `MarianTokenizer` open: the same model, in float32.

    Marian's sinusoids are the paper's with all sines before all cosines. A model with the paper's own layout is written
    with its channels in another order, which changes nothing else.

    Returns:
        What the user has to know, a line each.

    Raises:
        HeadscopeError: there is something at `out`, or a Marian model cannot be what this one is.
    """
    config = translator.model.config
    require_paper_attention(config, "a Marian model")
    for key, allowed in ONLY.items():
        if getattr(config, key) not in allowed:
            raise HeadscopeError(
                f"{key} = {getattr(config, key)!r}: a Marian model has {' or '.join(map(str, allowed))}"
            )
    if translator.vocabulary.prefix:
        raise HeadscopeError(
            "translations of this model open with a language tag, which those of a Marian model do not"
        )
    with new_folder(out) as folder:
        write_weights(folder / "model.safetensors", _tensors(translator), {"format": "pt"})
        write_json(folder / "config.json", _config(translator))
        write_json(folder / "generation_config.json", _generation(translator))
        languages, shared = translator.card.languages, config.share_source_target
        has_models = _write_vocabulary(folder, translator.vocabulary, languages, shared=shared)
    return _notes(translator, has_models)


def _tensors(translator: Translator) -> dict[str, Tensor]:
    # Every Marian model has all biases; those that ours does without are zero.
    config = translator.model.config
    full = config.model_copy(update={"attention_bias": True, "feed_forward_bias": True, "logits_bias": True})
    weights = {name: torch.zeros(shape) for name, shape in shapes(full).items()} | weights_of(translator.model)
    if config.sinusoid_layout == "interleaved":
        order = torch.cat([torch.arange(0, config.d_model, 2), torch.arange(1, config.d_model, 2)])
        weights = {name: _reordered(name, weight, order) for name, weight in weights.items()}
    names = table_names(config)
    tensors = {their_name(name, names): weight for name, weight in weights.items()}
    tensors[BIAS] = tensors[BIAS][None]
    if config.share_source_target and not config.share_output:  # then loading ties nothing
        tensors |= {SOURCE: tensors[SHARED].clone(), TARGET: tensors[SHARED].clone()}
    return {name: tensor.contiguous() for name, tensor in tensors.items()}


def _reordered(name: str, weight: Tensor, order: Tensor) -> Tensor:
    """A parameter of the model whose channels stand in that order."""
    if any(part in name for part in INWARDS):
        return weight[:, order] if weight.dim() == 2 else weight
    return weight[order]


def _config(translator: Translator) -> dict[str, Any]:
    config, vocabulary = translator.model.config, translator.vocabulary
    stacks = {
        f"{side}_{key}": value
        for side, stack in (("encoder", config.encoder), ("decoder", config.decoder))
        for key, value in (
            ("layers", stack.layers),
            ("attention_heads", stack.heads),
            ("ffn_dim", stack.feed_forward),
            ("layerdrop", 0.0),
        )
    }
    return stacks | {
        "architectures": ["MarianMTModel"],
        "model_type": "marian",
        "is_encoder_decoder": True,
        "d_model": config.d_model,
        "activation_function": config.activation,
        "scale_embedding": config.scale_embedding,
        "static_position_embeddings": True,
        "max_position_embeddings": LONGEST,
        "normalize_before": False,
        "normalize_embedding": False,
        "add_final_layer_norm": False,
        "share_encoder_decoder_embeddings": config.share_source_target,
        "tie_word_embeddings": config.share_output,
        "vocab_size": config.source_vocabulary,
        "decoder_vocab_size": config.target_vocabulary,
        "pad_token_id": vocabulary.pad,
        "eos_token_id": vocabulary.end,
        "decoder_start_token_id": vocabulary.start,
        "bos_token_id": None,
        "forced_eos_token_id": None,
        "dropout": config.dropout,
        "attention_dropout": config.attention_dropout,
        "activation_dropout": config.activation_dropout,
        "dtype": "float32",
    }


def _generation(translator: Translator) -> dict[str, Any]:
    vocabulary, settings = translator.vocabulary, translator.settings
    never = sorted({vocabulary.pad, vocabulary.start} - {vocabulary.end})
    return {
        "pad_token_id": vocabulary.pad,
        "eos_token_id": vocabulary.end,
        "decoder_start_token_id": vocabulary.start,
        "bad_words_ids": [[index] for index in never] or None,
        "num_beams": settings.beam,
        "length_penalty": settings.penalty.alpha if settings.penalty.kind == "power" else 1.0,
        "max_length": min(settings.longest or LONGEST, LONGEST - 1) + 1,
    }


def _write_vocabulary(folder: Path, vocabulary: Vocabulary, languages: tuple[str, str], *, shared: bool) -> bool:
    """The tables, and where text can be cut the tokenizer; returns whether it can."""
    names: dict[str, Side] = {"vocab.json": "source"}
    if not shared:
        names["target_vocab.json"] = "target"
    for name, side in names.items():
        write_json(folder / name, {piece: index for index, piece in enumerate(pieces(vocabulary, side))})
    if not copy_models(vocabulary, folder):
        return False
    joint = folder / "sentencepiece.model"
    if joint.exists():
        (folder / "target.spm").write_bytes(joint.read_bytes())
        joint.rename(folder / "source.spm")
    specials = {"unk_token": vocabulary.unknown, "eos_token": vocabulary.end, "pad_token": vocabulary.pad}
    tokenizer = {
        "tokenizer_class": "MarianTokenizer",
        "source_lang": languages[0],
        "target_lang": languages[1],
        "separate_vocabs": not shared,
        "model_max_length": LONGEST,
    }
    named = {key: vocabulary.piece(index, "source") for key, index in specials.items()}
    write_json(folder / "tokenizer_config.json", tokenizer | named)
    return True


def _notes(translator: Translator, has_models: bool) -> list[str]:
    notes = [f"transformers refuses sentences and translations of more than {LONGEST} pieces"]
    if has_models:
        notes.append("bring text to Unicode's composed form (NFC) before its tokenizer sees it")
    else:
        notes.append("it has no tokenizer, since this model's text is symbols with blanks between them")
    if translator.settings.penalty.kind == "gnmt":
        notes.append("generate() has no GNMT length penalty: length_penalty is 1.0, its own")
    return notes
