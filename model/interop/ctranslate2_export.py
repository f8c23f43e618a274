"""Our models in the format of CTranslate2, which serves them fast.

`B` batch, `T` positions, `D` width of the model.
"""

import importlib
import tempfile
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from headscope.model.errors import HeadscopeError
from headscope.model.files import new_folder
from headscope.model.interop.paper_attention import require_paper_attention
from headscope.model.network.attention import MultiHeadAttention
from headscope.model.network.layers import DecoderLayer, EncoderLayer
from headscope.model.network.transformer import transformer
from headscope.model.sites import Side
from headscope.model.text.vocabulary import Vocabulary
from headscope.model.translator import Translator

Quantization = Literal["float32", "float16", "bfloat16", "int16", "int8", "int8_float16", "int8_bfloat16"]
POSITIONS = 2048
"""Rows of the table that stands for sinusoids, which have no end here. CTranslate2 refuses longer sentences."""
ACTIVATIONS = {"relu": "RELU", "silu": "SWISH", "gelu": "GELU"}
SEARCH_NOTE = (
    "its beam search divides by another length penalty and stops at another moment: in float32 greedy search and "
    "length_penalty 0 give what Headscope gives, any other length_penalty differs in some sentences"
)
SENTENCEPIECE = {"joint.model": "sentencepiece.model", "source.model": "source.spm", "target.model": "target.spm"}


def export_ctranslate2(translator: Translator, out: Path, *, quantization: Quantization = "float32") -> list[str]:
    """Write a folder that `ctranslate2.Translator` opens, with the SentencePiece models beside it.

    Args:
        quantization: the numbers that weights are stored in. In float32 scores are ours within rounding, and so is
            the output of greedy search and of beam search without a length penalty.

    Returns:
        What the user has to know, a line each.

    Raises:
        HeadscopeError: the package is not installed, there is something at `out`, or CTranslate2 has no such model.
    """
    with new_folder(out) as folder:
        specification = _specification(translator)
        specification.validate()
        specification.optimize(quantization=quantization)
        specification.save(str(folder))
        has_models = copy_models(translator.vocabulary, folder)
    return _notes(translator, has_models)


def copy_models(vocabulary: Vocabulary, folder: Path) -> bool:
    """Put a vocabulary's SentencePiece models into a folder under the names others use; False: it has none."""
    with tempfile.TemporaryDirectory() as scratch:
        vocabulary.save(Path(scratch))
        models = sorted(Path(scratch).glob("*.model"))
        for model in models:
            (folder / SENTENCEPIECE[model.name]).write_bytes(model.read_bytes())
    return bool(models)


def pieces(vocabulary: Vocabulary, side: Side) -> list[str]:
    """All pieces of a side, in the order of their ids."""
    return [vocabulary.piece(index, side) for index in range(vocabulary.size(side))]


