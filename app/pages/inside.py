"""Inside one head: how a query comes to its weights."""

import streamlit as st

from headscope.analysis.records.heads import Head
from headscope.app.components.inside.inside import INSIDE
from headscope.app.view import controls, session
from headscope.app.view.draw import draw
from headscope.app.view.frame import Frame
from headscope.app.wire.inside import inside
from headscope.app.workbench import sentences

frame = Frame(session.workbench())
st.title("How does this head choose?", anchor=False)
if frame.card:
    controls.head(frame.card.config)
with frame.picture(in_pieces=True) as picture:
    view = session.view()
    head = Head(view.kind, view.layer, view.head)
    draw(INSIDE, inside(sentences.inside(session.workbench(), picture.sentence, head), picture.maps))
    if view.unit == "words" or view.special != "shown":
        st.caption("Queries and keys belong to pieces, start and end symbols among them: here all of these are shown.")
controls.how_to_read(
    "The token that is pinned above, else the first, asks with its query: each line of the picture is the query times "
    "one key, entry by entry, and the entries of a line sum to its score q·k. "
    "Scores are divided by the root of the width, those that may not be seen become −∞, and the softmax makes the rest "
    "weights that sum to 1. "
    "The small pictures are the whole matrices, a row a query, with the row of this query marked.",
    equation=r"a_{ij} = \frac{\exp(q_i \cdot k_j / \sqrt{d_k})}{\sum_{j'} \exp(q_i \cdot k_{j'} / \sqrt{d_k})}",
    source="Vaswani et al. 2017, section 3.2.1. Arrow keys walk keys and dimensions, Page Up and Down the queries.",
)
