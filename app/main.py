"""The script of every page: settings, navigation, the controls that all pages share, and then the page."""

from pathlib import Path

import streamlit as st

from app import frame, presenter, session

HERE = Path(__file__).resolve().parent

st.set_page_config(page_title="Headscope", page_icon=str(HERE / "assets" / "icon.svg"), layout="wide")
st.logo(str(HERE / "assets" / "logo.svg"), icon_image=str(HERE / "assets" / "icon.svg"), size="large")

PAGES = {
    "overview": st.Page(HERE / "views" / "overview.py", title="Overview"),
    "head": st.Page(HERE / "views" / "head.py", title="Head", default=True),
    "inside": st.Page(HERE / "views" / "inside.py", title="Inside a head"),
    "what_if": st.Page(HERE / "views" / "what_if.py", title="What if"),
    "search": st.Page(HERE / "views" / "search.py", title="Search"),
    "gallery": st.Page(HERE / "views" / "gallery.py", title="Gallery"),
    "models": st.Page(HERE / "views" / "models.py", title="Models"),
}
page = st.navigation(list(PAGES.values()))
bench = session.workbench()
session.arrive(bench, page.url_path)
if wanted := session.next_page():
    st.switch_page(PAGES[wanted], query_params=st.query_params.to_dict())
st.html(HERE / "assets" / "page.css")
if session.view().present:
    presenter.stage()
else:
    frame.sidebar(bench)
page.run()
