"""The picture of queries and keys."""

from headscope.app.components.component import Component
from headscope.app.wire.inside import Inside

INSIDE = Component("inside", Inside, ("components/base/scale.css",))