def _specification(translator: Translator) -> Any:
    try:
        specs = importlib.import_module("ctranslate2.specs.transformer_spec")
        common = importlib.import_module("ctranslate2.specs.common_spec")
    except ImportError as error:
        raise HeadscopeError("the package ctranslate2 is not installed: pip install 'headscope[export]'") from error
    model, vocabulary = transformer(translator.model, "files of CTranslate2"), translator.vocabulary
    config = model.config
    require_paper_attention(config, "a model of CTranslate2")
    options = {"pre_norm": config.norm == "pre", "activation": common.Activation[ACTIVATIONS[config.activation]]}
    encoder = specs.TransformerEncoderSpec(config.encoder.layers, config.encoder.heads, **options)
    decoder = specs.TransformerDecoderSpec(config.decoder.layers, config.decoder.heads, **options)
    specification = specs.TransformerSpec(encoder, decoder)
    positions = model.positions.embed(0, config.position_limit or POSITIONS)
    if positions is None:
        raise HeadscopeError(f"CTranslate2 has no counterpart of the positions '{config.positions}'")
    for stack, norm in ((encoder, model.encoder_norm), (decoder, model.decoder_norm)):
        stack.position_encodings.encodings = _array(positions)
        stack.scale_embeddings = model.scale
        if isinstance(norm, nn.LayerNorm):
            _norm(stack.layer_norm, norm)
    encoder.embeddings[0].weight = _array(model.source_embedding.weight)
    decoder.embeddings.weight = _array(model.target_embedding.weight)
    decoder.start_from_zero_embedding = config.zero_start
    _linear(decoder.projection, model.projection)
    for layer, ours in zip(encoder.layer, model.encoder, strict=True):
        _encoder_layer(layer, ours)
    for layer, ours in zip(decoder.layer, model.decoder, strict=True):
        _decoder_layer(layer, ours)
    specification.register_source_vocabulary(pieces(vocabulary, "source"))
    specification.register_target_vocabulary(pieces(vocabulary, "target"))
    settings = specification.config
    settings.unk_token, settings.bos_token, settings.eos_token, settings.decoder_start_token = (
        vocabulary.piece(index, "target")
        for index in (vocabulary.unknown, vocabulary.start, vocabulary.end, vocabulary.start)
    )
    settings.add_source_eos = config.source_end
    settings.layer_norm_epsilon = config.norm_epsilon
    return specification


def _encoder_layer(spec: Any, layer: nn.Module) -> None:
    assert isinstance(layer, EncoderLayer)
    _self_attention(spec.self_attention, layer.attention)
    _norm(spec.self_attention.layer_norm, layer.attention_residual.norm)
    _feed_forward(spec.ffn, layer)


def _decoder_layer(spec: Any, layer: nn.Module) -> None:
    assert isinstance(layer, DecoderLayer)
    _self_attention(spec.self_attention, layer.attention)
    _norm(spec.self_attention.layer_norm, layer.attention_residual.norm)
    queries, memory, output = spec.attention.linear
    _linear(queries, layer.cross.query)
    _linear(memory, layer.cross.key, layer.cross.value)
    _linear(output, layer.cross.output)
    _norm(spec.attention.layer_norm, layer.cross_residual.norm)
    _feed_forward(spec.ffn, layer)


def _self_attention(spec: Any, attention: MultiHeadAttention) -> None:
    _linear(spec.linear[0], attention.query, attention.key, attention.value)
    _linear(spec.linear[1], attention.output)


def _feed_forward(spec: Any, layer: EncoderLayer | DecoderLayer) -> None:
    _linear(spec.linear_0, layer.feed_forward.inner)
    _linear(spec.linear_1, layer.feed_forward.outer)
    _norm(spec.layer_norm, layer.feed_forward_residual.norm)


def _linear(spec: Any, *linears: nn.Linear) -> None:
    """The layers as one, row under row."""
    spec.weight = _array(torch.cat([linear.weight for linear in linears]))
    if linears[0].bias is not None:
        spec.bias = _array(torch.cat([linear.bias for linear in linears]))


def _norm(spec: Any, norm: nn.LayerNorm) -> None:
    spec.gamma, spec.beta = _array(norm.weight), _array(norm.bias)


def _array(tensor: Tensor) -> Any:
    # A copy: CTranslate2 quantises in place.
    return tensor.detach().to("cpu", torch.float32, copy=True).contiguous().numpy()


def _notes(translator: Translator, has_models: bool) -> list[str]:
    vocabulary, limit = translator.vocabulary, translator.model.config.position_limit or POSITIONS
    notes = [f"CTranslate2 refuses sentences and translations of more than {limit:,} pieces", SEARCH_NOTE]
    if has_models:
        notes.append("cut text with the SentencePiece models beside it, brought to Unicode's composed form (NFC) first")
    if vocabulary.prefix:
        opening = " ".join(vocabulary.piece(index, "target") for index in vocabulary.prefix)
        notes.append(f"give {opening} as target_prefix with every sentence")
    return notes
