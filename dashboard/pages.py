"""The list of pages, in the order of the menu. `dashboard.page_frame` shows them; tests and benchmarks open them one by one."""

from __future__ import annotations

from typing import Final, NamedTuple

MORE: Final = "More"
"""The menu behind the last entry of the menu."""


class Page(NamedTuple):
    """A page of the dashboard."""

    script: str
    """Name of the file in `dashboard/views`, without `.py`. The address of the page is `/<script>`."""
    title: str
    """Title in the menu and, alone or with its subject, of the page."""
    section: str = ""
    """The menu inside of the menu that leads to the page; empty for an entry of its own."""
    is_in_menu: bool = True
    """Whether the menu leads to the page; other pages do to the rest."""


FIRST_PAGE: Final = Page("library", "Library")
"""The page at the address `/`."""
PAGES: Final = (
    FIRST_PAGE,
    Page("games", "Replays"),
    Page(
        "replay", "Replay", is_in_menu=False
    ),  # before *Play*: Streamlit takes the first name that an address ends with
    Page("scores", "Scores"),
    Page("strategies", "Strategies"),
    Page("whatif", "What if"),
    Page("rules", "Rules"),
    Page("play", "Play"),
    Page("runs", "All runs", MORE),
    Page("sql", "SQL", MORE),
    Page("notes", "Notes", MORE),
)
MENU_PAGES: Final = tuple(page for page in PAGES if page.is_in_menu)
MISSING_PAGE_KEY: Final = "no-page"
"""The key of the address of the first page that holds the path of a page that does not exist."""
MAX_SHOWN_NAME: Final = 60
"""Characters of such a path that are said."""
