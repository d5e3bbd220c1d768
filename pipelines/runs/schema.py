"""The tables and views of a run file, as `schema.sql` defines and documents them, and the checks of a file that may come from anybody.

All other modules get names, types and comments from here, and the queries of the two views. `find_schema_gap` compares
an attached file with the schema.

Checks of a run file before it is read: it may come from anybody.
A run file must not run code of its own. Reroll reads its base tables only, by their full names, and never its views or
functions (`pipelines.runs.schema.table_query`). `pipelines.runs.schema.find_schema_gap` refuses columns that are computed
when they are read. DuckDB compresses a repeated text a thousandfold, so the sizes of the small tables are checked before
they are read as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import duckdb

from engine import games
from engine.wording import format_count

if TYPE_CHECKING:
    from pipelines.runs.summary import RulesetSummary, RunSummary

SCHEMA: Final = (Path(__file__).parent / "schema.sql").read_text(encoding="utf-8")
REVIEW_SCHEMA: Final = (Path(__file__).parent / "reviews.sql").read_text(encoding="utf-8")
"""The tables of a file with reviews of the games of a run, see `pipelines.runs.reviews`."""
RUN_FORMAT: Final = 3
"""The format number of run files (column `run.format`). It is increased when older ones can no longer
be read like newer ones. Format 2 had no such column: it called its number `schema`, in `run.versions`."""

VIEWS: Final = ("plies", "log")
"""Run files have these two views for other DuckDB clients. Reroll never reads them: it defines its own (`view_query`)."""

PROGRAM_FAILED: Final = "failed in"
"""Words in the column `strategies.program` of a program that failed in some games."""

SHARD_TABLES: Final[Mapping[str, str]] = {
    "games": "games",
    "seats": "seats",
    "parts": "parts",
    "plies": "ply_rows",
}
"""The files of a shard with one row per game, seat, part and ply, and the table of the run file that each fills."""

OFFLINE_SETTINGS: Final[dict[str, str | bool | int | float | list[str]]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""Settings of every DuckDB connection: DuckDB must not download or load extensions."""

RUN_COLUMN_COMMENT: Final = (
    "Name of the run's file: every table has it, because a query asks all chosen runs at once."
)

PLAYER_COLUMN_COMMENT: Final = "The seat as people count it, from 1; null for chance."

LOG_QUERY: Final = SCHEMA.partition("CREATE VIEW log AS\n")[2].partition(";")[0]

_COMMENTS_QUERY: Final = """
    SELECT table_name, comment FROM duckdb_tables()
    UNION ALL SELECT view_name, comment FROM duckdb_views() WHERE NOT internal"""

_TABLE_COLUMNS_QUERY: Final = """
    SELECT table_name, column_name, data_type FROM duckdb_columns()
    WHERE database_name = $1 AND schema_name = 'main' AND NOT is_generated AND table_name IN (
      SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name = 'main')
    ORDER BY table_name, column_index"""


class DocumentedColumn(NamedTuple):
    """A column of a table."""

    name: str
    type: str
    about: str


class DocumentedTable(NamedTuple):
    """A table or view as queries over several runs see it: its first column is the name of the run, `player` follows `seat`."""

    name: str
    about: str
    columns: tuple[DocumentedColumn, ...]


class KindSpan(NamedTuple):
    """Consecutive action numbers of one kind, given by the last of them."""

    last: int
    kind: str


KindSpans: TypeAlias = tuple[KindSpan, ...]
"""All action numbers of a ruleset that occur, ascending."""


def run_file_tables() -> tuple[DocumentedTable, ...]:
    """Return the tables and views of a run file in the order of the schema, with the columns that the file has."""
    return _read_tables(SCHEMA)


def review_tables() -> tuple[DocumentedTable, ...]:
    """Return the tables of a file with reviews in the order of their schema."""
    return _read_tables(REVIEW_SCHEMA)


@lru_cache(maxsize=2)
def _read_tables(schema: str) -> tuple[DocumentedTable, ...]:
    with duckdb.connect(config=OFFLINE_SETTINGS) as connection:
        connection.execute(schema)
        comments = dict(connection.execute(_COMMENTS_QUERY).fetchall())
        rows = connection.execute(
            "SELECT table_name, column_name, data_type, comment FROM duckdb_columns() "
            "WHERE NOT internal AND schema_name = 'main' ORDER BY table_name, column_index"
        ).fetchall()
    columns: dict[str, list[DocumentedColumn]] = {name: [] for name in comments}
    for table, name, type_, comment in rows:
        columns[table].append(DocumentedColumn(name, type_, comment or ""))
    order = re.findall(r"^CREATE (?:TABLE|VIEW) (\w+)", schema, re.MULTILINE)
    return tuple(DocumentedTable(name, comments[name] or "", tuple(columns[name])) for name in order)


