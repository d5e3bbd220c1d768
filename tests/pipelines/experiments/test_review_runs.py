"""Reviews of all games of a run: the same as those of one game, kept, resumed after a kill, and verified."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import duckdb
import numpy as np
import pytest

from engine.actions import CHANCE
from engine.errors import InvalidError
from pipelines.experiments import review_runs
from pipelines.experiments.review import start_review
from pipelines.experiments.review_runs import (
    choose_reviewed_games,
    find_review_kind,
    review_run,
    verify_reviews,
)
from pipelines.runs.attach import connect_runs
from pipelines.runs.library import Library, Run
from pipelines.runs.review_writer import list_reviewed_games
from pipelines.runs.reviews import STANDARD_ERRORS
from pipelines.simulate.errors import VerificationFailed
from tests.command_line import run_reroll

EFFORT = 0.2


@pytest.fixture(scope="module")
def reviewed_run(small_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A copy of the small run with four reviewed games."""
    folder = tmp_path_factory.mktemp("reviewed") / "runs"
    folder.mkdir()
    run = Run(copy_file(small_run.path, folder))
    *_, last = review_games(run, 4)
    assert last[:2] == (4, 4)
    return run


def copy_file(path: Path, folder: Path) -> Path:
    return Path(shutil.copyfile(path, folder / "made.duckdb"))


def review_games(run: Run, limit: int | None) -> list[tuple[int, int]]:
    kind = find_review_kind(run, effort=EFFORT)
    progress = review_run(run, kind, choose_reviewed_games(run, limit), workers=1, threads=True)
    return [(step.done, step.games) for step in progress]


def read_rows(run: Run, query: str, *values: int) -> list[tuple[object, ...]]:
    with connect_runs([run], reviewed=True) as connection:
        return connection.execute(query, values).fetchall()


@pytest.mark.slow
def test_the_errors_of_the_luck_of_two_players_do_not_add_up(reviewed_run: Run) -> None:
    """Over reviews with other luck, the edge varies as if the errors of the players were independent, not as much as their sum."""
    edges, errors = [], []
    for seed in range(40):
        unfinished = start_review(reviewed_run, 0, seed=seed, effort=EFFORT)
        for ply, state in enumerate(unfinished.reviewer.states[:-1]):
            if state.seat == CHANCE:
                unfinished.values |= {at: unfinished.reviewer.position_value(at) for at in (ply, ply + 1)}
        rolls = unfinished.summarise().rolls
        luck = np.sum([roll.luck_points for roll in rolls], axis=0)
        edges.append(float(luck[0] - luck[1]))
        halves = np.array([roll.luck_points_halves for roll in rolls])
        errors.append(np.sqrt((halves**2).sum(axis=0)) / STANDARD_ERRORS)
    spread = float(np.std(edges, ddof=1))
    independent = np.sqrt(np.mean([(pair**2).sum() for pair in errors]))
    assert 0.6 * independent < spread < 1.25 * independent
    assert spread < 0.85 * np.mean([pair.sum() for pair in errors])
    mean = float(np.mean(edges))
    covered = [
        abs(edge - mean) < STANDARD_ERRORS * np.hypot(*pair) for edge, pair in zip(edges, errors, strict=True)
    ]
    assert np.mean(covered) >= 0.9


@pytest.mark.slow
def test_decisions_have_the_classes_and_losses_of_the_review_of_one_game(reviewed_run: Run) -> None:
    for game_id in (0, choose_reviewed_games(reviewed_run, 4)[-1]):
        single = start_review(reviewed_run, game_id, effort=EFFORT).finish()
        stored = read_rows(
            reviewed_run,
            "SELECT ply, seat, class, points_class, best_action, regret_wins, choices, playouts FROM decisions "
            "WHERE game_id = ? ORDER BY ply",
            game_id,
        )
        assert len(stored) == len(single.decisions) > 10
        for row, decision in zip(stored, single.decisions, strict=True):
            is_best = decision.best.action == decision.chosen.action
            assert decision.lost_wins
            lost = 0.0 if is_best else decision.lost_wins.estimate
            assert row[:5] == (
                decision.ply,
                decision.seat,
                decision.judged,
                decision.judged_by_points,
                decision.best.action,
            )
            assert row[5:] == (pytest.approx(lost, abs=1e-6), decision.options, decision.chosen.n)
        luck = read_rows(
            reviewed_run,
            "SELECT ply, seat, luck_points FROM rolls WHERE game_id = ? ORDER BY ply, seat",
            game_id,
        )
        assert luck == [
            (roll.ply, seat, pytest.approx(points, abs=1e-5))
            for roll in single.rolls
            for seat, points in enumerate(roll.luck_points)
        ]


def test_luck_decisions_and_start_add_up_to_the_results(reviewed_run: Run) -> None:
    rows = read_rows(
        reviewed_run,
        "SELECT start_points + luck_points + own_points + others_points, score, start_wins + luck_wins + own_wins + others_wins, "
        "win_share FROM ledgers JOIN seats USING (run, game_id, seat)",
    )
    assert len(rows) == 8
    for points, score, wins, share in rows:
        assert points == pytest.approx(score)
        assert wins == pytest.approx(share)


def test_each_game_has_playouts_of_its_own(reviewed_run: Run) -> None:
    """With common luck, the values of the first position would have the same error in all games."""
    starts = read_rows(reviewed_run, "SELECT DISTINCT start_points FROM ledgers WHERE seat = 0")
    assert len(starts) == 4


