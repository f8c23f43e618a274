"""The command `headscope app`."""

from pathlib import Path
from typing import Annotated

import typer


def app(
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 opens the pages to other machines.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="Port to listen on; 0: any that is free.")] = 8501,
    checkpoints: Annotated[
        list[str] | None,
        typer.Option(help="A checkpoint, or a folder with several; may be given again. [default: those that ship]"),
    ] = None,
    runs: Annotated[Path, typer.Option(metavar="DIR", help="Where the page Runs trains; made with the first run.")] = (
        Path("runs")
    ),
    data: Annotated[Path, typer.Option(metavar="DIR", help="Where it finds prepared text, and puts uploads.")] = (
        Path("data")
    ),
    allow_training: Annotated[
        bool,
        typer.Option("--allow-training", help="Let visitors from other machines train too, on this one."),
    ] = False,
) -> None:
    """Open the pages in a browser, until Ctrl-C."""
    from headscope.app.server import serve
    from headscope.app.workbench.training import Places

    serve(host, port, checkpoints or [], Places(runs.resolve(), data.resolve()), allow_training=allow_training)
