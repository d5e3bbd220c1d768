"""Packs: files that hold the tables of many small runs, so that a question about a thousand runs opens few files.

A pack is a copy and holds nothing of its own: deleting it costs time only. Its rows count for a run as long as the
run file has not changed, which its size, its inode and its times tell (`FileState`). A pack never changes: a new one takes
the place of those that it outgrows. Runs that are large or cannot be read are in no pack.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import time
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from types import MappingProxyType
from typing import Final, NamedTuple
from uuid import uuid4

import duckdb
import platformdirs

from engine.errors import InvalidError
from engine.file_limits import check_regular_file
from engine.wording import format_count
from pipelines.runs.names import RUN_SUFFIX
from pipelines.runs.run import READER_MEMORY_LIMIT, Run, attach_for_reading, quote_path
from pipelines.runs.schema import OFFLINE_SETTINGS, schema_columns, table_query
from pipelines.runs.summary_index import FileState
from pipelines.runs.working_folder import outside_deleted_folder

PACKS_FOLDER: Final = "packs"
"""The folder of the packs, beside the run files; or in the user's cache folder for a library that may not be written."""
PACK_FORMAT: Final = 1
"""It grows when packs mean something else; those of another format are not read."""
PACK_SUFFIX: Final = f".{PACK_FORMAT}-{duckdb.__version__}.pack"
MAX_OPEN_RUNS: Final = 48
"""Run files that one connection opens at most."""
MAX_UNPACKED_RUNS: Final = 32
"""With more small runs that are in no pack, the dashboard packs them in the background, which takes 0.02 s for each."""
FEW_RUNS: Final = 8
"""So few runs are read from their own files."""
MAX_PACKED_BYTES: Final = 32 << 20


class Pack(NamedTuple):
    """A pack and what it holds."""

    path: Path
    ids: Mapping[str, int]
    """By the state of a run file, the number of its rows; negative if the run could not be copied."""


class RunSources(NamedTuple):
    """From which files some runs are read."""

    files: tuple[Run, ...] = ()
    packs: Mapping[Path, Sequence[tuple[int, str]]] = MappingProxyType({})
    """By pack, the numbers of the rows that count and the names of their runs."""
    unpacked: tuple[Run, ...] = ()
    """Those of the files that a pack could hold."""


def look_up_sources(runs: Sequence[Run]) -> RunSources:
    """Return from which files some runs are read as things are now, however many there are."""
    if len(runs) <= FEW_RUNS:
        return RunSources(tuple(runs))
    folder = runs[0].path.parent
    packs = read_packs(folder)
    rows_by_pack: dict[Path, list[tuple[int, str]]] = {pack.path: [] for pack in packs}
    files, unpacked = [], []
    for run in runs:
        state = write_state(run.path) if run.path.parent == folder else ""
        pack = next((pack for pack in packs if state in pack.ids), None)
        if pack and pack.ids[state] >= 0:
            rows_by_pack[pack.path].append((pack.ids[state], run.name))
            continue
        files.append(run)
        if state and not pack and run.summary.bytes <= MAX_PACKED_BYTES:
            unpacked.append(run)
    chosen = {path: rows for path, rows in rows_by_pack.items() if rows}
    return RunSources(tuple(files), chosen, tuple(unpacked))


def drop_damaged_packs(packs: Iterable[Path]) -> bool:
    """Delete those of some packs that cannot be read. Return whether one was damaged or has gone, so that asking again helps."""
    is_changed = False
    for path in packs:
        try:
            with attach_for_reading(path) as (connection, name):
                for table in pack_columns():
                    connection.execute(f"SELECT max(hash(t)) FROM {name}.main.{table} AS t").fetchall()  # noqa: S608 - names of the schema
        except InvalidError:
            with suppress(OSError):
                path.unlink(missing_ok=True)
                is_changed = True
    return is_changed


@lru_cache(maxsize=1)
def pack_columns() -> dict[str, str]:
    """Return the columns of every table of a pack, as SQL. The plies of a pack have their kinds."""
    return {
        table: ", ".join(f'"{column}"' for column in columns if column != "run")
        for table, columns in schema_columns().items()
        if table not in {"ply_rows", "log"}
    }