def documented_tables() -> tuple[DocumentedTable, ...]:
    """Return all tables and views of runs and of their reviews, each with a first column `run`, and `player` behind `seat`."""
    run_column = DocumentedColumn("run", "VARCHAR", RUN_COLUMN_COMMENT)
    player = DocumentedColumn("player", "INTEGER", PLAYER_COLUMN_COMMENT)
    return tuple(
        table._replace(
            columns=(
                run_column,
                *(
                    documented
                    for column in table.columns
                    if column.name != "run"
                    for documented in ((column, player) if column.name == "seat" else (column,))
                ),
            )
        )
        for table in (*run_file_tables(), *review_tables())
    )


@lru_cache(maxsize=1)
def schema_columns() -> dict[str, dict[str, str]]:
    """Return the types of the columns, in order, of every table and view of a run file."""
    return {table.name: {column.name: column.type for column in table.columns} for table in run_file_tables()}


@lru_cache(maxsize=1)
def review_columns() -> dict[str, dict[str, str]]:
    """Return the types of the columns, in order, of every table of a file with reviews."""
    return {table.name: {column.name: column.type for column in table.columns} for table in review_tables()}


def comment_statements(table: str) -> str:
    """Return the statements of the schema that set the comments of a table or view and of its columns."""
    starts = (f"COMMENT ON TABLE {table} ", f"COMMENT ON VIEW {table} ", f"COMMENT ON COLUMN {table}.")
    return "\n".join(line for line in SCHEMA.splitlines() if line.startswith(starts))


def query_table_columns(connection: duckdb.DuckDBPyConnection, database: str) -> dict[str, dict[str, str]]:
    """Return the types of the stored columns of every base table of an attached file.

    Views and generated columns, which run code of the file when they are read, are left out.
    """
    columns: dict[str, dict[str, str]] = {}
    for table, column, type_ in connection.execute(_TABLE_COLUMNS_QUERY, [database]).fetchall():
        columns.setdefault(table, {})[column] = type_
    return columns


def has_usual_tables(connection: duckdb.DuckDBPyConnection, database: str) -> bool:
    """Return whether an attached file has exactly the tables of the schema, and no other views than those of a run.

    This takes a third of the time of `query_table_columns`. Another version of Reroll, or another program, may have made
    other tables that are as good, which `find_schema_gap` tells.
    """
    tables, views = _describe_tables(connection, database)
    return tables == _usual_tables() and views <= {("main", view) for view in VIEWS}


def _describe_tables(
    connection: duckdb.DuckDBPyConnection, database: str
) -> tuple[set[tuple[str, ...]], set[tuple[str, ...]]]:
    """Return schema, name and statement of each table of an attached file, and schema and name of each view."""
    tables = connection.execute(
        "SELECT schema_name, table_name, sql FROM duckdb_tables() WHERE database_name = $1", [database]
    ).fetchall()
    views = connection.execute(
        "SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = $1 AND NOT internal",
        [database],
    ).fetchall()
    return set(tables), set(views)


@lru_cache(maxsize=1)
def _usual_tables() -> set[tuple[str, ...]]:
    """Return schema, name and statement of each table of the schema, as this version of DuckDB writes them."""
    with duckdb.connect(config=OFFLINE_SETTINGS) as connection:
        connection.execute(SCHEMA)
        return _describe_tables(connection, "memory")[0]


def find_schema_gap(file_columns: Mapping[str, Mapping[str, str]]) -> str | None:
    """Return the first base table or stored column of the schema that a file lacks, or None.

    `file_columns` is the result of `query_table_columns`. Both sides of the comparison come from the same DuckDB, so
    it does not depend on how a version of DuckDB writes types. Additional tables and columns are allowed.
    """
    for table, columns in schema_columns().items():
        if table in VIEWS:
            continue
        if table not in file_columns:
            return f"no table {table}"
        for column, type_ in columns.items():
            if file_columns[table].get(column) != type_:
                return f"no stored column {table}.{column} of type {type_}"
    return None


