"""Packs answer as the run files do, whatever happens to the packs and to the run files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from engine.errors import InvalidError
from pipelines.runs import pack, query_process
from pipelines.runs import pack as packing_module
from pipelines.runs.attach import RunPool, connect_runs
from pipelines.runs.library import Library
from pipelines.runs.pack import PACK_SUFFIX, PACKS_FOLDER, look_up_sources, pack_runs
from pipelines.runs.query import answer_query
from pipelines.runs.schema import schema_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import duckdb

    from pipelines.runs.run import Run

    Tables = dict[str, list[tuple[Any, ...]]]


@pytest.fixture
def library(small_library: Library, tmp_path: Path) -> Library:
    """A copy of the small library."""
    shutil.copytree(small_library.runs_folder, tmp_path / "runs", copy_function=shutil.copyfile)
    return Library(tmp_path)


@pytest.fixture
def packing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even two runs are packed."""
    monkeypatch.setattr(pack, "FEW_RUNS", 1)
    monkeypatch.setattr(packing_module, "MAX_OPEN_RUNS", 1)


def read_rows(connection: duckdb.DuckDBPyConnection, table: str) -> list[tuple[Any, ...]]:
    return connection.execute(f"FROM {table}").fetchall()


def read_tables(runs: Sequence[Run]) -> Tables:
    """Return all rows of all tables, sorted."""
    with connect_runs(runs) as connection:
        return {table: sorted(read_rows(connection, table), key=repr) for table in schema_columns()}


def list_packs(library: Library) -> list[Path]:
    return sorted((library.runs_folder / PACKS_FOLDER).glob(f"*{PACK_SUFFIX}"))


def copy_run(library: Library, name: str, copy: str) -> Run:
    shutil.copyfile(library.runs_folder / f"{name}.duckdb", library.runs_folder / f"{copy}.duckdb")
    return library.run(copy)