def packed_query(table: str, number: int) -> str:
    """Return the query of a table of the schema, other than `log`, over a pack that is attached as `p` and its number.

    The table `chosen.main.p` and the number holds which of its rows count and the names of their runs.
    """
    columns = ", ".join(f'"{column}"' for column in schema_columns()[table] if column != "run")
    stored = "plies" if table == "ply_rows" else table
    return f"SELECT c.run, {columns} FROM p{number}.main.{stored} JOIN chosen.main.p{number} AS c USING (id)"  # noqa: S608 - names of the schema


def find_packs_folder(folder: Path) -> Path:
    """Return where packs of the runs in a folder are written."""
    beside = folder / PACKS_FOLDER
    if os.access(beside if beside.exists() else folder, os.W_OK):
        return beside
    key = hashlib.sha256(os.fsencode(folder.absolute())).hexdigest()[:16]
    return Path(platformdirs.user_cache_dir("reroll", appauthor=False)) / PACKS_FOLDER / key


def read_packs(folder: Path) -> list[Pack]:
    """Return the packs of the run files in a folder; delete those that cannot be read."""
    packs = []
    places = dict.fromkeys((folder / PACKS_FOLDER, find_packs_folder(folder)))
    for path in chain.from_iterable(sorted(place.glob(f"*{PACK_SUFFIX}")) for place in places):
        pack = None
        with suppress(OSError, InvalidError):
            check_regular_file(path)
            status = path.stat()
            if path.name.partition("-")[0] == str(status.st_size):
                pack = _read_pack(path, status.st_mtime_ns)
        if pack:
            packs.append(pack)
        else:
            with suppress(OSError):
                path.unlink(missing_ok=True)
    return packs


@lru_cache(maxsize=64)
def _read_pack(path: Path, _changed: int) -> Pack:
    with attach_for_reading(path) as (connection, name):
        rows = connection.execute(f"SELECT state::VARCHAR, id::INTEGER FROM {name}.main.packed").fetchall()  # noqa: S608 - our name
    return Pack(path, dict(rows))


def write_state(path: Path) -> str:
    """Return what tells whether a file has changed; empty if the file does not exist."""
    try:
        return json.dumps(FileState.of(path))
    except OSError:
        return ""


MAX_PACKED_ROWS: Final = 5_000_000
"""A small file may hold many rows, all alike."""
RUNS_PER_STEP: Final = 48
PACKING_THREADS: Final = 2
UNUSED_SECONDS: Final = 30 * 24 * 3600.0
"""A pack that another version has written is deleted after this time: two versions may use one library in turn."""

_logger: Final = logging.getLogger(__name__)


def find_sources(runs: Sequence[Run]) -> RunSources:
    """Return from which files some runs are read. If these are too many, runs that are in no pack are packed first.

    Raises InvalidError if more files would be open than `MAX_OPEN_RUNS`, and if a file is not a run file.
    """
    sources = look_up_sources(runs)
    reason = ""
    if len(sources.files) > MAX_OPEN_RUNS and sources.unpacked:
        count = format_count(len(sources.unpacked), "run")
        _logger.warning("reroll: preparing %s for questions about many runs, which is done once", count)
        try:
            for _ in pack_runs(sources.unpacked):
                pass
        except InvalidError as error:
            reason = f"; {error}"
        sources = look_up_sources(runs)
    if len(sources.files) > MAX_OPEN_RUNS:
        raise InvalidError(
            f"this needs {len(sources.files):,} run files at once, and at most {MAX_OPEN_RUNS} can be open; name the "
            f"runs that count{reason}"
        )
    return sources


def pack_runs(runs: Sequence[Run]) -> Generator[int]:
    """Put some runs of one folder into a pack, and yield how many are done; wait for another process that does so.

    Raises InvalidError if the pack cannot be written.
    """
    runs_folder = runs[0].path.parent
    folder = find_packs_folder(runs_folder)
    try:
        folder.mkdir(parents=folder.parent != runs_folder, exist_ok=True)
        with suppress(FileNotFoundError):
            check_regular_file(folder / "lock")
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            while runs := look_up_sources(runs).unpacked:  # another process may have packed some
                packs = read_packs(runs_folder)
                try:
                    yield from _replace_packs(folder, runs, packs)
                except duckdb.Error:
                    if not drop_damaged_packs(pack.path for pack in packs):
                        raise
                else:
                    return
    except (OSError, duckdb.Error) as error:
        raise InvalidError(f"the runs cannot be packed in {folder}: {str(error).splitlines()[0]}") from None


