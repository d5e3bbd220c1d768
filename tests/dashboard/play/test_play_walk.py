"""Whole games by hand in a real browser, under rulesets with short games: with the mouse, the keys or a finger alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from playwright.sync_api import expect

from pipelines.experiments.fork import Change, fork_logged_game
from pipelines.runs.library import Library
from pipelines.simulate.verify import verify_run
from tests.browser import wait_until_settled
from tests.dashboard.test_accessibility import find_lasting_faults
from tests.dashboard.test_phone import check_phone_page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

MOST_TURNS: Final = 60
TRIES_OF_A_CHOICE: Final = 4
HIT_BY_A_FINGER: Final = 30
"""Pixels of a square that a finger hits."""

SHORT_RULESETS: Final = {
    "bloxx-short": """
extends = "bloxx"
title = "BLOXX! (two rows)"
players = 2
[tables]
numbers = ["..3..2.", ".2...2."]
coloured_rows = { green = 2 }
""",
    "spexxx-short": """
extends = "spexxx"
title = "Spexxx (two cubes)"
players = 2
[options]
cubes = { 2 = 2, 3 = 2, 4 = 2 }
""",
    "blokus-short": """
extends = "blokus-duo"
title = "Blokus (small)"
players = 2
[tables]
pieces = ["I2", "V3", "T4", "F5"]
[tables.board]
side = 8
start = ["c6", "f3"]
""",
    "blokus-dice-short": """
