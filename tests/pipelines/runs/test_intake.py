"""Runs get other names, and files from elsewhere are taken in only when they are what they say."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import duckdb
import pytest

from engine.game import InvalidError
from pipelines.runs import intake as shelf
from pipelines.runs.intake import Intake, free_name, renamed, take_in
from pipelines.runs.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, played: Callable[..., None]) -> Library:
    """Two runs of real games; read only."""
    folder = tmp_path_factory.mktemp("shelf")
    played(folder, "three", "bloxx-3p", "greedy", "greedy", "random")
    played(folder, "hanging", "bloxx-touch-3p", "greedy", "greedy", "random", games=3)
    return Library(folder)


@pytest.fixture
def place(tmp_path: Path) -> Library:
    """An empty library."""
    return Library(tmp_path)


@pytest.fixture
def stocked(library: Library, place: Library) -> Library:
    """A library of two runs."""
    shutil.copytree(library.runs_folder, place.runs_folder)
    return place


def left_over(place: Library) -> list[str]:
    return [path.name for path in place.runs_folder.glob(".*")]


def test_a_run_gets_another_name_and_keeps_its_games(stocked: Library) -> None:
    run = stocked.run("three")
    found = renamed(stocked, run, "My_first.run-1")
    assert found.summary.games == 24
    assert {one.name for one in stocked.runs()} >= {"My_first.run-1"}
    assert not run.path.exists()


@pytest.mark.parametrize("name", ["", "../out", "a/b", ".hidden", "-x", "a b", "x" * 81, "naïve", "a\n"])
def test_a_name_that_is_none_is_refused(stocked: Library, name: str) -> None:
    with pytest.raises(InvalidError, match="no name for a run"):
        renamed(stocked, stocked.run("three"), name)
    assert stocked.run("three").summary.games == 24


def test_a_name_that_is_taken_is_refused(stocked: Library) -> None:
    with pytest.raises(InvalidError, match="there is a run hanging already"):
        renamed(stocked, stocked.run("three"), "hanging")
    assert stocked.run("hanging").summary.rulesets[0].name == "bloxx-touch-3p"


def checked(intake: Intake) -> str | None:
    fault = intake.fault
    assert intake.is_checked
    return fault


def test_a_good_file_is_taken_in_under_a_free_name(stocked: Library) -> None:
    intake = take_in(stocked, "three.duckdb", stocked.run("three").path.read_bytes())
    assert checked(intake) is None
    run = intake.kept()
    assert (run.name, run.summary.games) == ("three-2", 24)
    assert left_over(stocked) == []


def test_a_file_whose_games_were_changed_is_refused_with_the_place(library: Library, place: Library) -> None:
    place.runs_folder.mkdir()
    copy = shutil.copy(library.run("three").path, place.folder / "three.duckdb")
    with duckdb.connect(str(copy)) as con:
        con.execute("UPDATE ply_rows SET score = score + 1 WHERE game_id = 3 AND ply = 5")
    intake = take_in(place, "three.duckdb", (place.folder / "three.duckdb").read_bytes())
    fault = checked(intake)
    assert fault is not None
    assert fault.startswith("game 3, ply 5: score: the file has")
    intake.discard()
    assert place.runs() == []
    assert left_over(place) == []


def test_a_database_that_is_no_run_is_refused(place: Library, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "other.duckdb")) as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS a")
    intake = take_in(place, "other.duckdb", (tmp_path / "other.duckdb").read_bytes())
    assert checked(intake) == "no run file: no table actions"
    intake.discard()
    assert left_over(place) == []


def test_what_is_no_database_is_refused_at_once(place: Library) -> None:
    with pytest.raises(InvalidError, match="it is not a DuckDB database"):
        take_in(place, "notes.duckdb", b"Dear diary, " * 500)
    assert not place.runs_folder.exists()


def test_a_broken_database_is_refused(library: Library, place: Library) -> None:
    content = bytearray(library.run("three").path.read_bytes())
    content[4096 : len(content) // 2] = bytes(len(content) // 2 - 4096)
    intake = take_in(place, "three.duckdb", bytes(content))
    assert checked(intake)
    intake.discard()
    assert left_over(place) == []


def test_a_file_that_is_too_large_is_refused(place: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "MOST_MEGABYTES", 0)
    with pytest.raises(InvalidError, match="are too many here"):
        take_in(place, "three.duckdb", b"x" * 20)


def test_a_check_that_takes_too_long_is_ended(
    library: Library, place: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "PATIENCE", 0.0)
    intake = take_in(place, "three.duckdb", library.run("three").path.read_bytes())
    assert intake.is_checked
    assert intake.fault == "the check did not end within 0 seconds"
    intake.discard()


@pytest.mark.parametrize("name", ["../../evil.duckdb", "a b?.duckdb", ".duckdb", "..", "x" * 300])
def test_names_of_files_never_lead_out_of_the_library(place: Library, name: str) -> None:
    found = free_name(place, name)
    assert shelf._NAME.fullmatch(found)
