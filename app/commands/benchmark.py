"""`headscope benchmark`."""

from dataclasses import asdict
from typing import Annotated, Literal

import typer

from headscope.app.commands.console import progress_bar, write_json
from headscope.app.commands.options import AsJson, Beam, Device


def benchmark(
    task: Annotated[
        Literal["train", "decode", "capture", "trace", "attribute"] | None, typer.Option(help="Measure this alone.")
    ] = None,
    size: Annotated[Literal["tiny", "small", "base"], typer.Option(help="Size of the model.")] = "small",
    precision: Annotated[Literal["fp32", "bf16"], typer.Option(help="Of the matrix products.")] = "fp32",
    batch: Annotated[
        int | None,
        typer.Option(
            min=1, max=100_000, help="Sentences side by side in decoding (32), or tokens in training (4,096)."
        ),
    ] = None,
    beam: Beam = 4,
    threads: Annotated[int, typer.Option(min=0, max=1024, help="CPU threads; 0: as many as torch chooses.")] = 0,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Measure the speed of training, translating, recording attention, tracing a search and attributing here.

    Models have random weights. One figure a line, with --json as an object; the rate of matrix products comes first.
    """
    from headscope.analysis import benchmarks
    from headscope.model.network.device import choose_device

    with progress_bar("measuring") as progress:
        figures = list(
            benchmarks.measure(
                choose_device(device),
                task=task,
                size=size,
                precision=precision,
                batch=batch,
                beam=beam,
                threads=threads,
                progress=progress,
            )
        )
    for figure in figures:
        if as_json:
            write_json(asdict(figure))
        else:
            details = ", ".join(f"{key} {value}" for key, value in figure.settings.items())
            print(f"{figure.task}, {figure.size}: {figure.value:,.4g} {figure.unit} ({details})")
