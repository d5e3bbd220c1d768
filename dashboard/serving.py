"""The dashboard as Streamlit's server runs it: the script of the pages, and the documents that stand before them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st
from starlette.responses import HTMLResponse
from starlette.routing import Route
from streamlit import file_util

from dashboard.document import build_html_document
from dashboard.pages import PAGES
from dashboard.widgets.grounds import background_colours

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from dashboard.pages import Page


DASHBOARD_FOLDER: Final = Path(__file__).parent


def build_routes() -> list[Route]:
    """Return what answers at the address of every page."""
    icon = (DASHBOARD_FOLDER / "icon.svg").read_text(encoding="utf-8")
    static = Path(file_util.get_static_dir())
    plain, charted = (
        build_html_document(static, icon, background_colours(), draws_charts=draws_charts)
        for draws_charts in (False, True)
    )

    def build_page_route(page: Page) -> Route:
        async def send_document(request: Request) -> Response:
            text = charted if page.draws_charts(request.url.query) else plain
            return HTMLResponse(text, headers={"Cache-Control": "no-cache"})

        return Route(f"/{page.address}", send_document)

    return [build_page_route(page) for page in PAGES]


app = st.App(DASHBOARD_FOLDER / "app.py", routes=build_routes())
