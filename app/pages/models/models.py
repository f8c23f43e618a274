"""The checkpoints of this server: what each is made of and where it comes from, and new ones from other toolkits."""

import streamlit as st

from headscope.app.components.sheet.sheet import SHEET
from headscope.app.pages.models.tables import summary, tables
from headscope.app.server import listens_to_this_machine_alone
from headscope.app.view import controls, presenter, session
from headscope.app.view.draw import draw
from headscope.app.view.frame import problem
from headscope.app.wire.sheet import SheetTable, sheet
from headscope.app.workbench.importing import TOOLKITS, take_in
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError

UNKNOWN = "The languages of this checkpoint are not known, for the files that it was made of name none. "
UNKNOWN += "Import it again with its languages."
# Key of the session's state: what was last imported. (Streamlit would show a text that stands here.)
REPORT = "imported"


def model(bench: Workbench, number: int, name: str) -> None:
    """One checkpoint; a broken one says what is wrong with it."""
    current, present = name == session.view().checkpoint, session.view().present
    with st.container(border=True, key=f"model-{number}"):
        with st.container(horizontal=True, vertical_alignment="center", key=f"model-name-{number}"):
            st.text(name, width="stretch")
            if not present:
                st.button(
                    "In use" if current else "Use this",
                    key=f"use-{number}",
                    disabled=current,
                    on_click=lambda: session.change(checkpoint=name),
                )
        try:
            known(bench, number, name)
        except HeadscopeError as error:
            wrong("This checkpoint is broken", error)


def known(bench: Workbench, number: int, name: str) -> None:
    """What is known of a checkpoint, the details when they are unfolded."""
    card, symbols = bench.card(name), bool(bench.symbols(name))
    parts = bench.parameters(name)
    st.text(summary(card, parts["total"]))
    if not card.languages_known:
        st.warning(UNKNOWN, icon=":material/warning:")
    if session.view().present:
        return
    unfolded = name == session.view().checkpoint
    with st.expander("Its card", expanded=unfolded, key=f"card-{number}", on_change="rerun") as details:
        if details.open:
            made = tables(card, parts, symbols=symbols)
            draw(SHEET, sheet(made, card.positions), key=f"sheet-{number}")


def new(bench: Workbench) -> None:
    """Take a model of another toolkit in, where whoever sees the page sits at this machine."""
    st.header("Import a model of another toolkit", anchor=False)
    shelf = session.shelf()
    if not listens_to_this_machine_alone():
        st.text(
            "This server can be reached from other machines, so nothing is imported here: whoever runs it can do that."
        )
    elif shelf is None:
        st.text("This server was started with single checkpoints. Started with a folder of them, it takes new ones in.")
    else:
        st.text(f"It becomes a checkpoint in the folder {shelf.name}, which this server was started with.")
        with st.form("import", border=False, enter_to_submit=False):
            folder = st.text_input("Folder of the model on this machine", key="import-folder")
            with st.container(horizontal=True):
                toolkit = st.selectbox("Toolkit", TOOLKITS, format_func=TOOLKITS.__getitem__, key="import-toolkit")
                languages = st.text_input(
                    "Languages", placeholder="as en,de; else those the files name", key="import-languages"
                )
                name = st.text_input("Name", placeholder="that of the folder", key="import-name")
            wanted = st.form_submit_button("Import", key="import")
        if wanted:
            st.session_state.pop(REPORT, None)
            try:
                with st.spinner("Reads the model"):
                    report = take_in(bench, shelf, toolkit, folder, languages=languages, name=name)
            except HeadscopeError as error:
                with st.container(border=True, key="refused"):
                    wrong("Nothing was imported", error)
            else:
                st.session_state[REPORT] = report
                st.rerun()  # the new checkpoint belongs into the sidebar and into the list above
    told()


def told() -> None:
    """What was last imported."""
    if report := st.session_state.get(REPORT):
        with st.container(border=True, key="imported"):
            st.text(f"{report.checkpoint} is ready.")
            for note in report.notes:
                st.text(f"Note: {note}")
            draw(SHEET, sheet([SheetTable("What was found", (), [*report.found.items()])], {}), key="found")


def wrong(what: str, error: HeadscopeError) -> None:
    """What is wrong, and why."""
    st.markdown(f":material/error: **{what}**")
    st.text(f"{str(error)[0].upper()}{str(error)[1:]}.")


bench = session.workbench()
st.title("Which models are here?", anchor=False)
try:
    bench.card(session.view().checkpoint)
except HeadscopeError as error:
    if session.view().checkpoint not in bench.names:
        problem(error)
for number, name in enumerate(bench.names):
    model(bench, number, name)
if session.view().present:
    presenter.listen(())
else:
    new(bench)
controls.how_to_read(
    "Each card tells what lies in the checkpoint's folder: its configuration, the sizes of its weights, and records of "
    "its training or its import. "
    "A position that training rarely reached is one that the model has hardly learned, so translations of longer "
    "sentences are guesses. "
    "Scores are those that were measured with Headscope or came with the model.",
    source="Parts: a table that source and target or the output share counts as an embedding.",
)
