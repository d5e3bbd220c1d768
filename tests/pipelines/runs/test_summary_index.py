"""The index of a library makes lists quick and changes no answer, whatever happens to it and to the files."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pipelines.runs import library as library_module
from pipelines.runs import run as run_module
from pipelines.runs.library import Library
from pipelines.runs.summary_index import INDEX_FILE, INDEX_FORMAT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.runs.run import Run
    from pipelines.runs.summary import RunSummary
    from pipelines.runs.summary_index import FileState, RunFacts


@pytest.fixture
def library(small_library: Library, tmp_path: Path) -> Library:
    """A copy of the small library."""
    shutil.copytree(small_library.runs_folder, tmp_path / "runs", copy_function=shutil.copyfile)
    return Library(tmp_path)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the run files that are opened to read their summaries."""
    names: list[str] = []
    read_facts = run_module._read_facts

    def read_and_count(path: Path, state: FileState) -> RunFacts:
        names.append(path.stem)
        return read_facts(path, state)

    monkeypatch.setattr(run_module, "_read_facts", read_and_count)
    return names


def list_summaries(library: Library) -> dict[str, RunSummary]:
    """Return the summaries of a library as a new process sees them."""
    run_module.known_facts.clear()
    library_module._last_scans.clear()
    return {run.name: run.summary for run in library.runs()}


def list_plainly(library: Library) -> dict[str, RunSummary]:
    """Return the same without any index."""
    run_module.known_facts.clear()
    return {path.stem: run_module.Run(path).summary for path in library.runs_folder.glob("*.duckdb")}


def test_a_list_opens_each_file_once_and_no_file_again(library: Library, opened: list[str]) -> None:
    first = list_summaries(library)
    assert sorted(opened) == sorted(first)
    opened.clear()
    assert list_summaries(library) == first
    assert [run.kind_spans for run in library.runs()] == [
        run_module.Run(run.path).kind_spans for run in library.runs()
    ]
    assert opened == []
    shutil.copyfile(library.runs_folder / "three.duckdb", library.runs_folder / "more.duckdb")
    assert list_summaries(library).keys() == {*first, "more"}
    assert opened == ["more"]
    (library.runs_folder / "more.duckdb").unlink()
    assert list_summaries(library) == first
    assert opened == ["more"]


def test_files_that_are_gone_are_forgotten(library: Library) -> None:
    names = list_summaries(library).keys()
    (library.runs_folder / "three.duckdb").rename(library.runs_folder / "other.duckdb")
    list_summaries(library)
    with sqlite3.connect(library.folder / INDEX_FILE) as connection:
        kept = {name for (name,) in connection.execute("SELECT name FROM runs")}
    assert kept == {f"{name}.duckdb" for name in (names - {"three"}) | {"other"}}


def write_rows(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    with sqlite3.connect(path) as connection:
        for name, document in connection.execute("SELECT name, document FROM runs").fetchall():
            changed = json.loads(document)
            change(changed)
            connection.execute("UPDATE runs SET document = ? WHERE name = ?", [json.dumps(changed), name])


@pytest.mark.parametrize(
    "damage", ["deleted", "truncated", "noise", "other version", "bad rows", "no JSON", "folder"]
)
def test_a_damaged_index_changes_no_answer(library: Library, damage: str) -> None:
    right, path = list_summaries(library), library.folder / INDEX_FILE
    content = path.read_bytes()
    if damage == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "noise":
        path.write_bytes(os.urandom(len(content)))
    elif damage == "other version":
        with sqlite3.connect(path) as connection:
            connection.execute(f"PRAGMA user_version = {INDEX_FORMAT + 1}")
            connection.execute("ALTER TABLE runs RENAME COLUMN document TO content")
    elif damage == "bad rows":
        write_rows(path, lambda document: document.update(title=3, seconds=None))
    elif damage == "no JSON":
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE runs SET document = '['")
    else:
        path.unlink()
    if damage == "folder":
        path.mkdir()
    assert list_summaries(library) == right
    assert list_summaries(library) == right  # what the first look wrote is right, too
    if damage != "folder":
        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (INDEX_FORMAT,)
            assert connection.execute("SELECT count(*) FROM runs").fetchone() == (len(right),)


def test_files_that_are_swapped_are_read_again(library: Library) -> None:
    """Also if they have the same size and the same time."""
    first = list_summaries(library)
    a, b = (library.runs_folder / f"{name}.duckdb" for name in ("three", "hanging"))
    for path in (a, b):
        with path.open("ab") as file:
            file.write(bytes(max(a.stat().st_size, b.stat().st_size) - path.stat().st_size))
        os.utime(path, ns=(1, 1))
    list_summaries(library)
    spare = a.with_suffix(".spare")
    a.rename(spare)
    b.rename(a)
    spare.rename(b)
    assert {run.name: run.summary for run in library.runs()} == list_plainly(library)  # in the same process
    swapped = list_summaries(library)
    assert swapped == list_plainly(library)
    assert swapped["three"].title == first["hanging"].title


def test_many_that_look_at_once_get_the_same(library: Library) -> None:
    right = list_plainly(library)
    run_module.known_facts.clear()
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda _: {run.name: run.summary for run in Library(library.folder).runs()}, range(24))
        )
    assert all(answer == right for answer in answers)


def test_a_library_that_cannot_be_written_is_listed(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr("pipelines.runs.summary_index.SummaryIndex._write_rows", refuse)
    assert list_summaries(library) == list_plainly(library)
    assert not (library.folder / INDEX_FILE).exists()


def test_what_is_read_of_a_file_does_not_depend_on_how_its_tables_are_described(
    small_run: Run, change_run: Callable[[str], Run]
) -> None:
    """A file of another program may have further columns and tables; it is checked column by column, with the same result."""
    facts = small_run.facts
    changed = change_run("ALTER TABLE seats ADD COLUMN more INTEGER; CREATE TABLE further (x INTEGER)")
    summary = replace(changed.summary, bytes=facts.summary.bytes)
    assert (summary, changed.facts.kind_spans) == (facts.summary, facts.kind_spans)


def test_a_list_that_is_no_longer_wanted_stops_reading(library: Library, opened: list[str]) -> None:
    for number in range(30):
        shutil.copyfile(library.runs_folder / "three.duckdb", library.runs_folder / f"copy-{number}.duckdb")
    steps = library.iter_reading()
    done, total = next(steps)
    assert (done, total) == (1, 33)
    next(steps)
    assert isinstance(steps, Generator)
    steps.close()
    assert len(opened) < total
