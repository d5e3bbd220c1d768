"""Titles, texts and collections of notes are texts on every page that shows them, in a real browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from dashboard.widgets.markdown import escape_markdown
from pipelines.notes.note import NoteContent, NotePlace, place_of_game, place_of_run
from pipelines.notes.store import NoteStore
from pipelines.runs.library import Library
from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

HTML: Final = "</script><img src=x onerror=alert(1)>"
MARKDOWN: Final = "**bold** $x$ :red[x] [a](javascript:alert(1)) :smile:"
BACKWARDS: Final = "\u202ebackwards\u2067"
HOSTILE: Final = f"{HTML} {MARKDOWN} {BACKWARDS} <b>1</b> \u200f"
LIVE_MARKUP: Final = (
    "img[src='x'], script:has-text('onerror'), a[href^='javascript:'], .katex, strong:text-is('bold'), "
    ".stMarkdownColoredText:text-is('x')"
)
"""What the browser would show if it read one of the texts as markup."""
SMILE: Final = "\U0001f604"
"""The picture that `:smile:` would become."""

PAGES: Final = {
    "runs": "runs",
    "strategies": "strategies",
    "games?runs=three": "games",
    "replay?run=three&game-number=2": "replay",
    "scores?rulesets=bloxx-3p&runs=three&from=-1000&to=1000": "scores",
    "scores?rulesets=bloxx-3p&runs=three&view=Explore&select={%22score%22:[-1000,1000]}": "explore",
    "whatif?run=three": "whatif",
    "sql?runs=three": "sql",
    "notes": "notes",
}


@pytest.fixture
def hostile_folder(copied_data_folder: Path) -> None:
    run, store = Library(copied_data_folder).run("three"), NoteStore(copied_data_folder)
    content = NoteContent(HOSTILE, HOSTILE, (HTML, MARKDOWN, BACKWARDS), is_favourite=True)
    question = NotePlace("question", "sql", {"sql": ["SELECT 1"]})
    for place in (place_of_run(run), place_of_game(run, 1), place_of_game(run, 1, 3), question):
        store.add(place, content)


def test_marks_that_turn_a_text_around_turn_nothing_beside_it() -> None:
    shown = escape_markdown(BACKWARDS)
    assert "backwards" in shown
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", shown)
    assert escape_markdown("\u05d0\u200f\u05d1") == "\u05d0\u200f\u05d1", "letters and their marks stay"


@pytest.mark.usefixtures("hostile_folder")
@pytest.mark.parametrize("path", PAGES, ids=PAGES.values())
def test_hostile_notes_are_text_on_every_page(
    dashboard_address: str, new_page: Callable[[], Page], path: str
) -> None:
    """The fixture fails if a page opens a dialog, reports an error or sends a request to another host."""
    page = new_page()
    page.goto(f"{dashboard_address}/{path}")
    page.get_by_role("heading", level=1).first.wait_for()
    wait_until_settled(page)
    assert_texts(page)
    if (menu := page.get_by_role("button", name="Keep")).count():
        menu.first.click()
        page.get_by_test_id("stPopoverBody").get_by_role("link", name="All your notes").wait_for()
        assert_texts(page)
        page.keyboard.press("Escape")
        page.mouse.move(640, 700)  # a hint would cover the next button
        page.get_by_role("tooltip").wait_for(state="hidden")
    if path == "notes":
        page.get_by_text(HTML).first.wait_for()


@pytest.mark.usefixtures("hostile_folder")
def test_hostile_notes_are_text_in_the_box_that_finds_them(
    dashboard_address: str, new_page: Callable[[], Page]
) -> None:
    page = new_page()
    page.goto(f"{dashboard_address}/notes")
    wait_until_settled(page)
    page.get_by_role("button", name="Go to").click()
    page.get_by_role("dialog").get_by_role("combobox").fill("onerror")
    page.get_by_role("option").filter(has_text="onerror").first.wait_for()
    assert_texts(page)


def assert_texts(page: Page) -> None:
    """Check that the page shows none of the texts as markup."""
    assert [link.evaluate("node => node.outerHTML") for link in page.locator(LIVE_MARKUP).all()] == []
    assert SMILE not in page.locator("body").inner_text()
