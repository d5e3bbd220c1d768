"""A review and a what-if value the same move in the same way, and copies of one continuation count once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipelines.experiments.fork import Change, choose_quick_strategy, fork_logged_game
from pipelines.experiments.review import start_review
from pipelines.experiments.whatif import deal_continuations, play_whatif, saved_run_design
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import WhatifQuestion, answer_saved_whatif, answer_whatif
from pipelines.report.compose import compose
from pipelines.simulate.simulate import simulate_run
from reroll import Library

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.experiments.whatif import WhatIf
    from pipelines.runs.run import Run
    from pipelines.statistics import Interval

pytestmark = pytest.mark.slow

GAMES = {
    "bloxx-2p": ("greedy", "random"),
    "blokus-duo": ("greedy", "mobility"),
    "blokus-dice-2p": ("greedy", "noisy"),
    "spexxx-2p": ("builder", "random"),
}


def play_change(run: Run, game_id: int, ply: int, change: Change, n: int) -> WhatIf:
    *_, whatif = play_whatif(fork_logged_game(run, game_id, ply, change), n=n, seed=5)
    return whatif


def do_overlap(one: Interval | None, other: Interval | None) -> bool:
    assert one
    assert other
    return one.low <= other.high and other.low <= one.high


@pytest.mark.parametrize("ruleset", GAMES)
def test_a_whatif_with_quick_players_agrees_with_the_review(tmp_path: Path, ruleset: str) -> None:
    run = Library(tmp_path).simulate(ruleset, GAMES[ruleset], games=2, seed=3)
    unfinished = start_review(run, 1)
    review = unfinished.finish()
    flagged = [one for one in review.decisions if one.judged in {"inaccuracy", "mistake", "blunder"}]
    assert flagged
    for decision in flagged[:: max(1, len(flagged) // 4)]:
        assert decision.best.action == decision.candidates[0].action != decision.chosen.action
        whatif = play_change(run, 1, decision.ply, Change(action=decision.best.notation, quick=True), 400)
        assert {player.label for player in whatif.fork.base.seating} == {review.policy}
        effect = whatif.seat_effect(decision.seat)
        assert do_overlap(decision.lost_wins, effect.win_share)


def test_quick_players_sit_at_every_seat_but_those_that_are_named(tmp_path: Path) -> None:
    run = Library(tmp_path).simulate("bloxx-3p", ("planner", "noisy", "random"), games=1)
    quick = choose_quick_strategy(run.ruleset("bloxx-3p"))
    for change, base, changed in (
        (Change(quick=True), [quick] * 3, [quick] * 3),
        (Change({1: "random"}, quick=True), [quick] * 3, [quick, "random", quick]),
        (Change(substitutes={2: "random"}, quick=True), [quick, quick, "random"], [quick, quick, "random"]),
    ):
        fork = fork_logged_game(run, 0, 3, change)
        assert [player.label for player in fork.base.seating] == base
        assert [player.label for player in fork.changed.seating] == changed


def test_number_one_is_not_valued_by_the_playouts_that_chose_it(tmp_path: Path) -> None:
    """Among equal moves, the best of many would look better than it is: here by about 4 of 100."""
    run = Library(tmp_path).simulate("bloxx-2p", ("random", "random"), games=6, seed=8)
    gaps = []
    for game in range(6):
        unfinished = start_review(run, game, effort=0.3)
        reviewer = unfinished.reviewer
        for decision in unfinished.finish().decisions:
            first = decision.candidates[0]
            assert first.win_share
            position = reviewer._playouts.position_after(reviewer._positions[decision.ply], first.action)
            fresh = reviewer._playouts.play_position(position, 1 << 24, 400).win_shares[:, decision.seat]
            gaps.append(first.win_share.estimate - float(fresh.mean()))
    assert len(gaps) > 60
    assert float(np.mean(gaps)) < 0.015


@pytest.fixture
def still(tmp_path: Path) -> Run:
    """Games of two players who draw nothing in the second half of a game without dice."""
    return Library(tmp_path).simulate("blokus-duo", ("greedy", "mobility"), games=2, seed=3)


def find_other_move(run: Run, ply: int) -> str:
    decision = start_review(run, 0).reviewer.review_decision(ply)
    assert decision
    return next(one.notation for one in decision.candidates if one != decision.chosen)


def test_copies_of_one_continuation_count_once(still: Run, tmp_path: Path) -> None:
    action = find_other_move(still, 20)
    whatif = play_change(still, 0, 20, Change(action=action), 1000)
    assert whatif.is_single
    assert (whatif.n, whatif.different, whatif.is_over) == (60, 1, True)
    effect = whatif.seat_effect(0)
    assert effect.score
    assert effect.score.low == effect.score.high == whatif.differences[0, 0]
    question = WhatifQuestion(run=still.name, ply=20, action=action)
    source = QuestionSource(Library(tmp_path))
    sheet = compose(answer_whatif(question, source), source.find_looks)
    assert "60 continuations with different luck are the same, move by move" in sheet.verdict
    assert "%" not in sheet.verdict
    assert sheet.consequences == (
        "players who vary, such as quick players or noisy, would give other continuations",
    )
    varied = play_change(still, 0, 20, Change(action=action, quick=True), 200)
    assert (varied.is_single, varied.different) == (False, 200)


def test_a_saved_run_holds_a_single_continuation_once(still: Run, tmp_path: Path) -> None:
    fork = fork_logged_game(still, 0, 20, Change(action=find_other_move(still, 20)))
    *_, whatif = play_whatif(fork, n=300, seed=2)
    for source in (whatif, deal_continuations(fork, 300, 2)):
        assert saved_run_design(source, still.name, "kept").blocks == 1
    saved = simulate_run(saved_run_design(whatif, still.name, "kept"), still.path.parent / "kept.duckdb")
    answer = answer_saved_whatif(saved, QuestionSource(Library(tmp_path)))
    assert answer.whatif.is_single
    assert answer.whatif.differences[:1].tolist() == whatif.differences[:1].tolist()


def test_a_saved_question_keeps_its_quick_players(tmp_path: Path) -> None:
    run = Library(tmp_path).simulate("bloxx-2p", ("greedy", "random"), games=2, seed=3)
    decision = start_review(run, 0).reviewer.review_decision(2)
    assert decision
    action = next(one.notation for one in decision.candidates if one != decision.chosen)
    fork = fork_logged_game(run, 0, 2, Change(action=action, quick=True))
    *_, whatif = play_whatif(fork, n=40, seed=2)
    saved = simulate_run(saved_run_design(whatif, run.name, "kept"), run.path.parent / "kept.duckdb")
    answer = answer_saved_whatif(saved, QuestionSource(Library(tmp_path)))
    assert answer.question.quick
    assert answer.whatif.differences.tolist() == whatif.differences.tolist()
