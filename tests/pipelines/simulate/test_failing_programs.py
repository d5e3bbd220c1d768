"""Programs that pass, resign, die or hang in the middle of games: the run stops, or random moves finish these games."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipelines.runs.library import Library, Run
from pipelines.simulate.verify import verify_run
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from typer.testing import Result

GTP_PROGRAM = Path(__file__).parents[2] / "engine" / "games" / "blokus" / "gtp_program.py"
FAULTS = {
    "pass": "answered 'genmove W' with 'pass', which is not a legal placement",
    "resign": "answered 'genmove W' with 'resign', which is not a legal placement",
    "crash": "ended with code 3 at 'genmove W'; its last words: ",
    "hang": "did not answer 'genmove W' in time",
}

pytestmark = pytest.mark.slow  # programs are started


def play(folder: Path, *options: object, failure: str, command: str = "simulate") -> Result:
    """Play two blocks: with an odd number of pieces on the board, the program is on turn in every second game only."""
    program = shlex.join([sys.executable, str(GTP_PROGRAM), *map(str, options)])
    player = f'gtp:command="{program}",seconds=1{failure},name="Engine"'
    lineup = [f"{player},greedy", "--blocks", 2] if command == "simulate" else [player, "greedy"]
    words = ["-s", *lineup] if command == "simulate" else [*lineup, "--blocks", 2]
    return run_reroll(
        command,
        "blokus-duo",
        *words,
        "--seed",
        3,
        "--workers",
        1,
        "--name",
        "run",
        "--data",
        folder,
        "--quiet",
    )


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The same games with a program that does not fail."""
    folder = tmp_path_factory.mktemp("sound")
    played = play(folder, failure="")
    assert played.exit_code == 0, played.output
    return Library(folder).run("run")


@pytest.mark.parametrize("fault", FAULTS)
def test_random_moves_finish_the_games_in_which_a_program_fails(
    fault: str, sound: Run, tmp_path: Path
) -> None:
    """The other games are those of the program, the run is whole, and everything that describes it counts the failures."""
    done = play(tmp_path, "--do", fault, "--pieces", 7, failure=",failure=random")
    assert done.exit_code == 0, done.output
    told = "Test Player 1.2; failed in 2 games, which random moves finished, first in game 2, move 8, round 4, player 2: "
    assert f"Engine: {told}the program {FAULTS[fault]}" in done.stdout
    run = Library(tmp_path).run("run")
    verify_run(run, workers=1)
    assert " ".join(told.split()[:8]) in " ".join(
        run_reroll("info", "run", "--data", tmp_path).stdout.split()
    )
    assert [run.actions(game) == sound.actions(game) for game in range(4)] == [True, False, True, False]
    assert run.actions(1)[:7] == sound.actions(1)[:7]
    times = run.arrow(
        "SELECT sum(decisions) FILTER (strategy = 'Engine') AS n FROM decision_times"
    ).to_pylist()
    assert times[0]["n"] < 60, "the moves of random are not timed as decisions of the program"


def test_a_program_that_fails_stops_the_run_unless_it_is_told_otherwise(tmp_path: Path) -> None:
    stopped = play(tmp_path, "--do", "pass", "--pieces", 7, failure="")
    assert stopped.exit_code == 1
    assert stopped.stderr.startswith("reroll: gtp:command=")
    assert (
        "failed (game 2, move 8, round 4, player 2): the program answered 'genmove W' with 'pass'"
        in stopped.stderr
    )
    assert (
        "; with failure=random after its command, a new run finishes such games with random moves"
        in stopped.stderr
    )


@pytest.mark.parametrize(
    ("command", "message"),
    [("no-such-program", "cannot be started"), (f"{sys.executable} -c pass", "ended with code 0 at 'name'")],
)
def test_a_program_that_cannot_play_at_all_stops_the_run(command: str, message: str, tmp_path: Path) -> None:
    stopped = run_reroll(
        "simulate", "blokus-duo", "-s", f'gtp:command="{command}",failure=random,greedy', "--games", 2,
        "--data", tmp_path, "--quiet",
    )  # fmt: skip
    assert stopped.exit_code == 1
    assert message in stopped.stderr
    assert "failure=random after" not in stopped.stderr
    assert not list((tmp_path / "runs").iterdir())


def test_a_comparison_warns_of_the_games_in_which_a_program_failed(tmp_path: Path) -> None:
    compared = play(tmp_path, "--do", "resign", "--pieces", 7, failure=",failure=random", command="compare")
    assert compared.exit_code == 0, compared.output
    shown = run_reroll("compare", "--run", "run", "--data", tmp_path).stderr
    assert "Engine: Test Player 1.2; failed in 2 games, which random moves finished" in " ".join(
        shown.split()
    )
