"""`headscope info`: what a size of model, or a checkpoint, is made of."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.console import write_json, write_rows
from app.commands.options import AsJson
from model.card import Card, available
from model.config import PRESETS, ModelConfig, preset
from model.errors import HeadscopeError

if TYPE_CHECKING:
    from model.transformer import Transformer

PARTS = {
    "embeddings": ("source_embedding", "target_embedding"),
    "positions": ("positions",),
    "encoder": ("encoder", "encoder_norm"),
    "decoder": ("decoder", "decoder_norm"),
    "projection": ("projection",),
}
"""Parts of a model, and the modules each consists of. A table that is shared counts as an embedding."""


def info(
    preset_name: Annotated[
        str | None, typer.Option("--preset", metavar="NAME", help=f"A named size: {', '.join(PRESETS)}.")
    ] = None,
    vocabulary: Annotated[int | None, typer.Option(min=4, help="Pieces of the preset's joint vocabulary.")] = None,
    checkpoint: Annotated[
        str | None, typer.Option("--checkpoint", metavar="NAME|DIR", help="A checkpoint, by name or folder.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what a preset or a checkpoint is made of.

    Parameters by part, configuration, and how it was trained. The weights and the vocabulary of a checkpoint are read
    whole, so this also tells whether it is in order.
    """
    if checkpoint is not None and preset_name is None and vocabulary is None:
        content = _of_checkpoint(checkpoint)
    elif checkpoint is None and preset_name is not None and vocabulary is not None:
        content = _of_preset(preset_name, vocabulary)
    else:
        known = ", ".join(available()) or "none ships"
        raise HeadscopeError(
            "give either --preset and --vocabulary, or --checkpoint "
            f"(presets: {', '.join(PRESETS)}; checkpoints: {known})"
        )
    if as_json:
        write_json(content)
    else:
        write_rows(_readable(content))


def _of_preset(name: str, vocabulary: int) -> dict[str, Any]:
    config = preset(name, vocabulary=vocabulary)
    import torch

    from model.transformer import Transformer

    with torch.device("meta"):
        model = Transformer(config)
    return {"preset": name, "parameters": parameters(model), "model": config.model_dump()}


def _of_checkpoint(name: str) -> dict[str, Any]:
    from model.translator import load_translator

    translator = load_translator(name, "cpu")
    card = translator.card
    return {
        "checkpoint": card.name,
        "path": str(card.path),
        "weights": translator.weights_digest,
        "languages": list(card.languages),
        "parameters": parameters(translator.model),
        "model": card.config.model_dump(),
        "trained_length": _trained_length(card),
        "training": dict(card.training),
        "scores": dict(card.scores),
    }


def parameters(model: "Transformer") -> dict[str, int]:
    """Number of parameters: in total, and of each part that has any."""
    owner = {module: part for part, modules in PARTS.items() for module in modules}
    counts = dict.fromkeys(PARTS, 0)
    for name, parameter in model.named_parameters():
        counts[owner[name.split(".")[0]]] += parameter.numel()
    return {"total": sum(counts.values())} | {part: count for part, count in counts.items() if count}


def _trained_length(card: Card) -> dict[str, int | None]:
    return {side: card.trained_length(side) for side in ("source", "target")}


def _readable(content: Mapping[str, Any]) -> dict[str, str]:
    counts = content["parameters"]
    rows = {"preset": content["preset"]} if "preset" in content else _identity(content)
    rows |= {"parameters": f"{counts['total']:,}"}
    rows |= {f"  {part}": f"{count:,}" for part, count in counts.items() if part != "total"}
    rows |= architecture(ModelConfig.model_validate(content["model"]))
    if "trained_length" in content:
        rows |= {f"longest {side} in training": _pieces(n) for side, n in content["trained_length"].items()}
    for section in ("training", "scores"):
        if content.get(section):
            rows |= {section: ""} | {f"  {name}": _plain(value) for name, value in content[section].items()}
    return rows


def _identity(content: Mapping[str, Any]) -> dict[str, str]:
    source, target = content["languages"]
    return {
        "checkpoint": content["checkpoint"],
        "folder": content["path"],
        "weights": content["weights"],
        "languages": f"{source} to {target}",
    }


def architecture(config: ModelConfig) -> dict[str, str]:
    """What a model is made of, as names and values."""
    rows = {"width": f"{config.d_model:,}"}
    for side, stack in (("encoder", config.encoder), ("decoder", config.decoder)):
        rows[side] = f"{stack.layers} layers, {stack.heads} heads, feed-forward {stack.feed_forward:,}"
    shared = "joint" if config.share_source_target else f"source, {config.target_vocabulary:,} target"
    table = config.sinusoid_layout if config.position_limit is None else f"{config.position_limit:,} at most"
    return rows | {
        "vocabulary": f"{config.source_vocabulary:,} {shared}",
        "output table": "shared with the target embedding" if config.share_output else "its own",
        "positions": f"{config.positions}, {table}",
        "layer norm": f"{config.norm}, epsilon {config.norm_epsilon:g}",
        "activation": config.activation,
        "dropout": f"{config.dropout:g} (attention {config.attention_dropout:g}, "
        f"activation {config.activation_dropout:g})",
    }


def _pieces(count: int | None) -> str:
    return "not recorded" if count is None else f"{count:,} pieces, end of sentence included"


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        if {"score", "interval"} <= set(value):
            return f"{value['score']} ± {value['interval']}"
        return ", ".join(f"{name} {_plain(part)}" for name, part in value.items())
    if isinstance(value, list):
        return "; ".join(map(_plain, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)
