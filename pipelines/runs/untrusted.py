"""Checks of a run file before it is read: it may come from anybody.

A run file must not run code of its own. Reroll reads its base tables only, by their full names, and never its views or
functions (`pipelines.runs.schema.table_query`). `pipelines.runs.schema.find_schema_gap` refuses columns that are computed
when they are read. DuckDB compresses a repeated text a thousandfold, so the sizes of the small tables are checked before
they are read as a whole.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

from engine import games
from engine.counted_nouns import format_count
from pipelines.runs.schema import VIEWS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

    from pipelines.runs.summary import RulesetSummary, RunSummary

MAX_SEATS: Final = 8
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


def find_oversized_table(connection: duckdb.DuckDBPyConnection, database: str) -> str | None:
    """Return which small table of an attached run has too many rows or too long texts, or None.

    Call it only if `find_schema_gap` found nothing.
    """
    measures = (
        f"(SELECT [count(*), {', '.join(f'max(strlen({column}))' for column in limits)}] FROM {database}.main.{table})"
        for table, limits in MAX_TEXT_BYTES.items()
    )
    measured = connection.execute(f"SELECT {', '.join(measures)}").fetchall()[0]
    for (table, limits), (rows, *sizes) in zip(MAX_TEXT_BYTES.items(), measured, strict=True):
        if rows > MAX_DIMENSION_ROWS or (table == "run" and rows != 1):
            return f"table {table} has {format_count(rows, 'row')}"
        for (column, limit), size in zip(limits.items(), sizes, strict=True):
            if size is not None and size > limit:
                return f"{table}.{column} has {size} bytes, more than {limit}"
    return None


def find_invalid_value(summary: RunSummary) -> str | None:
    """Return what is impossible in a summary, or None: lists, links and statistics rely on these values."""
    values: list[object] = [summary.title, summary.kind, summary.command, *summary.strategies]
    values += [
        part for one in summary.rulesets for part in (one.name, one.game, one.title, one.sha256, one.players)
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
