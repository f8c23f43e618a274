"""A map of numbers with its axes, and how often positions were trained below it."""

from headscope.app.components.component import Component
from headscope.app.wire.heat import Heat

HEAT = Component("heat", Heat, ("components/base/scale.css",))
