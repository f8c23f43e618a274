"""Models as Marian itself stores them: one .npz, and vocabularies in YAML."""

import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from headscope.model.card import UNKNOWN_LANGUAGES
from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError
from headscope.model.interop.files import require, stated_licence
from headscope.model.interop.imported import Imported, named_languages
from headscope.model.interop.keys.marian import DECODER, MODEL
from headscope.model.interop.marian_vocabulary import MarianVocabulary, read_marian_vocabulary
from headscope.model.interop.naming import Names, our_weights
from headscope.model.interop.settings import Settings, parse_yaml, search_settings_of
from headscope.model.interop.symbols import align, reorder, symbol_vocabulary, without_padding
from headscope.model.search.settings import SearchSettings

DESCRIPTION = "special:model.yml"
ACTIVATIONS = {"relu": "relu", "swish": "silu"}
NORMS = {("", "dan", ""): "post", ("n", "da", "n"): "pre"}
"""By what is done before and after every sub-layer, and behind the stack: d dropout, a addition, n norm."""
EPSILON = 1e-6
SOURCE, TARGET, SHARED = "encoder_Wemb", "decoder_Wemb", "Wemb"
OUTPUT, BIAS = "decoder_ff_logit_out_W", "decoder_ff_logit_out_b"
REFUSED = (
    *("transformer-no-projection", "transformer-train-position-embeddings", "transformer-disable-position-embeddings"),
    *("transformer-pool", "transformer-no-bias", "transformer-no-affine", "ulr", "right-left"),
)
BEAM, ALPHA = 6, 0.6
"""What its decoder is usually asked for, where no `decoder.yml` says it: `--beam-size 6 --normalize 0.6`."""
VOCABULARIES = ("vocab.yml", "vocab.yaml", "vocab.json", "vocab.spm", "vocab.txt")


def read_marian_npz(folder: Path, *, languages: tuple[str, str] | None = None) -> Imported:
    """Read a folder with `model.npz` (or the only .npz there is) and the vocabularies that `decoder.yml` names.

    Without `decoder.yml` the vocabulary is `vocab.yml` (or one of `VOCABULARIES`). Text is pieces with blanks between
    them, unless the vocabularies are SentencePiece models or `source.spm` and `target.spm` lie beside it. Decoding
    starts from a zero embedding. Positions and the epsilon of the norms are Marian's own, which `transformers` and
    CTranslate2 change a little when they take over such a model.

    Raises:
        HeadscopeError: something is missing, damaged, or of a kind that our Transformer is not.
    """
    decoder = _decoder(folder)
    path = _model(folder, decoder)
    arrays = _arrays(path)
    description = arrays.pop(DESCRIPTION, np.zeros(0, np.int8)).tobytes().rstrip(b"\0")
    settings = Settings(path, parse_yaml(description, path))
    found = [read_marian_vocabulary(path) for path in _vocabularies(folder, decoder)]
    tables = [one.table[: most or None] for one, most in zip(found, _most(settings), strict=True)]
    tables = tables[:1] if tables[0] == tables[-1] else tables
    orders, ids = align(tables, {"pad": "</s>", "unknown": "<unk>", "start": "</s>", "end": "</s>"})
    tensors = {_plain(name): _oriented(name, array) for name, array in arrays.items()}
    places = {SHARED: orders[0], SOURCE: orders[0], TARGET: orders[-1], OUTPUT: orders[-1], BIAS: orders[-1]}
    tensors, padding = without_padding(tensors, {name: order.known for name, order in places.items()}, path)
    tensors = reorder(tensors, places, path)
    config = _config(settings, tensors, [len(order.rows) for order in (orders[0], orders[-1])])
    return Imported(
        config=config,
        weights=our_weights(tensors, config, _names(config), path),
        vocabulary=symbol_vocabulary(folder, [order.pieces for order in orders], ids, _models(found)),
        languages=languages or named_languages(folder.resolve().name) or UNKNOWN_LANGUAGES,
        origin={"toolkit": "Marian", "name": folder.resolve().name, "licence": stated_licence(folder)},
        search=_search(decoder),
        notes=[
            *MODEL.notes(settings.values),
            *DECODER.notes(decoder.values, "decoder.yml: "),
            *dict.fromkeys(note for one in found for note in one.notes),
            *padding,
        ],
    )


