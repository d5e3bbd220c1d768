"""The index of a library: what its run files say in short, so that a list of a thousand runs opens none of them.

The index is a SQLite file beside the folder of runs. It holds nothing of its own: whoever deletes it loses time only. A row
counts for a file as long as the file has not changed, which its size, its inode and its times tell. A row that cannot be
read, an index of another version, and one that is locked or damaged count for nothing.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from engine.regular_files import check_regular_file
from pipelines.design.lineup import Lineup
from pipelines.runs.schema import KindSpan, find_invalid_value
from pipelines.runs.summary import PlayedDesign, RulesetSummary, RunSummary

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pipelines.runs.schema import KindSpans

INDEX_FILE: Final = "index.sqlite"
INDEX_FORMAT: Final = 1
"""It grows when rows mean something else; an index of another format is made anew."""
MAX_WAIT_SECONDS: Final = 2.0
"""How long a process waits for another one that writes the index, before it goes on without."""
MAX_DOCUMENT_CHARACTERS: Final = 200_000
"""A run with a longer summary, such as a large import, is read from its file each time."""
_FIELD_TYPES: Final = {
    "title": str,
    "kind": str,
    "command": str,
    "seed": int,
    "games": int,
    "seconds": float,
    "log": str,
    "bytes": int,
}
_SCHEMA: Final = (
    "CREATE TABLE runs (name TEXT PRIMARY KEY, state TEXT NOT NULL, document TEXT NOT NULL) STRICT"
)


FileKey: TypeAlias = "tuple[Path, FileState]"
"""The absolute path of a file, and its state."""


class FileState(NamedTuple):
    """What tells that a file is the same as before."""

    bytes: int
    inode: int
    changed: int
    """Time of the last change of the content in nanoseconds."""
    renamed: int
    """Time of the last change of the content, the name or the permissions in nanoseconds."""

    @classmethod
    def of(cls, path: Path) -> FileState:
        """Return the state of a file; raise OSError if there is none."""
        return cls.of_status(path.stat())

    @classmethod
    def of_status(cls, status: os.stat_result) -> FileState:
        """Return the state of a file with this status."""
        return cls(status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(frozen=True)
class RunFacts:
    """What is read of a run file once it is checked, and kept in the index."""

    summary: RunSummary
    kind_spans: KindSpans | None
    """None if its kinds of actions are not those of a game."""


class SummaryIndex:
    """The index of a data folder. Instances hold no connection."""

    def __init__(self, folder: Path) -> None:
        """Use the index of a data folder, which need not exist."""
        self.path = folder / INDEX_FILE

    def read(self, states: Mapping[str, FileState]) -> dict[str, RunFacts]:
        """Return the facts of those of some files, by name, that have not changed since they were read."""
        found = {}
        for name, state, document in self._read_rows():
            if name in states and state == _write_state(states[name]):
                with suppress(ValueError, TypeError, KeyError, RecursionError):
                    found[name] = _read_document(json.loads(document))
        return found

    def _read_rows(self) -> list[tuple[str, str, str]]:
        try:
            check_regular_file(self.path)
            with closing(self._connect("ro")) as connection:
                if _format_of(connection) != INDEX_FORMAT:
                    return []
                return connection.execute("SELECT name, state, document FROM runs").fetchall()
        except (OSError, sqlite3.Error):
            return []

    def write(self, facts: Mapping[str, tuple[FileState, RunFacts]], held: Iterable[str]) -> None:
        """Add the facts of files by name, and forget all files that are not `held`. It is given up if it is not possible."""
        rows = [
            (name, _write_state(state), document)
            for name, (state, one) in facts.items()
            if len(document := json.dumps(_write_document(one))) <= MAX_DOCUMENT_CHARACTERS
        ]
        try:
            self._write_rows(rows, set(held))
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                return  # locked, or the folder cannot be written
            with suppress(OSError, sqlite3.Error):  # damaged
                self.path.unlink()
                self._write_rows(rows, set(held))
        except OSError:
            return

    def _write_rows(self, rows: list[tuple[str, str, str]], held: set[str]) -> None:
        with suppress(FileNotFoundError):
            check_regular_file(self.path)
        with closing(self._connect("rwc")) as connection:
            connection.execute("PRAGMA synchronous = OFF")  # what is lost is read again
            connection.execute("BEGIN IMMEDIATE")
            if _format_of(connection) != INDEX_FORMAT:
                connection.execute("DROP TABLE IF EXISTS runs")
                connection.execute(_SCHEMA)
                connection.execute(f"PRAGMA user_version = {INDEX_FORMAT}")
            connection.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?)", rows)
            known = {name for (name,) in connection.execute("SELECT name FROM runs")}
            connection.executemany("DELETE FROM runs WHERE name = ?", [(name,) for name in known - held])
            connection.execute("COMMIT")

    def _connect(self, mode: str) -> sqlite3.Connection:
        where = f"{self.path.absolute().as_uri()}?mode={mode}"
        connection = sqlite3.connect(where, uri=True, timeout=MAX_WAIT_SECONDS, isolation_level=None)
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection


def _format_of(connection: sqlite3.Connection) -> int:
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return number


def _write_state(state: FileState) -> str:
    return json.dumps(state)


def _write_document(facts: RunFacts) -> dict[str, Any]:
    """Return the facts as JSON data."""
    summary = facts.summary
    return {
        **asdict(summary),
        "created_at": summary.created_at.isoformat(),
        "played": {**summary.played._asdict(), "lineup": _write_lineup(summary.played.lineup)},
        "kind_spans": facts.kind_spans,
    }


def _write_lineup(lineup: Lineup) -> dict[str, Any]:
    return {"seatings": lineup.seatings, "opening": lineup.opening, "details": lineup.details}


def _read_document(document: dict[str, Any]) -> RunFacts:
    """Return the facts of a document of `_write_document`; raise an error of Python for any other one."""
    for name, kind in _FIELD_TYPES.items():
        if type(document[name]) is not kind:
            raise TypeError(name)
    spans = document.pop("kind_spans")
    played = dict(document.pop("played"))
    lineup = dict(played.pop("lineup"))
    seatings = tuple(tuple(map(str, seating)) for seating in lineup.pop("seatings"))
    summary = RunSummary(
        **{
            **document,
            "created_at": datetime.fromisoformat(document["created_at"]),
            "rulesets": tuple(RulesetSummary(**ruleset) for ruleset in document["rulesets"]),
            "strategies": tuple(map(str, document["strategies"])),
            "played": PlayedDesign(lineup=Lineup(seatings, **lineup), **played),
        }
    )
    if find_invalid_value(summary):
        raise ValueError(summary)
    return RunFacts(summary, None if spans is None else tuple(KindSpan(*span) for span in spans))
