"""The script of every page: settings, navigation, the controls that all pages share, and then the page."""

from pathlib import Path

import streamlit as st

from headscope.app.view import frame, presenter, session

HERE = Path(__file__).resolve().parent
ASSETS = HERE.parent / "assets"

st.set_page_config(page_title="Headscope", page_icon=str(ASSETS / "icon.svg"), layout="wide")
st.logo(str(ASSETS / "logo.svg"), icon_image=str(ASSETS / "icon.svg"), size="large")

PAGES = {
    "overview": st.Page(HERE / "overview.py", title="Overview"),
    "head": st.Page(HERE / "head.py", title="Head", default=True),
    "inside": st.Page(HERE / "inside.py", title="Inside a head"),
    "what_if": st.Page(HERE / "what_if.py", title="What if"),
    "search": st.Page(HERE / "search" / "search.py", title="Search"),
    "gallery": st.Page(HERE / "gallery.py", title="Gallery"),
    "models": st.Page(HERE / "models" / "models.py", title="Models"),
}
page = st.navigation(list(PAGES.values()))
bench = session.workbench()
session.arrive(bench, page.url_path)
if wanted := session.next_page():
    st.switch_page(PAGES[wanted], query_params=st.query_params.to_dict())
st.html(ASSETS / "page.css")
if session.view().present:
    presenter.stage()
else:
    frame.sidebar(bench)
page.run()
