"""How a translation is searched: every step, every candidate, and what would have become of others."""

from dataclasses import replace

import streamlit as st

from headscope.app.components.beam_tree import Tree, beam_tree
from headscope.app.pages.search.attention import attention
from headscope.app.pages.search.branching import act, forms
from headscope.app.pages.search.choosing import pick, told
from headscope.app.pages.search.controls import settings
from headscope.app.pages.search.lanes import Lane, chosen, difference, ended, lanes
from headscope.app.pages.search.mode import mode
from headscope.app.pages.search.saving import save
from headscope.app.pages.search.study import study
from headscope.app.view import controls, session
from headscope.app.view.frame import Frame
from headscope.app.view.presenter import Walk
from headscope.app.view.search_state import MOST_BRANCHES
from headscope.app.view.state import View
from headscope.app.workbench.searches import Searches


def tree(lane: Lane, first: Lane) -> Tree:
    """A search as the component draws it."""
    record = lane.record
    return Tree(
        name=lane.name,
        title=lane.title,
        how=lane.how,
        note=difference(lane, first),
        ended=ended(record.trace.bound, lane.settings.n_best) if record else f"Not searched: {lane.problem}.",
        record=record,
        parts=lane.comparison.step if lane.comparison else None,
        closable=lane is not first,
    )


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
    settings(frame.card.search.kind)
with frame.picture(in_pieces=True, walks=WALKS) as picture:
    view = session.view()
    searches, sentence = Searches(session.workbench()), replace(picture.sentence, target=None)
    found = lanes(searches, sentence, view)
    selected = chosen(found, view.search.node)
    if selected is None:
        st.text("The search has no candidates.")
    else:
        # Who walks the tree has it already, and waits for the attention: that is sent first.
        above = st.container()
        attention(sentence, selected, picture.card)
        place, turn = told(selected.place)
        with above:
            beam_tree(
                [tree(lane, found[0]) for lane in found],
                told=place,
                turn=turn,
                pruned=view.search.pruned,
                full=len(view.search.branches) == MOST_BRANCHES,
                present=view.present,
                on_pick=pick,
                on_act=lambda: act(searches, sentence, found),
            )
            if not view.present:
                forms(searches, sentence, selected)
        if not view.present:
            save(selected.lane, found[0], view.search.pruned)
            mode(searches, sentence, found[0])
            study(searches, sentence.checkpoint, picture.card)
controls.how_to_read(
    "Each column is a step: every hypothesis that is alive is extended by one piece, the best extensions are kept, and "
    "a thick frame marks the way to the translation. "
    "Below a piece stands its own probability, and the score of its hypothesis so far, by which candidates are ranked. "
    "What was pruned says by how much it missed the last place.",
    equation=r"\mathrm{score}(y) = \frac{\log p(y \mid x)}{\mathrm{lp}(y)}, \quad \mathrm{lp}(y) = "
    r"\left(\frac{5 + |y|}{6}\right)^{\alpha} \text{ or } |y|^{\alpha}",
    source="Wu et al. 2016, equation 14. Arrow keys walk the tree, Enter opens what may follow, space plays.",
)
