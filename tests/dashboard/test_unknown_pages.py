"""A path without a page gets a sentence and links, and Streamlit's own files stay as they are."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from dashboard.board_routes import make_board_routes
from dashboard.routes import make_routes, make_unknown_page_route
from tests.dashboard.requests_by_hand import send_request

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
        ("/library", 200),
        ("/favicon.png", 200),
        ("/", 200),
        ("/static/js/main.js", 200),
        ("/_stcore/health", 200),
        ("/component/a/b.js", 200),
        ("/board/look", 405),
    ],
)
def test_paths_without_a_page_get_a_sentence_and_links(base: str, path: str, status: int) -> None:
    page = Route("/{path:path}", lambda _: HTMLResponse("a page of Streamlit"))
    routes = [*make_routes(base), *make_board_routes(base), make_unknown_page_route(base), page]
    reply = send_request(Starlette(routes=routes), base + path)
    assert reply.status == status
    if status == 404:
        assert reply.text.startswith("There is no page ")
        html = send_request(Starlette(routes=routes), base + path, [("accept", "text/html")]).text
        assert "<p>There is no page " in html
        assert f'<a href="{base}/">Library</a>' in html
        assert f'<a href="{base}/scores">Scores</a>' in html


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/scors", "There is no page scors. Did you mean Scores?\n"),
        ("/What-iff", "There is no page What-iff. Did you mean What if?\n"),
        ("/nonsense", "There is no page nonsense.\n"),
    ],
)
def test_a_name_that_is_nearly_that_of_a_page_gets_it(path: str, sentence: str) -> None:
    assert send_request(Starlette(routes=[make_unknown_page_route("")]), path).text == sentence


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    ("path", "led"), [("/replays", "/games"), ("/Replays", "/games"), ("/all-runs", "/runs")]
)
def test_the_title_of_a_page_leads_to_it(base: str, path: str, led: str) -> None:
    reply = send_request(Starlette(routes=[make_unknown_page_route(base)]), base + path)
    assert (reply.status, reply.headers["location"]) == (307, base + led)
