"""Fixtures of the tests of the pipelines."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import duckdb
import pytest

from pipelines.runs.library import Library, Run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def plain_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play by the plain rules, also in child processes: slow enough for a test to interrupt."""
    monkeypatch.setenv("REROLL_KERNELS", "0")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """An empty library."""
    return Library(tmp_path / "data")


@pytest.fixture
def change_run(small_run: Run, tmp_path: Path) -> Callable[[str], Run]:
    """Return a function that executes SQL in a copy of the small run and returns the copy."""

    def change_copy(sql: str) -> Run:
        path = tmp_path / "changed.duckdb"
        shutil.copyfile(small_run.path, path)
        with duckdb.connect(path) as connection:
            connection.execute(sql)
        return Run(path)

    return change_copy
