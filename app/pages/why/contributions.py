"""Layer contributions on the page: how much each token adds to a row in every layer."""

import streamlit as st

from headscope.app.view import controls, session
from headscope.app.view.charts import draw_charts
from headscope.app.view.frame import Picture
from headscope.app.view.state import View
from headscope.app.view.why_state import HEAD
from headscope.app.wire.attribution_charts import contribution_charts
from headscope.app.workbench import attributions


def contributions(picture: Picture, view: View) -> None:
    """Draw one kind of attention, a map a layer."""
    if not view.present and view.why.beside != HEAD:
        controls.kind(picture.card.config)
    found = attributions.contributions(session.workbench(), picture.sentence)
    charts = contribution_charts(found, view.kind)
    draw_charts(charts, key="contributions", large=view.present)
    st.caption(
        "Norms of what each token adds to a row in an attention sub-layer, all heads summed, with residual and layer "
        "norm (Kobayashi et al. 2021). In self-attention the row's own stream is in its own token; in cross-attention "
        "it is the last column. Of pieces."
    )
