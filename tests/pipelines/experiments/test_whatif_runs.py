"""Runs of what-if questions: the continuations of both branches are stored as games."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from engine import games
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from pipelines.design.designs import design_simulation, read_design
from pipelines.experiments.fork import Change, fork_logged_game
from pipelines.experiments.whatif import play_whatif, saved_run_design
from pipelines.simulate.errors import VerificationFailed
from pipelines.simulate.simulate import simulate_run
from pipelines.simulate.verify import verify_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.experiments.whatif import WhatIf
    from pipelines.runs.run import Run

RULESETS = ("bloxx-2p", "blokus-duo", "blokus-dice-2p", "spexxx-children-2p")


def play_answer(run: Run, ply: int, change: Change, n: int = 20) -> WhatIf:
    *_, found = play_whatif(fork_logged_game(run, 1, ply, change), n=n, seed=9)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", RULESETS)
def test_the_games_of_a_saved_answer_are_its_continuations(name: str, tmp_path: Path) -> None:
    """The games of both branches include the plies before the fork, can be replayed and pass verification."""
    parent = simulate_run(
        design_simulation(Catalogue().find_ruleset(name), ["greedy", "greedy"], blocks=2, seed=3),
        tmp_path / "p.duckdb",
        workers=1,
    )
    found = play_answer(parent, parent.game(1).plies // 2, Change({1: "random"}))
    kept = simulate_run(saved_run_design(found, parent.name, "kept"), tmp_path / "kept.duckdb", workers=1)
    verify_run(kept, workers=1)
    assert kept.summary.kind == "whatif"
    assert kept.summary.games == 40
    for number in (0, 7, 19):
        for rotation, (branch, ends) in enumerate(
            ((found.fork.base, found.base), (found.fork.changed, found.changed))
        ):
            game = 2 * number + rotation
            assert kept.actions(game) == [*branch.actions, *ends.game_actions(number)]
            assert [seat.score for seat in kept.list_seats(game)] == ends.scores[number].tolist()
            assert [seat.strategy for seat in kept.list_seats(game)] == [
                player.name for player in branch.seating
            ]
            assert len(kept.scene(game)["steps"]) == kept.game(game).plies


def test_the_plain_rules_save_the_same_games(
    small_run: Run, tmp_path: Path, read_contents: Callable[[Run], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = saved_run_design(play_answer(small_run, 20, Change({0: "random"}), n=6), small_run.name, "kept")
    by_kernel = simulate_run(planned, tmp_path / "a.duckdb", workers=1)
    monkeypatch.setenv("REROLL_KERNELS", "0")
    by_rules = simulate_run(planned, tmp_path / "a.duckdb", workers=1)
    assert read_contents(by_kernel)["games"] == read_contents(by_rules)["games"]  # type: ignore[index]
    assert read_contents(by_kernel)["plies"] == read_contents(by_rules)["plies"]  # type: ignore[index]
    verify_run(by_rules, workers=1)


@pytest.mark.parametrize("change", [Change(), Change(action="?"), Change({0: "noisy", 1: "random"})])
def test_answers_to_other_questions_are_saved_too(small_run: Run, tmp_path: Path, change: Change) -> None:
    """A question about luck has one branch; a changed ply belongs to the prefix, even if it is the last ply."""
    ply = 20
    if change.action:
        ply = -1
        change = Change(action=small_run.ruleset("bloxx-2p").action(small_run.actions(1)[-1]).notation)
    found = play_answer(small_run, ply, change, n=5)
    planned = saved_run_design(found, small_run.name, "kept")
    kept = simulate_run(planned, tmp_path / "kept.duckdb", workers=1)
    verify_run(kept, workers=1)
    scores = planned.model_copy(update={"log": "scores"})
    checked = verify_run(simulate_run(scores, tmp_path / "scores.duckdb", workers=1), workers=1)
    assert (checked.replayed, checked.played_again, checked.unchecked) == (0, kept.summary.games, 0)
    assert kept.summary.games == (10 if change else 5)
    assert f"whatif made --game 2 --move {found.fork.ply + 1} " in kept.summary.command
    assert kept.summary.command.endswith("--name kept --seed 9 --continuations 5")
    branches = kept.summary.games // 5
    assert kept.actions(branches * 4 + branches - 1)[: len(found.fork.changed.actions)] == list(
        found.fork.changed.actions
    )


def test_verify_finds_a_game_that_does_not_begin_like_its_parent(small_run: Run, tmp_path: Path) -> None:
    planned = saved_run_design(play_answer(small_run, 20, Change({0: "random"}), n=3), small_run.name, "kept")
    kept = simulate_run(planned, tmp_path / "kept.duckdb", workers=1)
    game = games.find_game("bloxx").start(planned.rules)
    assert game.actions
    prefix = list(planned.fork.prefixes[0])
    prefix[0] = next(one for one in game.actions if one != prefix[0])
    other = planned.model_copy(
        update={
            "fork": planned.fork.model_copy(update={"prefixes": (tuple(prefix), planned.fork.prefixes[1])})
        }
    )
    import duckdb

    kept.path.chmod(0o644)
    with duckdb.connect(kept.path) as connection:
        connection.execute("UPDATE run SET design = ?", [other.model_dump_json()])
    with pytest.raises(VerificationFailed, match="game 1"):
        verify_run(kept, workers=1)


def test_an_answer_that_cannot_be_saved_is_refused(small_run: Run) -> None:
    found = play_answer(small_run, 20, Change(options={"gap_penalty": 2}), n=3)
    with pytest.raises(InvalidError, match="a run has one ruleset"):
        saved_run_design(found, small_run.name, "kept")
    document = json.loads(
        saved_run_design(play_answer(small_run, 20, Change(), n=3), small_run.name, "kept").model_dump_json()
    )
    for wrong in ({"kind": "simulate"}, {"blocks": 4}, {"seatings": [[0, 0], [0, 0]]}):
        with pytest.raises(InvalidError, match="not the design of a run"):
            read_design(json.dumps({**document, **wrong}), "here")
