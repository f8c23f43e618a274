"""What a model is made of, as values: its sub-layers, and what can be asked of it. No torch here."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from headscope.model.errors import HeadscopeError

Side = Literal["source", "target"]
AttentionKind = Literal["encoder", "decoder", "cross"]
SiteKind = Literal["encoder", "decoder", "cross", "encoder feed-forward", "decoder feed-forward"]

KINDS: tuple[AttentionKind, ...] = ("encoder", "decoder", "cross")
"""In the order in which attention is listed everywhere."""
KIND_NAMES: Mapping[AttentionKind, str] = MappingProxyType(
    {"encoder": "encoder self-attention", "decoder": "decoder self-attention", "cross": "cross-attention"}
)
"""As they are called in the middle of a sentence."""


class Site(NamedTuple):
    """One sub-layer: attention of one of three kinds, or a feed-forward network.

    A feed-forward site has 0 heads, and its keys are its queries: what it makes of a token depends on that token alone.
    """

    kind: SiteKind
    layer: int
    """From 0."""
    heads: int
    queries: Side
    """The sentence whose tokens look."""
    keys: Side
    """The sentence whose tokens are looked at."""
    causal: bool
    """Whether a query may look at nothing that comes after it."""

    @property
    def attends(self) -> bool:
        """Whether it is attention, with heads that can be read and changed."""
        return self.heads > 0


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What can be asked of a model. Who needs more than there is says so, in one line, by one of these methods."""

    kinds: tuple[AttentionKind, ...]
    """Attention whose heads can be read and changed, in the order of `KINDS`."""
    residual_stream: bool
    """Whether sub-layers add to a stream of which every state is a prediction in the making."""
    position_limit: int | None
    """Pieces that a sentence may have, end of sentence included; None: any number."""
    other_scores: tuple[AttentionKind, ...] = ()
    """Kinds of attention whose weights are not softmax(QKᵀ/√d): other scores, or none."""
    looks_ahead: bool = False
    """Whether the decoder, given a whole target, sees the pieces that it is to predict: it has no causal mask."""

    def require_products(self, kind: AttentionKind, what: str) -> None:
        """Check that weights of a kind are softmax(QKᵀ/√d), which `what` (in the plural) are about.

        Raises:
            HeadscopeError: they are not.
        """
        if kind in self.other_scores:
            raise HeadscopeError(
                f"weights of {KIND_NAMES[kind]} are not the softmax of scaled products of queries and keys in this "
                f"model, so there are no {what}: choose another kind of attention, or another model"
            )

    def require_causal(self, what: str) -> None:
        """Check that no row of a given target knows of later ones, without which `what` (in the plural) mean nothing.

        Raises:
            HeadscopeError: the decoder looks ahead.
        """
        if self.looks_ahead:
            raise HeadscopeError(
                f"this model's decoder has no causal mask, so it sees the very pieces that it is to predict, and "
                f"{what} would explain nothing: choose another model"
            )

    def require_kind(self, kind: AttentionKind) -> None:
        """Check that there are heads of a kind.

        Raises:
            HeadscopeError: there are none.
        """
        if kind not in self.kinds:
            others = " or ".join(KIND_NAMES[other] for other in self.kinds) or "a model that has some"
            raise HeadscopeError(f"this model has no heads of {KIND_NAMES[kind]} that could be shown: choose {others}")

    def require_residual_stream(self, what: str) -> None:
        """Check that there is a residual stream, which `what` (in the plural) is taken from.

        Raises:
            HeadscopeError: there is none.
        """
        if not self.residual_stream:
            raise HeadscopeError(f"this model has no residual stream, so it has no {what}: choose another model")


def require_length(pieces: int, limit: int | None) -> None:
    """Check that a sentence of so many pieces fits, end of sentence included, where positions end at a limit.

    Raises:
        HeadscopeError: they end before.
    """
    if limit is not None and pieces > limit:
        raise HeadscopeError(
            f"the sentence has {pieces:,} pieces; this checkpoint's learned positions end at {limit:,}: "
            "shorten it or choose a sinusoidal checkpoint"
        )


@runtime_checkable
class Anatomy(Protocol):
    """A model, or its configuration: either can say what the model is made of."""

    def sites(self) -> tuple[Site, ...]:
        """Every sub-layer, in the order of a pass."""
        ...

    def capabilities(self) -> Capabilities:
        """What can be asked of it."""
        ...


def layers_of(model: Anatomy, kind: SiteKind) -> tuple[Site, ...]:
    """The sites of one kind, by layer; empty where the model has none."""
    return tuple(site for site in model.sites() if site.kind == kind)


def site_at(model: Anatomy, kind: SiteKind, layer: int) -> Site:
    """One site of a model that has it."""
    return layers_of(model, kind)[layer]


def heads_at(model: Anatomy, kind: SiteKind, layer: int) -> int:
    """Heads of a layer; 0 where the model has no such layer."""
    return sum(site.heads for site in layers_of(model, kind) if site.layer == layer)
