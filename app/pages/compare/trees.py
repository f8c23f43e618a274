"""The searches of all models, as trees: in one picture where they write the same pieces, else one below the other."""

from collections.abc import Sequence
from dataclasses import replace

from headscope.analysis.search.comparison import compare_searches
from headscope.app.components.beam_tree.beam_tree import BEAM_TREE
from headscope.app.pages.compare.sides import Side
from headscope.app.pages.search.lanes import Lane, difference, ended
from headscope.app.pages.search.saving import save
from headscope.app.view import session
from headscope.app.view.draw import draw
from headscope.app.view.frame import Picture
from headscope.app.view.state import View
from headscope.app.wire.beam_tree import Place, Tree, beam_tree
from headscope.app.workbench import searches
from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import FREE

NAMES = ("a", "b", "1", "2")
"""Of the lanes, as `Place` has them."""


def show(picture: Picture, sides: Sequence[Side], view: View) -> None:
    """All of it."""
    lanes = [_searched(side, name) for side, name in zip(sides, NAMES, strict=False)]
    for number, group in enumerate(_groups(lanes)):
        message = beam_tree(
            [_tree(lane, group[0]) for lane in group],
            told=Place(group[0].name, 0, 0),
            turn=1,
            pruned=view.search.pruned,
            full=True,
            present=view.present and number == 0,
        )
        draw(BEAM_TREE, message, key=f"beam_tree {number}")
    if not view.present:
        for number, lane in enumerate(lanes):
            save(lane, lane, view.search.pruned, key=f"export-{lane.name}", width=number == 0)


def _searched(side: Side, name: str) -> Lane:
    bench = session.workbench()
    settings = searches.search_settings(bench, side.sentence)
    lane = Lane(name, side.name, settings, None, FREE, None)
    try:
        return replace(lane, record=searches.search(bench, side.sentence, settings=settings))
    except HeadscopeError as error:
        return replace(lane, problem=str(error))


def _groups(lanes: Sequence[Lane]) -> list[list[Lane]]:
    """Searches whose pieces have the same ids stand in one picture."""
    groups: list[list[Lane]] = []
    for lane in lanes:
        known = next((group for group in groups if all(_agree(lane, other) for other in group)), None)
        if known is None:
            groups.append([lane])
        else:
            known.append(lane)
    return groups


def _agree(a: Lane, b: Lane) -> bool:
    one, two = a.record, b.record
    if one is None or two is None:
        return False
    same = one.end == two.end
    return same and all(two.pieces[piece] == spelt for piece, spelt in one.pieces.items() if piece in two.pieces)


def _tree(lane: Lane, first: Lane) -> Tree:
    found = lane
    if lane is not first and lane.record and first.record:
        found = replace(lane, comparison=compare_searches(first.record.trace, lane.record.trace))
    if found.record is None:
        outcome = f"Not searched: {found.problem}."
    else:
        outcome = ended(found.record.trace.bound, found.settings.n_best)
    return Tree(
        name=found.name,
        title=found.title,
        how=found.how,
        note=difference(found, first),
        ended=outcome,
        record=found.record,
        parts=found.comparison.step if found.comparison else None,
        closable=False,
    )