@pytest.mark.slow
def test_a_review_goes_on_where_it_was_stopped(small_run: Run, tmp_path: Path) -> None:
    run = Run(copy_file(small_run.path, tmp_path))
    kind, games = find_review_kind(run, effort=EFFORT), choose_reviewed_games(run, 4)
    steps = review_run(run, kind, games, workers=1, threads=True)
    assert [next(steps).done for _ in range(3)] == [0, 1, 2]
    leftover = run.review_path.with_name(f".{run.key}-old.new")
    leftover.touch()
    with pytest.raises(InvalidError, match="are being reviewed already"):
        next(review_run(run, kind, games))
    steps.close()
    kept = list_reviewed_games(run, kind)
    assert len(kept) >= 2
    first = read_rows(
        run, "SELECT * FROM decisions WHERE game_id IN (SELECT game_id FROM ledgers) ORDER BY ALL"
    )
    done = [step.done for step in review_run(run, kind, games, workers=1, threads=True)]
    assert done == list(range(len(kept), 5))
    everything = read_rows(run, "SELECT * FROM decisions ORDER BY ALL")
    assert set(first) < set(everything)
    assert len(set(everything)) == len(everything)
    assert not list(run.review_path.parent.glob(".*"))


def test_the_time_left_is_unknown_until_each_worker_has_reviewed_a_game(
    small_run: Run, tmp_path: Path
) -> None:
    """The first game of a worker takes longer: the worker starts, and compiles what it needs."""
    run = Run(copy_file(small_run.path, tmp_path))
    steps = list(
        review_run(
            run, find_review_kind(run, effort=EFFORT), choose_reviewed_games(run, 4), workers=2, threads=True
        )
    )
    assert [step.seconds_left is None for step in steps] == [True, True, True, False, False]
    assert steps[-1].seconds_left == 0


def test_more_games_are_of_blocks_without_a_reviewed_game(small_run: Run, tmp_path: Path) -> None:
    """Intervals count blocks: ten more games of the same ten blocks would tell less than ten of others."""
    run = Run(copy_file(small_run.path, tmp_path))
    kind, every = find_review_kind(run, effort=0.1), choose_reviewed_games(run)
    first, blocks = choose_reviewed_games(run, 4), {game: run.game(game).block for game in every}
    number = len(set(blocks.values()))
    assert first == every[:4]
    assert len({blocks[game] for game in every[:number]}) == number < len(every) == len(set(every))
    others = [game for game in every if blocks[game] == blocks[first[0]] and game not in first]
    list(review_run(run, kind, others[:1], workers=1, threads=True))
    more = choose_reviewed_games(run, 4, kind)
    assert more == [*others[:1], *every[1:4]]


def test_each_judge_and_effort_has_its_own_review(small_run: Run, tmp_path: Path) -> None:
    run = Run(copy_file(small_run.path, tmp_path))
    games = choose_reviewed_games(run, 1)
    for effort, judge in ((EFFORT, None), (0.1, None), (EFFORT, "random")):
        kind = find_review_kind(run, judge=judge, effort=effort)
        list(review_run(run, kind, games, workers=1, threads=True))
    rows = read_rows(run, "SELECT review, judge, effort, games FROM reviews ORDER BY review")
    assert rows == [(1, "greedy", EFFORT, 1), (2, "greedy", 0.1, 1), (3, "random", EFFORT, 1)]


def test_a_run_without_moves_says_so(small_library: Library) -> None:
    with pytest.raises(InvalidError, match="the moves of the games of scores-only are not in the run"):
        choose_reviewed_games(small_library.run("scores-only"))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("UPDATE ledgers SET luck_points = luck_points + 1", "a ledger does not add up"),
        ("UPDATE decisions SET action = action + 1", "a decision is not that of the game"),
        ("UPDATE rolls SET luck_points = -luck_points", "the rolls of a game do not add up"),
        ("UPDATE decisions SET class = 'best'", "has other values when it is reviewed again"),
    ],
)
def test_changed_reviews_are_found(reviewed_run: Run, tmp_path: Path, change: str, fault: str) -> None:
    assert verify_reviews(reviewed_run) == 4
    run = Run(copy_file(reviewed_run.path, tmp_path))
    run.review_path.parent.mkdir()
    shutil.copyfile(reviewed_run.review_path, run.review_path)
    with duckdb.connect(run.review_path) as connection:
        connection.execute(change)
    with pytest.raises(VerificationFailed, match=fault):
        verify_reviews(run)


@pytest.mark.slow
def test_the_command_reviews_and_verifies(small_run: Run, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    shutil.copyfile(small_run.path, tmp_path / "runs" / "made.duckdb")
    words = ("review", "made", "--effort", 0.1, "--quiet", "--data", tmp_path)
    for options, message in (
        ((), "name either one game"),
        (("--games", "all", "--game", 1), "name either one game"),
        (("--games", "few"), "--games takes all or a number of games"),
    ):
        assert message in run_reroll(*words, *options).stderr
    result = run_reroll(*words, "--games", 2, "--workers", 1)
    assert result.exit_code == 0
    assert "2 games of made reviewed, playouts by greedy, seed 0" in result.stdout
    verified = run_reroll("verify", "made", "--games", 2, "--data", tmp_path, "--quiet")
    assert "; the reviews of 2 games fit the run" in verified.stdout
    assert verified.exit_code == 0


def test_saving_is_rare_where_it_takes_long(monkeypatch: pytest.MonkeyPatch, small_run: Run) -> None:
    now, saves = [0.0], []
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def save(*_: object) -> None:
        saves.append(now[0])
        now[0] += 5

    monkeypatch.setattr(review_runs, "save_reviewed_games", save)
    unsaved = review_runs._UnsavedGames(small_run, find_review_kind(small_run))
    while now[0] < 400:
        now[0] += 1
        unsaved.add({})
    assert saves == [1, 106, 211, 316]
