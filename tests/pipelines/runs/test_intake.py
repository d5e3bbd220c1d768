"""Runs are renamed, and uploaded files are added to the library only if a check finds no fault."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import duckdb
import pytest

from engine.errors import InvalidError
from pipelines.runs import intake as intake_module
from pipelines.runs.intake import Intake, rename_run, start_intake
from pipelines.runs.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None]) -> Library:
    """Two runs of real games; read only."""
    folder = tmp_path_factory.mktemp("library")
    play_run(folder, "three", "bloxx-3p", "greedy", "greedy", "random")
    play_run(folder, "hanging", "bloxx-touch-3p", "greedy", "greedy", "random", games=3)
    return Library(folder)


@pytest.fixture
def empty_library(tmp_path: Path) -> Library:
    """An empty library."""
    return Library(tmp_path)


@pytest.fixture
def stocked_library(library: Library, empty_library: Library) -> Library:
    """A library of two runs."""
    shutil.copytree(library.runs_folder, empty_library.runs_folder, copy_function=shutil.copyfile)
    return empty_library


def leftover_files(place: Library) -> list[str]:
    return [path.name for path in place.runs_folder.glob(".*")]


def test_a_renamed_run_keeps_its_games(stocked_library: Library) -> None:
    run = stocked_library.run("three")
    renamed = rename_run(stocked_library, run, "My_first.run-1")
    assert renamed.summary.games == 24
    assert {other.name for other in stocked_library.runs()} >= {"My_first.run-1"}
    assert not run.path.exists()


@pytest.mark.parametrize("name", ["", "../out", "a/b", ".hidden", "-x", "a b", "x" * 81, "naïve", "a\n"])
def test_an_invalid_run_name_is_refused(stocked_library: Library, name: str) -> None:
    with pytest.raises(InvalidError, match="cannot be the name of a run"):
        rename_run(stocked_library, stocked_library.run("three"), name)
    assert stocked_library.run("three").summary.games == 24


def test_a_name_that_is_taken_is_refused(stocked_library: Library) -> None:
    with pytest.raises(InvalidError, match="there is a run hanging already"):
        rename_run(stocked_library, stocked_library.run("three"), "hanging")
    assert stocked_library.run("hanging").summary.rulesets[0].name == "bloxx-touch-3p"


def wait_for_fault(intake: Intake) -> str | None:
    fault = intake.fault
    assert intake.is_checked
    return fault


def test_the_check_of_a_file_runs_no_code_of_others(
    empty_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REROLL_OWN", "1")
    started: dict[str, dict[str, str]] = {}
    monkeypatch.setattr(subprocess, "Popen", lambda _, **options: started.update(options))
    start_intake(empty_library, "three.duckdb", b"--------DUCK")
    assert started["env"]["REROLL_OWN"] == "0"


@pytest.mark.slow
def test_a_good_file_is_added_under_a_free_name(stocked_library: Library) -> None:
    intake = start_intake(stocked_library, "three.duckdb", stocked_library.run("three").path.read_bytes())
    assert wait_for_fault(intake) is None
    run = intake.add_to_library()
    assert (run.name, run.summary.games) == ("three-2", 24)
    assert not run.path.stat().st_mode & 0o222
    assert leftover_files(stocked_library) == []


def test_a_file_whose_games_were_changed_is_refused_with_the_place(
    library: Library, empty_library: Library
) -> None:
    empty_library.runs_folder.mkdir()
    copy = shutil.copyfile(library.run("three").path, empty_library.folder / "three.duckdb")
    with duckdb.connect(str(copy)) as con:
        con.execute("UPDATE ply_rows SET score = score + 1 WHERE game_id = 3 AND ply = 5")
    intake = start_intake(empty_library, "three.duckdb", (empty_library.folder / "three.duckdb").read_bytes())
    fault = wait_for_fault(intake)
    assert fault is not None
    assert fault.startswith("game 4, move 6: score: the file has")
    intake.discard()
    assert empty_library.runs() == []
    assert leftover_files(empty_library) == []


def test_a_database_that_is_not_a_run_is_refused(empty_library: Library, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "other.duckdb")) as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS a")
    intake = start_intake(empty_library, "other.duckdb", (tmp_path / "other.duckdb").read_bytes())
    assert wait_for_fault(intake) == "not a run file: no table run"
    intake.discard()
    assert leftover_files(empty_library) == []


def test_a_file_that_is_not_a_database_is_refused_at_once(empty_library: Library) -> None:
    with pytest.raises(InvalidError, match="it is not a DuckDB file"):
        start_intake(empty_library, "notes.duckdb", b"Dear diary, " * 500)
    assert not empty_library.runs_folder.exists()


def test_a_broken_database_is_refused(library: Library, empty_library: Library) -> None:
    content = bytearray(library.run("three").path.read_bytes())
    content[4096 : len(content) // 2] = bytes(len(content) // 2 - 4096)
    intake = start_intake(empty_library, "three.duckdb", bytes(content))
    assert wait_for_fault(intake)
    intake.discard()
    assert leftover_files(empty_library) == []


def test_a_file_that_is_too_large_is_refused(empty_library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake_module, "MAX_UPLOAD_MEGABYTES", 0)
    with pytest.raises(InvalidError, match="can be uploaded"):
        start_intake(empty_library, "three.duckdb", b"x" * 20)


def test_a_check_that_takes_too_long_is_killed(
    library: Library, empty_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake_module, "CHECK_TIMEOUT_SECONDS", 0.0)
    intake = start_intake(empty_library, "three.duckdb", library.run("three").path.read_bytes())
    assert intake.is_checked
    assert intake.fault == "the check did not end within 0 seconds"
    intake.discard()