def _replace_packs(folder: Path, runs: Sequence[Run], packs: Sequence[Pack]) -> Iterator[int]:
    """Write packs of some runs, and delete those whose place they take; yield how many runs are done.

    DuckDB works outside of Python's lock, so two threads write two packs in nearly half the time of one.
    """
    current = {write_state(path) for path in runs[0].path.parent.glob(f"*{RUN_SUFFIX}")}
    outgrown = _choose_outgrown([pack for pack in packs if pack.path.parent == folder], current, len(runs))
    first = 1 + max((number for pack in packs for number in pack.ids.values()), default=0)
    numbered = list(enumerate(runs, first))
    shares = PACKING_THREADS if len(runs) >= PACKING_THREADS * RUNS_PER_STEP else 1
    built = [folder / f"{uuid4().hex}.building" for _ in range(shares)]
    counts: SimpleQueue[int | None] = SimpleQueue()
    is_stopped = Event()

    def write_share(share: int) -> None:
        taken_in = outgrown if share == 0 else []
        try:
            for count in _write_pack(built[share], numbered[share::shares], taken_in, current):
                counts.put(count)
                if is_stopped.is_set():
                    break
        finally:
            counts.put(None)

    executor = ThreadPoolExecutor(shares)
    try:
        with outside_deleted_folder():  # here, because the threads share the working folder
            tasks = [executor.submit(write_share, share) for share in range(shares)]
            yield from _add_up(counts, shares)
        for task in tasks:
            task.result()
        for path in built:
            path.rename(folder / f"{path.stat().st_size}-{path.stem}{PACK_SUFFIX}")
    finally:
        is_stopped.set()
        executor.shutdown()
        for leftover in folder.glob("*.building*"):
            leftover.unlink(missing_ok=True)
    others = [path for path in folder.glob("*.pack") if not path.name.endswith(PACK_SUFFIX) and _is_old(path)]
    for path in (*(pack.path for pack in outgrown), *others):
        path.unlink(missing_ok=True)


def _add_up(counts: SimpleQueue[int | None], ends: int) -> Iterator[int]:
    """Yield the sum of the counts so far after each of them, until None has come `ends` times."""
    done = 0
    while ends:
        count = counts.get()
        if count is None:
            ends -= 1
        else:
            done += count
            yield done


def _write_pack(
    path: Path, numbered: Sequence[tuple[int, Run]], outgrown: Iterable[Pack], current: Collection[str]
) -> Iterator[int]:
    """Write a pack of some runs with the numbers of their rows, and of older packs; yield the number of runs of each step."""
    with _create_pack(path, [run for _, run in numbered]) as connection:
        for pack in outgrown:
            _take_in(connection, pack, current)
        for start in range(0, len(numbered), RUNS_PER_STEP):
            step = dict(numbered[start : start + RUNS_PER_STEP])
            _copy_or_mark_runs(connection, step)
            yield len(step)


def _is_old(path: Path) -> bool:
    """Return whether a pack of another version of Reroll or DuckDB is so old that nobody uses it beside this one."""
    try:
        return time.time() - path.stat().st_mtime > UNUSED_SECONDS
    except OSError:
        return False


def _choose_outgrown(packs: Iterable[Pack], current: Collection[str], new: int) -> list[Pack]:
    """Return the packs that a pack with `new` runs takes in: at most twice as large, or with many runs that are gone.

    So there are few packs, and a run is copied a few times only.
    """
    chosen: list[Pack] = []
    for count, pack in sorted(
        ((len(current & pack.ids.keys()), pack) for pack in packs), key=lambda item: item[0]
    ):
        if count <= 2 * new or 2 * count < len(pack.ids):
            chosen.append(pack)
            new += count
    return chosen


