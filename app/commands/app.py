"""The command `headscope app`."""

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
) -> None:
    """Open the pages in a browser, until Ctrl-C."""
    from headscope.app.server import serve

    serve(host, port, checkpoints or [])
