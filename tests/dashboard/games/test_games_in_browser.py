"""The list of games in a real browser: the ways to a replay and back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Page


def click_its_middle(row: Locator) -> None:
    row.click()


def press_enter_on_it(row: Locator) -> None:
    row.page.get_by_role("region", name="Closest finish").focus()
    row.page.keyboard.press("Tab")  # to the first row
    row.page.keyboard.press("Tab")
    row.page.keyboard.press("Enter")


@pytest.mark.parametrize("choose", [click_its_middle, press_enter_on_it])
def test_a_row_opens_its_game_and_back_leads_to_the_same_list(
    new_page: Callable[..., Page], shared_dashboard_address: str, choose: Callable[[Locator], None]
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/games?runs=three&sort=margin&lowest=1")
    row = page.locator(".numbers tbody tr").nth(1)
    row.wait_for()
    wait_until_settled(page)
    opened, shown = page.url, row.inner_text()
    choose(row)
    game = int(shown.split("\t")[9])
    expect(page).to_have_url(re.compile(rf"/replay\?run=three&game-number={game}$"))
    expect(page.get_by_role("heading", name="Replay")).to_be_visible()
    page.go_back()
    expect(page).to_have_url(opened)
    expect(row).to_have_text(re.compile("".join(map(re.escape, shown.split("\t")))))
