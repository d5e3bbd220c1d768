"""A path without a page gets a sentence, for browsers on the first page, and Streamlit's own files stay as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from dashboard.board_routes import make_board_routes
from dashboard.routes import make_routes, make_unknown_page_route
from tests.dashboard.requests_by_hand import send_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest

BASES = ("", "/games")


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/x/y", 404),
        ("/scores/x", 404),
        ("/x/y/z.txt", 404),
        ("/scores", 200),
        ("/scores/", 200),
        ("/nonsense", 404),
        ("/nonsense/", 404),
        ("/favicon.png", 200),
        ("/", 200),
        ("/static/js/main.js", 200),
        ("/_stcore/health", 200),
        ("/component/a/b.js", 200),
        ("/board/look", 405),
    ],
)
def test_paths_without_a_page_get_a_sentence(base: str, path: str, status: int) -> None:
    page = Route("/{path:path}", lambda _: HTMLResponse("a page of Streamlit"))
    routes = [*make_routes(base), *make_board_routes(base), make_unknown_page_route(base), page]
    reply = send_request(Starlette(routes=routes), base + path)
    assert reply.status == status
    if status == 404:
        assert reply.text.startswith("There is no page ")


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    ("path", "led"),
    [
        ("/nonsense", "/?no-page=nonsense"),
        ("/x/y/z.txt", "/?no-page=x%2Fy%2Fz.txt"),
        ("/x//elsewhere.org/", "/?no-page=x%2F%2Felsewhere.org%2F"),
        ("/a&rulesets=b#c d", "/?no-page=a%26rulesets%3Db%23c+d"),
        ("/" + "x" * 200, "/?no-page=" + "x" * 60),
    ],
)
def test_a_browser_is_led_to_the_first_page(base: str, path: str, led: str) -> None:
    app = Starlette(routes=[make_unknown_page_route(base)])
    reply = send_request(app, base + path, [("accept", "text/html,*/*")])
    assert (reply.status, reply.headers["location"]) == (303, base + led)
    assert not reply.text
    assert send_request(app, base + path, [("accept", "text/html")], method="POST").status == 405


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("scors", "scors"),
        ("[x](y)<b>", r"\[x\]\(y\)\<b\>"),
        ("x" * 200, "x" * 60),
    ],
)
def test_the_first_page_opens_go_to_which_says_that_there_is_no_such_page(
    open_dashboard_page: Callable[..., AppTest], name: str, shown: str
) -> None:
    at = open_dashboard_page("library.py", **{"no-page": name})
    assert at.get("dialog")
    assert f"There is no page {shown}." in [warning.value for warning in at.warning]
    assert not at.query_params
    at.session_state["page"] = "Another one"  # a visitor comes from another page
    at.run()
    assert not at.get("dialog")
    assert not at.warning


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    ("path", "led"),
    [
        ("/replays", "/games"),
        ("/Replays", "/games"),
        ("/all-runs", "/runs"),
        ("/library", "/"),
        ("/library/", "/"),
        ("/replays?sort=comeback", "/games?sort=comeback"),
    ],
)
def test_the_title_of_a_page_leads_to_it(base: str, path: str, led: str) -> None:
    reply = send_request(Starlette(routes=[make_unknown_page_route(base)]), base + path)
    assert (reply.status, reply.headers["location"]) == (307, base + led)
