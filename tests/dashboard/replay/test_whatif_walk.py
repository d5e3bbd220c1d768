"""What if inside the replay, in a real browser: choose another move with the mouse and with the keys, watch both branches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from pipelines.notes.store import NoteFilter, NoteStore
from tests.browser import find_box, wait_until_settled
from tests.dashboard.test_accessibility import find_lasting_faults

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from pipelines.runs.library import Library


def find_placement(library: Library) -> int:
    """Return the ply of a placement in the middle of a game."""
    steps = library.run("three").scene(5)["steps"]
    return next(step["ply"] for step in steps if step["ply"] > 6 and step["kind"] == "place")


def open_ply(page: Page, address: str, ply: int) -> Page:
    """Open the replay of the same game at a ply."""
    page.goto(f"{address}/replay?run=three&game-number=6&move={ply + 1}")
    page.locator(".replay .seat").first.wait_for()
    return page


def click_a_legal_place(page: Page) -> None:
    """Ask about the move whose legal place the board shows first, and wait for the answer."""
    centre = page.locator(".aim-places").evaluate(
        "path => { const end = path.getPointAtLength(0).matrixTransform(path.getScreenCTM()); return [end.x, end.y]; }"
    )
    page.mouse.move(centre[0] + 6, centre[1] + 6)
    expect(page.locator(".whatif-panel .aim-name")).to_have_text(re.compile(r"^\w+ at [a-z]\d+"))
    page.mouse.click(centre[0] + 6, centre[1] + 6)
    page.locator(".answer .sheet-verdict").wait_for()


def begin_to_place(page: Page) -> None:
    """Choose the shape of the move that was played, after which the board shows its legal places."""
    page.locator(".whatif-panel .shapes [aria-pressed=true]").click()
    page.locator(".aim-places").wait_for()


def test_keep_holds_the_question_that_a_replay_answers_and_the_move_once_the_panel_is_closed(
    new_page: Callable[..., Page], dashboard_address: str, copied_data_folder: Path, library: Library
) -> None:
    page, store = new_page(), NoteStore(copied_data_folder)
    page = open_ply(page, dashboard_address, find_placement(library))
    page.keyboard.press("w")
    begin_to_place(page)
    click_a_legal_place(page)
    expect(page.locator(".answer-state progress")).to_be_hidden()
    said = page.locator(".answer .sheet-verdict").inner_text().replace("\u00a0", " ")
    for title in ("The answer", "The move"):
        page.get_by_role("button", name="Keep").first.click()
        page.get_by_role("textbox", name="Title").fill(title)
        page.keyboard.press("Tab")
        wait_until_settled(page)
        page.keyboard.press("Escape")
        page.get_by_test_id("stPopoverBody").wait_for(state="hidden")
        if title == "The answer":
            page.get_by_role("button", name="Close What if").click()
    move, answer = store.search(NoteFilter()).notes
    assert (answer.title, answer.kind, answer.page) == ("The answer", "what-if", "replay")
    assert answer.address["move"] == move.address["move"]
    assert answer.address["action"]
    assert (move.title, move.kind, move.page) == ("The move", "ply", "replay")
    assert answer.text == said
    assert not move.text


def test_another_move_is_chosen_on_the_board_and_both_branches_are_stepped_together(
    new_page: Callable[..., Page], shared_dashboard_address: str, library: Library
) -> None:
    ply = find_placement(library)
    page = open_ply(new_page(), shared_dashboard_address, ply)
    place = page.locator(".place").inner_text()

    # W opens the panel and plays nothing. The board shows the position before the move, with the legal places of a shape that one chooses.
    page.keyboard.press("w")
    begin_to_place(page)
    assert page.locator(".answer").is_hidden()

    # The mouse: the shape snaps to a legal place under the pointer, and a click asks.
    name = page.locator(".whatif-panel .aim-name")
    click_a_legal_place(page)
    expect(page.locator(".answer-words .basis")).to_have_text(
        re.compile(r"[\d,]+ continuations of each branch")
    )
    expect(name).to_have_text(re.compile(" was tried$"))
    expect(page.locator(".whatif-panel .try")).to_be_hidden()
    asked = name.inner_text().removesuffix(" was tried")
    assert asked in page.locator(".answer h2").inner_text()

    # The keys: P takes the next shape or stays, an arrow moves to another legal place, Enter asks.
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    for key in ("ArrowUp", "ArrowRight", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
        if name.inner_text() not in {asked, f"{asked} was tried", "no place chosen"}:
            break
    other = name.inner_text()
    assert place == page.locator(".place").inner_text()  # the arrows moved the shape, not the game
    page.keyboard.press("Enter")
    expect(page.locator(".answer h2")).to_have_text(re.compile(f"what if the move was {re.escape(other)}"))
    expect(page.locator(".answer-words .basis")).to_contain_text(
        " 1,000 continuations of each branch", timeout=60_000
    )
    assert find_lasting_faults(page) == []

    # One slider and the arrow keys step both continuations.
    page.get_by_role("button", name="largest loss").click()
    expect(page.locator(".pair .pair-tools label:has(input)")).to_have_text(
        re.compile(r"^number\s*of [\d,]+$")
    )
    captions = page.locator(".pair-caption")
    before = captions.all_inner_texts()
    assert before[0] == before[1]
    page.keyboard.press("ArrowRight")
    assert captions.all_inner_texts() != before
    page.get_by_role("slider", name="Move").press("End")
    assert "the end" in page.locator(".pair-title").inner_text()
    finals = [re.findall(r"[\u2212\d]+$", text)[0] for text in page.locator(".pair-final").all_inner_texts()]
    assert finals == page.locator(".pair-score").all_inner_texts()
    assert find_lasting_faults(page) == []

    # Escape leads back to the game, whose address asks the question as long as its move and the panel are shown.
    page.keyboard.press("Escape")
    expect(page.locator(".pair")).to_have_count(0)
    assert place == page.locator(".place").inner_text()
    asking = re.compile(rf"/replay\?run=three&game-number=6&move={ply + 1}&action=[^&]+&quick=1$")
    page.wait_for_url(asking)
    page.get_by_role("button", name="Next move").click()
    page.wait_for_url(re.compile(rf"/replay\?run=three&game-number=6&move={ply + 2}$"))
    page.get_by_role("button", name="Previous move").click()
    page.wait_for_url(asking)
    page.get_by_role("button", name="Close What if").click()
    assert not page.locator("[data-aim]").count()
    page.wait_for_url(re.compile(rf"/replay\?run=three&game-number=6&move={ply + 1}$"))

    go_to_the_next_game(page)


def test_the_five_best_moves_lie_on_the_board_and_a_digit_asks_about_one(
    new_page: Callable[..., Page], shared_dashboard_address: str, library: Library
) -> None:
    ply = find_placement(library)
    page = open_ply(new_page(), shared_dashboard_address, ply)
    page.keyboard.press("w")
    rows = page.locator(".best-moves li button")
    expect(rows.nth(4)).to_be_visible(timeout=60_000)
    expect(page.locator(".ghost-badge")).to_have_count(5)
    expect(page.locator(".aim-places")).to_have_count(0)  # the board shows the best moves and no legal places
    assert page.locator(".answer").is_hidden()  # the values are not an answer to a question
    expect(page.locator(".caption")).to_have_text(
        re.compile(r"^To move: Player \d.*, who now ")
    )  # as the board shows
    expect_whole_choice(page)
    expect(rows.first).to_have_attribute(
        "aria-label", re.compile(r"^1: \w+ at \w+.*: win chance .*, final score ")
    )

    # A field that has the focus gets the digit.
    page.get_by_role("button", name="Player", exact=True).click()
    page.get_by_label("A strategy with its parameters").press("2")
    assert page.get_by_label("A strategy with its parameters").input_value() == "2"
    assert page.locator(".best-moves li [aria-pressed=true]").count() == 0
    page.get_by_label("A strategy with its parameters").fill("")
    page.get_by_role("button", name="Move", exact=True).click()

    # There is no question about the move that was played.
    rows.filter(has_text="played").click()
    expect(page.locator(".answer")).to_contain_text("is the move that was played: there is nothing to try.")
    expect(page.locator(".whatif-panel .aim-name")).to_contain_text("was played: nothing to try")
    expect(page.locator(".whatif-panel .try")).to_be_hidden()

    # A shape that one chooses shows its legal places, until one chooses a best move.
    begin_to_place(page)

    # A move that was not played is asked about with its digit, and stays strong on the board.
    number = next(n for n in (1, 2) if "as played" not in (rows.nth(n).get_attribute("aria-label") or ""))
    asked = re.split(r"[:,] ", rows.nth(number).get_attribute("aria-label") or "")[1].partition(" (")[0]
    page.locator(".subject.soft").click()
    page.keyboard.press(str(number + 1))
    page.locator(".answer .sheet-verdict").wait_for(timeout=60_000)
    expect(page.locator(".answer h2")).to_contain_text(asked)
    # The same players play on in the answer and in the values of the list.
    playing = re.compile(r"if [^:]* plays? on(?=[:;]|$)")
    basis = page.locator(".answer-words .basis")
    expect(basis).to_have_text(playing)
    (players,) = playing.findall(basis.inner_text())
    expect(page.locator(".best-moves header small")).to_contain_text(players)
    expect_answer_in_list(page, asked)
    expect(page.locator(".aim-places")).to_have_count(0)
    expect(page.locator(".aim-shape")).to_have_count(1)
    assert find_lasting_faults(page) == []

    # All of it is in view at 1280 x 800: the board, the moves and the answer, which has the room of the course.
    for name in (
        ".stage .board",
        ".best-moves",
        ".answer .sheet-verdict",
        ".controls",
    ):
        box = find_box(page.locator(name).first)
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 800, name
    page.keyboard.press("?")
    assert "choose one of the best moves" in page.get_by_role("dialog").inner_text()


def expect_answer_in_list(page: Page, asked: str) -> None:
    """Expect that the values of an answer replace those of the list, which rest on fewer games. The chosen move stays strong where it now stands."""
    basis = page.locator(".answer-words .basis")
    expect(basis).to_contain_text("1,000 continuations of each branch", timeout=60_000)
    rows = page.locator(".best-moves li button")
    chosen = page.locator(".best-moves li button[aria-pressed=true]")
    expect(chosen).to_have_attribute("aria-label", re.compile(re.escape(asked)))
    said = page.locator(".answer-figure").inner_text()
    for row, branch in ((rows.filter(has_text="played"), "as played"), (chosen, "with the change")):
        mean = float(re.findall(rf"{branch}:\s*([\u2212\d.]+)", said)[0].replace("\u2212", "-"))
        words = f"final score {mean:.1f} ".replace("-", "\u2212")
        expect(row).to_have_attribute("aria-label", re.compile(re.escape(words)))
    expect(page.locator(".ghost-badge[data-strong]")).to_have_attribute(
        "data-rank", chosen.locator(".rank").inner_text()
    )


def expect_whole_choice(page: Page) -> None:
    """Expect the best moves and the whole choice of another move in view, without scrolling the panel."""
    wait_until_settled(page)
    for part in (".course", ".best-moves", ".choices > .aim-tools", ".choices > .note"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)


OVERLAPS_SCRIPT = """badges => badges.map((badge) => badge.getBoundingClientRect()).flatMap((a, at, boxes) => boxes.slice(at + 1)
  .filter((b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
  .map((b) => [a, b]))"""
"""A script that lists the pairs of elements that overlap by more than a pixel."""


def test_on_a_phone_another_move_is_tried_where_the_thumb_is_and_the_answer_comes_into_view(
    new_page: Callable[..., Page], shared_dashboard_address: str, library: Library
) -> None:
    page = open_ply(new_page(is_phone=True), shared_dashboard_address, find_placement(library))
    wait_until_settled(page)
    page.get_by_role("button", name="What if it had gone differently").tap()
    expect(page.locator(".best-moves li button").nth(4)).to_be_attached(timeout=60_000)
    badges = page.locator(".ghost-badge rect")
    expect(badges).to_have_count(5)
    wait_until_settled(page)
    assert badges.evaluate_all(OVERLAPS_SCRIPT) == []
    expect(page.locator(".ghost[data-rank]:not(.ghost-badge):visible")).to_have_count(5)
    expect(page.locator(".whatif-panel .try")).to_be_hidden()
    page.keyboard.press("g")  # no number lies over the place
    expect(badges).to_have_count(0)
    point = page.locator(".aim-places").evaluate(
        "path => { const end = path.getPointAtLength(0).matrixTransform(path.getScreenCTM()); return [end.x, end.y]; }"
    )
    page.touchscreen.tap(point[0] + 6, point[1] + 6)
    bar = page.locator(".aim-bar").first
    expect(bar.locator(".aim-name")).to_have_text(re.compile(r"^\w+ at [a-z]\d+"))
    board = find_box(page.locator(".board[data-aim]"))
    box = find_box(bar)
    assert board["y"] + board["height"] <= box["y"]
    expect(bar.get_by_text("Try it")).to_be_in_viewport(ratio=1)
    asked = bar.locator(".aim-name").inner_text()
    page.get_by_role("button", name="Larger").tap()
    expect(page.get_by_role("button", name="Whole board")).to_be_visible()
    bar.get_by_text("Try it").tap()
    expect(page.get_by_role("button", name="Whole board")).to_be_hidden()
    page.locator(".answer .sheet-verdict").wait_for(timeout=60_000)
    expect(page.locator(".answer h2")).to_contain_text(asked)
    wait_until_settled(page)
    expect(page.locator(".answer .sheet-verdict")).to_be_in_viewport(ratio=1)

    # A row of the list, far below the boards, brings the answer with the lower part of the boards above it.
    row = page.locator(".best-moves li button:not([aria-pressed=true])", has_not_text="played").last
    name = row.locator(".move-name > span").inner_text()
    row.tap()
    expect(page.locator(".answer h2")).to_contain_text(name)
    page.locator(".answer .sheet-verdict").wait_for(timeout=60_000)
    wait_until_settled(page)
    expect(page.locator(".answer .sheet-verdict")).to_be_in_viewport(ratio=1)
    boards = find_box(page.locator(".stage"))
    assert boards["y"] + boards["height"] >= 120  # the bar of the pages is 52 pixels high


def test_a_move_without_an_alternative_is_not_valued(
    new_page: Callable[..., Page], shared_dashboard_address: str, library: Library
) -> None:
    steps = library.run("three").scene(5)["steps"]
    forced = next(step["ply"] for step in steps if step["kind"] == "forfeit")
    page = open_ply(new_page(), shared_dashboard_address, forced)
    page.keyboard.press("w")
    expect(page.locator(".best-moves .note")).to_have_text("There was no other legal move.")


def go_to_the_next_game(page: Page) -> None:
    """Follow the button that the result at the end of game 5 offers."""
    page.keyboard.press("End")
    page.locator(".finish .primary").click()
    page.wait_for_url(re.compile(r"game-number=7"))
    expect(page.locator(".title p")).to_have_text(re.compile("game 7"))


def test_the_address_asks_the_question_of_the_panel_and_back_leads_to_the_one_before(
    new_page: Callable[..., Page], shared_dashboard_address: str, library: Library
) -> None:
    ply = find_placement(library)
    page = new_page(is_phone=True)
    # An address of 0.4.0 leads to the board, which takes its place in the history.
    page.goto(f"{shared_dashboard_address}/whatif?run=three&game-number=6&move={ply + 1}")
    page.wait_for_url(re.compile(r"/replay\?run=three&game-number=6"))
    page.locator(".best-moves").wait_for()
    assert page.evaluate("history.length") == 2  # the empty page of the browser and this one
    assert page.locator(".answer").is_hidden()  # nothing is played before the visitor asks
    wait_until_settled(page)
    page.get_by_role("button", name="Player", exact=True).click()
    page.locator(".players").get_by_role("button", name="random").click()
    verdict = page.locator(".answer .sheet-verdict")
    verdict.wait_for()
    page.wait_for_url(
        re.compile(rf"/replay\?run=three&game-number=6&move={ply + 1}&player=\d&strategy=random$")
    )
    asked = page.url
    expect(verdict).to_be_in_viewport(ratio=1)
    expect(page.locator(".answer-below .reroll-chart").first).to_be_visible(timeout=60_000)
    expect(page.locator(".answer-state progress")).to_be_hidden()
    said = verdict.inner_text()
    wait_until_settled(page)
    assert not find_lasting_faults(page)

    # The address is the question: it is answered again, and *Back* leads to the one before.
    page.goto("about:blank")
    page.goto(asked)
    expect(verdict).to_have_text(said, timeout=60_000, use_inner_text=True)
    page.get_by_role("button", name="Luck", exact=True).click()
    page.get_by_role("button", name="Play on with other dice").click()
    page.wait_for_url(re.compile(r"luck=1"))
    expect(verdict).not_to_have_text(said, use_inner_text=True)
    page.go_back()
    page.wait_for_url(asked)
    expect(verdict).to_have_text(said, timeout=60_000, use_inner_text=True)
    many = page.get_by_role("link", name="Ask the same of many games").get_attribute("href") or ""
    assert re.search(r"/whatif\?run=three&many=all&player=\d&strategy=random$", many)


def test_another_rule_other_continuations_and_another_seed_are_asked_in_the_panel(
    new_page: Callable[..., Page], shared_dashboard_address: str, library: Library
) -> None:
    page = open_ply(new_page(), shared_dashboard_address, find_placement(library))
    page.keyboard.press("w")
    page.get_by_role("button", name="Rule", exact=True).click()
    page.get_by_label("Option of the rules").select_option("gap_penalty")
    page.get_by_label("Its other value").fill("nope")
    page.locator(".choices .go").click()
    expect(page.locator(".answer-says")).to_contain_text("gap_penalty")
    page.get_by_label("Its other value").fill("0")
    page.locator(".choices .go").click()
    expect(page.locator(".answer h2")).to_contain_text("gap penalty was 0")
    page.wait_for_url(re.compile(r"&option=gap_penalty%3D0$"))
    page.get_by_text("Continuations and seed").click()
    page.get_by_label("Continuations of each branch").fill("60")
    page.get_by_label("Seed: equal ones give equal luck").fill("7")
    page.keyboard.press("Tab")
    expect(page.locator(".answer-words .basis")).to_contain_text(" 60 continuations of each branch")
    page.wait_for_url(re.compile(r"&option=gap_penalty%3D0&seed=7&continuations=60$"))
    page.reload()
    expect(page.locator(".answer-words .basis")).to_contain_text(" 60 continuations of each branch")
    expect(page.get_by_label("Option of the rules")).to_have_value("gap_penalty")
    expect(page.get_by_label("Its other value")).to_have_value("0")
    assert not find_lasting_faults(page)
