"""Several models on one sentence, as charts: the surprisal of every word, and heads' maps for files."""

from collections.abc import Sequence

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.labels import labels
from headscope.app.wire.axes import KEY_AXIS, query_axis
from headscope.app.wire.chart import Axis, Chart, Grid, largest
from headscope.model.sites import AttentionKind


def surprisals(title: str, letters: Sequence[str], records: Sequence[AttentionMaps]) -> Chart:
    """How much each token of one translation surprises each model, in nats.

    Args:
        records: that meet, one a model.
    """
    values = np.stack([-maps.log_probs.astype(float) for maps in records])
    names = tuple(str(label) for label in labels(records[0].predicts))
    return Chart(
        title,
        Axis("token of the translation", names=names),
        Axis("model", names=tuple(letters), down=True),
        grid=Grid(values, "surprisal, nats", largest(values), signed=False),
    )


def head_chart(title: str, maps: AttentionMaps, kind: AttentionKind) -> Chart:
    """The map of the only head of a record."""
    values = maps.layers(kind)[0][0].astype(float)
    signed = maps.quantity == "difference"
    rows = maps.queries(kind) if kind == "encoder" else maps.predicts
    return Chart(
        title,
        Axis(KEY_AXIS, names=tuple(str(label) for label in labels(maps.keys(kind)))),
        Axis(query_axis(kind), names=tuple(str(label) for label in labels(rows)), down=True),
        grid=Grid(values, maps.quantity, largest(values) if signed else 1.0, signed=signed),
    )