def test_packs_have_the_rows_of_all_tables(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    right = read_tables(library.runs())
    assert not list_packs(library)  # a small library needs none
    monkeypatch.setattr(pack, "FEW_RUNS", 1)
    monkeypatch.setattr(packing_module, "MAX_OPEN_RUNS", 1)
    assert read_tables(library.runs()) == right
    sources = look_up_sources(library.runs())
    assert (sources.files, len(sources.packs), sources.unpacked) == ((), 1, ())
    newest = library.runs()[:2]
    names = {run.name for run in newest}
    only = {table: [row for row in rows if row[0] in names] for table, rows in right.items()}
    assert read_tables(newest) == only


@pytest.mark.slow
@pytest.mark.usefixtures("packing")
@pytest.mark.parametrize("damage", ["deleted", "truncated", "noise", "other version", "a block", "folder"])
def test_a_damaged_pack_changes_no_answer(library: Library, damage: str) -> None:
    right = read_tables(library.runs())
    (path,) = list_packs(library)
    content = path.read_bytes()
    if damage == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "noise":
        path.write_bytes(os.urandom(len(content)))
    elif damage == "a block":
        middle = len(content) // 2
        path.write_bytes(
            content[:middle]
            + bytes(byte ^ 255 for byte in content[middle : middle + 64])
            + content[middle + 64 :]
        )
    elif damage == "other version":
        path.rename(path.with_name("9-9.pack"))
    else:
        path.unlink()
    if damage == "folder":
        path.mkdir()
    pool = RunPool()
    for table, rows in right.items():
        found = pool.ask(read_rows, library.runs(), table)
        assert sorted(found, key=repr) == rows
    assert read_tables(library.runs()) == right


def test_a_damaged_pack_is_not_taken_into_another_one(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack, "FEW_RUNS", 0)
    list(pack_runs(library.runs()))
    (path,) = list_packs(library)
    content = bytearray(path.read_bytes())
    content[1 << 15 :: 512] = bytes(len(content[1 << 15 :: 512]))
    path.write_bytes(content)
    new = copy_run(library, "three", "new")
    list(pack_runs([new]))
    assert look_up_sources([new]).files == ()
    with connect_runs(library.runs()) as connection:
        assert dict(connection.execute("SELECT run, count(*) FROM games GROUP BY run").fetchall()) == {
            run.name: run.summary.games for run in library.runs()
        }


@pytest.mark.usefixtures("packing")
def test_a_damaged_pack_changes_no_answer_in_sql(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "pipelines.runs.query._run_query_process", lambda task, *_: query_process.run_query(task)
    )
    sql = "SELECT run, sum(hash(seats)) FROM seats GROUP BY run ORDER BY run"
    right = answer_query(library.runs(), sql)
    (path,) = list_packs(library)
    content = bytearray(path.read_bytes())
    content[len(content) // 8 :: 4096] = bytes(len(content[len(content) // 8 :: 4096]))
    path.write_bytes(content)
    assert answer_query(library.runs(), sql) == right


@pytest.mark.slow
@pytest.mark.usefixtures("packing")
def test_rows_of_files_that_changed_or_went_do_not_count(library: Library) -> None:
    """Also if a new file has the same name, size and time."""
    read_tables(library.runs())
    a, b = (library.runs_folder / f"{name}.duckdb" for name in ("three", "hanging"))
    for path in (a, b):
        with path.open("ab") as file:
            file.write(bytes(max(a.stat().st_size, b.stat().st_size) - path.stat().st_size))
        os.utime(path, ns=(1, 1))
    before = read_tables(library.runs())
    spare = a.with_suffix(".spare")
    a.rename(spare)
    b.rename(a)
    spare.rename(b)
    after = read_tables(library.runs())
    swap = {"three": "hanging", "hanging": "three"}
    assert after == {
        table: sorted(((swap.get(run, run), *row) for run, *row in rows), key=repr)
        for table, rows in before.items()
    }
    a.unlink()
    assert {run for run, *_ in read_tables(library.runs())["games"]} == {"hanging", "scores-only"}
    copy_run(library, "hanging", "again")
    games = read_tables(library.runs())["games"]
    assert [row for run, *row in games if run == "again"] == [row for run, *row in games if run == "hanging"]


@pytest.mark.slow
@pytest.mark.usefixtures("packing")
def test_a_run_that_is_damaged_is_in_no_pack_and_is_named(
    library: Library, damage_table: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "pipelines.runs.query._run_query_process", lambda task, *_: query_process.run_query(task)
    )
    damage_table(copy_run(library, "three", "damaged").path, "seats")
    answer = answer_query(library.runs(), "SELECT run, max(hash(seats)) FROM seats GROUP BY run ORDER BY run")
    assert [run for run, _ in answer.rows] == ["hanging", "scores-only", "three"]
    assert len(answer.left_out) == 1
    assert "damaged.duckdb" in answer.left_out[0]


@pytest.mark.slow
@pytest.mark.usefixtures("packing")
def test_many_that_pack_at_once_get_the_same(library: Library) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: read_tables(library.runs()), range(8)))
    assert all(answer == answers[0] for answer in answers)
    assert len(list_packs(library)) == 1


@pytest.mark.slow
def test_packs_stay_few_and_forget_what_is_gone(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack, "FEW_RUNS", 0)
    for number in range(6):
        copy_run(library, "three", f"copy-{number}")
        list(pack_runs(library.runs()))
        assert len(list_packs(library)) <= 3
    assert look_up_sources(library.runs()).files == ()
    for number in range(6):
        (library.runs_folder / f"copy-{number}.duckdb").unlink()
    copy_run(library, "hanging", "last")
    list(pack_runs(library.runs()))
    held = [number for path in list_packs(library) for number in pack._read_pack(path, 0).ids.values()]
    assert len(held) == len(set(held)) == len(library.runs())


