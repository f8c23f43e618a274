"""Models as Marian itself stores them: one .npz, and vocabularies in YAML."""

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from headscope.model.card import UNKNOWN_LANGUAGES
from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError
from headscope.model.interop.files import require, stated_licence
from headscope.model.interop.imported import Imported, named_languages
from headscope.model.interop.naming import Names, our_weights
from headscope.model.interop.settings import Settings, parse_yaml
from headscope.model.interop.symbols import align, read_lines, reorder, symbol_vocabulary
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings

DESCRIPTION = "special:model.yml"
ACTIVATIONS = {"relu": "relu", "swish": "silu"}
NORMS = {("", "dan", ""): "post", ("n", "da", "n"): "pre"}
"""By what is done before and after every sub-layer, and behind the stack: d dropout, a addition, n norm."""
EPSILON = 1e-6
SOURCE, TARGET, SHARED = "encoder_Wemb", "decoder_Wemb", "Wemb"
OUTPUT, BIAS = "decoder_ff_logit_out_W", "decoder_ff_logit_out_b"
SEARCH = SearchSettings(beam=6, penalty=LengthPenalty(0.6, "power"), finish="top")
"""What its decoder is usually asked for: `--beam-size 6 --normalize 0.6`."""


def read_marian_npz(folder: Path, *, languages: tuple[str, str] | None = None) -> Imported:
    """Read a folder with `model.npz` (or the only .npz there is) and the vocabularies that `decoder.yml` names.

    Without `decoder.yml` the vocabulary is `vocab.yml`. Text is pieces with blanks between them, unless `source.spm`
    and `target.spm` lie beside it. Decoding starts from a zero embedding. Positions and the epsilon of the norms are
    Marian's own, which `transformers` and CTranslate2 change a little when they take over such a model.

    Raises:
        HeadscopeError: something is missing, damaged, or of a kind that our Transformer is not.
    """
    path = _model(folder)
    arrays = _arrays(path)
    description = arrays.pop(DESCRIPTION, np.zeros(0, np.int8)).tobytes().rstrip(b"\0")
    settings = Settings(path, parse_yaml(description, path))
    tables = [_table(require(folder, name)) for name in _vocabularies(folder)]
    tables = tables[:1] if tables[0] == tables[-1] else tables
    orders, ids = align(tables, {"pad": "</s>", "unknown": "<unk>", "start": "</s>", "end": "</s>"})
    tensors = {_plain(name): _oriented(name, array) for name, array in arrays.items()}
    places = {SHARED: orders[0], SOURCE: orders[0], TARGET: orders[-1], OUTPUT: orders[-1], BIAS: orders[-1]}
    tensors = reorder(tensors, places, path)
    config = _config(settings, tensors, [len(order.rows) for order in (orders[0], orders[-1])])
    return Imported(
        config=config,
        weights=our_weights(tensors, config, _names(config), path),
        vocabulary=symbol_vocabulary(folder, [order.pieces for order in orders], ids),
        languages=languages or named_languages(folder.resolve().name) or UNKNOWN_LANGUAGES,
        origin={"toolkit": "Marian", "name": folder.resolve().name, "licence": stated_licence(folder)},
        search=SEARCH,
    )


def _model(folder: Path) -> Path:
    found = sorted(path.name for path in folder.glob("*.npz"))
    if len(found) > 1 and "model.npz" not in found:
        raise HeadscopeError(f"{folder} has several models ({', '.join(found)}): rename one to model.npz")
    return require(folder, found[0] if len(found) == 1 else "model.npz")


def _arrays(path: Path) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return dict(file)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise HeadscopeError(f"{path} is damaged, or no .npz of plain numbers: copy it again") from error


def _vocabularies(folder: Path) -> list[str]:
    """The files of the source and the target vocabulary."""
    path = folder / "decoder.yml"
    if not path.exists():
        return ["vocab.yml", "vocab.yml"]
    names = parse_yaml(path.read_bytes(), path).get("vocabs")
    if not isinstance(names, list) or len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise HeadscopeError(f"{path}: vocabs = {names!r}: two files are expected")
    for name in names:
        if Path(name).name != name:
            raise HeadscopeError(f"{path}: the vocabulary '{name}' is not a file beside it")
    return names


def _table(path: Path) -> tuple[str, ...]:
    """A vocabulary: `piece: id` on each line, or `? piece` and `: id` on two. YAML readers lose some of its pieces."""
    ids: dict[int, str] = {}
    waiting: str | None = None
    for number, line in enumerate(read_lines(path), 1):
        line = line.rstrip("\r")
        if line.startswith("? "):
            waiting = line[2:]
            continue
        piece, colon, index = line.rpartition(":")
        piece = piece if waiting is None else waiting
        if line and (not colon or not index.strip().isdecimal()):
            raise HeadscopeError(f"{path}, line {number}: a piece and its id are expected, not {line[:40]!r}")
        if line:
            ids[int(index)] = _unquoted(piece)
        waiting = None
    if sorted(ids) != list(range(len(ids))) or not {"</s>", "<unk>"} <= set(ids.values()):
        raise HeadscopeError(f"{path}: ids are missing, or the pieces </s> and <unk>")
    return tuple(ids[index] for index in range(len(ids)))


def _unquoted(piece: str) -> str:
    if len(piece) > 1 and piece[0] == piece[-1] == "'":
        return piece[1:-1].replace("''", "'")
    if len(piece) > 1 and piece[0] == piece[-1] == '"':
        return re.sub(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", _unescaped, piece[1:-1])
    return piece


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else found[3]


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
    settings.expect("transformer-no-projection", False)
    settings.expect("transformer-train-position-embeddings", False)
    settings.expect("transformer-tied-layers", [])
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
