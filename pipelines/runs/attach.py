"""One connection over many runs: each table is the union of the tables of the runs, with a first column `run`.

A bounded pool keeps the last connections open, because pages ask the same few sets of runs again.

Beside each column `seat`, which counts from 0, stands a column `player`, which counts from 1 and is null for chance. The
aggregate `half_width` gives the interval of a mean of blocks.
Of many small runs, packs are read instead of the run files (`pipelines.runs.pack`). The reviews of their games, which are
files of their own (`pipelines.runs.reviews`), are attached where they are asked for; otherwise their tables are empty.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Concatenate, Final, ParamSpec, TypeAlias, TypeVar

import duckdb

from engine.errors import InvalidError
from pipelines.runs import schema
from pipelines.runs.pack import MAX_OPEN_RUNS, RunSources, drop_damaged_packs, find_sources, packed_query
from pipelines.runs.reviews import find_review
from pipelines.runs.run import InaccessibleError, Run, explain_open_error, quote_path
from pipelines.runs.summary_index import FileState
from pipelines.runs.working_folder import outside_deleted_folder
from pipelines.statistics.planning import MIN_BLOCKS

P = ParamSpec("P")
R = TypeVar("R")
RunQuery: TypeAlias = Callable[Concatenate[duckdb.DuckDBPyConnection, P], R]
"""A function that asks a connection over runs; it may take further arguments."""
RunsKey: TypeAlias = tuple[tuple[str, FileState], ...]
MAX_CONNECTIONS: Final = 4
"""A connection over packs takes 12 MB and more, and 0.05 s to open."""
NO_REVIEWS: Final[Mapping[str, Path]] = MappingProxyType({})
MAX_PATHS_CHARACTERS: Final = 500
"""Characters of the list of files in a message."""


class RunPool:
    """Connections over sets of runs, at most `MAX_CONNECTIONS` with `MAX_OPEN_RUNS` files. Threads may share it."""

    def __init__(self) -> None:
        self._held: dict[RunsKey, tuple[duckdb.DuckDBPyConnection, RunSources]] = {}
        self._lock = threading.Lock()

    def ask(self, ask: RunQuery[P, R], runs: Sequence[Run], *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the answer of a function that asks a connection over some runs; raise InvalidError if a file is damaged."""
        return self._ask(NO_REVIEWS, ask, runs, *args, **kwargs)

    def ask_reviews(self, ask: RunQuery[P, R], runs: Sequence[Run], *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the same over some runs and the reviews of their games."""
        return self._ask(find_reviews(runs), ask, runs, *args, **kwargs)

    def _ask(
        self,
        reviews: Mapping[str, Path],
        ask: RunQuery[P, R],
        runs: Sequence[Run],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        key = find_states(runs) + tuple((str(path), FileState.of(path)) for path in reviews.values())
        opened, sources = self._open(key, runs, reviews)
        try:
            with opened as cursor:
                return ask(cursor, *args, **kwargs)
        except duckdb.Error as error:
            with self._lock:
                self._held.pop(key, None)
            if drop_damaged_packs(sources.packs):
                return self._ask(reviews, ask, runs, *args, **kwargs)
            subject = "the file is" if len(runs) == 1 else "one of these files is"
            paths = ", ".join(str(run.path) for run in runs)[:MAX_PATHS_CHARACTERS]
            raise InvalidError(f"{paths}: {subject} damaged: {str(error).splitlines()[0]}") from None

    def _open(
        self, key: RunsKey, runs: Sequence[Run], reviews: Mapping[str, Path]
    ) -> tuple[duckdb.DuckDBPyConnection, RunSources]:
        """Return a cursor over some runs, and the files that it reads; their connection is then the last to be closed."""
        with self._lock:
            if key in self._held:
                self._held[key] = connection, sources = self._held.pop(key)
                return connection.cursor(), sources
        connection, sources = connect_sources(runs, reviews)
        with self._lock:
            self._held[key] = connection, sources
            while len(self._held) > 1 and not self._is_within_limits():
                # The files stay open for the cursors of other threads, until these are closed.
                self._held.pop(next(iter(self._held)))[0].close()
            return connection.cursor(), sources

    def _is_within_limits(self) -> bool:
        files = sum(len(sources.files) + len(sources.packs) for _, sources in self._held.values())
        return len(self._held) <= MAX_CONNECTIONS and files <= MAX_OPEN_RUNS


run_pool: Final = RunPool()
"""The pool of this process."""


def find_states(runs: Iterable[Run]) -> RunsKey:
    """Return what tells that the files of some runs are the same as before; raise InvalidError if one has gone."""
    states = []
    for run in runs:
        try:
            states.append((str(run.path), FileState.of(run.path)))
        except OSError as error:
            raise InvalidError(f"{run.path}: {error.strerror}") from None
    return tuple(states)


MEMORY_LIMIT: Final = "2GB"
HALF_WIDTH_MACRO: Final = f"""
CREATE MACRO half_width(blocks) AS CASE WHEN count(blocks) >= {MIN_BLOCKS} THEN stddev_samp(blocks) / sqrt(count(blocks)) *
  (1.95996 + 2.37227 / (count(blocks) - 1) + 2.8225 / (count(blocks) - 1) ** 2 + 2.55585 / (count(blocks) - 1) ** 3) END"""
"""An aggregate: half the width of the 95 % interval of the mean of independent blocks, by Student's t; null for fewer than `MIN_BLOCKS`.

The quantile is written as a series in 1 / (blocks - 1), which is right to 0.0003 from that number on.
"""


def connect_runs(runs: Sequence[Run], *, reviewed: bool = False) -> duckdb.DuckDBPyConnection:
    """Return a connection that can read these runs and nothing else, with views named like the tables.

    With `reviewed` it reads the reviews of their games, too.

    Every view has a first column `run` (the name of the file). Raises InvalidError if a file is not a run file, and if too
    many would be open.
    """
    return connect_sources(runs, find_reviews(runs) if reviewed else {})[0]


def find_reviews(runs: Iterable[Run]) -> dict[str, Path]:
    """Return the files with reviews of the games of some runs, by the names of the runs; most runs have none.

    Raises InvalidError if a file is not one with reviews.
    """
    paths = {run.name: find_review(run) for run in runs}
    reviews = {name: path for name, path in paths.items() if path}
    if len(set(reviews.values())) > MAX_OPEN_RUNS:
        raise InvalidError(
            f"this needs the reviews of {len(reviews):,} runs at once, and at most {MAX_OPEN_RUNS} can be open; name the runs that count"
        )
    return reviews


def connect_sources(
    runs: Sequence[Run], reviews: Mapping[str, Path] = NO_REVIEWS
) -> tuple[duckdb.DuckDBPyConnection, RunSources]:
    """Return the same connection, and the files that it reads."""
    sources = find_sources(runs)
    connection = duckdb.connect(
        config={**schema.OFFLINE_SETTINGS, "threads": "2", "memory_limit": MEMORY_LIMIT}
    )
    try:
        with outside_deleted_folder():
            for statement in attach_statements(sources, reviews):
                connection.execute(statement)
    except (duckdb.Error, InvalidError) as error:
        connection.close()
        raise_inaccessible(sources.files, error)
        if drop_damaged_packs(sources.packs):
            return connect_sources(runs, reviews)
        raise InvalidError(str(error).splitlines()[0]) from None
    return connection, sources


def raise_inaccessible(runs: Sequence[Run], error: Exception) -> None:
    """Raise InaccessibleError if an error of DuckDB says that one of some runs cannot be read at the moment."""
    if isinstance(error, InaccessibleError):
        raise error
    for run in runs:
        if {f'"{run.path.absolute()}"', f'"{run.path.resolve()}"'} & set(re.findall(r'"[^"]*"', str(error))):
            explained = explain_open_error(run.path, str(error))
            if isinstance(explained, InaccessibleError):
                raise explained from None


def attach_statements(sources: RunSources, reviews: Mapping[str, Path] = NO_REVIEWS) -> Iterator[str]:
    """Yield the SQL that attaches the files of some runs to a new connection and then forbids access to anything else.

    `reviews` are those of `find_reviews`. Raises InvalidError if a file is not a run file.
    """
    spans = [run.kind_spans for run in sources.files]
    for number, run in enumerate(sources.files):
        yield f"ATTACH {quote_path(run.path)} AS r{number} (TYPE duckdb, READ_ONLY)"
    if sources.packs:
        yield "ATTACH ':memory:' AS chosen"
    for number, (path, chosen) in enumerate(sources.packs.items()):
        yield f"ATTACH {quote_path(path)} AS p{number} (TYPE duckdb, READ_ONLY)"
        rows = ", ".join(f"({key}, {_quote_text(name)})" for key, name in chosen)
        yield f"CREATE TABLE chosen.main.p{number} AS FROM (VALUES {rows}) AS t(id, run)"
    if not sources.files and not sources.packs:
        yield f"ATTACH ':memory:' AS empty; USE empty; {schema.SCHEMA}; USE memory"
    for table in schema.schema_columns():
        parts = [
            _select_columns(table, _quote_text(run.name), schema.table_query(table, f"r{number}", file_spans))
            for number, (run, file_spans) in enumerate(zip(sources.files, spans, strict=True))
        ]
        parts += [_pack_query(table, number) for number in range(len(sources.packs))]
        parts = parts or [_select_columns(table, "''", schema.table_query(table, "empty", ()))]
        yield f"CREATE VIEW {table} AS SELECT {_list_columns(table)} FROM ({' UNION ALL '.join(parts)})"  # noqa: S608 - names of the schema
    yield from _attach_reviews(reviews)
    yield HALF_WIDTH_MACRO
    yield "SET enable_external_access = false"
    yield "SET lock_configuration = true"


def _attach_reviews(reviews: Mapping[str, Path]) -> Iterator[str]:
    """Yield the SQL that attaches files with reviews. Copies of a run share one file."""
    numbers = {path: number for number, path in enumerate(dict.fromkeys(reviews.values()))}
    for path, number in numbers.items():
        yield f"ATTACH {quote_path(path)} AS v{number} (TYPE duckdb, READ_ONLY)"
    if not reviews:
        yield f"ATTACH ':memory:' AS no_reviews; USE no_reviews; {schema.REVIEW_SCHEMA}; USE memory"
    databases = [(_quote_text(name), f"v{numbers[path]}") for name, path in reviews.items()]
    for table, columns in schema.review_columns().items():
        stored = ", ".join(f'"{column}"' for column in columns)
        parts = " UNION ALL ".join(
            f"SELECT {name} AS run, {stored} FROM {database}.main.{table}"  # noqa: S608 - names of the schema
            for name, database in databases or [("''", "no_reviews")]
        )
        yield f"CREATE VIEW {table} AS SELECT {_list_columns(table)} FROM ({parts})"  # noqa: S608 - names of the schema


def _list_columns(table: str) -> str:
    """Return the columns of a view, with the player beside the seat."""
    columns = {**schema.schema_columns(), **schema.review_columns()}[table]
    return ", ".join(
        "seat, nullif(seat::INTEGER + 1, 0) AS player" if column == "seat" else f'"{column}"'
        for column in dict.fromkeys(["run", *columns])
    )


def _pack_query(table: str, number: int) -> str:
    """Return the query of a table over the pack of a number."""
    if table != "log":
        return packed_query(table, number)
    return _select_columns(table, "run", schema.log_query(lambda source: packed_query(source, number)))


def _select_columns(table: str, run: str, query: str) -> str:
    """Return a query for the columns of a table after the column `run`, whose value is an SQL expression."""
    columns = ", ".join(f'"{column}"' for column in schema.schema_columns()[table] if column != "run")
    return f"SELECT {run} AS run, {columns} FROM ({query})"  # noqa: S608 - names of the schema


def _quote_text(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"


_CONTRADICTIONS: Final = {
    "a ledger does not add up to the result of its seat": """
      FROM ledgers AS l JOIN rulesets AS r USING (run, ruleset) LEFT JOIN seats AS s USING (run, game_id, seat)
      WHERE s.score IS NULL OR s.score <> l.points OR abs(s.win_share - l.wins) > 1e-9 OR s.strategy <> l.strategy
      OR abs(start_points + if(lowest_wins, -1, 1) * (luck_points + own_points + others_points) - points) > 1e-6
      OR abs(start_wins + luck_wins + own_wins + others_wins - wins) > 1e-6""",
    "a decision is not that of the game": """
      FROM decisions AS d LEFT JOIN plies AS p USING (run, game_id, ply)
      WHERE p.action IS DISTINCT FROM d.action OR p.seat <> d.seat OR p.options <> d.choices OR p.round <> d.round""",
    "the rolls of a game do not add up to the luck of its ledger": """
      FROM ledgers AS l LEFT JOIN (
        SELECT run, review, game_id, seat, sum(luck_points) AS points, sum(luck_wins) AS wins FROM rolls GROUP BY ALL
      ) AS r USING (run, review, game_id, seat)
      WHERE abs(coalesce(r.points, 0) - l.luck_points) > 1e-3 OR abs(coalesce(r.wins, 0) - l.luck_wins) > 1e-3""",
}
"""What must not be in the reviews of a run, and how to find it."""


def find_contradiction(run: Run) -> str | None:
    """Return what contradicts the run in the reviews of its games, or None."""
    with connect_runs([run], reviewed=True) as connection:
        for fault, query in _CONTRADICTIONS.items():
            if connection.execute(f"SELECT count(*) {query}").fetchall() != [(0,)]:
                return fault
    return None
