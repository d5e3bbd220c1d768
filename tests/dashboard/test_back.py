"""One press of *Back* leads to what the page showed before, and the next one leaves the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page


def change_a_draft(page: Page) -> Callable[[], None]:
    # for a moment, the former one stands below the new one
    field = page.get_by_role("spinbutton", name="Points that a gap costs", exact=True).first
    before = field.input_value()
    field.fill("7")
    field.press("Enter")
    return lambda: expect(field).to_have_value(before)


def ask_an_example(page: Page) -> Callable[[], None]:
    charts = page.locator(".st-key-sql-answer .js-plotly-plot")
    # for a moment, the former one stands below the new one
    first = charts.filter(has_text="points a game")
    first.wait_for()
    page.get_by_text("How long do games last?", exact=True).first.click()
    charts.filter(has_text="rounds").wait_for()
    return first.wait_for


def open_a_form(page: Page) -> Callable[[], None]:
    page.get_by_role("button", name="Simulate").first.click()
    start = page.get_by_role("button", name="Start", exact=True)
    start.wait_for()
    return lambda: expect(start).to_have_count(0)


@pytest.mark.parametrize(
    ("address", "take_step"),
    [("rules?ruleset=bloxx-2p&part=own", change_a_draft), ("sql", ask_an_example), ("", open_a_form)],
)
def test_back_undoes_one_step_and_then_leaves_the_page(
    new_page: Callable[..., Page],
    shared_dashboard_address: str,
    address: str,
    take_step: Callable[[Page], Callable[[], None]],
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/{address}")
    wait_until_settled(page)
    opened = page.url
    check_undone = take_step(page)
    expect(page).not_to_have_url(opened, timeout=30_000)
    wait_until_settled(page)
    page.go_back()
    check_undone()
    wait_until_settled(page)
    assert page.url == opened
    page.go_back()
    expect(page).to_have_url("about:blank")


def test_back_and_forward_restore_every_question(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    """Each entry is an address, a part of it that must come back, and a text on its page."""
    questions = (
        ("replay?run=three&game-number=2&move=12", "move=12", "move 12 of"),
        ("sql?sql=SELECT+1+AS+x", "SELECT", "Answer it"),
        ("games?rulesets=bloxx-3p", "rulesets=bloxx-3p", "The best score of"),
        ("rules?ruleset=bloxx-2p&part=own", "part=own", "BLOXX!"),
    )
    page = new_page()
    page.set_default_timeout(60_000)
    for address, _, text in questions:
        page.goto(f"{shared_dashboard_address}/{address}")
        page.get_by_text(text).first.wait_for()
    for step, others in ((page.go_back, questions[-2::-1]), (page.go_forward, questions[1:])):
        for address, part, text in others:
            step()
            path = address.partition("?")[0]
            expect(page).to_have_url(re.compile(rf"/{path}\?.*{re.escape(part)}"), timeout=60_000)
            page.get_by_text(text).first.wait_for()


def test_back_and_forward_restore_a_what_if_between_other_questions(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    """A move is reached by keys, asked about on the board, and found again, answered by the same words, from both sides."""
    page = new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{shared_dashboard_address}/replay?run=three&game-number=6&move=9")
    page.locator(".replay .seat").first.wait_for()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("move=12"))
    page.goto(f"{shared_dashboard_address}/whatif?run=three&game-number=6&move=12")
    expect(page).to_have_url(re.compile(r"/replay\?.*move=12&whatif=1$"))
    page.locator(".best-moves li button").filter(has_not_text="played").first.click()
    verdict = page.locator(".answer .sheet-verdict")
    verdict.wait_for()
    expect(page.locator(".answer-words .basis")).to_contain_text("1,000 continuations of each branch")
    wait_until_settled(page)
    expect(page).to_have_url(re.compile("action="))
    said = verdict.inner_text()
    for address in ("scores?rulesets=bloxx-3p", "sql?sql=SELECT+1+AS+x"):
        page.goto(f"{shared_dashboard_address}/{address}")
        wait_until_settled(page)
    # the address without the action opens the panel, in which nothing is answered
    places = (
        (r"/replay\?.*move=12$", page.get_by_text("move 12 of").first, ""),
        (r"/replay\?.*move=12&whatif=1$", page.locator(".whatif-panel:not(:has(.sheet-verdict)) .tabs"), ""),
        (r"/replay\?.*move=12&action=", verdict, said),
        (r"/scores\?.*rulesets=bloxx-3p", page.get_by_role("heading", name="Scores").first, ""),
        (r"/sql\?.*SELECT", page.get_by_text("Answer it").first, ""),
    )
    for step, others in ((page.go_back, places[-2::-1]), (page.go_forward, places[1:])):
        for address, element, words in others:
            step()
            expect(page).to_have_url(re.compile(address))
            element.wait_for()
            if words:
                expect(page.locator(".answer-words .basis")).to_contain_text(
                    "1,000 continuations of each branch"
                )
                assert element.inner_text() == words
