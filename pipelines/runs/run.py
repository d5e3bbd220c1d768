"""A run file: opened read-only, checked against the schema, its games read back. It may come from anybody."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import duckdb

from engine import games
from engine.game import InvalidError
from pipelines.design.design import read_ruleset
from pipelines.runs import untrusted
from pipelines.runs.schema import OFFLINE_SETTINGS, SCHEMA_VERSION, find_schema_gap, query_columns

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa

    from engine.ruleset import Ruleset
    from engine.scene import Scene
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.runs.logged_game import LoggedGame

READER_MEMORY_LIMIT: Final = "1GB"
"""What a short look may take: a small file may hold a large text many times over."""
MAX_PLIES: Final = 1 << 16


@dataclass(frozen=True)
class RulesetSummary:
    """A ruleset that was played."""

    name: str
    game: str
    title: str
    players: int
    lowest_wins: bool
    sha256: str


@dataclass(frozen=True)
class RunSummary:
    """What a list of runs shows of one."""

    title: str
    kind: str
    created_at: datetime
    """UTC, naive."""
    command: str
    seed: int
    games: int
    seconds: float
    log: str
    rulesets: tuple[RulesetSummary, ...]
    strategies: tuple[str, ...]
    bytes: int


@dataclass(frozen=True)
class GameSummary:
    """One row of the table `games`."""

    game_id: int
    ruleset: str
    block: int
    rotation: int
    rounds: int
    plies: int
    logged: bool


@dataclass(frozen=True)
class Seat:
    """One row of the table `seats`: who sat there and how it ended."""

    seat: int
    strategy: str
    score: int
    rank: int
    win_share: float


@dataclass(frozen=True)
class Run:
    """One run file. Nothing is kept open between calls."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def summary(self) -> RunSummary:
        """Raises InvalidError, in one line, if the file is no run."""
        return _read_summary(*self._file_state())

    def _file_state(self) -> tuple[Path, int, int]:
        """Return where the file is, when it was written (nanoseconds) and its size: one that was replaced is another."""
        try:
            found = self.path.stat()
        except OSError as error:
            raise InvalidError(f"{self.path}: {error.strerror}") from None
        return self.path.resolve(), found.st_mtime_ns, found.st_size

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Return an own connection that can read this file and nothing else; its tables go by their bare names.

        Connections are not for several threads: give each its own `cursor()`. Raises InvalidError if it is no run.
        """
        _ = self.summary
        connection = duckdb.connect(config={**OFFLINE_SETTINGS, "threads": "2"})
        try:
            _attach_file(connection, self.path, "file")
        except InvalidError:
            connection.close()
            raise
        connection.execute("SET enable_external_access = false; SET lock_configuration = true")
        if wrong := untrusted.find_foreign_function(connection, "file"):
            connection.close()
            raise InvalidError(f"{self.path}: no run file: {wrong}")
        return connection.execute("USE file")

    @cached_property
    def rulesets(self) -> dict[str, Ruleset]:
        """The rulesets that were played, from the specs in the file, checked."""
        rows = self._query_rows("SELECT ruleset, spec FROM file.rulesets ORDER BY ruleset")
        return {name: _read_ruleset_spec(f"{self.path}: ruleset {name}", spec) for name, spec in rows}

    def ruleset(self, name: str) -> Ruleset:
        """Return a ruleset of the run; raise InvalidError if it is not there or makes no sense."""
        if name not in self.rulesets:
            raise InvalidError(f"{self.path}: the run has no ruleset {name!r}")
        return self.rulesets[name]

    def game(self, game_id: int) -> GameSummary:
        """Return what the table `games` says of a game; raise InvalidError if there is none."""
        rows = (
            self._query_rows("SELECT * FROM file.games WHERE game_id = ?", game_id)
            if 0 <= game_id < 1 << 32
            else []
        )
        if not rows:
            raise InvalidError(f"run {self.name} has no game {game_id} (0 to {self.summary.games - 1})")
        return GameSummary(*rows[0])

    def seats(self, game_id: int) -> list[Seat]:
        """Return the seats of a game, in order."""
        self.game(game_id)
        rows = self._query_rows(
            "SELECT seat, strategy, score, rank, win_share FROM file.seats WHERE game_id = ? ORDER BY seat LIMIT ?",
            game_id,
            untrusted.MAX_SEATS + 1,
        )
        if not 1 <= len(rows) <= untrusted.MAX_SEATS:
            raise InvalidError(f"{self.path}: game {game_id} has not from 1 to {untrusted.MAX_SEATS} seats")
        return [Seat(*row) for row in rows]

    def actions(self, game_id: int) -> list[int]:
        """Return the actions of a game, those of chance included; raise InvalidError if they were not logged."""
        if not self.game(game_id).logged:
            raise InvalidError(
                f"the plies of game {game_id} are not in run {self.name}: it was made with --log {self.summary.log}"
            )
        rows = self._query_rows(
            "SELECT action FROM file.ply_rows WHERE game_id = ? ORDER BY ply LIMIT ?", game_id, MAX_PLIES + 1
        )
        if len(rows) > MAX_PLIES:
            raise InvalidError(f"{self.path}: game {game_id} has more than {MAX_PLIES} plies")
        return [action for (action,) in rows]

    def scene(self, game_id: int) -> Scene:
        """Return a logged game as a scene with its strategies; raise a GameError if the log breaks the rules."""
        ruleset = self.ruleset(self.game(game_id).ruleset)
        scene = games.find_game(ruleset.game).scene(ruleset, self.actions(game_id))
        seats = self.seats(game_id)
        return {
            **scene,
            "ranks": [seat.rank for seat in seats],
            "strategies": [seat.strategy for seat in seats],
            "run": self.name,
            "game_id": game_id,
        }

    def __getitem__(self, game_id: int) -> LoggedGame:
        """Return a game to look at; raise InvalidError if there is none."""
        from pipelines.runs.logged_game import LoggedGame  # noqa: PLC0415 - it rests on this module

        return LoggedGame(self, self.game(game_id).game_id)

    def arrow(self, what: str) -> pa.Table:
        """Return a table (`seats`, `log`, ...) or the answer to a query; raise InvalidError if it is neither."""
        from pipelines.runs.tables import query_arrow  # noqa: PLC0415 - as above

        return query_arrow(self.connect(), what)

    def pandas(self, what: str) -> pd.DataFrame:
        """Return the same as a frame."""
        from pipelines.runs.tables import query_pandas  # noqa: PLC0415 - as above

        return query_pandas(self.connect(), what)

    def comparison(self, *, metric: str | None = None) -> Comparison:
        """Compare the strategies that played; raise InvalidError if the run compares nothing."""
        from pipelines.experiments.compare.comparison import compare_strategies  # noqa: PLC0415 - it loads NumPy and SciPy

        return compare_strategies(self, metric=metric)

    def _repr_html_(self) -> str:
        from pipelines.notebook.html import run_html  # noqa: PLC0415 - only notebooks need it

        return run_html(self)

    def remove(self) -> None:
        """Delete the file. Who has it open can go on reading it."""
        self.path.unlink()

    def _query_rows(self, query: str, *parameters: int) -> list[tuple[Any, ...]]:
        _ = self.summary
        return list(_query_file(*self._file_state(), query, parameters))


@lru_cache(maxsize=64)
def _query_file(
    path: Path, _changed: int, _size: int, query: str, parameters: tuple[int, ...]
) -> list[tuple[Any, ...]]:
    """Ask a file for some rows. A page asks for the same game many times, and a run file never changes."""
    with _attach_for_reading(path) as (connection, name):
        return connection.execute(query.replace("file.", f"{name}."), parameters).fetchall()


@lru_cache(maxsize=64)
def _read_ruleset_spec(where: str, spec: str) -> Ruleset:
    """Read a ruleset once: what it works out of its tables, whoever looks at the run again finds there."""
    try:
        document = json.loads(spec)
    except (ValueError, RecursionError):
        raise InvalidError(f"{where}: spec is no JSON document") from None
    if not isinstance(document, dict):
        raise InvalidError(f"{where}: spec is no JSON document")
    return read_ruleset(document, where)


def quote_path(path: Path) -> str:
    """Return a path as an SQL text."""
    text = str(path.absolute()).replace("'", "''")
    return f"'{text}'"


@lru_cache(maxsize=16)
def _folder_connection(folder: Path) -> duckdb.DuckDBPyConnection:
    """Return the instance through which short looks go: to make one takes ten times as long as to look.

    It reads files of this folder only, whatever a file from anybody makes of our queries.
    """
    connection = duckdb.connect(
        config={**OFFLINE_SETTINGS, "threads": "2", "memory_limit": READER_MEMORY_LIMIT, "temp_directory": ""}
    )
    connection.execute("SET allowed_directories = $1", [[str(folder)]])
    return connection.execute("SET enable_external_access = false; SET lock_configuration = true")


@contextmanager
def _attach_for_reading(path: Path) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    """Attach a file read-only for one look: a connection, and the name of the file in it.

    Raises InvalidError, in one line, if DuckDB cannot read it. Only for queries of ours over tables that the check has
    found to be tables, by their full names: behind a bare one a function of the file's own could stand.
    """
    place = path.resolve()
    name = f"file_{uuid4().hex}"
    with _folder_connection(place.parent).cursor() as cursor:
        _attach_file(cursor, place, name)
        try:
            yield cursor, name
        except (duckdb.FatalException, duckdb.InternalException) as error:
            _folder_connection.cache_clear()  # after such an error an instance answers nothing any more, of no file
            raise InvalidError(f"{path}: no run file: {_format_error(error)}") from None
        except duckdb.Error as error:
            raise InvalidError(f"{path}: no run file: {_format_error(error)}") from None
        finally:
            with suppress(duckdb.Error):
                cursor.execute(f"USE memory; DETACH {name}")


def _attach_file(connection: duckdb.DuckDBPyConnection, path: Path, name: str) -> None:
    try:
        connection.execute(f"ATTACH {quote_path(path)} AS {name} (TYPE duckdb, READ_ONLY)")
    except duckdb.Error as error:
        raise InvalidError(f"{path}: no run file: {_format_error(error)}") from None


def _format_error(error: duckdb.Error) -> str:
    return str(error).splitlines()[0].removesuffix(".")


@lru_cache(maxsize=4096)
def _read_summary(path: Path, _changed: int, size: int) -> RunSummary:
    """Read what a list shows. A run file never changes, so time and size tell whether it is still the same."""
    with _attach_for_reading(path) as (connection, name):
        is_plain = untrusted.matches_schema(
            connection, name
        )  # as nearly all are; of others it is said what is wrong
        found = {} if is_plain else query_columns(connection, name)
        if not is_plain and (wrong := untrusted.find_computed_table(connection, name)):
            raise InvalidError(f"{path}: no run file: {wrong}")
        version = (
            _query_schema_version(connection, name)
            if is_plain or "versions" in found.get("run", {})
            else None
        )
        if version not in {None, SCHEMA_VERSION}:
            raise InvalidError(
                f"{path}: its tables have version {version}, this Reroll reads {SCHEMA_VERSION}; "
                "make the run again with the command that it holds"
            )
        wrong = None if is_plain else untrusted.find_foreign_view(connection, name) or find_schema_gap(found)
        wrong = wrong or untrusted.find_oversized_table(connection, name)
        if wrong:
            raise InvalidError(f"{path}: no run file: {wrong}")
        summary = _query_summary(connection, name, size)
    if wrong := untrusted.find_invalid_value(summary):
        raise InvalidError(f"{path}: no run file: {wrong}")
    return summary


def _query_summary(connection: duckdb.DuckDBPyConnection, name: str, size: int) -> RunSummary:
    """Read the summary of a file whose tables have been found to be those of a run, and none too large."""
    title, kind, created_at, command, seed, count, seconds, log = connection.execute(
        "SELECT title, kind, CASE WHEN created_at BETWEEN '1970-01-01' AND '9000-01-01' THEN created_at END, command, seed, games, seconds, coalesce(design->>'log', 'full') "
        f"FROM {name}.run"
    ).fetchall()[0]
    rulesets = connection.execute(
        f"SELECT ruleset, game, title, players, lowest_wins, sha256 FROM {name}.rulesets"
    ).fetchall()
    strategies = connection.execute(f"SELECT strategy FROM {name}.strategies").fetchall()
    return RunSummary(
        title=title,
        kind=kind,
        created_at=created_at,
        command=command,
        seed=seed,
        games=count,
        seconds=seconds,
        log=log,
        rulesets=tuple(RulesetSummary(*ruleset) for ruleset in sorted(rulesets)),
        strategies=tuple(sorted({strategy for (strategy,) in strategies})),
        bytes=size,
    )


def _query_schema_version(connection: duckdb.DuckDBPyConnection, name: str) -> int | None:
    """Return the version of a file's tables; None if it does not say."""
    rows = connection.execute(
        f"SELECT TRY_CAST(versions->>'schema' AS INTEGER) FROM {name}.run LIMIT 2"
    ).fetchall()
    return rows[0][0] if len(rows) == 1 else None
