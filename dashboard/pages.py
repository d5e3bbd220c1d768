"""The list of pages, in the order of the menu. `dashboard.page_frame` shows them; tests and benchmarks open them one by one."""

from __future__ import annotations

from typing import Final, NamedTuple


class Page(NamedTuple):
    """A page of the dashboard."""

    script: str
    """Name of the file in `dashboard/views`, without `.py`. The address of the page is `/<script>`."""
    title: str
    """Title in the menu."""


FIRST_PAGE: Final = Page("library", "Library")
"""The page at the address `/`."""
PAGES: Final = (
    FIRST_PAGE,
    Page("scores", "Scores"),
    Page("strategies", "Strategies"),
    Page("games", "Games"),
    Page("replay", "Replay"),
    Page("play", "Play"),
    Page("whatif", "What if"),
    Page("rules", "Rules"),
    Page("sql", "SQL"),
    Page("notes", "Notes"),
)