def _model(folder: Path, decoder: Settings) -> Path:
    named = decoder.get("models", [])
    if not isinstance(named, list) or len(named) > 1 or not all(isinstance(name, str) for name in named):
        raise decoder.refuse("models", "one model can be imported")
    if named and (folder / Path(named[0]).name).is_file():
        return require(folder, Path(named[0]).name)
    found = sorted(path.name for path in folder.glob("*.npz"))
    if len(found) > 1 and "model.npz" not in found:
        raise HeadscopeError(f"{folder} has several models ({', '.join(found)}): rename one to model.npz")
    return require(folder, found[0] if len(found) == 1 else "model.npz")


def _arrays(path: Path) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise HeadscopeError(f"{path} is damaged, or no .npz of plain numbers: copy it again") from error
    for name, array in arrays.items():
        if array.dtype.kind not in "fiu":
            raise HeadscopeError(f"{path}: '{name}' holds no numbers but {array.dtype}")
    return arrays


def _decoder(folder: Path) -> Settings:
    """What `decoder.yml` says, if it is there."""
    path = folder / "decoder.yml"
    return Settings(path, parse_yaml(path.read_bytes(), path) if path.exists() else {})


def _vocabularies(folder: Path, decoder: Settings) -> list[Path]:
    """The files of the source and the target vocabulary."""
    if not decoder.path.exists():
        return [require(folder, *VOCABULARIES)] * 2
    names = decoder.get("vocabs", None)
    if not isinstance(names, list) or len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise HeadscopeError(f"{decoder.path}: vocabs = {names!r}: two files are expected")
    for name in names:
        if Path(name).name != name:
            raise HeadscopeError(f"{decoder.path}: the vocabulary '{name}' is not a file beside it")
    return [require(folder, name) for name in names]


def _models(found: Sequence[MarianVocabulary]) -> list[str]:
    """The vocabularies that are SentencePiece models, each once, if all of them are."""
    return list(dict.fromkeys(one.path.name for one in found)) if all(one.sentencepiece for one in found) else []


def _most(settings: Settings) -> list[int]:
    """How many pieces of each vocabulary are taken at most; 0: all."""
    most = settings.get("dim-vocabs", [0, 0])
    if not isinstance(most, list) or len(most) != 2 or not all(type(one) is int and one >= 0 for one in most):
        raise settings.refuse("dim-vocabs", "two whole numbers are expected")
    return most


def _search(decoder: Settings) -> SearchSettings:
    """How its decoder would search. `normalize` without a number is 1."""
    alpha = decoder.get("normalize", ALPHA)
    alpha = float(alpha) if isinstance(alpha, bool) else decoder.real("normalize", ALPHA)
    return search_settings_of(decoder, beam=decoder.number("beam-size", BEAM), alpha=alpha, kind="power", finish="top")


def _plain(name: str) -> str:
    """A parameter's name in the manner of ours."""
    layer = re.fullmatch(
        r"(encoder|decoder)_l(\d+)_(self|context|ffn)_(?:([Wb])([qkvo12])|(?:Wo|ffn)_ln_(scale|bias)(?:_pre)?)", name
    )
    if layer is None:
        if name == f"{OUTPUT}t":  # it is stored the other way round
            return OUTPUT
        return re.sub(r"^(encoder|decoder)_top_ln_(scale|bias)(_pre)?$", _top, name)
    side, number, block, kind, part, norm = layer.groups()
    kind = {"W": "weight", "b": "bias", "scale": "weight", "bias": "bias"}[kind or norm]
    return f"{side}.{int(number) - 1}.{block}.{part or 'norm'}.{kind}"


