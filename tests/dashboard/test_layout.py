"""What people need on a page is in the window: buttons, menus and lists are not cut, and nothing covers them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import find_box, wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Page


def is_cut(node: Locator) -> bool:
    """Return whether a part of an element lies outside of the window or of a box around it that scrolls."""
    return bool(
        node.evaluate(
            """node => {
              const box = node.getBoundingClientRect();
              if (box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth) return true;
              for (let around = node.parentElement; around; around = around.parentElement) {
                const outer = around.getBoundingClientRect();
                if (getComputedStyle(around).overflowY !== "visible" && box.bottom > outer.bottom + 1) return true;
                if (getComputedStyle(around).overflowX !== "visible" && box.right > outer.right + 1) return true;
              }
              return false;
            }"""
        )
    )


def test_the_choice_of_a_person_is_shown_as_a_whole(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/play?ruleset=spexxx-2p&seats=me,greedy&seed=7")
    hint = page.locator(".play-tools button", has_text="Hint")
    hint.wait_for()
    wait_until_settled(page)
    assert not is_cut(hint)
    assert not is_cut(page.locator(".play-panel button", has_text="Take back"))
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{shared_dashboard_address}/play?ruleset=blokus-2p&seats=me,greedy&seed=7")
    last_shape = page.locator(".play-panel .shapes button").last
    last_shape.wait_for()
    wait_until_settled(page)
    assert not is_cut(last_shape)
    assert not is_cut(page.locator(".play-tools button", has_text="Hint"))


def test_the_menu_of_a_run_needs_no_scrolling(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{shared_dashboard_address}/runs")
    wait_until_settled(page)
    page.locator('[class*="st-key-card-"]').get_by_role("button", name="More").first.click()
    delete = page.get_by_role("button", name="Delete")
    delete.wait_for()
    wait_until_settled(page)
    assert not is_cut(delete)


def test_on_a_phone_all_tools_of_the_replay_are_in_view_and_have_names(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page(is_phone=True)
    page.goto(f"{shared_dashboard_address}/replay?run=three&game-number=2&move=5")
    page.locator(".controls").wait_for()
    wait_until_settled(page)
    for name in ("Another game", "Review this game", "Give away"):
        assert not is_cut(page.get_by_role("button", name=name))
    rows = []
    for name in ("What if …", "Play on"):
        tool = page.locator(".controls").get_by_text(name)
        expect(tool).to_be_visible()
        rows.append(tool.evaluate("node => Math.round(node.parentElement.getBoundingClientRect().top)"))
    slider = find_box(page.locator(".controls input"))
    assert slider["width"] >= 100
    assert rows == [round(slider["y"])] * 2
    tops = page.locator(".controls .buttons button").evaluate_all(
        "buttons => buttons.map((button) => button.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 1


def test_on_a_phone_the_board_comes_first_and_one_button_names_the_game(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page(is_phone=True)
    page.goto(f"{shared_dashboard_address}/replay?run=three&game-number=2&move=5")
    board, controls = page.locator(".replay .board").first, page.locator(".controls")
    board.wait_for()
    wait_until_settled(page)
    box, bar = find_box(board), find_box(controls)
    assert box["y"] + box["height"] <= bar["y"]
    assert bar["y"] + bar["height"] <= 844
    page.get_by_role("button", name="Game 2 of 24").tap()
    page.get_by_label("Game, 1 to 24").fill("7")
    page.get_by_label("Game, 1 to 24").press("Enter")
    page.wait_for_url(re.compile(r"game-number=7"))
    expect(page.get_by_role("button", name="Game 7 of 24")).to_be_visible()


def test_a_tooltip_goes_when_its_button_was_pressed(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/replay?run=three&game-number=2")
    page.locator(".controls").wait_for()
    wait_until_settled(page)
    page.get_by_role("button", name="Another game").hover()
    tooltip = page.get_by_test_id("stTooltipContent")
    expect(tooltip).to_be_visible()
    assert tooltip.evaluate("node => getComputedStyle(node).pointerEvents") == "none"
    page.get_by_role("button", name="Another game").click()
    expect(tooltip).not_to_be_visible()


def test_the_frame_around_a_list_that_comes_into_view_is_no_wider_than_the_list(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-3p&from=0&to=40")
    table = page.get_by_role("region", name="The games with a score in this range")
    table.wait_for()
    wait_until_settled(page)
    assert find_box(table)["width"] <= find_box(table.locator("table"))["width"] + 2


@pytest.mark.parametrize("ruleset", ["blokus-duo", "spexxx-2p"])
def test_a_move_leaves_the_board_as_large_as_it_was(
    new_page: Callable[..., Page], shared_dashboard_address: str, ruleset: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/play?ruleset={ruleset}&seats=me,greedy&seed=7")
    board = page.locator(".replay .board").first
    page.locator(".play-panel").wait_for()
    wait_until_settled(page)
    before = find_box(board)
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"moves="))
    wait_until_settled(page)
    assert find_box(board)["width"] > 0.9 * before["width"]


@pytest.mark.parametrize("width", [1440, 390])
def test_the_title_of_a_game_and_the_link_beside_it_stand_on_one_line(
    new_page: Callable[..., Page], shared_dashboard_address: str, width: int
) -> None:
    page = new_page(viewport={"width": width, "height": 900})
    page.goto(f"{shared_dashboard_address}/play")
    page.locator(".st-key-play-card-spexxx button").last.wait_for()
    wait_until_settled(page)
    middles = """head => ["h2", '[data-testid="stPageLink-NavLink"]'].map((selector) => {
      const range = new Range();
      range.selectNodeContents(document.createTreeWalker(head.querySelector(selector), NodeFilter.SHOW_TEXT).nextNode()
        ?? head.querySelector(selector));
      const { top, height } = range.getBoundingClientRect();
      return top + height / 2;
    })"""
    heads = page.locator('[class*="st-key-play-head-"]')
    assert heads.count() == 4
    for head in heads.all():
        title, link = head.evaluate(middles)
        assert abs(title - link) < 2


def test_the_menu_more_is_marked_while_one_of_its_pages_is_open(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    weights = []
    for place in ("notes", "play"):
        page.goto(f"{shared_dashboard_address}/{place}")
        wait_until_settled(page)
        more = page.get_by_test_id("stTopNavSection").locator("p")
        weights.append(more.evaluate("node => getComputedStyle(node).fontWeight"))
    assert weights == ["600", "400"]


def test_replays_is_marked_while_one_of_its_games_is_open(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/replay")
    wait_until_settled(page)
    links = page.get_by_test_id("stTopNavLink").locator("p")
    weights = {
        link.inner_text(): link.evaluate("node => getComputedStyle(node).fontWeight") for link in links.all()
    }
    assert [name for name, weight in weights.items() if weight == "600"] == ["Replays"]
