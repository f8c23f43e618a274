"""`headscope export`: our models for other programs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from headscope.app.commands.console import say
from headscope.app.commands.options import Checkpoint

if TYPE_CHECKING:
    from headscope.model.translator import Translator

exports = typer.Typer(help="Write a checkpoint for another program.")

Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to make.")]


@exports.command()
def ctranslate2(
    checkpoint: Checkpoint,
    out: Out,
    quantization: Annotated[
        Literal["float32", "float16", "bfloat16", "int16", "int8", "int8_float16", "int8_bfloat16"],
        typer.Option(help="The numbers that weights are stored in. In float32 the output is the checkpoint's."),
    ] = "float32",
) -> None:
    """For CTranslate2, which serves models fast; needs the package ctranslate2."""
    from headscope.model.interop.ctranslate2_export import export_ctranslate2

    _tell(out, export_ctranslate2(_load(checkpoint, out), out, quantization=quantization))


@exports.command()
def marian(checkpoint: Checkpoint, out: Out) -> None:
    """As a MarianMT model with its tokenizer, which Hugging Face's transformers opens."""
    from headscope.model.interop.marian_export import export_marian

    _tell(out, export_marian(_load(checkpoint, out), out))


def _load(checkpoint: str, out: Path) -> "Translator":
    from headscope.model.files import refuse_existing
    from headscope.model.translator import load_translator

    refuse_existing(out)
    return load_translator(checkpoint, "cpu")


def _tell(out: Path, notes: list[str]) -> None:
    for note in notes:
        say(note)
    say(f"{out} is ready")
