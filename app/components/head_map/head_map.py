"""The map of one head, and the weight that is set there."""

from collections.abc import Mapping

from headscope.app.components.component import Component
from headscope.app.wire.head_map import HeadMap

HEAD_MAP = Component("head_map", HeadMap, ("components/base/pane.css", "components/head_map/panel.css"))


def as_set(value: object) -> tuple[int, int, float] | None:
    """What a browser sent, as row, column and the weight that is wanted there; whether the map has that cell is for
    the workbench to check.
    """
    if not isinstance(value, Mapping):
        return None
    row, column, weight = value.get("row"), value.get("column"), value.get("weight")
    if type(row) is not int or type(column) is not int or min(row, column) < 0:
        return None
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
        return None
    return row, column, round(float(weight), 4)
