"""The dashboard as Streamlit's server runs it: the script of the pages, and the documents that stand before them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from starlette.responses import HTMLResponse
from starlette.routing import Route
from streamlit import file_util

from dashboard.document import documents
from dashboard.pages import PAGES

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from dashboard.pages import Page


def routes() -> list[Route]:
    """Return what answers at the address of every page."""
    grounds = (
        st.get_option("theme.light.backgroundColor") or "#ffffff",
        st.get_option("theme.dark.backgroundColor") or "#0e1117",
    )
    held = documents(Path(file_util.get_static_dir()), grounds)

    def route(page: Page) -> Route:
        async def answer(request: Request) -> Response:
            document = held[page, page.draws_charts(request.url.query)]
            return HTMLResponse(document, headers={"Cache-Control": "no-cache"})

        return Route(f"/{page.address}", answer)

    return [route(page) for page in PAGES]


app = st.App(Path(__file__).with_name("app.py"), routes=routes())
