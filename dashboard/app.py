"""The script of the dashboard, which Streamlit runs for every visit and every click. `dashboard.served_app` serves it."""

from dashboard.page_frame import show_page

show_page()
