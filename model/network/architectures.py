"""The architectures there are, by the name in `config.json`. No torch here before a model is built."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.model.network.seq2seq import Seq2Seq


@dataclass(frozen=True, slots=True)
class Architecture:
    """How one is described, and how it is built."""

    config: type[ModelConfig]
    build: "Callable[[ModelConfig], Seq2Seq]"
    """A model of random weights."""


def _transformer(config: ModelConfig) -> "Seq2Seq":
    from headscope.model.network.transformer import Transformer

    return Transformer(config)


FIRST = ModelConfig.architecture
"""The one of folders that name none."""
ARCHITECTURES: Mapping[str, Architecture] = MappingProxyType({FIRST: Architecture(ModelConfig, _transformer)})


def architecture(name: object) -> Architecture:
    """The architecture of a name.

    Raises:
        HeadscopeError: there is none.
    """
    if not isinstance(name, str) or name not in ARCHITECTURES:
        raise HeadscopeError(f"architecture = {name!r} is unknown: this version knows {', '.join(ARCHITECTURES)}")
    return ARCHITECTURES[name]


def build(config: ModelConfig) -> "Seq2Seq":
    """A model of random weights, of the architecture that its configuration belongs to."""
    return architecture(config.architecture).build(config)
