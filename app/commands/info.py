"""`headscope info`: what a size of model, or a checkpoint, is made of."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headscope.app.commands.console import write_json, write_rows
from headscope.app.commands.options import AsJson
from headscope.app.wire.described import architecture, plain
from headscope.model.card import available
from headscope.model.config import PRESETS, ModelConfig
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.model.description import Description


def info(
    preset_name: Annotated[
        str | None, typer.Option("--preset", metavar="NAME", help=f"A named size: {', '.join(PRESETS)}.")
    ] = None,
    vocabulary: Annotated[
        int | None, typer.Option(min=4, max=10_000_000, help="Pieces of the preset's joint vocabulary.")
    ] = None,
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


def _content(found: "Description") -> dict[str, Any]:
    return {"parameters": dict(found.parameters), "model": found.config.model_dump()}


def _of_preset(name: str, vocabulary: int) -> dict[str, Any]:
    from headscope.model.description import describe_preset

    return {"preset": name} | _content(describe_preset(name, vocabulary=vocabulary))


def _of_checkpoint(name: str) -> dict[str, Any]:
    from headscope.model.description import describe_checkpoint

    found = describe_checkpoint(name)
    card = found.card
    return {
        "checkpoint": card.name,
        "path": str(card.path),
        "weights": found.weights,
        "languages": list(card.languages),
        **_content(found),
        "trained_length": {side: card.trained_length(side) for side in ("source", "target")},
        "training": dict(card.training),
        "scores": dict(card.scores),
    }


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
            rows |= {section: ""} | {f"  {name}": plain(value) for name, value in content[section].items()}
    return rows


def _identity(content: Mapping[str, Any]) -> dict[str, str]:
    source, target = content["languages"]
    return {
        "checkpoint": content["checkpoint"],
        "folder": content["path"],
        "weights": content["weights"],
        "languages": f"{source} to {target}",
    }


def _pieces(count: int | None) -> str:
    return "not recorded" if count is None else f"{count:,} pieces, end of sentence included"
