"""Several visitors open all pages at once, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from benchmarks.visits import page_links, time_pages, wait_until_at_rest
from dashboard.pages import PAGES
from pipelines.runs.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Page

VISITORS: Final = 3


@pytest.mark.slow
def test_visitors_who_open_pages_at_once_see_no_error(
    new_page: Callable[..., Page], dashboard_address: str, copied_data_folder: Path
) -> None:
    links = list(page_links(Library(copied_data_folder)).values())
    visitors = [new_page() for _ in range(VISITORS)]
    for turn in range(len(links)):
        for number, page in enumerate(visitors):
            link = links[(turn + 2 * number) % len(links)]
            page.goto(f"{dashboard_address}/{link}", wait_until="commit")
        for page in visitors:
            wait_until_at_rest(page)


@pytest.mark.slow
def test_every_page_opens_from_the_menu_and_by_its_link(
    browser: Browser, dashboard_address: str, copied_data_folder: Path
) -> None:
    seconds, complaints = time_pages(
        browser, dashboard_address, page_links(Library(copied_data_folder)), rounds=1
    )
    assert complaints == []
    assert len(seconds) == 2 * len(PAGES)
