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
    for _ in range(row.page.get_by_role("columnheader").count() + 2):  # past the headings and the first row
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
    game = int(shown.split("\t")[-1].split()[0])
    expect(page).to_have_url(re.compile(rf"/replay\?run=three&game-number={game}&move=\d+$"))
    expect(page.get_by_role("heading", name="Replay")).to_be_visible()
    page.go_back()
    expect(page).to_have_url(opened)
    expect(row).to_have_text(re.compile("".join(map(re.escape, shown.split("\t")))))


def test_the_picture_of_a_record_opens_its_replay(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/games?runs=three")
    card = page.locator(".st-key-record-score-0")
    address = str(card.get_by_role("link", name="Replay").get_attribute("href"))
    card.locator("svg.board, svg").first.wait_for()
    wait_until_settled(page)
    card.locator("svg").first.click(force=True)
    expect(page).to_have_url(re.compile(re.escape(address)))


def test_the_list_is_sorted_by_the_heading_that_is_chosen(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/games?runs=three&sort=margin&lowest=1")
    rows = page.locator(".numbers tbody tr")
    rows.first.wait_for()
    wait_until_settled(page)
    headings = page.locator(".numbers th").all_inner_texts()

    def choose(name: str) -> list[str]:
        heading = page.get_by_role("columnheader", name=name, exact=True)
        heading.get_by_role("button").click()
        expect(heading).to_have_attribute("aria-sort", re.compile("ascending|descending"))
        return [text.split("\t")[headings.index(name)] for text in rows.all_inner_texts()]

    for name in ("margin", "players"):
        once, again = choose(name), choose(name)
        assert len(set(once)) > 1
        key = int if name == "margin" else str
        assert once == sorted(once, key=key, reverse=name == "margin")
        assert again == sorted(once, key=key, reverse=name != "margin")
    assert page.locator("[aria-sort]").count() == 1

    sorted_rows = rows.all_inner_texts()
    rows.first.click()
    expect(page.get_by_role("heading", name="Replay")).to_be_visible()
    page.go_back()
    heading = page.get_by_role("columnheader", name="players", exact=True)
    expect(heading).to_have_attribute("aria-sort", re.compile("ascending|descending"))
    assert rows.all_inner_texts() == sorted_rows
