"""Two translations beside each other."""

from headscope.app.components.component import Component
from headscope.app.wire.compare import Compare

COMPARE = Component("compare", Compare)
