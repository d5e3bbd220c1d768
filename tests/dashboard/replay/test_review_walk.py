"""A review in a real browser: compute it, step through its mistakes, share its address, and ask What if."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

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


def open_reviewed_game(new_page: Callable[..., Page], address: str) -> Page:
    """Open a game whose review is done."""
    page = new_page(reduced_motion="reduce")
    page.set_default_timeout(60_000)
    page.goto(f"{address}/replay?run=three&game-number=6&review=1")
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
    line = page.locator(".account summary")
    counts = [sum(map(int, re.findall(r" (\d+) ", side))) for side in line.inner_text().split("·")]
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
    expect(panel.get_by_role("heading")).to_have_text(f"Learn from mistakes · 1 of {counts[player - 1]}")
    expect(panel.locator(".subject")).to_contain_text(f"Player {player}")
    page.locator(".aim-places").wait_for()
    expect(page.locator(".ghost-badge")).to_have_count(0)
    expect(page.locator(".verdict-words")).to_be_hidden()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(message).to_have_text(
        re.compile(r"not as good|as good as|the better move|the move that was played")
    )
    if panel.get_by_role("button", name="Show it").is_visible():
        page.keyboard.press("s")
        expect(message).to_have_text(re.compile(r" was better\.$"))
    expect(page.locator(".verdict-words")).to_be_visible()
    expect(page.locator(".ghost-badge").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_learning_begins_with_the_first_slip_or_with_the_one_on_the_board(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    """It begins at slip 1 wherever the board stands; at a slip it asks this one, and then all others in a circle."""
    page = open_reviewed_game(new_page, shared_dashboard_address)
    page.get_by_label("Show moves of").select_option("slips")
    moves = [re.findall(r"^\d+", row)[0] for row in page.locator(".ply:visible").all_inner_texts()]
    page.get_by_label("Show moves of").select_option("")
    page.locator(".caption").click()
    panel = page.get_by_role("complementary", name="Learn from mistakes")
    for keys, first in (("End", 0), ("Home m m", 1)):
        for key in keys.split():
            page.keyboard.press(key)
        page.get_by_role("button", name="Learn from mistakes").click()
        expect(panel.get_by_role("heading")).to_have_text(f"Learn from mistakes · 1 of {len(moves)}")
        for move in [*moves[first:], *moves[:first]]:
            expect(panel.locator(".subject")).to_contain_text(f"(move {move})")
            page.keyboard.press("m")
        page.keyboard.press("Escape")
        row = page.locator(".ply[aria-selected=true]")
        row.wait_for()
        assert row.evaluate(
            """row => { const box = row.getBoundingClientRect(), list = row.closest(".rows").getBoundingClientRect();
              return box.top >= list.top && box.bottom <= list.bottom; }"""
        )


def test_more_playouts_of_one_move_are_played_on_request(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = open_reviewed_game(new_page, shared_dashboard_address)
    button = page.locator(".more-playouts")
    page.locator(".caption").click()
    for _ in range(80):
        page.keyboard.press("ArrowRight")
        if button.is_visible():
            break
    expect(page.locator(".verdict-words")).to_contain_text("not enough playouts to tell")
    playouts = re.findall(r"[\d,]+", button.inner_text())[0]
    button.click()
    told = re.compile(
        r"^\W*(best|good|too close|not enough|inaccuracy|mistake|blunder).* after [\d,]+ playouts"
    )
    expect(page.locator(".verdict-words")).to_have_text(told, timeout=60_000)
    expect(button).not_to_have_text(re.compile("Playing"), timeout=60_000)
    (played,) = re.findall(r"after ([\d,]+) playouts", page.locator(".verdict-words").inner_text())
    assert int(played.replace(",", "")) <= int(playouts.replace(",", ""))
