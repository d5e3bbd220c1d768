"""A review in a real browser: compute it, step through its mistakes, share its address, and ask What if."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

NUMBER_PATTERN = re.compile(r"[+\u2212]?\d+(?:\.\d+)?")


def read_place_text(page: Page) -> str:
    return page.locator(".place").inner_text()


def wait_for_review(page: Page) -> None:
    """Wait until the review is complete: its table of points comes when all positions have values."""
    page.get_by_role("button", name="Hide the review").wait_for(timeout=120_000)
    page.get_by_role("table", name="Points").wait_for(timeout=120_000)


def open_reviewed_game(new_page: Callable[..., Page], address: str, number: int = 6) -> Page:
    """Open a game and wait until its review is done."""
    page = new_page(reduced_motion="reduce")
    page.set_default_timeout(60_000)
    page.goto(f"{address}/replay?run=three&game-number={number}&review=1")
    wait_for_review(page)
    return page


def parse_first_number(text: str) -> float:
    """Return the first number in a text."""
    match = NUMBER_PATTERN.search(text) or pytest.fail(f"no number in {text!r}")
    return float(match[0].replace("\u2212", "-"))


def test_a_review_is_stepped_through_shared_and_continued_in_what_if(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.set_default_timeout(60_000)  # the server plays thousands of games meanwhile
    page.goto(f"{shared_dashboard_address}/replay?run=three&game-number=6")
    page.locator(".replay .seat").first.wait_for()
    page.locator(".replay").evaluate("node => { node.dataset.seen = 'yes'; }")
    page.get_by_role("button", name="Review this game").click()
    page.locator(".plot .band").first.wait_for(timeout=60_000)  # the first values
    page.wait_for_url(re.compile(r"review=1"))
    page.locator(".caption").click()
    page.keyboard.press("ArrowRight")  # works while the review is being computed
    assert " move 1 of" in read_place_text(page)
    wait_for_review(page)
    assert page.locator(".replay").get_attribute("data-seen") == "yes"  # never redrawn
    assert " move 1 of" in read_place_text(page)

    # M goes to the next mistake, and the list marks it.
    page.locator(".caption").click()
    page.keyboard.press("m")
    slip = page.locator(".ply[aria-selected=true] .ply-mark")
    assert slip.locator("b").inner_text() in {"?!", "?", "??"}
    said = page.locator(".verdict-words").inner_text()
    assert re.match(r"(\?!|\?|\?\?)\s*(inaccuracy|mistake|blunder) gave away .*±.*better: ", said)
    expect(page.locator(".ghost-badge").first).to_be_visible()
    seen = read_place_text(page)

    # The ledgers add up, within the error of rounding.
    for table, step in ((0, 0.05), (1, 0.5)):
        for row in page.locator(".ledger table").nth(table).locator("tbody tr").all():
            parts = [parse_first_number(cell.inner_text()) for cell in row.locator("td").all()]
            assert sum(parts[:4]) == pytest.approx(parts[4], abs=4.1 * step)
            assert all("±" in cell.inner_text() for cell in row.locator("td").all()[:4])
    style = "node => getComputedStyle(node).display"
    assert page.locator(".ledger .choices").evaluate(style) == "table"  # the panel has choices, too

    # Another session opens the address and sees the same ply and the same review.
    address = page.url
    friend = new_page()
    friend.set_default_timeout(60_000)
    friend.goto(address)
    wait_for_review(friend)
    assert read_place_text(friend) == seen
    expect(friend.locator(".ledger")).to_have_text(page.locator(".ledger").inner_text(), use_inner_text=True)
    expect(friend.locator(".verdict-words")).to_have_text(said, use_inner_text=True)

    # The better choice opens What if beside the board. The address asks this question and for the review.
    page.locator(".verdict-words a").click()
    page.locator(".answer .sheet-verdict").wait_for(timeout=60_000)
    asked = re.compile(
        r"^Move \d+ of a game of BLOXX!.*: what if the move was (\w+ at .+?)(?: \(with .*)?\?$"
    )
    title = page.locator(".answer h2")
    expect(title).to_have_text(asked)
    expect(page.locator(".verdict-words")).to_be_hidden()  # its numbers rest on other players
    question = title.inner_text()
    (tried,) = asked.findall(question)
    page.wait_for_url(re.compile(r"review=1.*&action=[^&]+&quick=1$"))
    friend.goto(page.url)
    expect(friend.locator(".answer h2")).to_have_text(question, timeout=60_000, use_inner_text=True)
    wait_for_review(friend)
    page.locator(".all-numbers").click()
    expect(page.locator(".whatif-panel .aim-name")).to_have_text(f"{tried} was tried")
    expect(page.locator(".answer-below .reroll-chart").first).to_be_visible(timeout=60_000)


def test_a_stopped_review_continues_after_a_reload(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.set_default_timeout(60_000)  # the server plays thousands of games meanwhile
    page.goto(f"{shared_dashboard_address}/replay?run=three&game-number=8&review=1")
    page.locator(".plot .band").first.wait_for(timeout=60_000)
    page.get_by_role("button", name=re.compile("(Stop|Hide) the review")).click()
    page.locator(".review-verdict").wait_for(state="hidden")
    page.get_by_role("button", name="Review this game").wait_for()
    page.wait_for_function("!location.search.includes('review')")
    page.reload()
    page.get_by_role("button", name="Review this game").click()
    wait_for_review(page)
    page.reload()
    page.wait_for_timeout(100)
    wait_for_review(page)
    expect(page.locator(".ledger table")).to_have_count(3)


def test_slips_of_one_player_are_learned_from_on_the_board(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    """One plays a move where the game had a slip; the better one is hidden until one has found it or asks for it."""
    page = open_reviewed_game(new_page, shared_dashboard_address)
    rows = page.locator(".account tbody tr").all()
    counts = [sum(map(int, row.locator("td").all_inner_texts()[:3])) for row in rows]
    player = counts.index(max(counts)) + 1
    slips = page.get_by_role("group", name="Slips: inaccuracies, mistakes and blunders").locator("span")
    assert int(slips.inner_text().split()[0]) == sum(counts)
    page.get_by_label("Whose slips").select_option(f"only player {player}\N{RIGHT SINGLE QUOTATION MARK}s")
    assert int(slips.inner_text().split()[0]) == counts[player - 1]
    page.wait_for_url(re.compile(f"only-player={player}"))
    page.get_by_label("Show moves of").select_option("slips")
    assert page.locator(".ply:visible").count() == counts[player - 1]

    page.get_by_role("button", name="Learn from mistakes").click()
    panel = page.get_by_role("complementary", name="Learn from mistakes")
    message = panel.get_by_role("status")
    decided = [int(number) for number in re.findall(r"Not asked: (\d+)", panel.inner_text())]
    asked = counts[player - 1] - sum(decided)
    expect(panel.get_by_role("heading")).to_have_text(f"Learn from mistakes · 1 of {asked}")
    expect(panel.get_by_label("Whose slips")).to_have_value(str(player - 1))
    expect(panel.locator(".subject")).to_contain_text(f"Player {player}")
    page.locator(".aim-places").wait_for()
    expect(page.locator(".ghost-badge")).to_have_count(0)
    expect(page.locator(".verdict-words")).to_be_hidden()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(message).to_have_text(
        re.compile(r"not as good|good; it|as good as|the better move|the move that was played")
    )
    button = panel.get_by_role("button", name="Show it")
    if button.is_visible():
        button.click()
        expect(message).to_have_text(
            re.compile(
                r" was better: it wins \d+ of 100 games instead of \d+, with [\u2212\d.]+ points instead of [\u2212\d.]+\. "
                r".* was played: this (inaccuracy|mistake|blunder) gave away .*\.( You found \d of \d+\.)?$"
            )
        )
        # The answer is lit, although the list has moved below the pointer.
        expect(page.locator(".best-moves li [aria-pressed=true][data-raised]")).to_have_count(1)
    expect(page.locator(".verdict-words")).to_be_hidden()  # the panel says the same
    expect(page.locator(".ghost-badge").first).to_be_visible()
    panel.get_by_label("Whose slips").select_option("of all players")
    expect(panel.get_by_role("heading")).not_to_have_text(f"Learn from mistakes · 1 of {asked}")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(page.locator(".jumps").get_by_label("Whose slips")).to_be_visible()


def test_learning_begins_with_the_first_slip_or_with_the_one_on_the_board(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    """It begins at slip 1 wherever the board stands; at a slip it asks this one, and then all others in a circle."""
    page = open_reviewed_game(new_page, shared_dashboard_address)
    page.get_by_label("Show moves of").select_option("slips")
    moves = [re.findall(r"^\d+", row)[0] for row in page.locator(".ply:visible").all_inner_texts()]
    page.get_by_label("Show moves of").select_option("")
    page.get_by_role("button", name="Learn from mistakes").click()
    panel = page.get_by_role("complementary", name="Learn from mistakes")
    (left_out,) = re.findall(r"Not asked: (\d+) slips with the win nearly decided", panel.inner_text())
    asked: list[str] = []
    while f"· {len(asked) + 1} of" in panel.get_by_role("heading").inner_text():
        asked += re.findall(r"\(move (\d+)\)", panel.locator(".subject").inner_text())
        page.keyboard.press("m")
    page.keyboard.press("s")
    expect(panel.get_by_role("status")).to_contain_text(f" You found 0 of {len(asked)}.")
    expect(panel).to_contain_text("Each slip gets more playouts, and the review takes their values.")
    assert len(asked) + int(left_out) == len(moves)
    assert asked == [move for move in moves if move in asked]
    moves = asked
    page.keyboard.press("Escape")
    page.locator(".caption").click()
    # After a click on a button of the page, the keys are those of the board.
    page.get_by_role("button", name="Hide the review").click()
    page.get_by_role("button", name="Review this game").click()
    wait_for_review(page)
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    page.get_by_role("button", name="Hide the review").focus()
    for label in ("Review this game", "Hide the review"):  # who has reached the button by keys presses it
        page.keyboard.press("Space")
        page.get_by_role("button", name=label).wait_for()
    page.locator(".caption").click()
    for keys, first in (("End", 0), ("Home m m", 1)):
        for key in keys.split():
            page.keyboard.press(key)
        page.get_by_role("button", name="Learn from mistakes").click()
        expect(panel.get_by_role("heading")).to_have_text(
            f"Learn from mistakes · {first + 1} of {len(moves)}"
        )
        for move in [*moves[first:], *moves[:first]]:
            expect(panel.locator(".subject")).to_contain_text(f"(move {move})")
            expect(page.locator(".ledger")).to_be_hidden()  # the game in short names the better moves
            page.keyboard.press("m")
        page.keyboard.press("Escape")
        row = page.locator(".ply[aria-selected=true]")
        row.wait_for()
        page.wait_for_function(
            """row => { const box = row.getBoundingClientRect(), list = row.closest(".rows").getBoundingClientRect();
              return box.top >= list.top && box.bottom <= list.bottom; }""",
            arg=row.element_handle(),
        )


def test_the_likely_moves_are_compared_on_request_and_the_verdict_follows(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    """A review lists the two moves that it compares. All values, and the verdict, are then those of a what-if at this move."""
    page = open_reviewed_game(new_page, shared_dashboard_address, 7)  # in game 6 other tests compare moves
    page.locator(".caption").click()
    page.keyboard.press("End")
    rows = page.locator(".best-moves li")
    compare = page.get_by_role("button", name="Compare more moves")
    for _ in page.locator(".ply-mark").all():  # a first try may have compared the moves of the last slip
        page.keyboard.press("Shift+M")
        rows.nth(1).wait_for()
        if compare.is_visible():
            break
    expect(rows).to_have_count(2)
    listed = rows.all_inner_texts()
    assert all("%" in text for text in listed)
    compare.click()
    expect(compare).to_be_hidden()
    expect(page.locator(".best-moves header")).to_contain_text(
        "1,000 playouts each; 1 was chosen by 500 others"
    )
    expect(rows.nth(2)).to_be_visible()
    compared = rows.all_inner_texts()
    assert compared != listed
    first = rows.first.locator(".move-name span").inner_text()
    verdict = page.locator(".verdict-words")
    expect(verdict).to_contain_text(first)
    played = rows.filter(has_text="played").locator(".move-name span").inner_text()
    expect(page.locator(".ply[aria-selected=true] .move-words")).to_have_text(played)
    said = verdict.inner_text().splitlines()[-1]

    def count_marks(name: str) -> tuple[int, int]:
        column = ("inaccuracy", "mistake", "blunder").index(name) + 2
        told = page.locator(f".account td:nth-child({column})").all_inner_texts()
        return sum(map(int, told)), page.locator(f".ply-mark.{name}").count()

    wait_until(lambda: all(told == marked for told, marked in map(count_marks, ("blunder", "mistake"))))
    page.reload()
    wait_for_review(page)
    expect(verdict).to_contain_text(said)
    expect(page.locator(".best-moves header")).to_contain_text(
        "1,000 playouts each; 1 was chosen by 500 others"
    )
    page.keyboard.press("w")
    page.locator(".whatif-panel").get_by_role("button", name="Move", exact=True).wait_for()
    page.wait_for_timeout(1000)
    assert rows.all_inner_texts() == compared
