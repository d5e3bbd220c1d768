"""Verification: an unchanged run is accepted, a changed run is refused with the place of the first change."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import duckdb
import pytest

from pipelines.design.designs import design_simulation
from pipelines.runs.library import Run
from pipelines.simulate.errors import VerificationFailed
from pipelines.simulate.simulate import simulate_run
from pipelines.simulate.verify import ROLLUP_QUERIES, game_batches, verify_run
from pipelines.simulate.verify_games import GameRows, _check_end

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.ruleset import Ruleset
    from engine.state import State


def test_an_untouched_run_is_accepted(small_run: Run) -> None:
    games_done: list[int] = []
    verify_run(small_run, workers=1, progress=lambda done, _games, _left: games_done.append(done))
    assert games_done[-1] == 20


def test_a_sample_is_spread_over_the_run_and_everything_else_is_checked(
    change_run: Callable[[str], Run],
) -> None:
    first = change_run("UPDATE ply_rows SET score = score + 1 WHERE game_id = 7 AND ply = 5")
    with pytest.raises(VerificationFailed, match=r"^table "):
        verify_run(first, workers=1, limit=4)  # game 7 is not played again, but the roll-ups differ
    assert game_batches(1000, 30)[1] == range(495, 505)
    assert game_batches(20, 4) == [range(4), range(16, 20)]


@pytest.mark.slow
def test_two_processes_verify_as_one_does(
    change_run: Callable[[str], Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.simulate.verify.GAMES_PER_BATCH", 10)
    run = change_run("UPDATE ply_rows SET options = options + 1 WHERE game_id = 14 AND ply = 4")
    with pytest.raises(VerificationFailed, match="game 15, move 5: options"):
        verify_run(run, workers=2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE ply_rows SET action = action + 1 WHERE game_id = 3 AND ply = 5", r"game 4, move 6: "),
        ("UPDATE ply_rows SET score = score + 1 WHERE game_id = 3 AND ply = 5", r"game 4, move 6: score: the file has"),
        ("UPDATE ply_rows SET round = 9 WHERE game_id = 3 AND ply = 5", r"game 4, move 6: round: the file has 9"),
        ("UPDATE ply_rows SET seat = 1 - seat WHERE game_id = 3 AND ply = 5", r"game 4, move 6: seat"),
        ("UPDATE ply_rows SET options = NULL WHERE game_id = 3 AND ply = 5", r"game 4, move 6: options"),
        ("DELETE FROM ply_rows WHERE game_id = 3 AND ply = 5", r"game 4: moves"),
        ("UPDATE ply_rows SET ply = 900 WHERE game_id = 3 AND ply = 5", r"game 4, move 6: number"),
        (
            "UPDATE ply_rows SET action = (action + 1) % 36 WHERE game_id = 3 AND ply = 0",
            r"game 4, move 1: outcome: .* by seed and block it is",
        ),
        ("UPDATE seats SET score = score + 1 WHERE game_id = 4 AND seat = 1", r"game 5, player 2: score"),
        ("UPDATE seats SET rank = 3 - rank WHERE game_id = 4", r"game 5: (win shares|ranks)"),
        ("UPDATE seats SET win_share = 0.5 WHERE game_id = 4", r"game 5: win shares"),
        ("UPDATE seats SET strategy = 'random' WHERE game_id = 4", r"game 5: strategies"),
        ("UPDATE parts SET points = points + 1 WHERE game_id = 4 AND part = 'gaps'", r"game 5, player 1: score"),
        ("UPDATE parts SET count = count + 1 WHERE game_id = 4 AND part = 'gaps'", r"game 5: parts"),
        ("UPDATE games SET rounds = rounds + 1 WHERE game_id = 4", r"game 5: rounds"),
        ("UPDATE games SET block = 9 WHERE game_id = 4", r"game 5: ruleset, block and rotation"),
        ("UPDATE games SET logged = false WHERE game_id = 4", r"game 5: logged"),
        ("DELETE FROM games WHERE game_id = 4", r"table games"),
        ("DELETE FROM seats WHERE game_id = 4 AND seat = 1", r"table seats: rows"),
        ("UPDATE games SET game_id = 20 WHERE game_id = 19", r"table games: rows, games and last game"),
        ("UPDATE seats SET game_id = 20 WHERE game_id = 19", r"table seats: it has game 21, the last game of the design is 20"),
        ("INSERT INTO parts SELECT * REPLACE (20 AS game_id) FROM parts WHERE game_id = 1", r"table parts: it has game 21, "),
        ("INSERT INTO ply_rows SELECT * REPLACE (20 AS game_id) FROM ply_rows WHERE game_id = 1", r"table plies: it has game 21, "),
        ("UPDATE run SET seed = 8", r"table run: seed"),
        ("UPDATE run SET games = 8", r"table run: games"),
        ("UPDATE run SET design = '{}'", r"not the design of a run"),
        ("DELETE FROM strategies WHERE strategy = 'random'", r"table strategies"),
        ("UPDATE actions SET notation = '-' WHERE kind = 'roll'", r"table actions: action \d+ of bloxx-2p"),
        ("DELETE FROM actions WHERE kind = 'roll'", r"game 1, move 1: kind"),
        (
            "DELETE FROM actions WHERE action = (SELECT max(action) FROM actions)",
            r"table actions: rows of bloxx-2p",
        ),
        ("UPDATE rulesets SET rules_version = 99", r"version 99 of the rules of bloxx, this Reroll has version"),
        ("UPDATE rulesets SET spec = '[]'", r"ruleset bloxx-2p"),
    ],
)  # fmt: skip
def test_a_change_is_refused_with_its_place(change_run: Callable[[str], Run], change: str, said: str) -> None:
    with pytest.raises(VerificationFailed, match=said) as caught:
        verify_run(change_run(change), workers=1)
    assert "\n" not in str(caught.value)


def test_a_changed_ruleset_is_refused_even_with_a_fitting_hash(
    small_run: Run, change_run: Callable[[str], Run]
) -> None:
    ruleset = small_run.ruleset("bloxx-2p")
    options = {**ruleset.document["options"], "gap_penalty": 2}
    other = type(ruleset).from_document({**ruleset.document, "options": options}, "here")
    update = f"UPDATE rulesets SET spec = '{json.dumps(other.document)}'"  # noqa: S608 - a constant query
    with pytest.raises(VerificationFailed, match="ruleset bloxx-2p: the spec was changed"):
        verify_run(change_run(update), workers=1)
    with pytest.raises(VerificationFailed, match="ruleset bloxx-2p: it is not the ruleset of the design"):
        verify_run(change_run(f"{update}, sha256 = '{other.sha256}'"), workers=1)


@pytest.mark.slow
@pytest.mark.parametrize("table", ROLLUP_QUERIES)
def test_a_roll_up_that_does_not_fit_the_games_is_refused(
    change_run: Callable[[str], Run], table: str
) -> None:
    with pytest.raises(VerificationFailed, match=f"table {table}: 1 row differs"):
        verify_run(change_run(f"DELETE FROM {table} WHERE rowid = 0"), workers=1)  # noqa: S608 - constant names


@pytest.mark.parametrize("log", ["scores", pytest.param("sample=0.5", marks=pytest.mark.slow)])
def test_games_without_plies_are_played_again(ruleset: Ruleset, tmp_path: Path, log: str) -> None:
    """Also only some of them, or for a limited time. If another Reroll made the run, this may explain a difference."""
    run = simulate_run(
        design_simulation(ruleset, ["greedy", "random"], blocks=12, log=log),
        tmp_path / "run.duckdb",
        workers=1,
    )
    assert verify_run(run, workers=1).played_again == 24
    assert 2 <= verify_run(run, workers=1, limit=4).played_again < 24
    assert 2 <= verify_run(run, workers=1, seconds=0).played_again < 24
    unlogged = next(game for game in range(run.summary.games) if not run.game(game).logged)
    run.path.chmod(0o644)
    with duckdb.connect(run.path) as connection:
        connection.execute("UPDATE seats SET score = score + 1 WHERE game_id = ? AND seat = 1", [unlogged])
    with pytest.raises(VerificationFailed, match=rf"game {unlogged + 1}, player 2: score: .* it is -?\d+$"):
        verify_run(run, workers=1)
    with duckdb.connect(run.path) as connection:
        connection.execute('UPDATE run SET versions = json_merge_patch(versions, \'{"reroll": "0.0.1"}\')')
    with pytest.raises(
        VerificationFailed, match=r"\(Reroll 0\.0\.1 made the run; the strategies of this one, "
    ):
        verify_run(Run(run.path), workers=1)


def test_equal_scores_have_the_ranks_that_the_rules_give_them() -> None:
    end = cast("State", SimpleNamespace(scores=(5, 5), ranks=(1, 1), parts=((), ())))
    seats = [(0, seat, "greedy", 5, seat + 1, 1 - seat) for seat in range(2)]
    with pytest.raises(VerificationFailed, match="ranks"):
        _check_end(end, GameRows((), seats, [], []))
