"""Lessons of a reviewed run: which slips become lessons, in what order, and which strategies find them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from engine.errors import InvalidError
from engine.games import find_game
from pipelines.experiments import lessons
from pipelines.experiments.fork import Change, fork_logged_game
from pipelines.experiments.lessons import (
    Lesson,
    RatedLesson,
    find_lesson,
    is_clearly_worse,
    list_lesson_slips,
    make_lessons,
    order_lessons,
)
from pipelines.experiments.review import start_review
from pipelines.experiments.review_results import BAD_CLASSES, Decision
from pipelines.experiments.reviewer import PlayoutLuck, Reviewer
from pipelines.experiments.whatif import play_whatif
from pipelines.runs.reviews import list_clear_slips
from pipelines.runs.run import Run
from pipelines.runs.schema import REVIEW_SCHEMA
from pipelines.statistics import Interval

if TYPE_CHECKING:
    from engine.catalogue import Catalogue

Slip = tuple[int, int, float, float, str]
"""Game, ply, lost share of the win, its standard error, and class."""


@pytest.fixture(autouse=True)
def quick_lessons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "LESSON_PLAYOUTS", 300)


@pytest.fixture
def run(small_run: Run, tmp_path: Path) -> Run:
    """A copy of the small run without reviews."""
    (tmp_path / "runs").mkdir()
    return Run(Path(shutil.copy(small_run.path, tmp_path / "runs" / "made.duckdb")))


def write_ledger(run: Run, *slips: Slip, review: int = 1, effort: float = 1, choices: int = 9) -> None:
    """Add a review with one decision for each slip."""
    run.review_path.parent.mkdir(exist_ok=True)
    is_new = not run.review_path.exists()
    with duckdb.connect(run.review_path) as connection:
        if is_new:
            connection.execute(REVIEW_SCHEMA)
        connection.execute(
            "INSERT INTO reviews VALUES (?, ?, 'greedy', ?, 0, '1', 20)", [review, run.key, effort]
        )
        for game, ply, lost, error, judged in slips:
            connection.execute(
                "INSERT INTO decisions VALUES (?, ?, 0, 'bloxx-2p', ?, 0, 1, 0, 'random', 'place', NULL, NULL, 0, ?, 1, 2, "
                "0, 0, 0, 0, 0, 0, ?, ?, ?, 'good', 96)",
                [review, game, ply, choices, lost, error, judged],
            )


@pytest.fixture(scope="module")
def decisions(small_run: Run) -> list[Decision]:
    """The decisions of the first game."""
    return list(start_review(small_run, 0, effort=0.5).finish().decisions)


def test_the_clear_slips_of_a_ledger_are_the_worst_of_each_game_first(run: Run) -> None:
    write_ledger(
        run,
        (0, 5, 0.30, 0.10, "blunder"),  # 0.042 is sure
        (0, 9, 0.25, 0.01, "mistake"),  # 0.224
        (1, 4, 0.20, 0.01, "mistake"),  # 0.174
        (1, 6, 0.20, 0.08, "inaccuracy"),  # nothing is sure at 99 %, though at 95 % it is
        (2, 7, 0.30, 0.01, "unclear"),
    )
    assert list_clear_slips(run, 2.576) == [(0, 9), (1, 4), (0, 5)]
    assert (1, 6) in list_clear_slips(run, 1.96)


def test_slips_are_those_of_the_chosen_strategies_and_seats(run: Run) -> None:
    write_ledger(run, (0, 5, 0.30, 0.01, "blunder"), (1, 6, 0.20, 0.01, "mistake"))
    with duckdb.connect(run.review_path) as connection:
        connection.execute("UPDATE decisions SET strategy = 'greedy', seat = 1 WHERE game_id = 1")
    assert list_lesson_slips(run) == [(0, 5), (1, 6)]
    assert list_lesson_slips(run, ["greedy"]) == list_lesson_slips(run, (), [1]) == [(1, 6)]
    assert list_lesson_slips(run, ["greedy"], [0]) == []


def test_the_review_with_the_most_playouts_counts(run: Run) -> None:
    write_ledger(run, (0, 5, 0.30, 0.01, "blunder"))
    write_ledger(run, (3, 8, 0.30, 0.01, "blunder"), review=2, effort=4)
    assert list_clear_slips(run, 2.576) == [(3, 8)]


def test_decisions_between_few_moves_are_left_out(run: Run) -> None:
    write_ledger(run, (0, 5, 0.30, 0.01, "blunder"), choices=4)
    assert list_clear_slips(run, 2.576) == [(0, 5)]
    assert list_clear_slips(run, 2.576, 5) == []
    assert list(make_lessons(run, 5)) == []


def test_a_run_without_reviews_says_what_to_do(run: Run) -> None:
    with pytest.raises(InvalidError, match="reroll review made --games all"):
        list(make_lessons(run, 5))


@pytest.mark.slow
def test_a_slip_is_a_lesson_only_if_other_luck_confirms_it(run: Run, decisions: list[Decision]) -> None:
    slips = [decision.ply for decision in decisions if find_lesson(run, 0, decision.ply).is_clear_slip]
    good = [decision.ply for decision in decisions if decision.judged == "best"]
    assert len(slips) >= 3
    assert good
    write_ledger(run, *((0, ply, 0.5, 0.01, "blunder") for ply in (*good, *slips)))
    made = list(make_lessons(run, 100))
    assert {rated.lesson.decision.ply for rated in made} == set(slips)
    for rated in made:
        decision = rated.lesson.decision
        assert decision.judged in BAD_CLASSES
        assert decision.lost_wins
        assert 0 < rated.lesson.lost_wins.low < decision.lost_wins.low  # 99 % instead of 95 %
    assert len(list(make_lessons(run, 2))) == 2


def test_a_lesson_has_the_luck_of_an_answer_which_the_review_has_not_seen(
    run: Run, decisions: list[Decision]
) -> None:
    ply = next(decision.ply for decision in decisions if decision.judged in BAD_CLASSES)
    lesson = find_lesson(run, 0, ply)
    best = lesson.decision.best
    *_, whatif = play_whatif(
        fork_logged_game(run, 0, ply, Change(action=best.notation, quick=True)), n=300, seed=0
    )
    effect = whatif.seat_effect(lesson.decision.seat)
    for answered, taught in (
        (effect.changed_win_share, best.win_share),
        (effect.base_win_share, lesson.decision.chosen.win_share),
        (effect.win_share, lesson.decision.lost_wins),
    ):
        assert answered == pytest.approx(taught, abs=0.004)  # an answer weighs the outcomes of the next roll
    own = lesson.reviewer._duel_luck
    assert own.seed != lesson.luck.seed or not {*own.blocks} & {*lesson.luck.blocks}


def test_the_likely_moves_are_judged_against_the_best_one(run: Run, decisions: list[Decision]) -> None:
    ply = next(decision.ply for decision in decisions if decision.judged in BAD_CLASSES)
    lesson = find_lesson(run, 0, ply)
    losses = lesson.judge_likely()
    assert (
        {move.action for move in lesson.decision.candidates}
        <= set(losses)
        <= set(lesson.reviewer.states[ply].actions)
    )
    assert len(losses) == min(lessons.LIKELY_MOVES, lesson.decision.options)
    assert losses[lesson.decision.best.action].wins == Interval(0, 0, 0)
    assert is_clearly_worse(losses[lesson.decision.chosen.action])
    assert all(lesson.judge(action) == loss for action, loss in losses.items())


def test_the_moves_of_a_lesson_behind_the_best_one_are_sorted_by_value(
    run: Run, decisions: list[Decision]
) -> None:
    for ply in [decision.ply for decision in decisions if decision.judged in BAD_CLASSES][:4]:
        decision = find_lesson(run, 0, ply).decision
        assert {move.n for move in decision.candidates} == {300}
        values = [
            move.score.estimate if decision.win_nearly_decided else move.win_share.estimate
            for move in decision.candidates[1:]
            if move.score and move.win_share
        ]
        assert values == sorted(values, reverse=True)
        assert decision.best == decision.candidates[0]


def test_mirror_images_of_a_first_move_lose_the_same(catalogue: Catalogue) -> None:
    ruleset = catalogue.find_ruleset("blokus-duo")
    start = find_game("blokus").start(ruleset)
    reviewer = Reviewer(ruleset, [start.actions[0]], effort=0.1)
    decision = reviewer.review_decision(0)
    assert decision
    losses = Lesson(0, reviewer, PlayoutLuck(1, range(40)), decision).judge_likely()
    assert len(losses) > lessons.LIKELY_MOVES
    for action, loss in losses.items():
        assert {losses[image] for image in ruleset.equal_actions(action)} == {loss}
    assert {losses[image].judged for image in ruleset.equal_actions(decision.best.action)} == {"best"}
    second = start.play(start.actions[0]).actions[0]
    assert reviewer.mirror_images(1, second) == (second,)  # the board is not symmetric any more


def test_strategies_find_a_lesson_if_most_of_their_choices_are_not_clearly_worse(
    run: Run, decisions: list[Decision]
) -> None:
    plies = [decision.ply for decision in decisions if decision.judged == "blunder"]
    found = [lessons.rate_lesson(find_lesson(run, 0, ply)) for ply in plies[:3]]
    assert list(found[0]) == ["random", "greedy", "noisy", "planner", "rollout"]
    assert any(rating["rollout"] for rating in found)


def test_a_strategy_that_always_plays_the_bad_move_does_not_find_a_good_one(
    run: Run, decisions: list[Decision], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer playouts may call the bad move not clearly worse; it stays the bad one."""
    decision = next(decision for decision in decisions if decision.judged == "blunder")
    lesson = find_lesson(run, 0, decision.ply)
    monkeypatch.setattr(lessons, "is_clearly_worse", lambda _: False)
    monkeypatch.setattr(lessons, "decide_once", lambda *_: lesson.decision.chosen.action)
    assert not any(lessons.rate_lesson(lesson).values())


@pytest.mark.parametrize("ply", [0, 10_000], ids=["a roll", "beyond the end"])
def test_a_move_that_nobody_chose_is_no_lesson(run: Run, ply: int) -> None:
    with pytest.raises(InvalidError, match="nobody had a choice at move"):
        find_lesson(run, 0, ply)


def test_easy_lessons_come_first(run: Run, decisions: list[Decision]) -> None:
    bad = [decision for decision in decisions if decision.judged in BAD_CLASSES][:3]
    reviewer = start_review(run, 0).reviewer

    def rate(decision: Decision, *finders: str) -> RatedLesson:
        found: dict[str, Any] = {name: name in finders for name in ("random", "greedy", "rollout")}
        return RatedLesson(Lesson(0, reviewer, PlayoutLuck(1, range(40)), decision), found)

    hard, middle, easy = rate(bad[0]), rate(bad[1], "rollout"), rate(bad[2], "rollout", "greedy")
    assert order_lessons([hard, easy, middle]) == [easy, middle, hard]
