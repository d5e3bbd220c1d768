"""The script of the dashboard, which Streamlit runs for every visit and every click. `dashboard.served_app` serves it."""

from dashboard.imports import import_pages

import_pages()

from dashboard.page_frame import show_page  # noqa: E402 - visitors who come at once must not import in turn

show_page()
