"""Why the model said this: source and prefix shaded by what they did for each token of the translation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.heads import Head
from headscope.analysis.records.labels import Label, labels
from headscope.app.wire.axes import NAMES
from headscope.app.wire.encoding import weights

if TYPE_CHECKING:
    from headscope.analysis.attribution.attribution import Attribution


@dataclass(frozen=True, slots=True)
class Shading:
    """One method, or one head, on the same tokens."""

    title: str
    note: str
    """What it is compared with, and how far its sums can be trusted."""
    warning: str
    signed: bool
    unit: str
    source: str
    """[rows, source], as `decode` takes them."""
    prefix: str
    """[rows, prefix]."""
    most: float
    """The largest size in sight, for the matrix."""


@dataclass(frozen=True, slots=True)
class Why:
    """What the component gets."""

    signature: str
    name: str
    """For screen readers."""
    source: tuple[Label, ...]
    prefix: tuple[Label, ...]
    predicts: tuple[Label, ...]
    shadings: Sequence[Shading]
    shares: Sequence[float | None]
    """Of the source, a row; None where a row is all zeros."""
    share_of: str
    """By which method."""
    first: int
    """Row that is shown as long as the visitor has chosen none."""
    why: str
    """Why that one."""


def shading(
    found: "Attribution", *, signed: bool, note: str = "", warning: str = "", unit: str = ""
) -> tuple[Shading, list[float | None]]:
    """A method's shading, and the share of the source in each row."""
    source, prefix = found.reduced("sum" if signed else "norm")
    sizes = np.abs(source).sum(-1), np.abs(prefix).sum(-1)
    shares = [float(part / (part + rest)) if part + rest > 0 else None for part, rest in zip(*sizes, strict=True)]
    title = f"{found.settings.method[:1].upper()}{found.settings.method[1:]}"
    return Shading(title, note, warning, signed, unit, *_sent(source, prefix)), shares


def head_shading(maps: AttentionMaps, head: Head) -> Shading:
    """The weights of a head that the decoder reads with, on the same tokens."""
    array = maps.layers(head.kind)[head.layer][head.head]
    blank = np.zeros((len(maps.predicts), len(maps.source if head.kind == "decoder" else maps.queries("decoder"))))
    both = (blank, array) if head.kind == "decoder" else (array, blank)
    title = f"{NAMES[head.kind]}, layer {head.layer + 1}, head {head.head + 1}"
    return Shading(title, "weights: where it looks, not what that did", "", False, "", *_sent(*both))


def rollout_shading(maps: AttentionMaps) -> Shading:
    """Where attention, rolled out over all layers, comes from in the source; of pieces alone.

    Raises:
        HeadscopeError: as `rollout`.
    """
    from headscope.analysis.attribution.rollout import rollout

    array = rollout(maps).distribution
    note = "shares of the source alone (Abnar and Zuidema 2020); nothing is said of what was written"
    return Shading("Attention rollout", note, "", False, "", *_sent(array, np.zeros((len(array), len(array)))))


def why(
    found: "Attribution",
    shadings: Sequence[Shading],
    shares: Sequence[float | None],
    *,
    key: str,
    first: int,
    because: str,
) -> Why:
    """All of it; `found` is any attribution of these tokens.

    Args:
        key: of the sentence and of what is explained.
    """
    titles = " and ".join(each.title for each in shadings)
    return Why(
        signature=f"{key} {titles}",
        name=f"{titles}: {len(found.predicts)} rows. Arrow keys walk cells and read them out.",
        source=labels(found.source),
        prefix=labels(found.reads),
        predicts=labels(found.predicts),
        shadings=shadings,
        shares=shares,
        share_of=shadings[0].title,
        first=first,
        why=because,
    )


def _sent(source: np.ndarray, prefix: np.ndarray) -> tuple[str, str, float]:
    most = max(np.abs(source).max(initial=0.0), np.abs(prefix).max(initial=0.0))
    return weights(source), weights(prefix), float(most)
