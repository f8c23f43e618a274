"""What a study of positions shows at a glance: cards of the gallery."""

import streamlit as st

from headscope.app.view import controls, session
from headscope.app.view.state import default_view, to_query
from headscope.app.wire.position_findings import Finding, findings
from headscope.app.workbench import studies
from headscope.model.card import Card


def cards(card: Card) -> None:
    """All of them; nothing where no study lies with the checkpoint."""
    checkpoint = session.view().checkpoint
    found = studies.positions(session.workbench(), checkpoint)
    if found is None or not (shown := findings(found)):
        return
    st.header("What does this model do with positions?", anchor=False)
    base = to_query(default_view(checkpoint, card.config, card.languages[0], search=card.search))
    with st.container(horizontal=True, key="position cards"):
        for each in shown:
            with st.container(border=True, key=f"positions-{each.key}"):
                _one(each, base)
    st.text(f"{found.sentences:,} sentences: {found.data}. {found.licence}; attribution: {found.attribution}.")


def _one(finding: Finding, base: dict[str, str]) -> None:
    st.markdown(f"**{finding.title}**")
    st.markdown(f"{finding.figure}  \n:small[:gray[{finding.beside}]]")
    present = {"present": "1"} if session.view().present else {}
    controls.link("positions", finding.link, base | finding.query | present)
