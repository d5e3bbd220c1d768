"""A lesson in a real browser: the board asks, judges what one tries, and then shows what was played."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from pipelines.experiments.lessons import find_lesson
from tests.axe import find_faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from pipelines.runs.library import Library


def test_a_lesson_is_solved_on_the_board(
    new_page: Callable[..., Page], shared_dashboard_address: str, small_library: Library
) -> None:
    run = small_library.run("three")
    ply = next(
        ply
        for ply, step in enumerate(run.scene(5)["steps"])
        if step["seat"] >= 0 and ply > 20 and find_lesson(run, 5, ply).is_clear_slip
    )
    step = run.scene(5)["steps"][ply]
    page = new_page(reduced_motion="reduce", color_scheme="dark")
    page.set_default_timeout(120_000)
    page.goto(f"{shared_dashboard_address}/replay?run=three&game-number=6&move={ply + 1}&lesson=1")
    panel = page.get_by_role("complementary", name="Learn from mistakes")
    message = panel.get_by_role("status")
    panel.wait_for()
    expect(panel.get_by_role("heading")).to_have_text("Lesson")
    expect(page.locator(".caption")).to_have_text(f"To move: Player {step['seat'] + 1}")
    assert page.title().startswith(f"Lesson: move {ply + 1} of a game of BLOXX!")
    expect(page.locator(".plies")).to_be_hidden()
    page.locator(".aim-places").wait_for()
    assert find_faults(page) == []
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(message).to_have_text(re.compile("not as good|good; it|as good as|the better move"))
    is_good = bool(re.search("good; it|as good as", message.inner_text()))
    if panel.get_by_role("button", name="Show it").is_visible():
        page.keyboard.press("s")
    expect(message).to_have_text(re.compile(r"(right|good|better).* was played: this \w+ gave away"))
    expect(page.locator(".caption")).to_have_text(step["caption"])
    expect(page.locator(".best-moves")).to_be_visible()
    tried = page.locator(".ghost:not(.ghost-badge, [data-rank])")
    assert tried.count() <= is_good  # a good try stays, unless it has a number in the list
    assert find_faults(page) == []
    panel.get_by_role("button", name="Finish").click()
    expect(page.locator(".plies")).to_be_visible()
    page.wait_for_url(lambda url: "lesson" not in url)  # the address asks no lesson any more
    assert f"move={ply + 1}" in page.url


def test_a_move_that_nobody_chose_is_no_lesson(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/replay?run=three&game-number=6&move=1&lesson=1")
    expect(page.get_by_text("nobody had a choice at move 1")).to_be_visible(timeout=60_000)
    expect(page.locator(".learn-panel")).to_be_hidden()
