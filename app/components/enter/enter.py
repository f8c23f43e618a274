"""A field in which Enter commits what is typed, and Shift+Enter begins a line."""

from headscope.app.components.component import Component
from headscope.app.wire.enter import Enter

ENTER = Component("enter", Enter)
