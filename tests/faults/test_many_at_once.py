"""Many processes use one library at once. None waits for another, none sees half a run, and no name is used twice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Final

import pytest

from pipelines.runs.library import Library, Run
from pipelines.runs.query import answer_query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.processes import StartProcess

PLAIN_RULES_ENVIRONMENT: Final = {**os.environ, "REROLL_KERNELS": "0"}
"""With the plain rules, which are slow enough to look at a run meanwhile."""

HOLD_FILE_SCRIPT: Final = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=True)
print(connection.execute("SELECT count(*) FROM games").fetchall()[0][0], flush=True)
sys.stdin.read()
print(connection.execute("SELECT count(*) FROM seats").fetchall()[0][0], flush=True)
"""
"""A DuckDB client that has a run file open until its stdin is closed."""

SAME_NAME_SCRIPT: Final = """
import sys
from pathlib import Path
from engine.catalogue import Catalogue
from pipelines.design.designs import design_simulation
from pipelines.simulate.simulate import simulate_run

planned = design_simulation(Catalogue().find_ruleset("bloxx-2p"), ["random", "random"], blocks=1)
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    print(simulate_run(planned, Path(sys.argv[1]) / "same.duckdb", workers=1).name, flush=True)
"""
"""Simulates several runs with the same wanted name, as runs that begin in the same second have it."""


@pytest.fixture
def start_program(start_process: StartProcess) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """A function that starts Python programs. Programs that still run at the end of the test are killed."""
    processes: list[subprocess.Popen[str]] = []

    def start_python(*words: str, environment: dict[str, str] | None = None) -> subprocess.Popen[str]:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        processes.append(start_process([sys.executable, *words], env=environment, **pipes))
        return processes[-1]

    yield start_python
    for process in processes:
        process.kill()
        process.communicate()


def check_all_runs(library: Library, before: int, games: int) -> int:
    """Read a library as a page, a notebook and a query do; check that every run is complete. Return their number."""
    assert not library.broken_files()
    runs = library.runs()
    for run in runs:
        expected = before if run.name == "before" else games
        assert run.summary.games == expected
        assert sum(run.arrow("SELECT count(*) AS n FROM games")["n"].to_pylist()) == expected
        assert [seat.seat for seat in run.list_seats(expected - 1)] == [0, 1]
    for partial in library.unfinished_runs():
        assert 0 <= partial.games_done <= games
    query = (
        "SELECT g.run, count(DISTINCT p.game_id) FROM games g JOIN plies p USING (run, game_id) GROUP BY ALL"
    )
    rows = answer_query(runs, query).rows
    assert dict(rows) == {run.name: run.summary.games for run in runs}  # every game is there, with its plies
    return len(runs)


@pytest.mark.parametrize(
    ("games", "most"),
    [
        (80, 4),
        pytest.param(1500, 8, marks=pytest.mark.night),
    ],
)
def test_simulations_and_readers_are_at_one_library_and_none_waits_or_sees_half_a_run(
    small_run: Run,
    memory_folder: Path,
    start_program: Callable[..., subprocess.Popen[str]],
    record_property: Callable[[str, object], None],
    games: int,
    most: int,
) -> None:
    library = Library(memory_folder)
    library.runs_folder.mkdir()
    before = library.runs_folder / "before.duckdb"
    shutil.copyfile(small_run.path, before)
    reader = start_program("-c", HOLD_FILE_SCRIPT, str(before))
    assert reader.stdout
    assert reader.stdout.readline() == "20\n"
    command = [
        "-m",
        "pipelines",
        "simulate",
        "bloxx-2p",
        "--strategies",
        "random,greedy",
        "--games",
        str(games),
    ]
    command += ["--workers", "1", "--data", str(memory_folder)]
    simulations = [
        start_program(*command, "--seed", str(seed), environment=PLAIN_RULES_ENVIRONMENT)
        for seed in range(most)
    ]
    looks = 0
    while any(process.poll() is None for process in simulations):
        check_all_runs(library, 20, games)
        looks += 1
        time.sleep(0.2)  # leave the processors to the simulations
    for process in simulations:
        errors = process.communicate()[1]
        assert process.returncode == 0, errors
    assert check_all_runs(library, 20, games) == 1 + most  # each has its own name
    assert not library.unfinished_runs()
    assert looks >= 2, "reading waited for the simulations"
    assert reader.poll() is None, "the file must be open all the time"
    assert reader.communicate("")[0] == "40\n"
    record_property("simulations", most)
    record_property("looks meanwhile", looks)


@pytest.mark.parametrize(
    ("processes", "each"),
    [
        (4, 3),
        pytest.param(8, 25, marks=pytest.mark.night),
    ],
)
def test_runs_that_are_begun_at_once_under_one_name_get_names_of_their_own(
    memory_folder: Path,
    start_program: Callable[..., subprocess.Popen[str]],
    record_property: Callable[[str, object], None],
    processes: int,
    each: int,
) -> None:
    started = [start_program("-c", SAME_NAME_SCRIPT, str(memory_folder), str(each)) for _ in range(processes)]
    for process in started:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    names: list[str] = []
    for process in started:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in started:
        out, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        names += out.split()
    assert len(names) == len(set(names)) == processes * each
    assert sorted(path.name for path in memory_folder.glob("[!.]*")) == sorted(
        f"{name}.duckdb" for name in names
    )
    assert all(Run(path).summary.games == 1 for path in memory_folder.glob("*.duckdb"))
    record_property("runs of one name", len(names))
