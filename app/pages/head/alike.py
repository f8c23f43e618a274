"""Strips of small tiles: the heads that look where one head does."""

from functools import partial

from headscope.analysis.records.heads import Head
from headscope.app.components.wall.wall import WALL, as_head
from headscope.app.view import session
from headscope.app.view.draw import draw, said
from headscope.app.view.frame import Picture
from headscope.app.view.state import View
from headscope.app.wire.axes import KIND_LABELS, NAMES
from headscope.app.wire.shown import Shown
from headscope.app.wire.wall import wall
from headscope.app.workbench import sentences
from headscope.model.sites import AttentionKind

MOST_ALIKE = 6
"""Heads of this head's kind that are shown as like it; half as many of another kind."""


def alike(picture: Picture, view: View) -> None:
    """Strips of tiles: the heads that look where this one does."""
    head = Head(view.kind, view.layer, view.head)
    found = sentences.likeness(session.workbench(), picture.sentence, head)
    for kind in KIND_LABELS:
        best = sorted((other for other in found if other.kind == kind), key=lambda other: (-found[other], other))
        if not best:
            continue
        same, key = kind == view.kind, f"alike {kind}"
        message = wall(
            Shown(picture.maps, None, view.scale),
            kind,
            heads=best[: MOST_ALIKE if same else MOST_ALIKE // 2],
            measure="shared attention",
            values=found,
            by_layer=False,
            key=f"{NAMES[kind]} most like this head's in this sentence; the number is the share of weights on the same "
            + ("tokens, row by row." if same else "tokens, over all rows together, for these heads have other rows."),
        )
        draw(WALL, message, key=key, on_chosen=partial(open_alike, kind, key))


def open_alike(kind: AttentionKind, key: str) -> None:
    """Show the head that was clicked in the strip."""
    if head := as_head(kind, said(WALL, "chosen", key=key)):
        session.change(kind=head.kind, layer=head.layer, head=head.head)
