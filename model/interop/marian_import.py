"""MarianMT models (OPUS-MT) in the format of Hugging Face's `transformers`."""

from pathlib import Path

import torch
from torch import Tensor

from headscope.model.card import UNKNOWN_LANGUAGES
from headscope.model.config import ModelConfig, SinusoidLayout
from headscope.model.errors import HeadscopeError
from headscope.model.files import read_json
from headscope.model.interop import hugging_face
from headscope.model.interop.files import read_bytes, read_ids, read_tensors, require, stated_licence
from headscope.model.interop.imported import Imported, named_languages
from headscope.model.interop.naming import our_weights
from headscope.model.interop.positions import sinusoid_layout
from headscope.model.interop.settings import Settings
from headscope.model.text.language_tags import TaggedVocabulary, is_tag
from headscope.model.text.sentencepiece_vocabulary import SentencePieceVocabulary
from headscope.model.text.vocabulary import Vocabulary
from headscope.model.text.vocabulary_files import Tags

BIAS = "final_logits_bias"
CLOSED = -1e4
"""A logit that no probability is left of; fp16 holds it exactly."""


def read_marian(folder: Path, *, languages: tuple[str, str] | None = None) -> Imported:
    """Read a folder with `config.json`, weights, `source.spm`, `target.spm` and `vocab.json`.

    Pad is the start symbol too, and never generated. Where the generation settings renormalise, its logit is closed, so
    that the other pieces share its probability. Text is not normalised before SentencePiece sees it, as in
    `transformers`.

    Args:
        languages: source and target; if not given, those that the files name.

    Raises:
        HeadscopeError: something in the folder is missing, damaged, or of a kind that our Transformer is not.
    """
    settings = hugging_face.read_settings(folder)
    config = _config(settings)
    vocabulary = _vocabulary(folder, settings, config)
    path = require(folder, *hugging_face.WEIGHTS)
    tensors = read_tensors(path)
    layout = _take_positions(tensors, path)
    config = config.model_copy(update={"sinusoid_layout": layout or config.sinusoid_layout})
    search, notes = hugging_face.search_settings(settings)
    if BIAS not in tensors:
        notes.append(f"the weights have no {BIAS}, though Marian trains one: it counts as zero")
    bias = tensors.get(BIAS, torch.zeros(config.target_vocabulary)).flatten().float()
    if settings.get("renormalize_logits", False):
        never = sorted({vocabulary.pad, vocabulary.start} - {vocabulary.end})
        bias = bias.index_fill(0, torch.tensor(never), CLOSED)
    tensors = hugging_face.tied(tensors | {BIAS: bias}, config, path)
    return Imported(
        config=config,
        weights=our_weights(tensors, config, hugging_face.table_names(config), path),
        vocabulary=vocabulary,
        languages=languages or _languages(folder, settings),
        origin={
            "toolkit": "Marian (Hugging Face)",
            "name": hugging_face.model_name(settings, folder),
            "licence": stated_licence(folder),
        },
        search=search,
        notes=notes,
    )


def _config(settings: Settings) -> ModelConfig:
    if settings.get("model_type") != "marian":
        raise settings.refuse("model_type", "only 'marian' can be imported here")
    for key in ("normalize_before", "normalize_embedding", "add_final_layer_norm"):
        settings.expect(key, False)
    settings.expect("static_position_embeddings", True)
    settings.expect("forced_bos_token_id", None)
    shared = settings.boolean("share_encoder_decoder_embeddings", True)
    size = settings.number("vocab_size")
    return settings.model(
        **hugging_face.layer_fields(settings),
        source_vocabulary=size,
        target_vocabulary=size if shared else settings.number("decoder_vocab_size", size),
        sinusoid_layout="halves",
        share_source_target=shared,
        logits_bias=True,
    )


def _vocabulary(folder: Path, settings: Settings, config: ModelConfig) -> Vocabulary:
    paths = [require(folder, "vocab.json")]
    if not config.share_source_target:
        paths.append(require(folder, "target_vocab.json"))
    tables = [read_ids(path) for path in paths]
    for path, table, rows in zip(paths, tables, (config.source_vocabulary, config.target_vocabulary), strict=False):
        if len(table) != rows:
            raise HeadscopeError(f"{path} has {len(table):,} pieces, the model {rows:,}: they are not of one model")
    specials = [
        {
            "pad": hugging_face.token(table, settings, "pad_token_id", "<pad>"),
            "start": settings.number("decoder_start_token_id"),
            "end": hugging_face.token(table, settings, "eos_token_id", "</s>"),
            "unknown": _unknown(table, path),
        }
        for path, table in zip(paths, tables, strict=True)
    ]
    if specials[0]["start"] >= min(map(len, tables)):
        raise settings.refuse("decoder_start_token_id", "the vocabulary has no such id")
    if specials[0] != specials[-1]:
        raise HeadscopeError(f"{paths[1]} has its <unk> at another place than {paths[0]}: this cannot be imported")
    banned = settings.get("bad_words_ids", [])
    never = [[specials[0][name]] for name in ("pad", "start")]
    if not isinstance(banned, list) or any(words not in never for words in banned):
        raise settings.refuse("bad_words_ids", "only padding and the start symbol can be ruled out")
    models = [read_bytes(folder, name) for name in ("source.spm", "target.spm")]
    vocabulary = SentencePieceVocabulary(models, tables=tables, compose=False, **specials[0])
    return TaggedVocabulary(vocabulary, Tags(typed=True)) if any(map(is_tag, tables[0])) else vocabulary


def _unknown(table: tuple[str, ...], path: Path) -> int:
    if "<unk>" not in table:
        raise HeadscopeError(f"{path} has no piece <unk>")
    return table.index("<unk>")


def _take_positions(tensors: dict[str, Tensor], path: Path) -> SinusoidLayout | None:
    """The layout of the position tables that some files hold, which are taken out; None: this one holds none."""
    names = [f"model.{side}.embed_positions.weight" for side in ("encoder", "decoder")]
    tables = [tensors.pop(name) for name in names if name in tensors]
    layouts: set[SinusoidLayout | None] = {sinusoid_layout(table) for table in tables}
    if None in layouts or len(layouts) > 1:
        raise HeadscopeError(f"{path}: '{names[0]}' holds no sinusoids that are known")
    return layouts.pop() if layouts else None


def _languages(folder: Path, settings: Settings) -> tuple[str, str]:
    file = folder / "tokenizer_config.json"
    stated = read_json(file) if file.exists() else {}
    source, target = stated.get("source_lang"), stated.get("target_lang")
    if isinstance(source, str) and isinstance(target, str):
        return source, target
    names = (hugging_face.model_name(settings, folder), folder.resolve().name)
    return next(filter(None, map(named_languages, names)), UNKNOWN_LANGUAGES)
