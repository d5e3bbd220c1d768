"""The dashboard as Streamlit's server runs it: the script of the pages, and the documents that stand before them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st
from starlette.responses import HTMLResponse
from starlette.routing import Route
from streamlit import file_util

from dashboard.document import document
from dashboard.pages import PAGES
from dashboard.widgets.grounds import grounds

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from dashboard.pages import Page


HERE: Final = Path(__file__).parent


def routes() -> list[Route]:
    """Return what answers at the address of every page."""
    icon = (HERE / "icon.svg").read_text(encoding="utf-8")
    static = Path(file_util.get_static_dir())
    plain, charted = (
        document(static, icon, grounds(), draws_charts=draws_charts) for draws_charts in (False, True)
    )

    def route(page: Page) -> Route:
        async def answer(request: Request) -> Response:
            text = charted if page.draws_charts(request.url.query) else plain
            return HTMLResponse(text, headers={"Cache-Control": "no-cache"})

        return Route(f"/{page.address}", answer)

    return [route(page) for page in PAGES]


app = st.App(HERE / "app.py", routes=routes())
