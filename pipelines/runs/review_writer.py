"""Writing of files with reviews: each time the file is written anew, with the games that were reviewed since, and takes its place at once."""

from __future__ import annotations

import fcntl
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import metadata
from typing import Any, NamedTuple, TypeAlias
from uuid import uuid4

import duckdb
import pyarrow as pa

from engine.errors import InvalidError
from pipelines.runs.reviews import find_review, open_reviews
from pipelines.runs.run import Run, quote_path
from pipelines.runs.schema import OFFLINE_SETTINGS, REVIEW_SCHEMA, review_columns
from pipelines.runs.seal import SMALL_BLOCK_BYTES, STORAGE_VERSION
from pipelines.runs.unfinished_run import sync_to_disk

ReviewRows: TypeAlias = Mapping[str, Sequence[tuple[Any, ...]]]
"""By table, the rows of reviewed games without their first column, `review`."""


class ReviewKind(NamedTuple):
    """Who judges, with how many playouts: what distinguishes the reviews of one run."""

    judge: str
    effort: float = 1.0
    seed: int = 0


def list_reviewed_games(run: Run, kind: ReviewKind) -> set[int]:
    """Return the games of a run that have a review of a kind."""
    with open_reviews(run) as connection:
        if connection is None:
            return set()
        rows = connection.execute(
            "SELECT DISTINCT game_id FROM ledgers SEMI JOIN (FROM reviews WHERE judge = ? AND effort = ? AND seed = ?) "
            "USING (review)",
            kind,
        ).fetchall()
    return {game_id for (game_id,) in rows}


@contextmanager
def lock_reviews(run: Run) -> Iterator[None]:
    """Keep other processes from writing the reviews of a run. Raises InvalidError if another one does."""
    lock = run.review_path.with_suffix(".lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InvalidError(f"the games of {run.name} are being reviewed already") from None
        for leftover in lock.parent.glob(f".{run.key}-*.new"):  # of a process that was killed
            leftover.unlink(missing_ok=True)
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def save_reviewed_games(run: Run, kind: ReviewKind, parts: Iterable[ReviewRows]) -> None:
    """Add reviewed games to the reviews of a run. A process that is killed leaves the file as it was before."""
    path, known = run.review_path, find_review(run)
    built = path.with_name(f".{path.stem}-{uuid4().hex}.new")
    tables = list(review_columns())[1:]
    rows = {table: [row for part in parts for row in part[table]] for table in tables}
    try:
        with duckdb.connect(config=OFFLINE_SETTINGS) as connection:
            connection.execute(
                f"ATTACH {quote_path(built)} AS built (STORAGE_VERSION '{STORAGE_VERSION}', BLOCK_SIZE {SMALL_BLOCK_BYTES}, "
                f"RECOVERY_MODE no_wal_writes); USE built; {REVIEW_SCHEMA}"
            )
            if known:
                connection.execute(f"ATTACH {quote_path(known)} AS known (TYPE duckdb, READ_ONLY)")
            connection.execute("BEGIN")
            review = _insert_review(connection, run, kind, is_first=known is None)
            for table, columns in review_columns().items():
                if table != "reviews":
                    _insert_rows(
                        connection, table, list(columns), rows[table], review, is_first=known is None
                    )
            connection.execute(
                "UPDATE reviews SET games = (SELECT count(DISTINCT game_id) FROM ledgers AS l WHERE l.review = reviews.review)"
            )
            connection.execute("COMMIT; CHECKPOINT built; USE memory; DETACH built")
        sync_to_disk(built)
        built.replace(path)
    finally:
        with suppress(OSError):
            built.unlink(missing_ok=True)


def _insert_review(
    connection: duckdb.DuckDBPyConnection, run: Run, kind: ReviewKind, *, is_first: bool
) -> int:
    """Insert the rows of all reviews; return the number of the one of a kind."""
    if not is_first:
        connection.execute("INSERT INTO reviews FROM known.main.reviews")
    rows = connection.execute(
        "SELECT review FROM reviews WHERE judge = ? AND effort = ? AND seed = ?", kind
    ).fetchall()
    if rows:
        return int(rows[0][0])
    number = connection.execute("SELECT count(*) + 1 FROM reviews").fetchall()[0][0]
    row = [number, run.key, *kind, metadata.version("reroll"), 0]
    connection.execute("INSERT INTO reviews VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    return int(number)


def _insert_rows(  # noqa: PLR0913 - what is written where
    connection: duckdb.DuckDBPyConnection,
    table: str,
    columns: Sequence[str],
    rows: Sequence[tuple[Any, ...]],
    review: int,
    *,
    is_first: bool,
) -> None:
    """Insert the known rows of a table and new ones, in order."""
    sources = [] if is_first else [f"FROM known.main.{table}"]
    if rows:
        values = pa.table(dict(zip(columns[1:], map(list, zip(*rows, strict=True)), strict=True)))
        connection.register("new_rows", values)
        sources.append(f"SELECT {review} AS review, * FROM new_rows")  # noqa: S608 - a number
    if sources:
        order = [name for name in ("review", "game_id", "ply", "seat") if name in columns]
        connection.execute(
            f"INSERT INTO {table} FROM ({' UNION ALL '.join(sources)}) ORDER BY {', '.join(order)}"
        )
