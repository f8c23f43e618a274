"""How alike the layers of two models are, as maps."""

from typing import TYPE_CHECKING

from headscope.app.wire.chart import Axis, Chart, Grid

if TYPE_CHECKING:
    from headscope.analysis.comparison.cka import LayerCka


def layer_charts(letters: tuple[str, str], found: "LayerCka") -> tuple[Chart, ...]:
    """A map a stack: a row a layer of the first model, a column one of the second."""
    charts = []
    for stack, name, values in (("encoder", "Encoder", found.encoder), ("decoder", "Decoder", found.decoder)):
        rows, columns = values.shape
        least = float(values.min())
        signed = least < -0.05
        charts.append(
            Chart(
                f"{name}: {letters[0]} and {letters[1]}",
                Axis(f"layer of {letters[1]}", names=_layers(columns)),
                Axis(f"layer of {letters[0]}", names=_layers(rows), down=True),
                grid=Grid(values, f"debiased linear CKA, {stack}", 1.0, signed=signed),
            )
        )
    return tuple(charts)


def _layers(count: int) -> tuple[str, ...]:
    return ("embedding", *map(str, range(1, count)))