@contextmanager
def _create_pack(path: Path, runs: Iterable[Run]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to a new pack with empty tables, called `pack`, that can read the folders of some runs."""
    settings = {
        **OFFLINE_SETTINGS,
        "threads": "1",  # its statements are short: a second thread costs a fifth more and saves nothing
        "memory_limit": READER_MEMORY_LIMIT,
        "temp_directory": "",
    }
    with duckdb.connect(config=settings) as connection:
        folders = {path.resolve().parent, *(run.path.resolve().parent for run in runs)}
        connection.execute("SET allowed_directories = $1", [[str(folder) for folder in folders]])
        with outside_deleted_folder():
            connection.execute("SET enable_external_access = false; SET lock_configuration = true")
        connection.execute(f"ATTACH {quote_path(path.resolve())} AS pack (RECOVERY_MODE no_wal_writes)")
        connection.execute("CREATE TABLE pack.main.packed (state VARCHAR, id INTEGER)")
        for table in pack_columns():
            columns = schema_columns()[table].items()
            typed = ", ".join(f'"{column}" {kind}' for column, kind in columns if column != "run")
            connection.execute(f"CREATE TABLE pack.main.{table} (id INTEGER, {typed})")
        yield connection
        connection.execute("CHECKPOINT pack; DETACH pack")


def _take_in(connection: duckdb.DuckDBPyConnection, pack: Pack, current: Collection[str]) -> None:
    """Copy the rows of an older pack whose run files are current. Runs that could not be copied are tried again later."""
    current_ids = [(state, number) for state, number in pack.ids.items() if state in current and number >= 0]
    connection.execute(f"ATTACH {quote_path(pack.path.resolve())} AS old (TYPE duckdb, READ_ONLY)")
    connection.execute("BEGIN")
    numbers = [number for _, number in current_ids]
    for table, columns in pack_columns().items():
        connection.execute(
            f"INSERT INTO pack.main.{table} SELECT id, {columns} FROM old.main.{table} "  # noqa: S608 - names of the schema
            "SEMI JOIN (SELECT unnest($1::INTEGER[]) AS id) USING (id)",
            [numbers],
        )
    if current_ids:
        connection.executemany("INSERT INTO pack.main.packed VALUES ($1, $2)", current_ids)
    connection.execute("COMMIT; DETACH old")


def _copy_or_mark_runs(connection: duckdb.DuckDBPyConnection, runs: Mapping[int, Run]) -> None:
    """Copy some runs, by the number of their rows; note of those that cannot be copied that their files are to be asked."""
    states = [write_state(run.path) for run in runs.values()]
    try:
        _copy_runs(connection, runs)
    except (duckdb.Error, InvalidError):
        if len(runs) == 1 and states[0]:
            connection.execute("INSERT INTO pack.main.packed VALUES ($1, -1)", states)
        elif len(runs) > 1:
            for number, run in runs.items():
                _copy_or_mark_runs(connection, {number: run})


def _copy_runs(connection: duckdb.DuckDBPyConnection, runs: Mapping[int, Run]) -> None:
    """Copy all tables of some runs, by the number of their rows; raise InvalidError or duckdb.Error if it is not possible."""
    states = {number: write_state(run.path) for number, run in runs.items()}
    attached = []
    connection.execute("BEGIN")
    try:
        for number, run in runs.items():
            attached.append(f"r{number}")
            connection.execute(
                f"ATTACH {quote_path(run.path.resolve())} AS r{number} (TYPE duckdb, READ_ONLY)"
            )
        _check_rows(connection, attached)
        for table, columns in pack_columns().items():
            parts = (
                f"SELECT {number}, {columns} FROM ({table_query(table, f'r{number}', run.kind_spans)})"  # noqa: S608 - names of the schema
                for number, run in runs.items()
            )
            connection.execute(f"INSERT INTO pack.main.{table} {' UNION ALL '.join(parts)}")
        for number, run in runs.items():
            _check_unchanged(run, states[number])
            connection.execute("INSERT INTO pack.main.packed VALUES ($1, $2)", [states[number], number])
        connection.execute("COMMIT")
    except BaseException:
        with suppress(duckdb.Error):
            connection.execute("ROLLBACK")
        raise
    finally:
        for name in attached:
            with suppress(duckdb.Error):
                connection.execute(f"DETACH {name}")


def _check_rows(connection: duckdb.DuckDBPyConnection, databases: Sequence[str]) -> None:
    """Raise InvalidError if one of some attached files has too many rows for a pack."""
    rows = connection.execute(
        "SELECT max(rows) FROM (SELECT sum(estimated_size) AS rows FROM duckdb_tables() "
        "WHERE list_contains($1, database_name) GROUP BY database_name)",
        [databases],
    ).fetchall()[0][0]
    if rows > MAX_PACKED_ROWS:
        raise InvalidError(f"{rows} rows are too many for a pack")


def _check_unchanged(run: Run, state: str) -> None:
    """Raise InvalidError if the file of a run does not have the state that it had."""
    if not state or write_state(run.path) != state:
        raise InvalidError(f"{run.path} has changed")
