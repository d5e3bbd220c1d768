"""A first visit in a real browser: the dashboard as `reroll dashboard` serves it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def place(page: Page) -> str:
    page.locator(".replay .seat").first.wait_for()
    return page.locator(".place").inner_text()


def test_a_visitor_finds_a_game_steps_through_it_and_passes_the_link_on(
    new_page: Callable[..., Page], served: str
) -> None:
    page = new_page()
    page.goto(served)
    page.get_by_role("heading", name="What has been played?").wait_for()
    page.get_by_role("link", name="Replay").nth(1).click()
    page.locator(".replay .seat").first.wait_for()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"ply=2"))
    seen, address = place(page), page.url
    assert "run=" in address
    assert "game=0" in address
    friend = new_page()
    friend.goto(address)
    assert place(friend) == seen


def test_the_next_game_starts_before_its_first_ply(new_page: Callable[..., Page], served: str) -> None:
    page = new_page()
    page.goto(f"{served}/replay?run=three&game=4&ply=30")
    assert " ply 30 of" in place(page)
    page.get_by_role("button", name="→").click()
    page.wait_for_url(re.compile(r"game=5"))
    page.get_by_text("game 5", exact=False).first.wait_for()
    assert "ply 30" not in place(page)


def test_scores_are_drawn_for_the_rulesets_in_the_address(new_page: Callable[..., Page], served: str) -> None:
    page = new_page()
    page.goto(f"{served}/scores?rulesets=bloxx-3p&rulesets=bloxx-touch-3p&shape=Cumulative")
    page.locator(".js-plotly-plot").first.wait_for()
    titles = page.locator(".js-plotly-plot").first.locator(".annotation-text")
    assert titles.all_text_contents() == [
        "bloxx-3p · greedy n = 48 · random n = 24",
        "bloxx-touch-3p · greedy n = 48 · random n = 24",
    ]
    page.get_by_role("radio", name="Quantiles").click()
    page.wait_for_url(re.compile(r"shape=Quantiles"))


def test_a_new_run_appears_within_five_seconds_and_nobody_waits_for_anybody(
    new_page: Callable[..., Page], served: str, data: Path, played: Callable[..., None]
) -> None:
    """The page stays open on the library while a run is made beside it."""
    page = new_page()
    page.goto(served)
    page.get_by_text("in 3 runs", exact=False).wait_for()
    played(data, "fresh", "bloxx-4p", "greedy", "greedy", "random", "random", games=4)
    page.get_by_text("in 4 runs", exact=False).wait_for(timeout=5_000)
    assert page.get_by_text("BLOXX!, 4 players", exact=False).first.is_visible()
