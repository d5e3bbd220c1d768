"""The file of the notes of a library: SQLite, beside the folder of runs.

SQLite, because browser tabs, the command line and notebooks may write at the same time: DuckDB lets one process at a time
open a file for writing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from engine.errors import InvalidError
from engine.file_limits import check_regular_file
from pipelines.notes.former_notes import append_tags, rewrite_address

NOTES_FILE: Final = "notes.sqlite"
_SUFFIXES: Final = ("", "-journal", "-wal", "-shm")
"""Of the files that SQLite may open: the file itself and those beside it."""
MAX_WAIT_SECONDS: Final = 20.0
"""How long a writer waits for another one."""

_NOTES_SCHEMA: Final = """
CREATE TABLE notes (
  note_id      TEXT PRIMARY KEY,
  kind         TEXT NOT NULL,
  page         TEXT NOT NULL,
  address      TEXT NOT NULL,
  run_key      TEXT,
  title        TEXT NOT NULL,
  text         TEXT NOT NULL,
  is_favourite INTEGER NOT NULL,
  created_at   TEXT NOT NULL,
  changed_at   TEXT NOT NULL,
  version      INTEGER NOT NULL,
  searched     TEXT NOT NULL
) STRICT;
CREATE INDEX notes_by_change ON notes (changed_at);
CREATE INDEX notes_by_run ON notes (run_key);
CREATE TABLE labels (
  note_id TEXT NOT NULL REFERENCES notes ON DELETE CASCADE,
  sort    TEXT NOT NULL CHECK (sort IN ('tag', 'collection')), -- no note has a tag any more
  folded  TEXT NOT NULL,
  label   TEXT NOT NULL,
  PRIMARY KEY (note_id, sort, folded)
) STRICT, WITHOUT ROWID;
CREATE INDEX labels_by_name ON labels (sort, folded);
"""
_BASELINE_SCHEMA: Final = """
CREATE TABLE baseline (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  kind     TEXT NOT NULL CHECK (kind IN ('strategy', 'run')),
  name     TEXT NOT NULL,
  run_key  TEXT
) STRICT;
"""
_ORDERS_SCHEMA: Final = """
CREATE TABLE orders (
  folded   TEXT PRIMARY KEY,
  note_ids TEXT NOT NULL
) STRICT;
"""
_SCHEMAS: Final = (_NOTES_SCHEMA, _BASELINE_SCHEMA, _ORDERS_SCHEMA)
"""What each format of the file adds to the one before."""
STORE_FORMAT: Final = len(_SCHEMAS) + 2
"""Number of the format of the file, in its `user_version`; 0 is a new file. The last but one has the addresses of notes with the
keys of today, and the last has tags as words of the text."""


class Sidecar:
    """The file in a data folder. Instances hold no connection, so any number of threads may share one."""

    def __init__(self, folder: Path) -> None:
        """Use the file of a data folder. The first change makes it."""
        self.path = folder / NOTES_FILE

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open the file to read it, in the newest format; a library without notes has an empty one in memory.

        A reader must be able to write, too: it undoes what a killed writer has begun, and brings an older file to the newest
        format. Where nobody can write, it reads a copy of the older file in memory.
        """
        where = f"{self.path.absolute().as_uri()}?mode=rw" if self.path.exists() else ":memory:"
        memory = sqlite3.connect(":memory:", isolation_level=None)
        with self._connect(where) as file, closing(memory) as copy:
            newest = file
            try:
                _renew_file(file)
            except sqlite3.OperationalError:
                if file.in_transaction:
                    file.execute("ROLLBACK")
                file.backup(copy)
                _renew_file(copy)
                newest = copy
            newest.execute("BEGIN")
            yield newest

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open the file to change it: all or nothing, and nobody else writes meanwhile."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidError(f"{self.path.parent}: {error.strerror}") from error
        with self._connect(f"{self.path.absolute().as_uri()}?mode=rwc") as connection:
            _renew_file(connection)
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")

    def find_damage(self) -> str:
        """Return what is wrong with the file, in one line; empty if nothing is, or if there is no file."""
        try:
            with self.reading() as connection:
                verdict = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        except InvalidError as error:
            return str(error)
        return "" if verdict == "ok" else f"{self.path}: {verdict.splitlines()[0]}"

    @contextmanager
    def _connect(self, where: str) -> Iterator[sqlite3.Connection]:
        """Open a connection, close it, and turn errors of SQLite into messages that name the file."""
        self._check_regular_files()
        try:
            connection = sqlite3.connect(where, uri=True, timeout=MAX_WAIT_SECONDS, isolation_level=None)
            try:
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.execute("PRAGMA synchronous = FULL")
                if _format_of(connection) > STORE_FORMAT:
                    raise InvalidError(
                        f"{self.path}: a newer version of Reroll made this file; update Reroll"
                    )
                yield connection
            finally:
                connection.close()  # what was not committed is rolled back
        except sqlite3.Error as error:
            raise InvalidError(f"{self.path}: {self._describe_error(error)}") from error

    def _describe_error(self, error: sqlite3.Error) -> str:
        """Return SQLite's words for an error; for a full disk, which disk it is."""
        if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_FULL:
            return str(error)
        disk = next(folder for folder in self.path.resolve().parents if folder.is_mount())
        return f"no space is left on the disk {disk}"

    def _check_regular_files(self) -> None:
        """Raise InvalidError if SQLite would open a pipe or a device: reading it might never end."""
        for suffix in _SUFFIXES:
            path = self.path.with_name(f"{self.path.name}{suffix}")
            try:
                check_regular_file(path)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise InvalidError(f"{path}: {error.strerror}") from None


def _format_of(connection: sqlite3.Connection) -> int:
    """Return the number of the format of an open file."""
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return number


def _renew_file(connection: sqlite3.Connection) -> None:
    """Bring a new or older file to the newest format, all or nothing."""
    if _format_of(connection) == STORE_FORMAT:
        return
    connection.execute("BEGIN IMMEDIATE")
    for schema in _SCHEMAS[_format_of(connection) :]:
        for statement in schema.split(";")[:-1]:
            connection.execute(statement)
    for note_id, former_page, text in connection.execute(
        "SELECT note_id, page, address FROM notes"
    ).fetchall():
        page, address = rewrite_address(former_page, json.loads(text))
        connection.execute(
            "UPDATE notes SET page = ?, address = ? WHERE note_id = ?", [page, json.dumps(address), note_id]
        )
    tagged = connection.execute(
        "SELECT note_id, text, json_group_array(label) FROM notes "
        "JOIN (SELECT * FROM labels WHERE sort = 'tag' ORDER BY folded) USING (note_id) GROUP BY note_id"
    )
    for note_id, text, tags in tagged.fetchall():
        connection.execute(
            "UPDATE notes SET text = ? WHERE note_id = ?", [append_tags(text, json.loads(tags)), note_id]
        )
    connection.execute("DELETE FROM labels WHERE sort = 'tag'")
    connection.execute(f"PRAGMA user_version = {STORE_FORMAT}")
    connection.execute("COMMIT")