@pytest.mark.usefixtures("packing")
def test_more_files_than_can_be_open_are_refused_in_one_line(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack, "MAX_PACKED_BYTES", 0)
    with pytest.raises(
        InvalidError, match="needs 3 run files at once, and at most 1 can be open; name the runs"
    ):
        connect_runs(library.runs())
    monkeypatch.undo()
    monkeypatch.setattr(pack, "FEW_RUNS", 1)
    monkeypatch.setattr(packing_module, "MAX_OPEN_RUNS", 1)
    (library.runs_folder / PACKS_FOLDER).rmdir() if (library.runs_folder / PACKS_FOLDER).exists() else None
    (library.runs_folder / PACKS_FOLDER).touch()
    with pytest.raises(InvalidError, match="cannot be packed"):
        connect_runs(library.runs())


@pytest.mark.usefixtures("packing")
def test_a_library_that_may_not_be_written_has_its_packs_in_the_cache_of_the_user(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(library.runs_folder.iterdir())
    expected = count_games(connect_runs(library.runs()))
    shutil.rmtree(library.runs_folder / PACKS_FOLDER)
    monkeypatch.setattr(
        "pipelines.runs.pack.platformdirs.user_cache_dir", lambda *_, **__: str(tmp_path / "cache")
    )
    monkeypatch.setattr(
        "pipelines.runs.pack.os.access", lambda path, _: library.folder not in (path, *path.parents)
    )
    for _ in range(2):
        with connect_runs(library.runs()) as connection:
            assert count_games(connection) == expected
    assert sorted(library.runs_folder.iterdir()) == before
    assert len(list((tmp_path / "cache").rglob(f"*{PACK_SUFFIX}"))) == 1


def count_games(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    return dict(connection.execute("SELECT run, count(*) FROM games GROUP BY run").fetchall())


def test_a_pool_keeps_the_last_connections_within_its_limits(
    small_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.runs.attach.MAX_OPEN_RUNS", 3)
    pool = RunPool()
    three, hanging = (small_library.run(name) for name in ("three", "hanging"))
    for _ in range(2):
        assert pool.ask(count_games, [three]) == {"three": 24}
        assert pool.ask(count_games, [three, hanging]) == {"three": 24, "hanging": 24}
        assert len(pool._held) == 2
    assert pool.ask(count_games, small_library.runs()) == {"three": 24, "hanging": 24, "scores-only": 24}
    assert len(pool._held) == 1


def test_a_pool_sees_a_file_that_was_replaced(library: Library) -> None:
    pool = RunPool()
    run = library.run("three")
    assert pool.ask(count_games, [run]) == {"three": 24}
    (library.runs_folder / "hanging.duckdb").rename(run.path)
    assert pool.ask(lambda con: con.execute("SELECT ruleset FROM rulesets").fetchall(), [run]) == [
        ("bloxx-touch-3p",)
    ]
    run.path.unlink()
    with pytest.raises(InvalidError, match="No such file"):
        pool.ask(count_games, [run])


@pytest.mark.usefixtures("packing")
def test_many_runs_are_packed_by_two_threads(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        copy_run(library, "three", f"copy-{number}")
    right = read_tables(library.runs()[:3]), read_tables(library.runs()[3:])
    shutil.rmtree(library.runs_folder / PACKS_FOLDER)
    monkeypatch.setattr(pack, "RUNS_PER_STEP", 3)
    stopped = pack_runs(library.runs())
    next(stopped)
    assert isinstance(stopped, Generator)
    stopped.close()
    assert [path.name for path in (library.runs_folder / PACKS_FOLDER).iterdir()] == ["lock"]
    assert list(pack_runs(library.runs()))[-1] == 7
    assert len(list_packs(library)) == 2
    assert (read_tables(library.runs()[:3]), read_tables(library.runs()[3:])) == right
    numbers = [number for path in pack.read_packs(library.runs_folder) for number in path.ids.values()]
    assert len(set(numbers)) == 7
