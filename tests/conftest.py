"""Fixtures of all tests: the shipped rulesets, and small runs of real games."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pytest
import typer.testing

from engine import games
from engine.catalogue import Catalogue
from engine.kernels.code_cache import kernel_cache_folder, prepare_numba
from engine.kernels.loader import can_compile_games, is_compiled
from pipelines.design.designs import design_simulation
from pipelines.runs.library import Library, Run
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.ruleset import Ruleset

pytest_plugins = ["tests.browser", "tests.examples", "tests.processes", "tests.tiers", "tests.durations"]

logging.getLogger("streamlit.runtime.caching.cache_data_api").addFilter(
    lambda record: "No runtime found" not in record.getMessage()  # tests import pages without a server
)

ROOT = Path(__file__).parents[1]
RunContents = dict[str, Any]

MEMORY_FOLDER: Final = Path("/dev/shm")  # noqa: S108 - a file system in memory, where fsync takes no time
MIN_FREE_MEMORY_BYTES: Final = 2 << 30
"""The temporary files of all tests take less than half of this."""


def pytest_configure() -> None:
    """Prepare this process, and with it the processes that tests start."""
    use_memory_for_temporary_files()
    if can_compile_games():
        prepare_numba()  # a test module that imports a kernel before would have it compiled again
    # a shell ignores SIGINT in its background jobs
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def use_memory_for_temporary_files() -> None:
    """Put all temporary files in memory, unless TMPDIR names a folder. On a slow disk, a small run takes four times as long."""
    if "TMPDIR" in os.environ or not os.access(MEMORY_FOLDER, os.W_OK):
        return
    may_run_programs = not os.statvfs(MEMORY_FOLDER).f_flag & os.ST_NOEXEC
    if may_run_programs and shutil.disk_usage(MEMORY_FOLDER).free >= MIN_FREE_MEMORY_BYTES:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY_FOLDER)


COMPILE_SCRIPT: Final = """
import sys
from engine.catalogue import Catalogue
from engine.kernels.loader import find_kernel

ruleset = next(one for one in Catalogue().rulesets.values() if one.game == sys.argv[1])
kernel = find_kernel(ruleset)
if kernel and "learned" in kernel.strategies:  # it is compiled by itself when it plays first
    kernel.play([[kernel.read_player("learned")] * ruleset.players], 0, range(1), logged=True)
"""
"""Compiles a game with all of its strategies."""


@pytest.hookimpl(optionalhook=True)  # a run without xdist has no such hook
def pytest_xdist_setupnodes() -> None:
    """Compile the games before the workers start, each in a process; otherwise each worker compiles all of them."""
    missing = [game for game in games.game_names() if can_compile_games() and not is_compiled(game)]
    processes = [
        subprocess.Popen([sys.executable, "-c", COMPILE_SCRIPT, game], cwd=ROOT)  # noqa: S603 - our own script
        for game in missing
    ]
    for process in processes:
        process.wait()


def pytest_collection_finish() -> None:
    """Keep all modules out of the garbage collections during the tests, which would look through them again and again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Undo this: DuckDB would report at the end of the process what was never collected."""
    gc.unfreeze()


@pytest.fixture(autouse=True)
def restore_main_module() -> Iterator[None]:
    """Restore `__main__` after a test: Streamlit puts the page there, and spawned processes would run the page."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session", autouse=True)
def build_commands_once() -> Iterator[None]:
    """Keep the command line that Typer builds: its runner builds all commands anew each time, as long as it runs one."""
    name = "_get_command"  # not documented; tested with Typer 0.29
    with pytest.MonkeyPatch.context() as patch:
        if build := getattr(typer.testing, name, None):
            patch.setattr(typer.testing, name, cache(build))
        yield


@pytest.fixture
def turn_to_train() -> Iterator[None]:
    """Let one worker after another train a strategy: the first compiles the training, for half a minute, and the others do not."""
    import fcntl  # Windows has none

    kernel_cache_folder().mkdir(parents=True, exist_ok=True)
    with (kernel_cache_folder() / "training.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The shipped rulesets."""
    return Catalogue()


@pytest.fixture(scope="session")
def play_run() -> Callable[..., None]:
    """Return a function that simulates a small run into a library."""

    def play_into_library(
        folder: Path, name: str, ruleset: str, *lineup: str, games: int = 24, log: str = "full", seed: int = 7
    ) -> None:
        design = design_simulation(
            Catalogue().find_ruleset(ruleset), lineup, games_at_least=games, seed=seed, log=log
        )
        simulate_run(design, folder / "runs" / f"{name}.duckdb", workers=1)

    return play_into_library


@pytest.fixture(scope="session")
def small_library(tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None]) -> Library:
    """Three small runs of real games. All tests share them, so no test may change them."""
    folder = tmp_path_factory.mktemp("library")
    play_run(folder, "three", "bloxx-3p", "greedy", "greedy", "random")
    play_run(folder, "hanging", "bloxx-touch-3p", "greedy", "greedy", "random")
    play_run(folder, "scores-only", "bloxx-2p", "greedy", "random", log="scores")
    return Library(folder)


@pytest.fixture(scope="session")
def library(small_library: Library) -> Library:
    """The three small runs; to the tests of the pipelines, which make runs of their own, an empty library."""
    return small_library


@pytest.fixture(scope="session")
def ruleset(catalogue: Catalogue) -> Ruleset:
    return catalogue.find_ruleset("bloxx-2p")


@pytest.fixture(scope="session")
def small_run(ruleset: Ruleset, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of 20 games. All tests share it, so no test may change it."""
    folder = tmp_path_factory.mktemp("library") / "runs"
    return simulate_run(
        design_simulation(ruleset, ["greedy", "random"], games_at_least=20, seed=7),
        folder / "made.duckdb",
        workers=1,
    )


@pytest.fixture(scope="session")
def damage_table() -> Callable[[Path, str], None]:
    """Return a function that changes a byte of a run file, so that DuckDB can open it but not read one of its tables."""

    def is_readable(path: Path, table: str) -> bool:
        try:
            with duckdb.connect(path, read_only=True) as connection:
                connection.execute(f"FROM {table}").fetchall()
        except duckdb.Error:
            return False
        return True

    def damage(path: Path, table: str) -> None:
        original = path.read_bytes()
        for position in range(len(original) - 1000, 1 << 14, -1 << 15):  # a small file has blocks of 32 kB
            path.write_bytes(original[:position] + bytes([original[position] ^ 1]) + original[position + 1 :])
            if not is_readable(path, table) and is_readable(path, "run") and is_readable(path, "actions"):
                return
        raise AssertionError(f"no byte belongs to {table} alone")

    return damage


@pytest.fixture(scope="session")
def read_contents() -> Callable[[Run], RunContents]:
    """Return a function that reads all tables of a run, except its times and its name, as Arrow tables: they compare quickly."""

    def read_tables(run: Run) -> RunContents:
        with run.connect() as connection:
            tables = [name for (name,) in connection.execute("SHOW TABLES").fetchall() if name != "run"]
            contents: RunContents = {
                # `log` is a join, whose order is undefined.
                table: connection.sql(
                    f"FROM {table}{' ORDER BY game_id, ply' if table == 'log' else ''}"
                ).to_arrow_table()
                for table in tables
                if table != "decision_times"
            }
            title, command, seed, document, versions, games = connection.execute(
                "SELECT title, command, seed, design, versions, games FROM run"
            ).fetchall()[0]
        return {**contents, "run": [(title, command, seed, document, versions, games)]}

    return read_tables
