"""The map of one head."""

from headscope.app.components.component import Component
from headscope.app.wire.head_map import HeadMap

HEAD_MAP = Component("head_map", HeadMap, ("components/base/pane.css",))
