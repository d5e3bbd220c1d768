"""Packs: files that hold the tables of many small runs, so that a question about a thousand runs opens few files.

A pack is a copy and holds nothing of its own: whoever deletes it loses time only. Its rows count for a run as long as the
run file has not changed, which its size, its inode and its times tell (`FileState`). A pack never changes: a new one takes
the place of those that it outgrows. Runs that are large or cannot be read are in no pack.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import duckdb

from engine.errors import InvalidError
from engine.regular_files import check_regular_file
from pipelines.runs.run import attach_for_reading
from pipelines.runs.schema import schema_columns
from pipelines.runs.summary_index import FileState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pipelines.runs.run import Run

PACKS_FOLDER: Final = "packs"
"""The folder of the packs, beside the run files."""
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
    held: dict[Path, list[tuple[int, str]]] = {pack.path: [] for pack in packs}
    files, unpacked = [], []
    for run in runs:
        state = write_state(run.path) if run.path.parent == folder else ""
        pack = next((pack for pack in packs if state in pack.ids), None)
        if pack and pack.ids[state] >= 0:
            held[pack.path].append((pack.ids[state], run.name))
            continue
        files.append(run)
        if state and not pack and run.summary.bytes <= MAX_PACKED_BYTES:
            unpacked.append(run)
    chosen = {path: rows for path, rows in held.items() if rows}
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


def read_packs(folder: Path) -> list[Pack]:
    """Return the packs beside the run files in a folder; delete those that cannot be read."""
    packs = []
    for path in sorted((folder / PACKS_FOLDER).glob(f"*{PACK_SUFFIX}")):
        found = None
        with suppress(OSError, InvalidError):
            check_regular_file(path)
            status = path.stat()
            if path.name.partition("-")[0] == str(status.st_size):
                found = _read_pack(path, status.st_mtime_ns)
        if found:
            packs.append(found)
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
    """Return what tells whether a file has changed; empty if there is none."""
    try:
        return json.dumps(FileState.of(path))
    except OSError:
        return ""
