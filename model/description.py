"""What a size of model, or a checkpoint, is made of: its configuration, its parameters by part, its record."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from headscope.model.card import Card
from headscope.model.config import ModelConfig, preset
from headscope.model.network.architectures import build
from headscope.model.network.parts import by_part
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.translator import load_translator


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a model is made of."""

    config: ModelConfig
    parameters: Mapping[str, int]
    """How many, see `by_part`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointDescription(Description):
    """What a checkpoint is made of, and what its folder says of it."""

    card: Card
    weights: str
    """Digest of the weights."""


def describe_preset(name: str, *, vocabulary: int) -> Description:
    """A named size, with so many pieces in its joint vocabulary. No weights are made.

    Raises:
        HeadscopeError: there is no such size, or it cannot have such a vocabulary.
    """
    config = preset(name, vocabulary=vocabulary)
    with torch.device("meta"):
        model = build(config)
    return Description(config=config, parameters=_parameters(model))


def describe_checkpoint(name: str) -> CheckpointDescription:
    """A checkpoint, by name or folder. Weights and vocabulary are read whole, so this tells whether it is in order.

    Raises:
        HeadscopeError: there is no such checkpoint, or something in the folder is broken.
    """
    translator = load_translator(name, "cpu")
    return CheckpointDescription(
        config=translator.card.config,
        parameters=_parameters(translator.model),
        card=translator.card,
        weights=translator.weights_digest,
    )


def _parameters(model: Seq2Seq) -> dict[str, int]:
    return by_part({name: parameter.numel() for name, parameter in model.named_parameters()})
