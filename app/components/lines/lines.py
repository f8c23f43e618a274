"""The line view."""

from headscope.app.components.component import Component
from headscope.app.wire.lines import Lines

LINES = Component("lines", Lines, ("components/base/pane.css",))
