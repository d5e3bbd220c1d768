"""A run file: it is checked, attached read-only, and its games are read back. Errors of DuckDB become errors of one line.

A run file may come from anybody. All queries read its base tables by their full names (`pipelines.runs.schema` says why).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import duckdb

from engine import games
from engine.errors import InvalidError
from engine.play import MAX_PLIES
from pipelines.design.design import Design, read_ruleset
from pipelines.design.designs import read_design
from pipelines.design.limits import check_arguments, is_unicode, normal_form
from pipelines.design.openings import has_chance
from pipelines.runs import schema
from pipelines.runs.names import RUN_SUFFIX, duckdb_log_path
from pipelines.runs.schema import OFFLINE_SETTINGS, KindSpans, schema_columns, table_query
from pipelines.runs.summary import GameSummary, RunSummary, Seat
from pipelines.runs.summary_index import FileKey, FileState, RunFacts, read_file_facts
from pipelines.runs.tables import query_arrow, query_pandas, query_polars
from pipelines.runs.working_folder import outside_deleted_folder

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from engine.ruleset import Ruleset
    from engine.scene import Scene

READER_MEMORY_LIMIT: Final = "1GB"
"""Memory for the queries of this module: a small file may contain a large text many times."""
REVIEWS_FOLDER: Final = "reviews"
MAX_KNOWN_FILES: Final = 10_000
"""Files whose summaries a process remembers."""


class InaccessibleError(InvalidError):
    """A file cannot be read at the moment, which says nothing against its content."""


inaccessible_files: Final[set[Path]] = set()
"""The files that could not be opened although what is in them was known. Each list of runs tries them again."""


@dataclass(frozen=True)
class Run:
    """One run file. No method keeps it open."""

    path: Path

    @cached_property
    def name(self) -> str:
        """The name of the file without its suffix, in the form in which people type it."""
        return normal_form(self.path.stem)

    @cached_property
    def key(self) -> str:
        """What identifies the run whatever its file is called and wherever it lies: copies have the same key.

        The moment at which it was sealed, to the microsecond, its seed and its command make it.
        """
        summary = self.summary
        parts = f"{summary.created_at.isoformat()}\n{summary.seed}\n{summary.command}"
        return hashlib.sha256(parts.encode()).hexdigest()[:32]

    @property
    def review_path(self) -> Path:
        """The file of the reviews of its games, which need not exist: in a folder beside `runs`, or beside a run elsewhere."""
        folder = self.path.absolute().parent
        return (
            (folder.parent if folder.name == "runs" else folder) / REVIEWS_FOLDER / f"{self.key}{RUN_SUFFIX}"
        )

    @property
    def summary(self) -> RunSummary:
        """What a list shows. Raises InvalidError if the file is not a run file."""
        return self.facts.summary

    @cached_property
    def facts(self) -> RunFacts:
        """What was known of the file when this object first looked at it. Raises InvalidError if it is not a run file."""
        return self.check()

    def check(self) -> RunFacts:
        """Return what is known of the file now; raise InvalidError, in one line, if it is not a run file."""
        key = self._file_state()
        if key not in known_facts:
            remember_facts({key: _read_facts(*key)})
        return known_facts[key]

    def try_to_open(self) -> None:
        """Raise InaccessibleError if the file, whose content is known, still cannot be opened."""
        with attach_for_reading(self.path):
            inaccessible_files.discard(self.path.absolute())

    @property
    def kind_spans(self) -> KindSpans:
        """The kinds of the actions that occur. Raises InvalidError if the file is not, or no longer, a run file."""
        spans = self.check().kind_spans
        if spans is None:
            raise InvalidError(
                f"{self.path}: not a run file: the kinds in its table actions are not those of a game"
            )
        return spans

    @classmethod
    def of_new_file(cls, path: Path, facts: RunFacts) -> Run:
        """Return the run of a file that this process has written and checked, and remember the facts of the file."""
        run = cls(path)
        remember_facts({run._file_state(): facts})
        return run

    def remember(self, facts: RunFacts) -> None:
        """Take over what is known of the file as it is now."""
        vars(self)["facts"] = facts

    def _file_state(self) -> FileKey:
        """Return the path and what tells that the file is the same: the key of all caches."""
        if not is_unicode(str(self.path)):
            raise InaccessibleError(f"{self.path}: its name is not UTF-8 text; rename the file")
        try:
            status = self.path.stat()
        except OSError as error:
            if self.path.is_symlink():
                to = self.path.readlink()
                raise InvalidError(
                    f"{self.path}: it is a link to {to}, where nothing is; delete it"
                ) from None
            raise InvalidError(f"{self.path}: {error.strerror}") from None
        self._check_regular_files(status.st_mode)
        return self.path.absolute(), FileState.of_status(status)

    def _check_regular_files(self, mode: int) -> None:
        """Raise InvalidError if the file is a pipe or a device, since reading it might never end, and if a log of DuckDB is beside it.

        A run file never changes. DuckDB would apply the log: the changes of another program, or whatever a stranger has put there.
        """
        if not stat.S_ISREG(mode):
            raise InvalidError(f"{self.path}: not a run file: it is not a regular file")
        files = (self.path, self.path.resolve()) if self.path.is_symlink() else (self.path,)
        for log in map(duckdb_log_path, files):
            try:
                status = log.stat()
            except OSError:
                continue
            if not stat.S_ISREG(status.st_mode):
                raise InvalidError(f"{self.path}: not a run file: {log.name} beside it is not a regular file")
            if status.st_size:
                raise InaccessibleError(
                    f"{self.path}: beside it lies {log.name}, changes of another program that are not in the run; close the run there, "
                    "or delete that file"
                )

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Return a new connection that can read this file and nothing else, with views named like the tables.

        A connection must not be shared by threads: give each thread its own `cursor()`. Raises InvalidError if the file
        is not a run file.
        """
        spans = self.kind_spans
        connection = duckdb.connect(config={**OFFLINE_SETTINGS, "threads": "2"})
        try:
            _attach_file(connection, self.path, "file")
        except InvalidError:
            connection.close()
            raise
        for table in schema_columns():
            connection.execute(f"CREATE VIEW {table} AS {table_query(table, 'file', spans)}")
        with outside_deleted_folder():
            return connection.execute("SET enable_external_access = false; SET lock_configuration = true")

    @contextmanager
    def open_tables(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a connection for the time of the context; raise InvalidError, with the path, if DuckDB finds damage."""
        with self.connect() as connection, report_damage(f"{self.path}: the file is damaged"):
            yield connection

    @cached_property
    def design(self) -> Design:
        """The design; raises InvalidError if the document in the file is not one."""
        (document,) = self._query_rows("SELECT design FROM file.main.run")[0]
        return read_design(document, f"{self.path}: table run")

    @cached_property
    def versions(self) -> dict[str, Any]:
        """The versions of the programs, the rules and the strategies that made the run; raises InvalidError if they are not a record."""
        versions = json.loads(self._query_rows("SELECT versions FROM file.main.run")[0][0])
        if not isinstance(versions, dict):
            raise InvalidError(f"{self.path}: table run: the versions are not a record")
        return versions

    @cached_property
    def rulesets(self) -> dict[str, Ruleset]:
        """The rulesets that were played, from the specs in the file, checked."""
        rows = self._query_rows("SELECT ruleset, spec FROM file.main.rulesets ORDER BY ruleset")
        return {name: _read_ruleset_spec(f"{self.path}: ruleset {name}", spec) for name, spec in rows}

    def ruleset(self, name: str = "") -> Ruleset:
        """Return a ruleset of the run, without a name the only one; raise InvalidError if the run does not have it or it is invalid."""
        if not name and len(self.rulesets) == 1:
            (name,) = self.rulesets
        if name not in self.rulesets:
            raise InvalidError(
                f"{self.path}: the run has no ruleset {name!r}; it has {', '.join(self.rulesets)}"
            )
        return self.rulesets[name]

    @cached_property
    def notations(self) -> dict[str, str]:
        """By the name that a strategy has in the tables of the run, its notation for commands."""
        return dict(self._query_rows("SELECT strategy, notation FROM file.main.strategies"))

    @cached_property
    def programs(self) -> dict[str, str]:
        """By the name of a strategy that is a program, what the program calls itself, and in how many games it failed."""
        return dict(
            self._query_rows("SELECT strategy, program FROM file.main.strategies WHERE program IS NOT NULL")
        )

    @cached_property
    def repeats_one_block(self) -> bool:
        """True if all blocks are one block, played again: their results are equal, and neither dice nor an opening vary them.

        Players who draw nothing play such runs. Copies say nothing on other luck, so answers count the block once.
        """
        played = self.summary.played
        if not self.summary.plays_whole_games or played.lineup.opening or played.blocks == 1:
            return False
        rows = self._query_rows(
            "SELECT bool_and(n > 1 AND n * score_square_sum::DOUBLE = score_sum::DOUBLE ** 2) FROM file.main.block_scores"
        )
        return bool(rows[0][0]) and not any(map(has_chance, self.rulesets.values()))

    @check_arguments
    def game(self, game_id: int) -> GameSummary:
        """Return the row of the table `games` for a game; raise InvalidError if it does not exist."""
        columns = ", ".join(schema_columns()["games"])
        rows = (
            self._query_rows(f"SELECT {columns} FROM file.main.games WHERE game_id = ?", game_id)
            if 0 <= game_id < 1 << 32
            else []
        )
        if not rows:
            raise InvalidError(f"run {self.name} has no game {game_id + 1} (1 to {self.summary.games})")
        return GameSummary(*rows[0])

    @check_arguments
    def list_seats(self, game_id: int) -> list[Seat]:
        """Return the seats of a game in order; raise InvalidError if there is no such game."""
        self.game(game_id)
        rows = self._query_rows(
            "SELECT seat, strategy, score, rank, win_share FROM file.main.seats WHERE game_id = ? ORDER BY seat LIMIT ?",
            game_id,
            schema.MAX_SEATS + 1,
        )
        if not 1 <= len(rows) <= schema.MAX_SEATS:
            raise InvalidError(
                f"{self.path}: game {game_id + 1} does not have from 1 to {schema.MAX_SEATS} seats"
            )
        return [Seat(*row) for row in rows]

    @check_arguments
    def actions(self, game_id: int) -> list[int]:
        """Return the actions of a game, including those of chance; raise InvalidError if they were not logged."""
        if not self.game(game_id).logged:
            raise InvalidError(
                f"the moves of game {game_id + 1} are not in run {self.name}: it was made with --log {self.summary.log}"
            )
        rows = self._query_rows(
            "SELECT action FROM file.main.ply_rows WHERE game_id = ? ORDER BY ply LIMIT ?",
            game_id,
            MAX_PLIES + 1,
        )
        if len(rows) > MAX_PLIES:
            raise InvalidError(f"{self.path}: game {game_id + 1} has more than {MAX_PLIES} moves")
        return [action for (action,) in rows]

    @check_arguments
    def turns(self, game_id: int) -> list[tuple[int, int, int]]:
        """Return ply, round and acting seat (-1 for chance) of each ply of a game; none if they were not logged."""
        return self._query_rows(
            "SELECT ply, round, seat FROM file.main.ply_rows WHERE game_id = ? ORDER BY ply LIMIT ?",
            game_id,
            MAX_PLIES,
        )

    @check_arguments
    def scene(self, game_id: int) -> Scene:
        """Return a logged game as a scene with its strategies; raise a GameError if the log breaks the rules."""
        ruleset = self.ruleset(self.game(game_id).ruleset)
        scene = games.find_game(ruleset.game).scene(ruleset, self.actions(game_id))
        seats = self.list_seats(game_id)
        return {
            **scene,
            "ranks": [seat.rank for seat in seats],
            "strategies": [seat.strategy for seat in seats],
            "run": self.name,
            "game_id": game_id,
        }

    @check_arguments
    def arrow(self, table_or_query: str) -> pa.Table:
        """Return a table (`seats`, `log`, ...) or the answer to a query; raise InvalidError if it is neither."""
        return query_arrow(self.connect(), table_or_query)

    @check_arguments
    def pandas(self, table_or_query: str) -> pd.DataFrame:
        """Return the same as a data frame of pandas, whose integers have a sign and whose texts that repeat are categoricals.

        The tables are run, rulesets, pieces, strategies, decision_times, games, seats, parts, ply_rows, plies, actions and log. A query
        is one SELECT of DuckDB's SQL: "SELECT strategy, avg(score) FROM seats GROUP BY ALL". Games, seats and plies count from 0.
        """
        return query_pandas(self.connect(), table_or_query)

    @check_arguments
    def polars(self, table_or_query: str) -> pl.DataFrame:
        """Return the same as a data frame of Polars; raise InvalidError if Polars is not installed."""
        return query_polars(self.connect(), table_or_query)

    def remove(self) -> None:
        """Delete a log of DuckDB beside the file, then the file. Processes that have it open can continue to read it.

        The reviews of its games go, too, unless a copy of the run lies beside it.

        In this order, because a log without its run would keep the name from new runs if the process is killed in between.
        """
        self._remove_reviews()
        duckdb_log_path(self.path).unlink(missing_ok=True)
        self.path.unlink()

    def _remove_reviews(self) -> None:
        with suppress(InvalidError):  # a damaged run has no reviews that can be found
            if self.review_path.exists() and not any(
                map(self._is_copy, self.path.parent.glob(f"*{RUN_SUFFIX}"))
            ):
                self.review_path.unlink(missing_ok=True)

    def _is_copy(self, path: Path) -> bool:
        """Return whether another file holds the same run."""
        with suppress(InvalidError):
            return path.name != self.path.name and Run(path).key == self.key
        return False

    def _query_rows(self, query: str, *parameters: int) -> list[tuple[Any, ...]]:
        """Return the rows of a query over `file.main.<table>`."""
        self.check()
        return list(_query_file(*self._file_state(), query, parameters))


@lru_cache(maxsize=64)
def _query_file(
    path: Path, _state: FileState, query: str, parameters: tuple[int, ...]
) -> list[tuple[Any, ...]]:
    """Return the rows of a query, cached: a page asks for the same game many times, and a run file never changes."""
    with attach_for_reading(path) as (connection, name):
        return connection.execute(query.replace("file.", f"{name}."), parameters).fetchall()


@lru_cache(maxsize=64)
def _read_ruleset_spec(where: str, spec: str) -> Ruleset:
    """Read a ruleset, cached: a ruleset object caches much that is derived from its tables."""
    try:
        document = json.loads(spec)
    except (ValueError, RecursionError):
        raise InvalidError(f"{where}: spec is not a JSON document") from None
    if not isinstance(document, dict):
        raise InvalidError(f"{where}: spec is not a JSON object")
    return read_ruleset(document, where)


def quote_path(path: Path) -> str:
    """Return a path as an SQL string."""
    text = str(path.absolute()).replace("'", "''")
    return f"'{text}'"


@lru_cache(maxsize=16)
def _folder_connection(folder: Path) -> duckdb.DuckDBPyConnection:
    """Return the DuckDB instance that reads the files of one folder and nothing else.

    It is cached, because creating an instance takes ten times as long as a short query.
    """
    connection = duckdb.connect(
        config={**OFFLINE_SETTINGS, "threads": "2", "memory_limit": READER_MEMORY_LIMIT, "temp_directory": ""}
    )
    connection.execute("SET allowed_directories = $1", [[str(folder)]])
    with outside_deleted_folder():
        return connection.execute("SET enable_external_access = false; SET lock_configuration = true")


@contextmanager
def attach_for_reading(path: Path) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    """Attach a file read-only for a short time; yield a connection and the name of the file in it.

    Raises InvalidError, in one line, if DuckDB cannot read the file. Use it only for queries of ours over base tables by
    their full names.
    """
    resolved = path.resolve()
    name = f"file_{uuid4().hex}"
    with _folder_connection(resolved.parent).cursor() as cursor:
        _attach_file(cursor, resolved, name)
        try:
            yield cursor, name
        except (duckdb.FatalException, duckdb.InternalException) as error:
            _folder_connection.cache_clear()  # after such an error an instance answers no queries, of no file
            raise InvalidError(f"{path}: not a run file: {format_error(error)}") from None
        except duckdb.Error as error:
            raise InvalidError(f"{path}: not a run file: {format_error(error)}") from None
        finally:
            with suppress(duckdb.Error):
                cursor.execute(f"USE memory; DETACH {name}")


def _attach_file(connection: duckdb.DuckDBPyConnection, path: Path, name: str) -> None:
    try:
        connection.execute(f"ATTACH {quote_path(path)} AS {name} (TYPE duckdb, READ_ONLY)")
    except duckdb.Error as error:
        raise explain_open_error(path, str(error)) from None


_OPEN_ELSEWHERE: Final = re.compile(
    r"Could not set lock on file(?:.*held in (?P<program>.*?) \(PID (?P<process>\d+)\))?"
)
_OPEN_HERE: Final = re.compile(r"Unique file handle conflict|Can't open a connection to same database")


def explain_open_error(path: Path, message: str) -> InvalidError:
    """Return the error for a file that DuckDB cannot open, from DuckDB's message: damage, or what keeps others from reading it."""
    elsewhere = _OPEN_ELSEWHERE.search(message)
    if _OPEN_HERE.search(message) or (elsewhere and elsewhere["process"] == str(os.getpid())):
        why = "open for writing in this process; close that connection, or open it with duckdb.connect(path, read_only=True)"
    elif elsewhere:
        program, process = Path(elsewhere["program"] or "").name, elsewhere["process"]
        who = f" ({program}, process {process})" if process else ""
        why = f"open for writing in another program{who}; close it there, or open it there only for reading"
    elif "Permission denied" in message:
        why = "Permission denied"
    else:
        return InvalidError(f"{path}: not a run file: {message.splitlines()[0].removesuffix('.')}")
    inaccessible_files.add(path.absolute())
    return InaccessibleError(f"{path}: {why}")


known_facts: Final[dict[FileKey, RunFacts]] = {}
"""The facts of the files that this process knows: a run file never changes."""


def remember_facts(facts: Mapping[FileKey, RunFacts]) -> None:
    """Keep the facts of some files for all objects of this process, and forget the oldest ones beyond `MAX_KNOWN_FILES`."""
    known_facts.update(facts)
    for key in list(known_facts)[:-MAX_KNOWN_FILES]:
        known_facts.pop(key, None)


def _read_facts(path: Path, state: FileState) -> RunFacts:
    """Check a file and read what is kept of it."""
    with attach_for_reading(path) as (connection, name):
        return read_file_facts(connection, name, path, state.bytes)


@contextmanager
def report_damage(where: str) -> Iterator[None]:
    """Raise InvalidError, in one line that begins with `where`, for an error of DuckDB in the context."""
    try:
        yield
    except duckdb.Error as error:
        raise InvalidError(f"{where}: {format_error(error)}") from None


def format_error(error: duckdb.Error) -> str:
    """Return the first line of a message, without its full stop."""
    return str(error).splitlines()[0].removesuffix(".")
