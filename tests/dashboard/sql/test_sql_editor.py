"""The field of a query in a browser: colours, names that are offered, and the mend of a mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page


def test_a_query_is_coloured_completed_asked_and_mended_by_keyboard(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/sql")
    colours = page.locator(".sql-colours")
    expect(colours.locator(".keyword").first).to_have_text("WITH")
    field = page.get_by_role("textbox", name="Your query")
    field.press("Control+a")
    page.keyboard.type("SELECT  FROM sea")
    expect(page.get_by_role("option")).to_contain_text("The result of every seat of every game")
    field.press("Tab")
    page.keyboard.type(" s LIMIT 3")
    for _ in " FROM seats s LIMIT 3":
        field.press("ArrowLeft")
    page.keyboard.type("s.s")
    names = page.locator(".sql-completion .name")
    expect(names).to_have_text(["seat", "strategy", "score"])
    field.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "sql-completion-1")
    field.press("Tab")
    expect(field).to_have_value("SELECT s.strategy FROM seats s LIMIT 3")
    expect(colours).to_have_text("SELECT s.strategy FROM seats s LIMIT 3", use_inner_text=True)
    expect(colours.locator(".column")).to_have_text("strategy")
    rectangles = page.evaluate(
        "() => ['textarea', '.sql-colours'].map((one) => document.querySelector(`.st-key-sql-text ${one}`))"
        ".map((one) => [one.clientWidth, one.scrollHeight, getComputedStyle(one).font, getComputedStyle(one).lineHeight])"
    )
    assert rectangles[0] == rectangles[1]  # letters lie on letters
    page.keyboard.type("x")
    field.press("Control+Enter")
    mend = page.get_by_role("button", name="Ask with strategy")
    mend.click()
    expect(page.get_by_text("3 rows").first).to_be_visible()
    expect(field).to_have_value("SELECT s.strategy FROM seats s LIMIT 3")
