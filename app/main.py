"""The script of every page: settings, navigation, the controls that all pages share, and then the page."""

from pathlib import Path

import streamlit as st

from app import frame, session

HERE = Path(__file__).resolve().parent

st.set_page_config(page_title="Headscope", page_icon=str(HERE / "assets" / "icon.svg"), layout="wide")
st.logo(str(HERE / "assets" / "logo.svg"), icon_image=str(HERE / "assets" / "icon.svg"), size="large")

page = st.navigation([st.Page(HERE / "views" / "head.py", title="Head", default=True)])
bench = session.workbench()
session.arrive(bench, page.url_path)
frame.sidebar(bench)
page.run()
