"""What is known of a run file once it is checked: its summary, and the kinds of its actions.

The file may come from anybody: a file of another format, and one whose tables are not those of a run, is refused.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError
from pipelines.runs import schema
from pipelines.runs.schema import RUN_FORMAT, KindSpan, find_schema_gap, query_table_columns
from pipelines.runs.summary import RulesetSummary, RunSummary, read_played_design
from pipelines.runs.summary_index import RunFacts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import duckdb

    from pipelines.runs.schema import KindSpans

MAX_KIND_SPANS: Final = 64
"""Spans of actions of one kind at most; the games have no more than 4."""


def read_file_facts(connection: duckdb.DuckDBPyConnection, name: str, path: Path, size: int) -> RunFacts:
    """Check the file `path` of `size` bytes, which is attached as `name`, and return what is kept of it.

    Raises InvalidError, in one line, if it is not a run file.
    """
    columns = query_table_columns(connection, name)
    found = _query_format(connection, name, columns.get("run", {}))
    if found not in {None, RUN_FORMAT}:
        command = _query_command(connection, name) if "command" in columns["run"] else ""
        raise InvalidError(f"{path}: {_format_mismatch(found, command)}")
    fault = (
        schema.find_foreign_view(connection, name)
        or find_schema_gap(columns)
        or schema.find_oversized_table(connection, name)
    )
    if fault:
        raise InvalidError(f"{path}: not a run file: {fault}")
    facts = RunFacts(_query_summary(connection, name, size), _query_kind_spans(connection, name))
    if fault := schema.find_invalid_value(facts.summary):
        raise InvalidError(f"{path}: not a run file: {fault}")
    return facts


def _query_kind_spans(connection: duckdb.DuckDBPyConnection, name: str) -> KindSpans | None:
    """Read the kinds of the actions from the table `actions`; None if they make too many spans."""
    rows = connection.execute(
        "SELECT action, kind FROM (SELECT action, kind, lead(kind) OVER (ORDER BY action) AS next_kind "
        f"FROM (SELECT action, left(kind, 100) AS kind FROM {name}.main.actions)) "
        "WHERE kind IS DISTINCT FROM next_kind ORDER BY action LIMIT ?",
        [MAX_KIND_SPANS + 1],
    ).fetchall()
    if len(rows) > MAX_KIND_SPANS or any(None in row for row in rows):
        return None
    return tuple(KindSpan(*row) for row in rows)


def _query_summary(connection: duckdb.DuckDBPyConnection, name: str, size: int) -> RunSummary:
    """Read the summary of an attached file whose tables were checked."""
    title, kind, created_at, command, seed, count, seconds, log, design = connection.execute(
        "SELECT title, kind, CASE WHEN created_at BETWEEN '1970-01-01' AND '9000-01-01' THEN created_at END, command, "
        f"seed, games, seconds, coalesce(design->>'log', 'full'), design FROM {name}.main.run"
    ).fetchall()[0]
    rulesets = connection.execute(
        f"SELECT ruleset, game, title, players, lowest_wins, sha256 FROM {name}.main.rulesets"
    ).fetchall()
    rows = connection.execute(f"SELECT DISTINCT strategy FROM {name}.main.strategies").fetchall()
    strategies = tuple(sorted(strategy for (strategy,) in rows))
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
        strategies=strategies,
        played=read_played_design(design, kind, seed, count, strategies),
        bytes=size,
    )


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


def _format_mismatch(found: int | None, command: str) -> str:
    """Return in one line what to do with a file of another format.

    The file may come from anybody, so its command is shown only if it is one command of Reroll.
    """
    if found is not None and found > RUN_FORMAT:
        advice = "read it with the newer Reroll that made it"
    elif command.startswith("reroll ") and command.isprintable() and _is_plain_command(command):
        advice = f"play its games again with: {command}"
    else:
        advice = "play its games again, or read it with the Reroll that made it"
    return f"the run file has format {found}, this Reroll reads format {RUN_FORMAT}; {advice}"


def _is_plain_command(command: str) -> bool:
    """Return whether a shell would read a text as one command without substitutions."""
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return " ".join(map(shlex.quote, words)) == command
