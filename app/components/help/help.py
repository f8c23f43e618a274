"""The list of keys that `?` opens."""

from headscope.app.components.component import Component
from headscope.app.wire.help import Help

HELP = Component("help", Help, ("components/base/table.css",))
