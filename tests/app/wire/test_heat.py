"""What goes to a map of numbers."""

import base64
import zlib

import numpy as np

from headscope.app.wire.chart import Axis, Chart, Grid, Margin
from headscope.app.wire.encoding import as_message
from headscope.app.wire.heat import HEIGHT, heat

MARGIN = Margin((("source", ("trained", "trained", "rare")), ("target", ("trained", "never", "never"))), shared=True)


def sent(grid: Grid, *, large: bool = False, **fields) -> dict:
    chart = Chart("c", **{"x": Axis("key"), "y": Axis("query", down=True)} | fields, grid=grid)
    return as_message(heat(chart, grid, name="a map", large=large))


def decoded(data: dict) -> np.ndarray:
    planes = np.frombuffer(zlib.decompress(base64.b64decode(data["values"])), np.uint8).reshape(2, -1)
    shares = np.ascontiguousarray(planes.T).view("<f2").reshape(data["y"]["count"], data["x"]["count"])
    return shares.astype(float) * data["most"]


def test_every_number_to_three_digits_and_none_where_there_is_none():
    values = np.random.default_rng(0).normal(0, 20, (7, 5))
    values[2, 3] = np.nan
    data = sent(Grid(values, "score", float(np.nanmax(np.abs(values)))))
    np.testing.assert_allclose(decoded(data), values, rtol=1e-3, atol=1e-3)
    assert (data["signed"], data["what"], data["x"]["title"], data["y"]["down"]) == (True, "score", "key", True)
    assert data["signature"] != sent(Grid(values + 1, "score", 50.0))["signature"]


def test_axes_and_lanes():
    names = ("a", "<b>", "a")
    grid = Grid(np.zeros((2, 3)), "share", 2.0, signed=False, first=(1.0, 5.0))
    data = sent(grid, x=Axis("key", names=names), margin=MARGIN)
    assert (data["x"]["first"], data["y"]["first"], data["x"]["names"]) == (1, 5, list(names))
    assert data["shared"]
    assert data["lanes"][1]["runs"] == [
        {"region": "trained", "first": 0, "count": 1},
        {"region": "never", "first": 1, "count": 2},
    ]
    assert data["regions"]["rare"] == "rarely trained"
    assert sent(grid)["lanes"] == []


def test_many_names_make_a_map_grow_and_presenting_does():
    grid = Grid(np.zeros((40, 2)), "score", 1.0)
    assert sent(grid)["height"] == HEIGHT < sent(grid, y=Axis("query", names=tuple("abcdefghij" * 4)))["height"]
    assert sent(grid, large=True)["height"] > HEIGHT