def kind_spans(kinds: Iterable[tuple[int, str]]) -> KindSpans:
    """Return the spans of actions given as (number, kind).

    >>> kind_spans([(36, "place"), (0, "roll"), (35, "roll"), (90, "place")])
    (KindSpan(last=35, kind='roll'), KindSpan(last=90, kind='place'))
    """
    groups = groupby(sorted(kinds), lambda item: item[1])
    return tuple(KindSpan(max(number for number, _ in group), kind) for kind, group in groups)


def plies_query(spans: KindSpans, rows: str = "ply_rows") -> str:
    """Return the query of the view `plies` over the table `rows`.

    No file stores the kind of every ply, because it follows from the number of the action. Numbers of one kind are
    consecutive, so one or two comparisons tell the kind.

    >>> plies_query(kind_spans([(35, "roll"), (90, "place")])).splitlines()[0]
    "SELECT game_id, ply, round, seat, CASE WHEN action <= 35 THEN 'roll' ELSE 'place' END AS kind,"
    """
    return (
        f"SELECT game_id, ply, round, seat, {_kind_expression(spans)} AS kind,\n"
        f"action, options, score FROM {rows}"
    )


def _kind_expression(spans: KindSpans) -> str:
    texts = ["'" + span.kind.replace("'", "''") + "'" for span in spans] or ["''"]
    if len(texts) == 1:
        return texts[0]
    cases = (f"WHEN action <= {span.last} THEN {text}" for span, text in zip(spans[:-1], texts, strict=False))
    return f"CASE {' '.join(cases)} ELSE {texts[-1]} END"


def log_query(source: Callable[[str], str]) -> str:
    """Return the query of the view `log` with a first column `run`; `source` returns the query of another table with it."""
    by_run = re.sub(r"(SELECT\s+|PARTITION BY )(p\.)?game_id", r"\1\2run, \2game_id", LOG_QUERY)
    return re.sub(
        r"FROM (\w+)|JOIN (\w+) (\w) ON",
        lambda match: (
            f"FROM ({source(match[1])})"
            if match[1]
            else f"JOIN ({source(match[2])}) {match[3]} ON {match[3]}.run = p.run AND"
        ),
        by_run,
    )


def table_query(table: str, database: str, spans: KindSpans) -> str:
    """Return a query for a table or view of the schema that reads only base tables of an attached database.

    `spans` are the kinds of the actions of that database, see `plies_query`. The columns are those of the schema, in
    its order.
    """
    if table == "plies":
        return plies_query(spans, f"{database}.main.ply_rows")
    if table == "log":
        return re.sub(r"\b(FROM|JOIN) (\w+)", rf"\1 {database}.main.\2", LOG_QUERY)
    columns = ", ".join(f'"{column}"' for column in schema_columns()[table])
    return f"SELECT {columns} FROM {database}.main.{table}"


MAX_SEATS: Final = 8
UNSUSPICIOUS_ROWS: Final = 1_000_000
"""So many rows are read quickly; `verify` says what is wrong with them."""
MAX_DIMENSION_ROWS: Final = 256
"""Rulesets, pieces and strategies of a run, each."""

MAX_TEXT_BYTES: Final[Mapping[str, Mapping[str, int]]] = {
    "run": {"title": 1_000, "kind": 100, "command": 100_000, "design": 1 << 24, "versions": 10_000},
    "rulesets": {"title": 1_000, "provenance": 100_000, "spec": 1 << 20},
    "pieces": {"piece": 1_000},
    "strategies": {
        "strategy": 10_000,
        "notation": 10_000,
        "name": 10_000,
        "title": 10_000,
        "params": 100_000,
        "program": 10_000,
    },
}
"""Bytes at most, by table and column."""

_RULESET_NAME_PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_HASH_PATTERN: Final = re.compile(r"[0-9a-f]{64}")


def find_foreign_view(connection: duckdb.DuckDBPyConnection, database: str) -> str | None:
    """Return which view of an attached file does not belong to a run, or None.

    Only names are compared: the SQL text that DuckDB stores for a view differs between versions of DuckDB. The two views
    of a run may have any content, because they are never read.
    """
    views = connection.execute(
        "SELECT view_name FROM duckdb_views() WHERE database_name = $1 AND NOT internal "
        "AND (schema_name <> 'main' OR NOT list_contains($2, view_name)) LIMIT 1",
        [database, list(VIEWS)],
    ).fetchall()
    return f"its view {views[0][0][:60]!r} does not belong to a run" if views else None


