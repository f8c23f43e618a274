"""What other toolkits call the parameters of our Transformer, and how theirs become ours."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import torch
from torch import Tensor

from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError
from headscope.model.network.transformer import Transformer

Names = Mapping[str, str]
"""Our modules, or single parameters, to theirs. `{}` stands for the number of a layer."""


def bart_names(prefix: str = "") -> dict[str, str]:
    """The modules of fairseq's layers, whose names BART, Marian and M2M-100 have in Hugging Face too."""
    parts = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "out_proj"}
    names = {}
    for side, attentions in (
        ("encoder", {"attention": "self_attn"}),
        ("decoder", {"attention": "self_attn", "cross": "encoder_attn"}),
    ):
        layer = f"{prefix}{side}.layers.{{}}."
        for ours, theirs in attentions.items():
            names |= {f"{side}.{{}}.{ours}.{part}": f"{layer}{theirs}.{name}" for part, name in parts.items()}
            names[f"{side}.{{}}.{ours}_residual.norm"] = f"{layer}{theirs}_layer_norm"
        names[f"{side}.{{}}.feed_forward.inner"] = f"{layer}fc1"
        names[f"{side}.{{}}.feed_forward.outer"] = f"{layer}fc2"
        names[f"{side}.{{}}.feed_forward_residual.norm"] = f"{layer}final_layer_norm"
        names[f"{side}_norm"] = f"{prefix}{side}.layer_norm"
    return names


def their_name(ours: str, names: Names) -> str:
    """What they call one of our parameters."""
    if ours in names:
        return names[ours]
    module, _, kind = ours.rpartition(".")
    number = re.search(r"\.(\d+)\.", module)
    if number is None:
        return f"{names[module]}.{kind}"
    return f"{names[module.replace(number[0], '.{}.', 1)].format(number[1])}.{kind}"


def shapes(config: ModelConfig) -> dict[str, torch.Size]:
    """The parameters of a model and their shapes."""
    with torch.device("meta"):
        return {name: parameter.shape for name, parameter in Transformer(config).named_parameters()}


def our_weights(tensors: Mapping[str, Tensor], config: ModelConfig, names: Names, path: Path) -> dict[str, Tensor]:
    """Their tensors as our parameters, in float32. Every parameter has to be there, and nothing else.

    Raises:
        HeadscopeError: one is missing or has no place, has another shape than the configuration says, or is not finite.
    """
    weights, used = {}, set()
    for ours, shape in shapes(config).items():
        theirs = their_name(ours, names)
        found = tensors.get(theirs)
        if found is None:
            raise HeadscopeError(f"{path} lacks the tensor '{theirs}'")
        if found.shape != shape:
            raise HeadscopeError(
                f"{path}: '{theirs}' has the shape {list(found.shape)}, but the configuration asks for {list(shape)}"
            )
        weights[ours] = found.float()
        if not weights[ours].isfinite().all():
            raise HeadscopeError(f"{path}: '{theirs}' holds values that are not finite in float32")
        used.add(theirs)
    if unknown := sorted(set(tensors) - used):
        raise HeadscopeError(f"{path} holds the tensor '{unknown[0]}', for which a model of this kind has no place")
    return weights


def tie(tensors: Mapping[str, Tensor], names: Iterable[str], path: Path, reason: str) -> dict[str, Tensor]:
    """The tensors with only the first of those `names` that are there left.

    Raises:
        HeadscopeError: they are not the same values, so that tying them would change the model.
    """
    there = [name for name in names if name in tensors]
    for other in there[1:]:
        if not torch.equal(tensors[there[0]], tensors[other]):
            raise HeadscopeError(f"{path}: '{there[0]}' and '{other}' differ, although {reason} makes them one table")
    return {name: tensor for name, tensor in tensors.items() if name not in there[1:]}
