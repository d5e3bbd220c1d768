"""Simulations: the run has the games of the design, for any number of workers and after any kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine import games
from engine.errors import InvalidError
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from engine.strategy import Strategy
from pipelines.design.designs import design_simulation
from pipelines.runs.library import Library, Run
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run
from pipelines.simulate import shards
from pipelines.simulate.errors import PlayError, RunStopped
from pipelines.simulate.shards import play_shard
from pipelines.simulate.simulate import resume_run, simulate_run
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.luck import Source
    from engine.ruleset import Ruleset
    from engine.state import State
    from tests.processes import StartProcess

Contents = dict[str, Any]

DECIDE_RANDOMLY = read_player(games.find_game("bloxx"), "random").decide


def test_what_the_rules_play_is_what_the_run_holds(small_run: Run, ruleset: Ruleset) -> None:
    for game_id in (0, 7):
        block, rotation = divmod(game_id, 2)
        names = ["greedy", "random"] if rotation == 0 else ["random", "greedy"]
        deciders = [read_player(games.find_game(ruleset.game), name).decide for name in names]
        end, plies = play_out(games.start_state(ruleset), deciders, Luck(7, block))
        assert small_run.actions(game_id) == [ply.action for ply in plies]
        assert [seat.score for seat in small_run.list_seats(game_id)] == list(end.scores)
        assert [seat.rank for seat in small_run.list_seats(game_id)] == list(end.ranks)
        assert [seat.strategy for seat in small_run.list_seats(game_id)] == names
        game = small_run.game(game_id)
        assert (game.block, game.rotation, game.plies, game.logged) == (block, rotation, len(plies), True)
        with small_run.connect() as connection:
            rows = connection.execute(
                "SELECT round, seat, action, options, score, notation FROM log WHERE game_id = ? ORDER BY ply",
                [game_id],
            ).fetchall()
        assert rows == [(*ply, ruleset.action(ply.action).notation) for ply in plies]


def test_the_number_of_workers_changes_nothing(
    ruleset: Ruleset,
    tmp_path: Path,
    read_contents: Callable[[Run], Contents],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planned = design_simulation(ruleset, ["greedy", "random"], blocks=20, seed=5)
    alone = simulate_run(planned, tmp_path / "alone.duckdb", workers=1)
    monkeypatch.setattr(shards, "MOMENT_SECONDS", 0)
    pair = simulate_run(planned, tmp_path / "pair.duckdb", workers=2)
    assert read_contents(alone) == read_contents(pair)


def test_the_size_of_the_shards_changes_nothing(
    ruleset: Ruleset, tmp_path: Path, read_contents: Callable[[Run], Contents]
) -> None:
    planned = design_simulation(ruleset, ["random", "random"], blocks=30, seed=5)
    runs = [
        resume_run(
            begin_run(
                tmp_path / f"{size}.duckdb",
                planned.model_copy(update={"shard_blocks": size}),
                free_name=False,
            ),
            workers=1,
        )
        for size in (1, 7, 30)
    ]
    assert read_contents(runs[0]) == read_contents(runs[1]) == read_contents(runs[2])


@pytest.mark.parametrize(("kernels", "blocks"), [("0", 100), ("1", 3_000)], ids=["plain rules", "kernel"])
def test_a_killed_run_is_resumed_to_the_same_content(
    start_process: StartProcess,
    ruleset: Ruleset,
    library: Library,
    read_contents: Callable[[Run], Contents],
    monkeypatch: pytest.MonkeyPatch,
    kernels: str,
    blocks: int,
) -> None:
    monkeypatch.setenv("REROLL_KERNELS", kernels)
    command = [sys.executable, "-m", "pipelines", "simulate", ruleset.name, "--strategies", "greedy,random"]
    options = ["--blocks", str(blocks), "--seed", "9", "--workers", "2", "--data", str(library.folder)]
    library.runs_folder.mkdir(parents=True)
    partial = UnfinishedRun(library.runs_folder / "killed.partial")
    with start_process(
        [*command, *options, "--out", str(partial.target)], stderr=subprocess.DEVNULL
    ) as process:
        wait_until(lambda: len(partial.finished_shards) >= 1, process)
        assert _is_running(partial)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        workers = children.read_text().split() if children.exists() else []
        process.send_signal(signal.SIGKILL)
    assert not _is_running(partial)
    assert 0 < partial.games_done < partial.games
    assert not partial.target.exists()
    wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    resumed = resume_run(library.unfinished_run("killed"), workers=1)
    undisturbed = simulate_run(
        design_simulation(ruleset, ["greedy", "random"], blocks=blocks, seed=9),
        library.runs_folder / "calm.duckdb",
        workers=1,
    )
    assert read_contents(resumed) == read_contents(undisturbed)
    assert sorted(path.name for path in library.runs_folder.iterdir()) == ["calm.duckdb", "killed.duckdb"]


def _is_running(partial: UnfinishedRun) -> bool:
    return partial.is_running


def test_a_half_written_shard_is_played_again(ruleset: Ruleset, tmp_path: Path) -> None:
    planned = design_simulation(ruleset, ["random", "random"], blocks=4)
    partial = begin_run(tmp_path / "run.duckdb", planned, free_name=False)
    play_shard(partial.folder, planned.model_dump_json(), 1)
    rest = partial.folder / "writing" / "000002-1"
    rest.mkdir(parents=True)
    (rest / "plies.parquet").write_bytes(b"PAR1 and then the power failed")
    assert partial.finished_shards == {1}
    assert resume_run(partial, workers=1).summary.games == 4


@pytest.mark.usefixtures("plain_rules")
def test_a_cancelled_run_keeps_its_finished_shards_and_can_be_resumed(
    ruleset: Ruleset, tmp_path: Path
) -> None:
    def cancel(done: int, _games: int, _left: float | None) -> None:
        if done:
            UnfinishedRun(tmp_path / "run.partial").cancel()

    planned = design_simulation(ruleset, ["random", "random"], blocks=50)
    with pytest.raises(RunStopped) as stopped:
        simulate_run(planned, tmp_path / "run.duckdb", workers=1, progress=cancel)
    partial = stopped.value.partial
    assert 0 < partial.games_done < 50
    assert resume_run(partial, workers=1).summary.games == 50


def test_ctrl_c_is_told_as_a_stop(ruleset: Ruleset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "MOMENT_SECONDS", 0)

    def interrupt(done: int, _games: int, _left: float | None) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(RunStopped) as stopped:
        simulate_run(
            design_simulation(ruleset, ["random", "random"], blocks=20),
            tmp_path / "run.duckdb",
            workers=1,
            progress=interrupt,
        )
    assert stopped.value.partial.games_done > 0


def test_progress_tells_every_game_and_the_time_left(
    ruleset: Ruleset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "MOMENT_SECONDS", 0)
    reports: list[tuple[int, int, float | None]] = []
    simulate_run(
        design_simulation(ruleset, ["random", "random"], blocks=32),
        tmp_path / "run.duckdb",
        workers=1,
        progress=lambda *report: reports.append(report),
    )
    done = [games for games, _, _ in reports]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 32)
    assert len(reports) >= 16
    assert all(left is not None and left >= 0 for _, _, left in reports[1:])


def test_two_processes_cannot_be_at_one_run(ruleset: Ruleset, tmp_path: Path) -> None:
    partial = begin_run(
        tmp_path / "run.duckdb", design_simulation(ruleset, ["random", "random"], blocks=2), free_name=False
    )
    with partial.claim():
        assert partial.is_running
        with pytest.raises(InvalidError, match="run is running already"):
            resume_run(UnfinishedRun(partial.folder), workers=1)
        with pytest.raises(InvalidError, match="run is running; stop it first"):
            partial.remove()
    assert not partial.is_running


def test_a_name_is_never_given_twice(ruleset: Ruleset, tmp_path: Path) -> None:
    planned = design_simulation(ruleset, ["random", "random"], blocks=1)
    found: list[UnfinishedRun] = []
    threads = [
        threading.Thread(
            target=lambda: found.extend(
                begin_run(tmp_path / "run.duckdb", planned, free_name=True) for _ in range(5)
            )
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({partial.name for partial in found}) == 20
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        partial.folder.name for partial in found
    )


def test_a_run_never_replaces_another(ruleset: Ruleset, tmp_path: Path) -> None:
    planned = design_simulation(ruleset, ["random", "random"], blocks=1)
    first = simulate_run(planned, tmp_path / "run.duckdb", workers=1)
    before = first.path.read_bytes()
    second = simulate_run(planned, tmp_path / "run.duckdb", workers=1)
    assert second.name == "run-2"
    with pytest.raises(InvalidError, match="exists already"):
        simulate_run(planned, tmp_path / "run.duckdb", workers=1, free_name=False)
    partial = begin_run(tmp_path / "late.duckdb", planned, free_name=False)
    (tmp_path / "late.duckdb").write_bytes(b"somebody else was quicker")
    with pytest.raises(InvalidError, match="exists already"):
        resume_run(partial, workers=1)
    assert (tmp_path / "late.duckdb").read_bytes() == b"somebody else was quicker"
    assert first.path.read_bytes() == before


def test_a_run_that_was_killed_just_after_it_was_sealed_is_cleared_up(
    ruleset: Ruleset, tmp_path: Path
) -> None:
    planned = design_simulation(ruleset, ["random", "random"], blocks=1)
    partial = begin_run(tmp_path / "run.duckdb", planned, free_name=False)
    other = simulate_run(planned, tmp_path / "other.duckdb", workers=1)
    play_shard(partial.folder, planned.model_dump_json(), 0)
    other.path.rename(partial.target)
    os.link(partial.target, partial.folder / "sealed.duckdb")
    before = partial.target.read_bytes()
    assert resume_run(partial, workers=1).path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["run.duckdb"]


@pytest.mark.parametrize(("log", "logged"), [("scores", []), ("sample=0.5", [0, 1, 4, 5])])
def test_plies_are_kept_as_the_log_option_says(
    ruleset: Ruleset, tmp_path: Path, log: str, logged: list[int]
) -> None:
    run = simulate_run(
        design_simulation(ruleset, ["greedy", "random"], blocks=4, log=log),
        tmp_path / "run.duckdb",
        workers=1,
    )
    with run.connect() as connection:
        found = connection.execute("SELECT DISTINCT game_id FROM plies ORDER BY ALL").fetchall()
        lengths = connection.execute("SELECT min(plies) > 0, count(*) FROM games").fetchall()
    assert [game for (game,) in found] == logged
    assert lengths == [(True, 8)]
    assert run.list_seats(7)
    with pytest.raises(
        InvalidError, match=f"the moves of game 8 are not in run run: it was made with --log {log}"
    ):
        run.actions(7)


@pytest.mark.usefixtures("plain_rules")
def test_an_error_in_a_game_says_where_it_was(
    ruleset: Ruleset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_in_round_two(state: State, source: Source) -> int:
        if state.round == 2:
            raise ZeroDivisionError("division by zero")
        return source.choice(state.actions)

    monkeypatch.setattr(
        "engine.strategies.COMMON_STRATEGIES", (Strategy("random", "Fails.", lambda: fail_in_round_two),)
    )
    planned = design_simulation(ruleset, ["random", "random"], blocks=1, rotate=False)
    with pytest.raises(PlayError) as caught:
        simulate_run(planned, tmp_path / "run.duckdb", workers=1)
    played = play_out(games.start_state(ruleset), [DECIDE_RANDOMLY, DECIDE_RANDOMLY], Luck(0, 0))[1]
    ply = next(number for number, ply in enumerate(played) if ply.round == 2 and ply.seat >= 0)
    assert played[ply].seat == 0
    assert str(caught.value) == (
        f"random raised ZeroDivisionError (game 1, move {ply + 1}, round 3, player 1): division by zero"
    )
    assert caught.value.partial is None
    assert list(tmp_path.iterdir()) == []


def test_win_shares_of_every_game_add_up_to_one(small_run: Run) -> None:
    with small_run.connect() as connection:
        sums = connection.execute("SELECT DISTINCT sum(win_share) FROM seats GROUP BY game_id").fetchall()
    assert sums == [(1.0,)]


def test_a_simulation_goes_on_while_somebody_reads(small_run: Run, ruleset: Ruleset) -> None:
    """A dashboard that has every run open does not block a simulation, and it finds the new run."""
    library = Library(small_run.path.parent.parent)
    with small_run.connect() as reader:
        reader.execute("SELECT count(*) FROM plies")
        simulate_run(
            design_simulation(ruleset, ["random", "random"], blocks=2),
            library.runs_folder / "new.duckdb",
            workers=1,
        )
        assert [run.name for run in library.runs()] == ["new", "made"]
        assert reader.execute("SELECT count(*) FROM games").fetchall() == [(20,)]
    library.run("new").remove()


def test_an_unfinished_run_can_be_looked_at(ruleset: Ruleset, tmp_path: Path) -> None:
    planned = design_simulation(ruleset, ["random", "random"], blocks=4)
    partial = begin_run(tmp_path / "run.duckdb", planned, free_name=False)
    with pytest.raises(InvalidError, match="no finished games yet"):
        partial.connect()
    play_shard(partial.folder, planned.model_dump_json(), 0)
    with partial.connect() as connection:
        assert connection.execute("SELECT count(*) FROM seats JOIN games USING (game_id)").fetchall() == [
            (2,)
        ]
        kinds = connection.execute("SELECT DISTINCT action, kind FROM plies").fetchall()
    assert kinds
    assert all(ruleset.action(action).kind == kind for action, kind in kinds)
    assert (partial.games_done, partial.games) == (1, 4)
    assert os.listdir(partial.shards_folder) == ["000000"]  # noqa: PTH208 - only the names
