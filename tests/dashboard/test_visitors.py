"""Visitors open every page in a real browser: one after the other from the menu, and several at once by links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from benchmarks.visits import page_links, time_menu_walk, wait_until_at_rest
from dashboard.pages import FIRST_PAGE, MENU_PAGES
from tests.browser import collect_complaints

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

    from pipelines.runs.library import Library
    from tests.dashboard.conftest import ServeDashboard

VISITORS: Final = 3
PAGES_OF_A_VISITOR: Final = 4
"""Together the visitors open every page, some of them twice."""
MAX_OPEN_FILES: Final = 256
SESSIONS: Final = 90
"""The sessions of this number of visits would keep more files open than a server with `MAX_OPEN_FILES` has."""


@pytest.mark.slow
@pytest.mark.quick  # the one browser test of `make test`
def test_every_page_opens_from_the_menu(browser: Browser, shared_dashboard_address: str) -> None:
    context = browser.new_context()
    complaints = collect_complaints(context)
    opened = list(time_menu_walk(context, shared_dashboard_address))
    context.close()
    assert complaints == []
    assert [title for title, _ in opened] == [page.title for page in (*MENU_PAGES[1:], FIRST_PAGE)]


def test_what_if_asks_once_for_the_choices_of_each_move_and_leaves_no_page_empty(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page, looks = new_page(), list[str]()
    page.on(
        "request", lambda request: looks.append(request.url) if request.url.endswith("/board/look") else None
    )
    page.goto(f"{shared_dashboard_address}/replay?run=three&game-number=2&move=6&whatif=1")
    page.locator(".whatif-panel .choices button").first.wait_for()
    wait_until_at_rest(page)
    assert len(looks) == 1
    page.locator(".caption").click()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(1000)
    page.locator(".whatif-panel .choices button").first.wait_for()
    assert len(looks) == 2
    page.keyboard.press("ArrowRight")  # a visitor who leaves at once: the request is closed with the page
    page.goto(f"{shared_dashboard_address}/scores")
    page.get_by_role("heading", name="Scores", exact=True).wait_for()


def test_visitors_who_open_pages_at_once_see_no_error(
    new_page: Callable[..., Page], shared_dashboard_address: str, library: Library
) -> None:
    links = list(page_links(library).values())
    visitors = [new_page() for _ in range(VISITORS)]
    for turn in range(PAGES_OF_A_VISITOR):
        for number, page in enumerate(visitors):
            link = links[(turn + 3 * number) % len(links)]
            page.goto(f"{shared_dashboard_address}/{link}", wait_until="commit")
        for page in visitors:
            wait_until_at_rest(page)


def open_session(address: str) -> None:
    """Open the first page as a browser does, in a session of its own; return when the page is drawn."""
    message = BackMsg()
    message.rerun_script.query_string = ""
    stream = address.replace("http", "ws", 1) + "/_stcore/stream"
    with connect(
        stream, origin=Origin(address), subprotocols=[Subprotocol("streamlit")], max_size=None
    ) as session:
        session.send(message.SerializeToString())
        answer = ForwardMsg()
        while answer.WhichOneof("type") != "script_finished":
            answer = ForwardMsg.FromString(session.recv(timeout=60, decode=False))


def test_sessions_that_left_keep_no_files_open(serve_dashboard: ServeDashboard, library: Library) -> None:
    with serve_dashboard(library.folder, max_open_files=MAX_OPEN_FILES) as address:
        for _ in range(SESSIONS):
            open_session(address)