def _top(found: re.Match[str]) -> str:
    return f"{found[1]}.norm.{'weight' if found[2] == 'scale' else 'bias'}"


def _oriented(name: str, array: np.ndarray) -> Tensor:
    """A parameter as ours are: matrices [outputs inputs], everything of one row a vector."""
    tensor = torch.from_numpy(array.astype(np.float32))
    if re.search(r"_W[qkvo12]?$", name):
        return tensor.T.contiguous()
    return tensor.flatten() if re.search(r"_(b[qkvo12]?|ln_(scale|bias)(_pre)?)$", name) else tensor


def _config(settings: Settings, tensors: Mapping[str, Tensor], sizes: list[int]) -> ModelConfig:
    if settings.get("type") != "transformer":
        raise settings.refuse("type", "only 'transformer' can be imported")
    settings.expect("transformer-decoder-autoreg", "self-attention")
    for key in REFUSED:
        settings.expect(key, False)
    settings.expect("transformer-tied-layers", [])
    settings.expect("transformer-attention-mask", "default")
    settings.expect("lemma-dim-emb", 0)
    settings.expect("lemma-dependency", "")
    for key in ("transformer-ffn-depth", "transformer-decoder-ffn-depth"):
        settings.expect(key, 2, 0)
    if settings.get("transformer-postprocess-emb", "d") not in ("", "d"):
        raise settings.refuse("transformer-postprocess-emb", "only 'd' can be imported")
    steps = tuple(settings.get(f"transformer-{key}", "") for key in ("preprocess", "postprocess", "postprocess-top"))
    if steps not in NORMS:
        raise settings.refuse("transformer-preprocess", f"with {steps[1:]} around it, this cannot be imported")
    inner = settings.number("transformer-dim-ffn")
    heads = settings.number("transformer-heads")
    decoder_inner, decoder_heads = (
        settings.number(key, 0) or own
        for key, own in (("transformer-decoder-dim-ffn", inner), ("transformer-heads-decoder", heads))
    )
    return settings.model(
        d_model=settings.number("dim-emb"),
        encoder={"layers": settings.number("enc-depth"), "heads": heads, "feed_forward": inner},
        decoder={"layers": settings.number("dec-depth"), "heads": decoder_heads, "feed_forward": decoder_inner},
        source_vocabulary=sizes[0],
        target_vocabulary=sizes[1],
        sinusoid_layout="halves_tensor2tensor",
        norm=NORMS[steps],
        norm_epsilon=EPSILON,
        activation=settings.choice("transformer-ffn-activation", ACTIVATIONS),
        share_source_target=SHARED in tensors,
        share_output=OUTPUT not in tensors,
        logits_bias=BIAS in tensors,
        zero_start=True,
        dropout=0.0,
    )


def _names(config: ModelConfig) -> Names:
    names = {
        "source_embedding.weight": SHARED if config.share_source_target else SOURCE,
        "target_embedding.weight": TARGET,
        "projection.weight": OUTPUT,
        "projection.bias": BIAS,
        "encoder_norm": "encoder.norm",
        "decoder_norm": "decoder.norm",
    }
    parts = {"query": "q", "key": "k", "value": "v", "output": "o"}
    blocks = {"encoder": {"attention": "self"}, "decoder": {"attention": "self", "cross": "context"}}
    for side, attentions in blocks.items():
        for ours, theirs in attentions.items():
            names |= {f"{side}.{{}}.{ours}.{part}": f"{side}.{{}}.{theirs}.{name}" for part, name in parts.items()}
            names[f"{side}.{{}}.{ours}_residual.norm"] = f"{side}.{{}}.{theirs}.norm"
        names[f"{side}.{{}}.feed_forward.inner"] = f"{side}.{{}}.ffn.1"
        names[f"{side}.{{}}.feed_forward.outer"] = f"{side}.{{}}.ffn.2"
        names[f"{side}.{{}}.feed_forward_residual.norm"] = f"{side}.{{}}.ffn.norm"
    return names
