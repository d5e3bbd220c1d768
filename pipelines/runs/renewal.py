"""Give a run file of an older Reroll the view `log` of this one: a new file takes its place, with the same tables."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import duckdb

from engine.errors import InvalidError
from pipelines.runs.run import Run, attach_for_reading, format_error, quote_path
from pipelines.runs.schema import LOG_QUERY, OFFLINE_SETTINGS, comment_statements, find_old_view
from pipelines.runs.unfinished_run import make_read_only, sync_to_disk


def read_old_view(run: Run) -> str | None:
    """Return which view of a run only DuckDB 2.0 and newer can read, or None. Raises InvalidError if it is not a run file."""
    run.check()
    with attach_for_reading(run.path) as (connection, name):
        return find_old_view(connection, name)


def renew_views(run: Run) -> Run:
    """Write a copy of a run file with the view `log` of this Reroll, move it to the place of the file, and return it.

    All rows stay, `created_at` too, so that notes find their run. Raises InvalidError if the file is not a run file, or if
    DuckDB cannot write the copy.
    """
    run.check()
    path = run.path.resolve()
    copy = path.with_name(f".{path.name}.{os.getpid()}.renewed")
    try:
        shutil.copyfile(path, copy)
        _write_view(copy)
        shutil.copymode(path, copy)
        make_read_only(copy)
        sync_to_disk(copy)
        copy.replace(path)
        sync_to_disk(path.parent)
    except duckdb.Error as error:
        raise InvalidError(f"{run.path}: its views could not be renewed: {format_error(error)}") from None
    finally:
        copy.unlink(missing_ok=True)
    return Run(run.path)


def _write_view(path: Path) -> None:
    with duckdb.connect(config=OFFLINE_SETTINGS) as connection:
        connection.execute(
            f"ATTACH {quote_path(path)} AS renewed (TYPE duckdb, RECOVERY_MODE no_wal_writes); USE renewed"
        )
        connection.execute(f"CREATE OR REPLACE VIEW log AS\n{LOG_QUERY}")
        connection.execute(comment_statements("log"))
        connection.execute("CHECKPOINT renewed; USE memory; DETACH renewed")
