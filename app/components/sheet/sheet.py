"""Tables, and a picture of positions."""

from headscope.app.components.component import Component
from headscope.app.wire.sheet import Sheet

SHEET = Component("sheet", Sheet, ("components/base/table.css",))
