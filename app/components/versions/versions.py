"""Translations of several models below each other."""

from headscope.app.components.component import Component
from headscope.app.wire.versions import Versions

VERSIONS = Component("versions", Versions)
