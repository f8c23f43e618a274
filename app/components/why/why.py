"""The picture of attributions."""

from headscope.app.components.component import Component
from headscope.app.wire.why import Why

WHY = Component("why", Why)