extends = "blokus-dice"
title = "Blokus Dice (small)"
players = 2
[options]
side = 6
""",
}


@pytest.fixture
def library(empty_data_folder: Path) -> Library:
    """An empty library with rulesets whose games are short."""
    (empty_data_folder / "rulesets").mkdir()
    for name, text in SHORT_RULESETS.items():
        (empty_data_folder / "rulesets" / f"{name}.toml").write_text(text, encoding="utf-8")
    return Library(empty_data_folder)


@pytest.fixture
def address(empty_dashboard_address: str, library: Library) -> str:
    """The address of a dashboard over that library."""
    assert not library.runs()
    return empty_dashboard_address


def moves_in_address(page: Page) -> str:
    return str(page.evaluate("new URLSearchParams(location.search).get('moves') ?? ''"))


def is_over(page: Page) -> bool:
    return page.locator(".finish").is_visible()


def choose_with_the_mouse(page: Page) -> None:
    """Point at a marked place and click; where no square matches the dice, throw them again."""
    places = page.locator(".aim-places")
    if not places.count():
        page.get_by_role("button", name=re.compile("Throw .* again")).click()
        return
    corner = places.evaluate(
        "path => { const at = path.getPointAtLength(0).matrixTransform(path.getScreenCTM()); return [at.x, at.y]; }"
    )
    page.mouse.move(corner[0] + 6, corner[1] + 6)
    page.mouse.click(corner[0] + 6, corner[1] + 6)


def choose_with_the_keys(page: Page) -> None:
    """Take the next shape, move it by an arrow, and play it; where no square matches, throw the dice again."""
    if not page.locator(".aim-places").count():
        page.keyboard.press("1")
        if page.locator(".pick-dice .go").get_attribute("aria-disabled") == "true":
            page.keyboard.press("1")
        page.keyboard.press("t")
        return
    for key in ("p", "Enter", "ArrowUp", "r", "Enter"):
        page.keyboard.press(key)


def side_of_square(page: Page) -> float:
    """Return the width of a square of the board on which a place is chosen, in pixels."""
    return float(
        page.locator(".board[data-aim] .squares rect").first.evaluate(
            "node => node.getBoundingClientRect().width"
        )
    )


VISIBLE_PLACE_SCRIPT: Final = """path => {
  path.scrollIntoView({ block: "center", behavior: "instant" });
  const squares = path.getAttribute("d").split("M").length - 1;
  const points = Array.from({ length: squares }, (_, square) => path.getPointAtLength((path.getTotalLength() * square) / squares))
    .map((point) => point.matrixTransform(path.getScreenCTM())).map(({ x, y }) => [x + 6, y + 6]);
  const board = path.ownerSVGElement;
  return points.find((point) => board.contains(path.getRootNode().elementFromPoint(...point))) ?? null;
}"""
"""A script that scrolls to the marked places and returns a point in one of them that nothing covers, or null."""


def choose_with_a_finger(page: Page) -> None:
    """Tap a shape and a marked place, tap again to turn the shape, and press the button below the board."""
    bar, before = page.locator(".aim-bar"), moves_in_address(page)
    others = bar.locator(".shapes [aria-pressed=false]")
    if others.count():
        others.first.tap()
    place = page.locator(".aim-places").evaluate(VISIBLE_PLACE_SCRIPT)
    assert place, "every marked place is covered"
    for _ in range(2):
        page.touchscreen.tap(*place)
        expect(bar.locator(".aim-name")).not_to_have_text("no place chosen")
        assert moves_in_address(page) == before  # a tap only aims: a finger hides what it points at
    play = bar.get_by_role("button", name="Make this move")
    expect(play).to_be_in_viewport(ratio=1)
    play.tap()


WAYS: Final = {
    "mouse": choose_with_the_mouse,
    "keys": choose_with_the_keys,
    "finger": choose_with_a_finger,
}


def play_whole_game(page: Page, choose: Callable[[Page], None]) -> None:
    """Make one choice after the other until the result is shown."""
    for _ in range(MOST_TURNS):
        page.locator(":is(.play-panel .choices, .aim-bar) button:visible, .finish:visible").first.wait_for()
        if is_over(page):
            return
        before = moves_in_address(page)
        for _ in range(TRIES_OF_A_CHOICE):  # what is pressed while the page draws an answer does nothing
            choose(page)
            if has_moved_on(page, before):
                break
        else:
            pytest.fail("no choice is accepted")
    pytest.fail("the game does not end")


def has_moved_on(page: Page, moves: str) -> bool:
    """Return whether the address names other moves than these before long."""
    try:
        page.wait_for_function(
            "known => (new URLSearchParams(location.search).get('moves') ?? '') !== known",
            arg=moves,
            timeout=15_000,
        )
    except PlaywrightTimeoutError:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("bloxx-short", "mouse"),
        ("spexxx-short", "keys"),
        ("bloxx-short", "keys"),
        ("spexxx-short", "mouse"),
        ("blokus-short", "keys"),
        ("bloxx-short", "finger"),
        ("blokus-short", "finger"),
        ("blokus-dice-short", "keys"),
    ],
)
def test_a_whole_game_is_played_and_kept(
    new_page: Callable[..., Page], address: str, library: Library, name: str, way: str
) -> None:
    page = new_page(reduced_motion="reduce", is_phone=way == "finger")
    page.goto(f"{address}/play?ruleset={name}&seats=me,greedy&seed={4 if way == 'keys' else 3}")
    if way == "finger":
        page.locator(".aim-places").wait_for()
        check_phone_page(page)
    play_whole_game(page, WAYS[way])
    expect(page.locator(".afterwards p b")).to_have_text(re.compile(f"^hand-{name}-"), timeout=60_000)
    run = library.run(page.locator(".afterwards p b").inner_text())
    verify_run(run)
    final = [seat.score for seat in run.list_seats(0)]
    shown = [text.replace("\u2212", "-") for text in page.locator(".seat .score").all_inner_texts()]
    assert shown == list(map(str, final))
    assert [seat.strategy for seat in run.list_seats(0)] == ["me", "greedy"]
    ways = page.locator(".finish-actions a")
    assert [way.inner_text() for way in ways.all()] == [
        "Replay",
        "Review",
        "What if \u2026",
        *(["Play again"] if name == "blokus-short" else ["Same dice again", "Other dice"]),
    ]
    query = parse_qs(urlsplit(ways.nth(2).get_attribute("href") or "").query)
    own = [ply for ply, step in enumerate(run.scene(0)["steps"]) if step["seat"] == 0]
    assert query["run"] == [run.name]
    assert int(query["move"][0]) - 1 in own
    if way == "finger":
        check_phone_page(page)


def test_a_finger_zooms_in_where_it_covers_several_places_and_the_choice_shows_the_whole_board_again(
    new_page: Callable[..., Page], address: str
) -> None:
    page = new_page(reduced_motion="reduce", is_phone=True)
    page.set_viewport_size({"width": 320, "height": 844})
    page.goto(f"{address}/play?ruleset=bloxx-2p&seats=me,greedy&seed=3")
    page.locator(".aim-places").wait_for()
    wait_until_settled(page)
    plain = side_of_square(page)
    name, whole = page.locator(".aim-bar .aim-name"), page.get_by_role("button", name="Whole board")
    expect(whole).to_be_hidden()
    place = page.locator(".aim-places").evaluate(VISIBLE_PLACE_SCRIPT)

    def row_under_finger() -> int:
        """Return the row from above that is at the height of the finger, or -1."""
        script = """(squares, y) => {
          const tops = [...new Set(squares.map((square) => square.getBoundingClientRect().top))].sort((a, b) => a - b);
          return tops.findLastIndex((top) => top <= y); }"""
        return int(page.locator(".board[data-aim] .squares rect").evaluate_all(script, place[1]))

    row = row_under_finger()
    assert row >= 0
    page.touchscreen.tap(*place)
    expect(whole).to_be_in_viewport(ratio=1)
    assert side_of_square(page) > HIT_BY_A_FINGER > plain
    assert row_under_finger() == row  # what is under the finger stays there
    expect(name).to_have_text("no place chosen")
    check_phone_page(page)
    whole.tap()
    assert side_of_square(page) == plain

    # Two fingers do the same, and one moves the board.
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        fingers = [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    touch("touchStart", (place[0] - 20, place[1]), (place[0] + 20, place[1]))
    for apart in range(30, 130, 20):
        touch("touchMove", (place[0] - apart, place[1]), (place[0] + apart, place[1]))
    touch("touchEnd")
    expect(whole).to_be_in_viewport(ratio=1)
    assert side_of_square(page) > 2 * plain
    assert row_under_finger() == row
    page.touchscreen.tap(*place)
    expect(name).not_to_have_text("no place chosen")
    page.locator(".aim-bar").get_by_role("button", name="Make this move").tap()
    page.wait_for_function("new URLSearchParams(location.search).has('moves')")
    expect(whole).to_be_hidden()
    page.locator(".aim-places").wait_for()
    assert side_of_square(page) == plain


def test_a_hint_shows_the_whole_board_again(new_page: Callable[..., Page], address: str) -> None:
    """Its place lay outside of the window of the enlarged board."""
    page = new_page(reduced_motion="reduce", is_phone=True)
    page.set_viewport_size({"width": 320, "height": 844})
    page.goto(f"{address}/play?ruleset=bloxx-2p&seats=me,greedy&seed=3")
    page.locator(".aim-places").wait_for()
    wait_until_settled(page)
    page.touchscreen.tap(*page.locator(".aim-places").evaluate(VISIBLE_PLACE_SCRIPT))
    whole = page.get_by_role("button", name="Whole board")
    expect(whole).to_be_visible()
    page.get_by_role("button", name=re.compile("^What this strategy would do")).click()
    page.locator(".ghost").first.wait_for()
    expect(whole).to_be_hidden()


def test_of_four_boards_that_of_the_person_who_chooses_is_the_largest(
    new_page: Callable[..., Page], address: str
) -> None:
    page = new_page(reduced_motion="reduce")
    page.goto(f"{address}/play?ruleset=bloxx-4p&seats=me,random,random,random&seed=3")
    page.locator(".aim-places").wait_for()
    wait_until_settled(page)
    boards = page.locator(".seat .board")
    own, *others = [board.bounding_box() or pytest.fail("no board") for board in boards.all()]
    assert len(others) == 3
    for other in others:
        assert own["width"] > 2 * other["width"]
        assert other["x"] > own["x"] + own["width"]
    for box in (own, *others):
        assert box["y"] + box["height"] <= 800


def test_two_people_at_one_screen_finish_a_game_which_is_kept_with_both_and_reviewed(
    new_page: Callable[..., Page], address: str, library: Library
) -> None:
    page = new_page(reduced_motion="reduce")
    page.goto(f"{address}/play?ruleset=blokus-short")
    wait_until_settled(page)
    opponent = page.get_by_role("combobox", name="Player 2")
    opponent.scroll_into_view_if_needed()
    page.wait_for_timeout(500)  # a page that scrolls closes the list
    opponent.click()
    page.get_by_role("option", name="a person").click()
    for seat, name in ((1, "Anna"), (2, "Ben & Co")):
        page.get_by_role("textbox", name=f"Name of player {seat}").fill(name)
        page.keyboard.press("Enter")
    page.get_by_role("button", name="Start", exact=True).click()
    asked: list[str] = []

    def choose_and_note_who(page: Page) -> None:
        asked.append(page.locator(".play-panel h2").inner_text().removesuffix(", choose a move"))
        choose_with_the_mouse(page)

    play_whole_game(page, choose_and_note_who)
    assert list(dict.fromkeys(asked)) == ["Anna", "Ben & Co"]
    expect(page.locator(".afterwards p b")).to_have_text(re.compile("^hand-blokus-short-"), timeout=60_000)
    run = library.run(page.locator(".afterwards p b").inner_text())
    verify_run(run)
    people = ['me:name="Anna"', 'me:name="Ben & Co"']
    assert [run.notations[seat.strategy] for seat in run.list_seats(0)] == people
    assert run.summary.kind == "hand"

    page.locator(".finish-actions").get_by_role("link", name="Review").click()
    page.get_by_role("button", name="Hide the review").wait_for(timeout=120_000)
    # The table comes when all positions have values.
    rows = page.get_by_role("table", name="Points").locator("tbody tr")
    expect(rows).to_have_count(2, timeout=120_000)
    results = [row.locator("td").last.inner_text() for row in rows.all()]
    assert [float(text.replace("\u2212", "-")) for text in results] == [
        seat.score for seat in run.list_seats(0)
    ]


def test_hints_undo_reload_and_the_comparison_with_a_strategy(
    new_page: Callable[..., Page], address: str, library: Library
) -> None:
    page = new_page()
    page.goto(f"{address}/play?ruleset=blokus-dice-short&seats=me,greedy&seed=9")
    page.locator(".aim-places").wait_for()
    assert find_lasting_faults(page) == []

    # A hint aims at its place; Enter plays it.
    page.keyboard.press("h")
    message = page.get_by_role("complementary", name="Your move").locator(".play-message")
    expect(message).to_have_text(re.compile(r"greedy would play.*\."))
    assert moves_in_address(page) == "~greedy"
    page.keyboard.press("Enter")
    page.wait_for_function("new URLSearchParams(location.search).get('moves').split('.').length >= 3")
    first = moves_in_address(page)

    # Undo leads back to the same choice, and the same dice.
    expect(page.locator(".aim-places")).to_have_count(1)
    page.keyboard.press("u")
    page.wait_for_function("new URLSearchParams(location.search).get('moves').endsWith('_')")
    expect(page.locator(".play-panel .note").last).to_have_text(
        "1 hint and 1 move taken back, noted in the game."
    )
    page.keyboard.press("h")
    message.filter(has_text="greedy would play").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "known => new URLSearchParams(location.search).get('moves').split('._.')[1]?.length > 2", arg=first
    )

    # A reload goes on with the game.
    expect(page.locator(".aim-places")).to_have_count(1)
    moves, round_ = moves_in_address(page), page.locator(".place").inner_text()
    page.reload()
    expect(page.locator(".place")).to_have_text(round_)
    assert moves_in_address(page) == moves

    play_whole_game(page, choose_with_the_mouse)
    page.locator(".afterwards p b").wait_for(timeout=60_000)
    page.locator(".afterwards select").select_option("random")
    page.get_by_role("button", name="What this strategy would have done in your place, move by move").click()
    expect(page.locator(".compared p").first).to_have_text(
        re.compile(r"^random would have made \d+ of your \d+ choices?\.$")
    )
    page.locator(".compared a").first.click()
    page.wait_for_url(re.compile(r"/replay\?run=hand-blokus-dice-short-.*action="))
    run = library.runs()[0]
    query = page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")
    fork = fork_logged_game(run, 0, int(query["move"]) - 1, Change(action=query["action"]))
    assert [player.label for player in fork.base.seating] == ["greedy", "greedy"]


def test_a_misclick_is_taken_back_before_the_others_answer_and_leaves_no_trace(
    new_page: Callable[..., Page], address: str
) -> None:
    page = new_page()
    page.goto(f"{address}/play?ruleset=blokus-short&seats=me,medium&seed=3")
    page.locator(".aim-places").wait_for()
    title, back = page.locator(".play-panel h2"), page.locator(".play-panel .take-back")
    moves = page.locator(".plies").get_by_role("option")
    expect(back).to_have_attribute("aria-disabled", "true")
    caption = page.locator(".moment .caption")
    expect(caption).to_have_text(re.compile(r"\. Your move\.$"))
    expect(page.locator(".seat .strategy").last).to_have_text("medium (mobility)")
    own = page.locator(".seat .tray").first.get_attribute("class") or ""
    expect(page.locator(".choices .shapes")).to_have_class(own.replace("tray", "shapes"))

    def make_a_move() -> None:
        page.locator(".aim-places").wait_for()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        expect(title).to_have_text(re.compile("^You play "))

    back.hover()  # so the others wait
    make_a_move()
    expect(caption).not_to_have_text(re.compile("Your move"))
    shown = moves.count()
    assert find_lasting_faults(page) == []
    assert (moves.count(), moves_in_address(page)) == (shown, "")
    back.click()
    expect(title).to_have_text("Your move")
    expect(back).to_have_attribute("aria-disabled", "true")
    assert moves_in_address(page) == ""

    make_a_move()
    page.keyboard.press("Backspace")
    expect(title).to_have_text("Your move")
    assert moves_in_address(page) == ""

    # Without a word from the person the move counts after a while, and Take back is noted from then on.
    make_a_move()
    page.mouse.move(5, 5)
    page.wait_for_function("new URLSearchParams(location.search).get('moves')?.split('.').length === 2")
    page.locator(".aim-places").wait_for()
    page.keyboard.press("u")
    page.wait_for_function("new URLSearchParams(location.search).get('moves').endsWith('_')")
    expect(page.locator(".play-panel .note").last).to_have_text("1 move taken back, noted in the game.")

    # Enter does not wait.
    make_a_move()
    back.hover()
    page.keyboard.press("Enter")
    page.wait_for_function("new URLSearchParams(location.search).get('moves').split('.').length === 5")


def test_a_move_is_taken_back_from_another_person_who_has_not_moved_yet(
    new_page: Callable[..., Page], address: str
) -> None:
    page = new_page()
    page.goto(f"{address}/play?ruleset=blokus-short&seats=me,me&seed=3")
    for _ in range(2):
        page.locator(".aim-places").wait_for()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.wait_for_function("new URLSearchParams(location.search).has('moves')")
        page.locator(".aim-places").wait_for()
        page.keyboard.press("u")
        page.wait_for_function("!new URLSearchParams(location.search).has('moves')")


def test_with_the_keyboard_a_game_begins_at_the_top_of_its_page_with_the_focus_on_the_board(
    new_page: Callable[..., Page], address: str
) -> None:
    page = new_page()
    page.goto(f"{address}/play")
    start = page.get_by_role("button", name="Start", exact=True)
    wait_until_settled(page)
    for _ in range(60):  # the bar of pages, the opponents, the games with their rules, and the form
        page.keyboard.press("Tab")
        if start.evaluate("button => button === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.locator(".replay.play")).to_be_focused()
    wait_until_settled(page)
    for shown in (page.get_by_role("heading", name="Play", exact=True), page.locator(".play-panel header")):
        expect(shown).to_be_in_viewport(ratio=1)
    assert page.get_by_test_id("stMain").evaluate("node => node.scrollTop") == 0
    expect(page.locator(".replay.play")).to_be_focused()


@pytest.mark.parametrize("is_phone", [False, True], ids=["mouse", "finger"])
def test_a_click_that_hits_no_place_says_why(
    new_page: Callable[..., Page], address: str, *, is_phone: bool
) -> None:
    page = new_page(reduced_motion="reduce", is_phone=is_phone)
    page.goto(f"{address}/play?ruleset=bloxx-2p&seats=me,greedy&seed=3")
    page.locator(".aim-places").wait_for()
    wait_until_settled(page)
    press = page.touchscreen.tap if is_phone else page.mouse.click
    board = page.locator(".board[data-aim]")
    board.scroll_into_view_if_needed()
    box = board.bounding_box()
    assert box
    press(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    said = page.locator(".play-message:visible")
    expect(said).to_have_text(
        re.compile(r"^\w+ does not fit here: the first shape touches the bottom edge\.$")
    )
    assert said.get_attribute("role") == "status"
    assert moves_in_address(page) == ""
    other = page.locator(".board:not([data-aim])").first.bounding_box()
    assert other
    assert not is_phone or box["width"] > 1.3 * other["width"], "the own board is the largest"
    press(other["x"] + other["width"] / 2, other["y"] + other["height"] / 2)
    expect(said).to_have_text("Not here: Player 1 places on the marked board.")
    page.keyboard.press("h")
    expect(said).to_have_text(
        re.compile(
            r"^greedy would play .+\. It .+\.$|^Hint: .+, worth about .+ more than .+, which greedy would play\.$"
        ),
        timeout=60_000,
    )
