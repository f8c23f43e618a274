"""How a translation is searched: every step, every candidate, and what would have become of others."""

from dataclasses import replace

import streamlit as st

from headscope.app.components.beam_tree.beam_tree import BEAM_TREE
from headscope.app.pages.search.attention import attention
from headscope.app.pages.search.branching import act, forms, offered, typed
from headscope.app.pages.search.choosing import pick, told
from headscope.app.pages.search.controls import settings
from headscope.app.pages.search.lanes import Lane, chosen, difference, ended, lanes
from headscope.app.pages.search.mode import mode
from headscope.app.pages.search.saving import save
from headscope.app.pages.search.study import study
from headscope.app.view import controls, session
from headscope.app.view.draw import draw
from headscope.app.view.frame import Frame
from headscope.app.view.presenter import Walk
from headscope.app.view.search_state import MOST_BRANCHES
from headscope.app.view.state import View
from headscope.app.wire.beam_tree import Tree, beam_tree


def tree(lane: Lane, first: Lane) -> Tree:
    """A search as the component draws it."""
    record = lane.record
    return Tree(
        name=lane.name,
        title=lane.title,
        how=lane.how,
        note=difference(lane, first),
        ended=outcome(lane),
        record=record,
        parts=lane.comparison.step if lane.comparison else None,
        closable=lane is not first,
    )


def outcome(lane: Lane) -> str:
    """Why a search ended, why it has found nothing, or why there is none."""
    if lane.record is None:
        return f"Not searched: {lane.problem}."
    found = ended(lane.record.trace.bound, lane.settings.n_best)
    problem = lane.record.problem
    return found if problem is None else f"{problem[0].upper()}{problem[1:]}. {found}"


def head(view: View, by: int) -> View:
    """Another head of the layer; the View knows how many there are."""
    return replace(view, head=max(0, view.head + by))


def layer(view: View, by: int) -> View:
    """Another layer."""
    return replace(view, layer=max(0, view.layer + by))


WALKS = (
    Walk("head", "Shift+ArrowLeft", "Shift+ArrowRight", head),
    Walk("layer", "Shift+ArrowUp", "Shift+ArrowDown", layer),
)

frame = Frame(session.workbench())
st.title("How was it found?", anchor=False)
if frame.card:
    settings(frame.card.search.penalty.kind)
with frame.picture(in_pieces=True, walks=WALKS) as picture:
    view = session.view()
    bench, sentence = session.workbench(), replace(picture.sentence, target=None, cut=False)
    found = lanes(bench, sentence, view)
    selected = chosen(found, view.search.node)
    if selected is None:
        st.text("The search has no candidates.")
    else:
        # Who walks the tree has it already, and waits for the attention: that is sent first.
        above = st.container()
        attention(sentence, selected, picture.card)
        place, turn = told(selected.place)
        with above:
            message = beam_tree(
                [tree(lane, found[0]) for lane in found],
                told=place,
                turn=turn,
                pruned=view.search.pruned,
                full=len(view.search.branches) == MOST_BRANCHES,
                present=view.present,
                offers=offered(bench, sentence, found[0]),
            )
            draw(BEAM_TREE, message, on_picked=pick, on_wanted=lambda: act(bench, sentence, found), on_typed=typed)
            if not view.present:
                forms(bench, sentence, selected)
        if not view.present:
            save(selected.lane, found[0], view.search.pruned)
            mode(bench, sentence, found[0])
            study(bench, picture.card)
controls.how_to_read(
    "Each column is a step: every hypothesis that is alive is extended by one piece, the best extensions are kept, and "
    "a thick frame marks the way to the translation. "
    "Below a piece stands its own probability, and the score of its hypothesis so far, by which candidates are ranked. "
    "What was pruned says by how much it missed the last place. "
    "A word that must appear is put forward piece by piece, and hypotheses compete with those that have written as "
    "many of its pieces; a word that must not appear is not written on into a longer one either: a longer word "
    "may appear where none of its pieces ends with it.",
    equation=r"\mathrm{score}(y) = \frac{\log p(y \mid x)}{\mathrm{lp}(y)}, \quad \mathrm{lp}(y) = "
    r"\left(\frac{5 + |y|}{6}\right)^{\alpha} \text{ or } |y|^{\alpha}",
    source="Wu et al. 2016, equation 14; words that must appear: Post & Vilar 2018. "
    "Arrow keys walk the tree, Enter opens what may follow, space plays.",
)
