"""Small real runs that the tests of the pipelines share."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from pipelines.design import design
from pipelines.library import Library, Run
from pipelines.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset

Contents = dict[str, list[tuple[Any, ...]]]


@pytest.fixture(scope="session")
def ruleset(catalogue: Catalogue) -> Ruleset:
    return catalogue.find("bloxx-2p")


@pytest.fixture(scope="session")
def made(ruleset: Ruleset, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of 20 games, which no test may change."""
    folder = tmp_path_factory.mktemp("library") / "runs"
    return simulate(
        design(ruleset, ["greedy", "random"], games_at_least=20, seed=7), folder / "made.duckdb", workers=1
    )


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the plain rules play, here and in processes started from here: slow enough to be interrupted."""
    monkeypatch.setenv("REROLL_KERNELS", "0")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """An empty library."""
    return Library(tmp_path / "data")


@pytest.fixture
def changed(made: Run, tmp_path: Path) -> Callable[[str], Run]:
    """Return a copy of the run in which some SQL was executed."""

    def change(sql: str) -> Run:
        path = tmp_path / "changed.duckdb"
        shutil.copy(made.path, path)
        with duckdb.connect(path) as connection:
            connection.execute(sql)
        return Run(path)

    return change


@pytest.fixture(scope="session")
def contents() -> Callable[[Run], Contents]:
    """Return everything in a run, in its order, but when, where, how fast and in which portions it was made."""

    def read(run: Run) -> Contents:
        with run.connect() as connection:
            tables = [name for (name,) in connection.execute("SHOW TABLES").fetchall() if name != "run"]
            found = {
                # A view is a join: it promises no order of its own.
                table: connection.execute(
                    f"FROM {table}{' ORDER BY game_id, ply' if table == 'log' else ''}"
                ).fetchall()
                for table in tables
            }
            title, command, seed, document, versions, games = connection.execute(
                "SELECT title, command, seed, design, versions, games FROM run"
            ).fetchall()[0]
        document = {**json.loads(document), "shard_blocks": None}
        return {**found, "run": [(title, command, seed, document, versions, games)]}

    return read
