"""One strategy or one run is pinned, for every window and the command line at once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from engine.errors import InvalidError
from pipelines.notes.baseline import Baseline, BaselineStore, run_baseline, strategy_baseline
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.runs.library import Library

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.runs.run import Run


def test_the_last_pin_counts_until_it_is_unpinned(tmp_path: Path) -> None:
    here, elsewhere = BaselineStore(tmp_path), BaselineStore(tmp_path)
    here.unpin()
    assert here.read_baseline() is None
    assert not any(tmp_path.iterdir())
    here.pin(strategy_baseline("noisy:sigma=3"))
    elsewhere.pin(strategy_baseline("<b>'; DROP TABLE baseline; --"))
    assert here.read_baseline() == Baseline("strategy", "<b>'; DROP TABLE baseline; --")
    here.unpin()
    assert elsewhere.read_baseline() is None


def test_a_pinned_run_is_found_under_its_new_name(small_run: Run, tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.runs_folder.mkdir()
    for name in ("one", "two"):
        (library.runs_folder / f"{name}.duckdb").symlink_to(small_run.path)
    BaselineStore(tmp_path).pin(run_baseline(library.run("two")))
    baseline = BaselineStore(tmp_path).read_baseline()
    assert baseline

    def found_name() -> str | None:
        run = baseline.find_run(library.runs())
        return run.name if run else None

    assert found_name() == "two"
    (library.runs_folder / "two.duckdb").rename(library.runs_folder / "three.duckdb")
    (library.runs_folder / "one.duckdb").unlink()
    assert found_name() == "three"
    (library.runs_folder / "three.duckdb").unlink()
    assert found_name() is None


def test_a_file_made_before_there_were_baselines_is_read_and_gets_one(tmp_path: Path) -> None:
    notes, baselines = NoteStore(tmp_path), BaselineStore(tmp_path)
    kept = notes.add(NotePlace("run", "scores"), NoteContent("from before"))
    with closing(sqlite3.connect(notes.path)) as connection:
        connection.executescript("DROP TABLE orders; DROP TABLE baseline")
        connection.execute("PRAGMA user_version = 1")
    assert baselines.read_baseline() is None
    assert notes.search(NoteFilter()).notes == (kept,)
    baselines.pin(strategy_baseline("greedy"))
    assert baselines.read_baseline() == Baseline("strategy", "greedy")
    assert notes.search(NoteFilter()).notes == (kept,)


@pytest.mark.parametrize("name", ["", " ", "x" * 2001])
def test_a_name_that_no_strategy_has_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidError, match=r"a baseline has a name|at most 2,000 are possible"):
        BaselineStore(tmp_path).pin(strategy_baseline(name))
