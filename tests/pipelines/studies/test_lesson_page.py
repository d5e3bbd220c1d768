"""A lesson that was given away: one tries a move and then sees what was played, without a server."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner

from engine.errors import InvalidError
from engine.games import find_game
from pipelines.cli import app
from pipelines.design.titles import name_action
from pipelines.experiments import lessons
from pipelines.experiments.lessons import LIKELY_MOVES, Lesson, find_lesson
from pipelines.experiments.review_results import BAD_CLASSES
from pipelines.report.lesson import write_lesson_document
from pipelines.report.sheet import Replay
from pipelines.report.show.json import list_tables
from pipelines.report.show.terminal import write_sheet_lines
from pipelines.studies.study import compose_address
from tests.axe import find_faults
from tests.browser import aim_at_move

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from pipelines.runs.run import Run
    from pipelines.studies.study import StudySource

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lesson(small_run: Run) -> Lesson:
    """The first clear slip with good moves, bad moves and a played one that the board can tell apart."""
    for game, ply in product(range(12), range(10, small_run.game(0).plies)):
        with suppress(InvalidError):
            lesson = find_lesson(small_run, game, ply)
            if lesson.is_clear_slip and lesson.decision.options <= LIKELY_MOVES:
                names = name_moves(lesson)
                if all(names.values()):
                    return lesson
    pytest.fail("no lesson")


def name_moves(lesson: Lesson) -> dict[str, set[str]]:
    """Return the names of good, bad and played moves; a name that two moves share is left out."""
    ruleset, played = lesson.reviewer.ruleset, lesson.decision.chosen.action
    board = find_game(ruleset.game).scene(ruleset, [])["boards"][0]
    losses = lesson.judge_likely()
    names = [name_action(ruleset.action(action), board) for action in losses]
    named = {
        name: action
        for name, action in zip(names, losses, strict=True)
        if names.count(name) == 1 and ruleset.action(action).cells
    }
    return {
        "good": {name for name, action in named.items() if losses[action].judged in {"best", "good"}},
        "bad": {
            name
            for name, action in named.items()
            if losses[action].judged in BAD_CLASSES and action != played
        },
        "played": {name for name, action in named.items() if action == played},
    }


@pytest.fixture
def lesson_file(source: StudySource, lesson: Lesson, tmp_path: Path) -> str:
    """The address of a file with the lesson."""
    file = tmp_path / "lesson.html"
    address = f"/replay?run=made&game-number={lesson.game_id + 1}&move={lesson.decision.ply + 1}&lesson=1"
    words = [address, "--out", str(file), "--data", str(source.library.folder), "--quiet"]
    assert CliRunner().invoke(app, ["study", *words]).exit_code == 0
    return f"file://{file}"


def test_the_words_of_a_lesson_do_not_say_what_was_played(source: StudySource, lesson: Lesson) -> None:
    ply = lesson.decision.ply
    sheet = compose_address(
        source,
        "replay",
        {"run": ["made"], "game-number": [str(lesson.game_id + 1)], "move": [str(ply + 1)], "lesson": ["1"]},
    )
    (played,) = name_moves(lesson)["played"]
    said = "\n".join(write_sheet_lines(sheet, 100, ["main"]))
    assert sheet.label == ""
    assert said.startswith(f"Player {lesson.decision.seat + 1} is to move: find a good move among")
    assert played not in said
    assert played in "\n".join(write_sheet_lines(sheet, 100))
    (replay,) = sheet.list_contents(Replay)
    assert replay.ply == ply - 1
    assert replay.lesson == write_lesson_document(lesson, replay.scene, lesson.judge_likely())
    assert len(list_tables(sheet)["worth"].rows) == len(lesson.judge_likely())


def test_a_given_away_lesson_judges_what_one_tries_without_a_server(
    lesson: Lesson, lesson_file: str, new_page: Callable[..., Page]
) -> None:
    names, page = name_moves(lesson), new_page(offline=True)
    requests: list[str] = []
    page.context.on("request", lambda request: requests.append(request.url))
    page.goto(lesson_file)
    panel = page.get_by_role("complementary", name="Learn from mistakes")
    message = panel.get_by_role("status")
    expect(panel.get_by_role("heading")).to_have_text("Lesson")
    expect(page.locator(".caption")).to_have_text(f"To move: Player {lesson.decision.seat + 1}")
    for hidden in (".plies", ".ledger", ".course", ".best-moves", "input[type=range]"):
        expect(page.locator(hidden).first).to_be_hidden()
    assert find_faults(page) == []

    page.locator(".replay").focus()
    aim_at_move(page, panel, names["bad"])
    page.keyboard.press("Enter")
    expect(message).to_contain_text("not as good")
    expect(message).to_contain_text("Try another move.")
    expect(page.locator(".ghost-badge")).to_have_text("try")
    expect(page.locator(".ghost .ghost-line")).to_be_visible()
    page.keyboard.press("ArrowRight")  # the game does not go on before it is solved
    expect(page.locator(".caption")).to_have_text(f"To move: Player {lesson.decision.seat + 1}")
    aim_at_move(page, panel, names["played"])
    page.keyboard.press("Enter")
    expect(message).to_contain_text("would give away")
    aim_at_move(page, panel, names["good"])
    page.keyboard.press("Enter")
    (played,) = names["played"]
    expect(message).to_contain_text(f"{played} was played: this {lesson.decision.judged} gave away")
    expect(page.locator(".best-moves")).to_contain_text(played)
    expect(page.locator(".ghost-badge[data-strong] .rank")).to_have_text(re.compile(r"^[1-5]$"))
    assert page.locator(".ghost-badge", has_text="try").count() <= 1  # the good one, unless it has a number
    assert find_faults(page) == []
    panel.get_by_role("button", name="Finish").click()
    expect(page.locator(".plies")).to_be_visible()
    assert requests == [lesson_file]


def test_a_given_away_lesson_says_that_it_has_no_value_of_a_move(
    lesson: Lesson,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    new_page: Callable[..., Page],
) -> None:
    every = name_moves(lesson)
    monkeypatch.setattr(lessons, "LIKELY_MOVES", 6)
    few = name_moves(lesson)
    page = new_page(offline=True)
    page.goto(request.getfixturevalue("lesson_file"))
    panel = page.get_by_role("complementary", name="Learn from mistakes")
    page.locator(".replay").focus()
    aim_at_move(page, panel, (every["good"] | every["bad"]) - few["good"] - few["bad"])
    page.keyboard.press("Enter")
    expect(panel.get_by_role("status")).to_contain_text("This move has no value here")
    expect(panel.locator(".aim-name")).to_have_text("no place chosen")  # the mouse aims again
    aim_at_move(page, panel, few["good"])
    page.keyboard.press("Enter")
    expect(panel.get_by_role("status")).to_contain_text("was played: this")


def test_a_given_away_lesson_is_solved_on_a_phone_in_the_dark(
    lesson: Lesson, lesson_file: str, new_page: Callable[..., Page]
) -> None:
    page = new_page(is_phone=True, offline=True, color_scheme="dark")
    page.goto(lesson_file)
    bar = page.locator(".aim-bar")
    expect(bar.get_by_role("status")).to_have_text("Find a good move.")
    assert find_faults(page) == []
    bar.get_by_role("button", name="Show it").tap()
    expect(bar.get_by_role("status")).to_contain_text(f"was played: this {lesson.decision.judged} gave away")
    assert find_faults(page) == []
    bar.get_by_role("button", name="Finish").tap()
    expect(page.locator(".plies")).to_be_visible()


def test_a_file_leads_from_one_lesson_to_the_next(
    source: StudySource, lesson: Lesson, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    file, ply = tmp_path / "lessons.html", lesson.decision.ply
    later = next(
        at for at in range(ply + 1, len(lesson.reviewer.actions)) if lesson.reviewer.review_decision(at)
    )
    addresses = [
        f"/replay?run=made&game-number={lesson.game_id + 1}&move={at + 1}&lesson=1" for at in (ply, later)
    ]
    words = [*addresses, "--out", str(file), "--data", str(source.library.folder), "--quiet"]
    assert CliRunner().invoke(app, ["study", *words]).exit_code == 0
    page = new_page(offline=True)
    page.goto(f"file://{file}")
    first, second = page.locator(".game").all()
    first.locator(".replay").focus()
    page.keyboard.press("s")
    first.get_by_role("button", name="Next lesson").press("Enter")
    expect(second.locator(".replay")).to_be_focused()
    page.keyboard.press("s")
    expect(second.locator(".learn-panel .learn-steps button")).to_have_text(["Finish"])


def test_on_paper_a_lesson_is_the_position_before_the_move(
    lesson: Lesson, lesson_file: str, new_page: Callable[..., Page]
) -> None:
    page = new_page(offline=True)
    page.goto(lesson_file)
    page.locator(".learn-panel").wait_for()
    page.pdf()
    page.emulate_media(media="print")
    expect(page.locator(".picture p").first).to_contain_text(f"move {lesson.decision.ply} of")
    expect(page.locator(".picture .ledger")).to_have_count(0)
