"""Where one decoder head looks when it predicts one piece."""

from headscope.app.components.component import Component
from headscope.app.wire.attend import Attend

ATTEND = Component("attend", Attend)
