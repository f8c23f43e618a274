"""The script of every page: settings, navigation, the controls that all pages share, and then the page."""

from pathlib import Path

import streamlit as st

from headscope.app.view import navigation, opening, presenter, session, sidebar

HERE = Path(__file__).resolve().parent
ASSETS = HERE.parent / "assets"

st.set_page_config(page_title="Headscope", page_icon=str(ASSETS / "icon.svg"), layout="wide")
st.logo(str(ASSETS / "logo.svg"), icon_image=str(ASSETS / "icon.svg"), size="large")

hidden = navigation.hidden()
pages = {
    name: st.Page(
        HERE / page.file,
        title=page.title,
        default=name == navigation.FIRST,
        visibility="hidden" if name in hidden else "visible",
    )
    for name, page in navigation.PAGES.items()
}
page = st.navigation(list(pages.values()), expanded=True)
bench = session.workbench()
session.arrive(bench, page.url_path)
if wanted := session.next_page():
    st.switch_page(pages[wanted], query_params=st.query_params.to_dict())
st.html(ASSETS / "page.css")
if session.view().present:
    presenter.stage()
else:
    sidebar.sidebar(bench, page.url_path or navigation.FIRST)
    opening.opening(page.url_path or navigation.FIRST)
if misunderstood := session.misunderstood():
    st.text(misunderstood)
page.run()
