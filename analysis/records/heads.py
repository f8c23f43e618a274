"""Names of heads. No torch here."""

from collections.abc import Iterable
from typing import NamedTuple

from headscope.analysis.records.attention_maps import Kind
from headscope.model.config import ModelConfig, StackConfig
from headscope.model.errors import HeadscopeError

KINDS: tuple[Kind, ...] = ("encoder", "decoder", "cross")
"""In the order in which heads are listed everywhere."""


class Head(NamedTuple):
    """One head; layer and head count from 0."""

    kind: Kind
    layer: int
    head: int

    def __str__(self) -> str:
        """As in "cross 3.1"."""
        return f"{self.kind} {self.layer}.{self.head}"


def all_heads(config: ModelConfig) -> tuple[Head, ...]:
    """Every head of a model: by kind, then layer, then head."""
    return tuple(
        Head(kind, layer, head)
        for kind in KINDS
        for layer in range(_stack(config, kind).layers)
        for head in range(_stack(config, kind).heads)
    )


def heads_of(config: ModelConfig, kind: Kind) -> list[Head]:
    """Every head of one kind."""
    return [head for head in all_heads(config) if head.kind == kind]


def require(config: ModelConfig, heads: Iterable[Head]) -> None:
    """Check that a model has all these heads, for one that it lacks would silently do nothing.

    Raises:
        HeadscopeError: names the first that is missing.
    """
    known = set(all_heads(config))
    for head in heads:
        if head not in known:
            stack = _stack(config, head.kind)
            raise HeadscopeError(
                f"there is no head {head}: this model has {stack.layers} {head.kind} layers of {stack.heads} heads, "
                "both counted from 0"
            )


def _stack(config: ModelConfig, kind: Kind) -> StackConfig:
    return config.encoder if kind == "encoder" else config.decoder