def find_old_view(connection: duckdb.DuckDBPyConnection, database: str) -> str | None:
    """Return which view of an attached run cannot be read by DuckDB 1.5, as those of Reroll 0.4.0 and earlier versions; or None."""
    views = connection.execute(
        "SELECT view_name FROM duckdb_views() WHERE database_name = $1 AND schema_name = 'main' "
        r"AND regexp_matches(sql, '\blag\([^()]*,') LIMIT 1",
        [database],
    ).fetchall()
    return views[0][0] if views else None


def find_foreign_table(connection: duckdb.DuckDBPyConnection, database: str) -> str | None:
    """Return which table of an attached file does not belong to a run, or None. Nothing reads it."""
    tables = connection.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = $1 AND NOT internal "
        "AND (schema_name <> 'main' OR NOT list_contains($2, table_name)) LIMIT 1",
        [database, [name for name in schema_columns() if name not in VIEWS]],
    ).fetchall()
    return f"its table {tables[0][1][:60]!r} does not belong to a run" if tables else None


def find_oversized_table(
    connection: duckdb.DuckDBPyConnection,
    database: str,
    sizes_by_table: Mapping[str, Sequence[Sequence[int | None]]],
) -> str | None:
    """Return which small table of an attached run has too many rows or too long texts, or None.

    `sizes_by_table` has the bytes of the texts of MAX_TEXT_BYTES in each row, of one row more than a table may have.
    """
    for table, limits in MAX_TEXT_BYTES.items():
        sizes = sizes_by_table[table]
        if len(sizes) > MAX_DIMENSION_ROWS or (table == "run" and len(sizes) != 1):
            rows = connection.execute(f"SELECT count(*) FROM {database}.main.{table}").fetchall()[0][0]
            return f"table {table} has {format_count(rows, 'row')}"
        for place, (column, limit) in enumerate(limits.items()):
            size = max((row[place] or 0 for row in sizes), default=0)
            if size > limit:
                return f"{table}.{column} has {size} bytes, more than {limit}"
    return None


def find_surplus_rows(rows_by_table: Mapping[str, int], games: int) -> str | None:
    """Return which table of a run has more rows than its number of games can have, or None: a small file may hold millions."""
    for table, max_rows in (("games", games), ("seats", games * MAX_SEATS)):
        rows = rows_by_table[table]
        if rows > max(max_rows, UNSUSPICIOUS_ROWS):
            return f"table {table} has {format_count(rows, 'row')}, for {format_count(games, 'game')}"
    return None


def find_invalid_value(summary: RunSummary) -> str | None:
    """Return what is impossible in a summary, or None: lists, links and statistics rely on these values."""
    values: list[object] = [summary.title, summary.kind, summary.command, *summary.strategies]
    values += [
        part
        for ruleset in summary.rulesets
        for part in (ruleset.name, ruleset.game, ruleset.title, ruleset.sha256, ruleset.players)
    ]
    if None in values:
        return "a title, a name or another value of its tables run, rulesets and strategies is missing"
    for ruleset in summary.rulesets:
        if fault := _find_ruleset_fault(ruleset):
            return fault
    if not summary.rulesets or not summary.strategies or not summary.games:
        return "it has no ruleset, no strategy or no game"
    created_at: object = summary.created_at  # None if the time is outside the range that is read
    if not isinstance(created_at, datetime):
        return "run.created_at is not between the years 1970 and 9000"
    return None if 0 <= summary.seconds < 1e10 else f"run.seconds is {summary.seconds}"


def _find_ruleset_fault(ruleset: RulesetSummary) -> str | None:
    if ruleset.game not in games.game_names():
        return f"ruleset {ruleset.name[:60]!r} is of the game {ruleset.game[:60]!r}, which is unknown"
    if not _RULESET_NAME_PATTERN.fullmatch(ruleset.name):
        return f"{ruleset.name[:60]!r} is not a name of a ruleset"
    if not _HASH_PATTERN.fullmatch(ruleset.sha256):
        return f"ruleset {ruleset.name} has the hash {ruleset.sha256[:70]!r}"
    return (
        None
        if 1 <= ruleset.players <= MAX_SEATS
        else f"ruleset {ruleset.name} has {format_count(ruleset.players, 'player')}"
    )
