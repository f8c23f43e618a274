"""M2M-100 and NLLB models in the format of Hugging Face's `transformers`, for one pair of their languages."""

from pathlib import Path

from torch import Tensor

from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError
from headscope.model.files import read_json
from headscope.model.interop import hugging_face
from headscope.model.interop.files import read_bytes, read_ids, read_tensors, require, stated_licence
from headscope.model.interop.imported import Imported
from headscope.model.interop.naming import our_weights
from headscope.model.interop.positions import sinusoid_layout
from headscope.model.interop.settings import Settings
from headscope.model.text.language_tags import TaggedVocabulary
from headscope.model.text.sentencepiece_vocabulary import SentencePieceVocabulary
from headscope.model.text.vocabulary_files import Tags

SENTENCEPIECE = "sentencepiece.bpe.model"
M2M_LANGUAGES = (
    *("af", "am", "ar", "ast", "az", "ba", "be", "bg", "bn", "br", "bs", "ca", "ceb", "cs", "cy", "da", "de", "el"),
    *("en", "es", "et", "fa", "ff", "fi", "fr", "fy", "ga", "gd", "gl", "gu", "ha", "he", "hi", "hr", "ht", "hu"),
    *("hy", "id", "ig", "ilo", "is", "it", "ja", "jv", "ka", "kk", "km", "kn", "ko", "lb", "lg", "ln", "lo", "lt"),
    *("lv", "mg", "mk", "ml", "mn", "mr", "ms", "my", "ne", "nl", "no", "ns", "oc", "or", "pa", "pl", "ps", "pt"),
    *("ro", "ru", "sd", "si", "sk", "sl", "so", "sq", "sr", "ss", "su", "sv", "sw", "ta", "th", "tl", "tn", "tr"),
    *("uk", "ur", "uz", "vi", "wo", "xh", "yi", "yo", "zh", "zu"),
)
"""In the order of their ids, behind the pieces of `vocab.json`, where the files do not name them (Fan et al. 2020)."""
SHOWN = 12
"""Languages that an error lists."""


def read_m2m(folder: Path, *, languages: tuple[str, str] | None = None) -> Imported:
    """Read a folder with `config.json`, weights, `sentencepiece.bpe.model` and `vocab.json` or `tokenizer.json`.

    Source texts open with the token of their language; translations open with that of theirs, which is not searched.

    Args:
        languages: source and target, as the model names them: `en`, `de` (M2M-100) or `eng_Latn`, `deu_Latn` (NLLB).

    Raises:
        HeadscopeError: something in the folder is missing, damaged, or of a kind that our Transformer is not; no
            languages are given, or the model does not know them.
    """
    settings = hugging_face.read_settings(folder)
    config = _config(settings)
    table = _table(folder, config.source_vocabulary)
    if languages is None:
        raise HeadscopeError("this model translates between many languages: name two, as en,de")
    tags = Tags(source=_language(languages[0], table), target=_language(languages[1], table))
    vocabulary = SentencePieceVocabulary(
        [read_bytes(folder, SENTENCEPIECE)],
        tables=[table],
        pad=hugging_face.token(table, settings, "pad_token_id", "<pad>"),
        unknown=table.index("<unk>"),
        start=hugging_face.token(table, settings, "decoder_start_token_id", "</s>"),
        end=hugging_face.token(table, settings, "eos_token_id", "</s>"),
    )
    path = require(folder, *hugging_face.WEIGHTS)
    tensors = read_tensors(path)
    _check_positions(tensors, path)
    return Imported(
        config=config,
        weights=our_weights(hugging_face.tied(tensors, config, path), config, hugging_face.table_names(config), path),
        vocabulary=TaggedVocabulary(vocabulary, tags),
        languages=languages,
        origin={
            "toolkit": "M2M-100 (Hugging Face)",
            "name": hugging_face.model_name(settings, folder),
            "licence": stated_licence(folder),
        },
        search=hugging_face.search_settings(settings),
        notes=hugging_face.notes(settings, folder),
    )


def _config(settings: Settings) -> ModelConfig:
    if settings.get("model_type") != "m2m_100":
        raise settings.refuse("model_type", "only 'm2m_100' can be imported here")
    size = settings.number("vocab_size")
    return settings.model(
        **hugging_face.layer_fields(settings),
        source_vocabulary=size,
        target_vocabulary=size,
        sinusoid_layout="halves_fairseq",
        norm="pre",
    )


def _table(folder: Path, size: int) -> tuple[str, ...]:
    """All pieces by id: those of text, languages, and fillers up to the size of the model's table."""
    path = require(folder, "vocab.json", "tokenizer.json")
    if path.name == "vocab.json":
        pieces = list(read_ids(path))
        pieces += _named_languages(folder) or [f"__{code}__" for code in M2M_LANGUAGES]
    else:
        pieces = _tokenizer_pieces(path)
    if len(pieces) > size or "<unk>" not in pieces:
        raise HeadscopeError(f"{path} has {len(pieces):,} pieces, the model {size:,}: they are not of one model")
    return (*pieces, *(f"<unused {index}>" for index in range(len(pieces), size)))


def _named_languages(folder: Path) -> list[str]:
    path = folder / "special_tokens_map.json"
    named = read_json(path).get("additional_special_tokens", []) if path.exists() else []
    return [token for token in named if isinstance(token, str)]


def _tokenizer_pieces(path: Path) -> list[str]:
    """The pieces in `tokenizer.json`, those added to it included."""
    content = read_json(path)
    model = content.get("model")
    ids = model.get("vocab") if isinstance(model, dict) else None
    added = content.get("added_tokens", [])
    if not isinstance(ids, dict) or not isinstance(added, list):
        raise HeadscopeError(f"{path} holds no vocabulary of pieces with ids")
    ids = ids | {token.get("content"): token.get("id") for token in added if isinstance(token, dict)}
    by_id = {index: piece for piece, index in ids.items()}
    if set(by_id) != set(range(len(ids))):
        raise HeadscopeError(f"{path}: the ids of its {len(ids):,} pieces are not 0 to {len(ids) - 1:,}, each once")
    return [str(by_id[index]) for index in range(len(ids))]


def _language(code: str, table: tuple[str, ...]) -> int:
    for token in (f"__{code}__", code):
        if token in table:
            return table.index(token)
    known = [piece.strip("_") for piece in table if _is_language(piece)]
    shown = ", ".join(known[:SHOWN]) + (", …" if len(known) > SHOWN else "")
    raise HeadscopeError(f"the model does not know the language '{code}'; it knows {shown}")


def _is_language(piece: str) -> bool:
    nllb = len(piece) == 8 and piece[3] == "_" and piece[:3].islower() and piece[4:].istitle()
    return nllb or (piece.startswith("__") and piece.endswith("__"))


def _check_positions(tensors: dict[str, Tensor], path: Path) -> None:
    """Take out the position tables that some files hold: their rows count from the padding's on."""
    for name in [name for name in tensors if ".embed_positions." in name]:
        table = tensors.pop(name)
        if not table.dim() or sinusoid_layout(table[2:]) != "halves_fairseq":
            raise HeadscopeError(f"{path}: '{name}' holds no sinusoids that are known")
