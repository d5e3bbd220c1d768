"""What run files say in short, and the index of a library over it, so that a list of a thousand runs opens none of them.

The index is a SQLite file beside the folder of runs. It holds nothing of its own: deleting it costs time only. A row
counts for a file as long as the file has not changed, which its size, its inode and its times tell. A row that cannot be
read, an index of another version, and one that is locked or damaged count for nothing.

What is known of a run file once it is checked: its summary, and the kinds of its actions.
The file may come from anybody: a file of another format, and one whose tables are not those of a run, is refused.
"""

from __future__ import annotations

import json
import shlex
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from engine.errors import InvalidError
from engine.file_limits import check_regular_file
from pipelines.design.lineups import Lineup
from pipelines.runs import schema
from pipelines.runs.summary import PlayedDesign, RulesetSummary, RunSummary, read_played_design

if TYPE_CHECKING:
    import os

    import duckdb


INDEX_FILE: Final = "index.sqlite"
INDEX_FORMAT: Final = 1
"""It grows when rows mean something else; an index of another format is made anew."""
MAX_WAIT_SECONDS: Final = 2.0
"""How long a process waits for another one that writes the index, before it goes on without."""
MAX_DOCUMENT_CHARACTERS: Final = 200_000
"""A run with a longer summary, such as a large import, is read from its file each time."""
MAX_ROWS_CHARACTERS: Final = 8_000_000
MAX_ANSWERS_KEPT: Final = 60
_ANSWERS_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT"
)
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
        """Return the state of a file; raise OSError if it does not exist."""
        return cls.of_status(path.stat())

    @classmethod
    def of_status(cls, status: os.stat_result) -> FileState:
        """Return the state of a file with this status."""
        return cls(status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(frozen=True)
class RunFacts:
    """What is read of a run file once it is checked, and kept in the index."""

    summary: RunSummary
    kind_spans: schema.KindSpans | None
    """None if its kinds of actions are not those of a game."""


class SummaryIndex:
    """The index of a data folder. Instances hold no connection."""

    def __init__(self, folder: Path) -> None:
        """Use the index of a data folder, which need not exist."""
        self.path = folder / INDEX_FILE

    def read(self, states: Mapping[str, FileState]) -> dict[str, RunFacts]:
        """Return the facts of those of some files, by name, that have not changed since they were read."""
        facts_by_name = {}
        for name, state, document in self._read_rows():
            if name in states and state == _write_state(states[name]):
                with suppress(ValueError, TypeError, KeyError, RecursionError):
                    facts_by_name[name] = _read_document(json.loads(document))
        return facts_by_name

    def _read_rows(self) -> list[tuple[str, str, str]]:
        try:
            check_regular_file(self.path)
            with closing(self._connect("ro")) as connection:
                if _format_of(connection) != INDEX_FORMAT:
                    return []
                return connection.execute("SELECT name, state, document FROM runs").fetchall()
        except (OSError, sqlite3.Error):
            return []

    def write(self, facts: Mapping[str, tuple[FileState, RunFacts]], names: Iterable[str]) -> None:
        """Add the facts of files by name, and forget all files that are not `names`. It is given up if it is not possible."""
        rows = [
            (name, _write_state(state), document)
            for name, (state, facts_of_file) in facts.items()
            if len(document := json.dumps(_write_document(facts_of_file))) <= MAX_DOCUMENT_CHARACTERS
        ]
        try:
            self._write_rows(rows, set(names))
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                return  # locked, or the folder cannot be written
            with suppress(OSError, sqlite3.Error):  # damaged
                self.path.unlink()
                self._write_rows(rows, set(names))
        except OSError:
            return

    def _write_rows(self, rows: list[tuple[str, str, str]], names: set[str]) -> None:
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
            connection.executemany("DELETE FROM runs WHERE name = ?", [(name,) for name in known - names])
            connection.execute("COMMIT")

    def recall_rows(self, key: str) -> list[list[Any]] | None:
        """Return the rows that were kept under a key, or None. Raises ValueError if they are damaged."""
        try:
            check_regular_file(self.path)
            with closing(self._connect("ro")) as connection:
                row = connection.execute("SELECT document FROM answers WHERE key = ?", [key]).fetchone()
        except (OSError, sqlite3.Error):
            return None
        return json.loads(row[0]) if row else None

    def keep_rows(self, key: str, rows: Sequence[object]) -> None:
        """Keep the rows of an answer that took long, and forget the oldest ones. It is given up if it is not possible."""
        document = json.dumps(rows)
        if len(document) > MAX_ROWS_CHARACTERS:
            return
        with suppress(OSError, sqlite3.Error), closing(self._connect("rwc")) as connection:
            connection.execute(_ANSWERS_SCHEMA)
            connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", [key, document])
            connection.execute(
                "DELETE FROM answers WHERE rowid NOT IN (SELECT rowid FROM answers ORDER BY rowid DESC LIMIT ?)",
                [MAX_ANSWERS_KEPT],
            )

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
    if schema.find_invalid_value(summary):
        raise ValueError(summary)
    return RunFacts(summary, None if spans is None else tuple(schema.KindSpan(*span) for span in spans))


MAX_KIND_SPANS: Final = 64
"""Spans of actions of one kind at most; the games have no more than 4."""


def read_file_facts(connection: duckdb.DuckDBPyConnection, name: str, path: Path, size: int) -> RunFacts:
    """Check the file `path` of `size` bytes, which is attached as `name`, and return what is kept of it.

    Raises InvalidError, in one line, if it is not a run file.
    """
    if not schema.has_usual_tables(connection, name):
        _check_tables(connection, name, path)
    values: dict[str, list[list[Any]]] = {table: [] for table in (*schema.MAX_TEXT_BYTES, *_COUNTED, "kinds")}
    sizes: dict[str, list[list[int | None]]] = {table: [] for table in schema.MAX_TEXT_BYTES}
    for table, row, row_sizes in connection.execute(_facts_query(name)).fetchall():
        values[table].append(row)
        if table in sizes:
            sizes[table].append(row_sizes)
    if len(values["run"]) == 1 and values["run"][0][0] != str(schema.RUN_FORMAT):
        raise InvalidError(
            f"{path}: {_format_mismatch(_read_integer(values['run'][0][0]), _query_command(connection, name))}"
        )
    fault = schema.find_oversized_table(connection, name, sizes)
    if fault:
        raise InvalidError(f"{path}: not a run file: {fault}")
    summary = _make_summary(values, size)
    rows = {table: int(values[table][0][0]) for table in _COUNTED}
    fault = schema.find_invalid_value(summary) or schema.find_surplus_rows(rows, summary.games)
    if fault:
        raise InvalidError(f"{path}: not a run file: {fault}")
    return RunFacts(summary, _make_kind_spans(values["kinds"]))


def _check_tables(connection: duckdb.DuckDBPyConnection, name: str, path: Path) -> None:
    """Raise InvalidError if an attached file is of another format, or its tables are not those of a run."""
    columns = schema.query_table_columns(connection, name)
    file_format = _query_format(connection, name, columns.get("run", {}))
    if file_format not in {None, schema.RUN_FORMAT}:
        command = _query_command(connection, name) if "command" in columns["run"] else ""
        raise InvalidError(f"{path}: {_format_mismatch(file_format, command)}")
    if fault := schema.find_foreign_view(connection, name) or schema.find_schema_gap(columns):
        raise InvalidError(f"{path}: not a run file: {fault}")


_COUNTED: Final = ("games", "seats")
"""Tables whose rows are counted."""


def _facts_query(name: str) -> str:
    """Return the query of everything that is kept of an attached file whose tables are those of a run.

    Each row has the name of a table, a list of values as texts, and the sizes of the texts that have a limit. One statement of
    simple parts takes half the time of a statement for each table. A file may come from anybody: texts are cut behind
    their limit, and a table has one row more than it may have.
    """
    main, rows = f"{name}.main", schema.MAX_DIMENSION_ROWS + 1

    def limit(table: str, column: str) -> str:
        return (
            f"CASE WHEN strlen({column}) <= {schema.MAX_TEXT_BYTES[table][column]} THEN {column}::VARCHAR END"
        )

    run = (
        "format", limit("run", "title"), limit("run", "kind"),
        "epoch_us(CASE WHEN created_at BETWEEN '1970-01-01' AND '9000-01-01' THEN created_at END)",
        limit("run", "command"), "seed", "games", "seconds",
        f"coalesce({limit('run', 'design')}::JSON->>'log', 'full')", limit("run", "design"),
    )  # fmt: skip
    rulesets = ("ruleset", "game", limit("rulesets", "title"), "players", "lowest_wins", "sha256")
    parts: list[tuple[str, Sequence[str], Mapping[str, int], str]] = [
        (table, columns, schema.MAX_TEXT_BYTES[table], f"(FROM {main}.{table} LIMIT {rows})")
        for table, columns in (
            ("run", run),
            ("rulesets", rulesets),
            ("pieces", ()),
            ("strategies", (limit("strategies", "strategy"),)),
        )
    ]
    kinds = (
        f"(SELECT action, kind, lead(kind) OVER (ORDER BY action) AS next_kind FROM "
        f"(SELECT action, left(kind, 100) AS kind FROM {main}.actions)) WHERE kind IS DISTINCT FROM next_kind "
        f"LIMIT {MAX_KIND_SPANS + 1}"
    )
    parts += [("kinds", ("action", "kind"), {}, f"(FROM {kinds})")]
    parts += [(table, ("rows",), {}, f"(SELECT count(*) AS rows FROM {main}.{table})") for table in _COUNTED]
    return " UNION ALL ".join(
        f"SELECT '{table}', [{', '.join(f'({column})::VARCHAR' for column in columns)}]::VARCHAR[], "
        f"[{', '.join(f'strlen({column})' for column in limits)}]::BIGINT[] FROM {source}"
        for table, columns, limits, source in parts
    )


def _make_kind_spans(rows: Sequence[Sequence[str | None]]) -> schema.KindSpans | None:
    """Return the kinds of the actions, ascending; None if they make too many spans."""
    spans = [schema.KindSpan(int(last), kind) for last, kind in rows if last is not None and kind is not None]
    return None if len(rows) > MAX_KIND_SPANS or len(spans) < len(rows) else tuple(sorted(spans))


def _make_summary(values: Mapping[str, Sequence[list[Any]]], size: int) -> RunSummary:
    """Return the summary of a file of `size` bytes from the values of its tables, which are texts or None."""
    _, title, kind, created, command, seed, count, seconds, log, design = values["run"][0]
    rulesets = tuple(
        RulesetSummary(name, game, ruleset_title, _read_integer(players), is_lowest == "true", sha256)
        for name, game, ruleset_title, players, is_lowest, sha256 in sorted(values["rulesets"], key=tuple)
    )
    strategies = tuple(sorted({strategy for (strategy,) in values["strategies"]}))
    games = _read_integer(count)
    return RunSummary(
        title=title,
        kind=kind,
        created_at=created and _EPOCH + timedelta(microseconds=int(created)),
        command=command,
        seed=_read_integer(seed),
        games=games,
        seconds=-1.0 if seconds is None else float(seconds),
        log=log,
        rulesets=rulesets,
        strategies=strategies,
        played=read_played_design(design or "", kind, _read_integer(seed), games, strategies),
        bytes=size,
    )


def _read_integer(text: str | None) -> Any:  # noqa: ANN401 - None, which is checked later, if a stranger's file has no value
    return None if text is None else int(text)


_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - the times of run files are UTC and have no zone


def _query_format(connection: duckdb.DuckDBPyConnection, name: str, columns: Mapping[str, str]) -> int | None:
    """Return the format number of an attached file with these columns of its table `run`; None if it does not tell it."""
    if "format" in columns:
        column = "TRY_CAST(format AS INTEGER)"
    elif "versions" in columns:
        column = "TRY_CAST(versions->>'schema' AS INTEGER)"
    else:
        return None
    rows = connection.execute(f"SELECT {column} FROM {name}.main.run LIMIT 2").fetchall()
    return rows[0][0] if len(rows) == 1 else None


def _query_command(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    return str(connection.execute(f"SELECT left(command, 2000) FROM {name}.main.run").fetchall()[0][0])


def _format_mismatch(file_format: int | None, command: str) -> str:
    """Return in one line what to do with a file of another format.

    The file may come from anybody, so its command is shown only if it is one command of Reroll.
    """
    if file_format is not None and file_format > schema.RUN_FORMAT:
        advice = "read it with the newer Reroll that made it"
    elif command.startswith("reroll ") and command.isprintable() and _is_plain_command(command):
        advice = f"play its games again with: {command}"
    else:
        advice = "play its games again, or read it with the Reroll that made it"
    return f"the run file has format {file_format}, this Reroll reads format {schema.RUN_FORMAT}; {advice}"


def _is_plain_command(command: str) -> bool:
    """Return whether a shell would read a text as one command without substitutions."""
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return " ".join(map(shlex.quote, words)) == command
