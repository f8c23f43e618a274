"""Folders in the format of CTranslate2, written and read by the package itself."""

from pathlib import Path

import numpy as np
import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.interop.ctranslate2_import import read_ctranslate2

VOCABULARY = ["</s>", "a", "b", "<unk>", *"cdefghijklmnop", "<s>"]
OPEN = {"min_decoding_length": 0}
"""An empty translation may be found, too."""


def package(folder: Path):
    import ctranslate2

    return ctranslate2.Translator(str(folder), compute_type="float32", inter_threads=1, intra_threads=1)


def random_model(folder: Path, *, vocabulary: list[str], quantization: str | None = None, **options) -> None:
    """A model with random weights, written by the package's own specification."""
    from ctranslate2.specs import transformer_spec
    from ctranslate2.specs.common_spec import Activation

    width, inner, heads = 16, 20, 4
    generator = np.random.default_rng(0)
    spec = transformer_spec.TransformerSpec.from_config(
        (2, 3), heads, pre_norm=options.get("pre_norm", False), activation=options.get("activation", Activation.SWISH)
    )

    def fill(layer: object, *shape: int, bias: bool = True) -> None:
        layer.weight = generator.normal(scale=0.4, size=shape).astype(np.float32)  # type: ignore[attr-defined]
        if bias:
            layer.bias = generator.normal(scale=0.4, size=shape[:1]).astype(np.float32)  # type: ignore[attr-defined]

    def norm(layer: object) -> None:
        layer.gamma = (1 + generator.normal(scale=0.3, size=width)).astype(np.float32)  # type: ignore[attr-defined]
        layer.beta = generator.normal(scale=0.3, size=width).astype(np.float32)  # type: ignore[attr-defined]

    for stack in (spec.encoder, spec.decoder):
        for layer in stack.layer:
            fill(layer.self_attention.linear[0], 3 * width, width)
            fill(layer.self_attention.linear[1], width, width)
            norm(layer.self_attention.layer_norm)
            if stack is spec.decoder:
                fill(layer.attention.linear[0], width, width)
                fill(layer.attention.linear[1], 2 * width, width)
                fill(layer.attention.linear[2], width, width)
                norm(layer.attention.layer_norm)
            fill(layer.ffn.linear_0, inner, width)
            fill(layer.ffn.linear_1, width, inner)
            norm(layer.ffn.layer_norm)
        if options.get("pre_norm"):
            norm(stack.layer_norm)
        if "positions" in options:
            stack.position_encodings.encodings = options["positions"]
        stack.scale_embeddings = options.get("scale", True)
    fill(spec.encoder.embeddings[0], len(vocabulary), width, bias=False)
    spec.decoder.embeddings.weight = spec.encoder.embeddings[0].weight
    spec.decoder.projection.weight = spec.encoder.embeddings[0].weight
    spec.decoder.start_from_zero_embedding = options.get("zero_start", False)
    spec.register_source_vocabulary(vocabulary)
    spec.register_target_vocabulary(vocabulary)
    for key, value in options.get("config", {}).items():
        setattr(spec.config, key, value)
    spec.validate()
    spec.optimize(quantization=quantization)
    folder.mkdir()
    spec.save(str(folder))


def problem(folder: Path) -> str:
    """The one line that refuses a folder."""
    with pytest.raises(HeadscopeError) as caught:
        read_ctranslate2(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)
