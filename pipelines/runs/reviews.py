"""Files with reviews of the games of runs: `reviews/<key of the run>.duckdb`, beside the folder of the runs.

A file can be deleted at any time: reviewing the games again gives the same numbers. Copies of a run share it, and a run that is
renamed keeps it. It may come from anybody, so only its base tables are read, by their full names, and only if they are those of
`reviews.sql`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine.errors import InvalidError
from engine.file_limits import check_regular_file
from pipelines.runs.run import Run, attach_for_reading
from pipelines.runs.schema import query_table_columns, review_columns
from pipelines.runs.summary_index import FileState
from pipelines.statistics.intervals import Interval, hold_for_all

if TYPE_CHECKING:
    import duckdb


STANDARD_ERRORS: Final = 1.96
"""Standard errors in half the width of a 95 % interval."""
CHOSEN_REVIEWS: Final = """chosen AS MATERIALIZED (
      SELECT run, review, judge FROM reviews WHERE games > 0
      QUALIFY row_number() OVER (PARTITION BY run ORDER BY effort DESC, games DESC, review) = 1)"""
"""SQL of the review of each run that answers count: of several, the one with the most playouts."""
GAME_LUCK: Final = """edges AS MATERIALIZED (
      SELECT run, review, game_id, arg_max(seat, (luck_points, -seat::INTEGER)) AS seat, count(*) AS players,
        greatest(1, players - 1) AS others, max(luck_points) - (sum(luck_points) - max(luck_points)) / others AS edge,
        arg_max(luck_points_error, (luck_points, -seat::INTEGER)) AS own_error,
        sqrt(own_error**2 + (sum(luck_points_error**2) - own_error**2) / others**2) AS edge_error
      FROM ledgers JOIN counted USING (run, review, ruleset) GROUP BY run, review, game_id),
    turns AS (
      SELECT run, review, game_id, ply, roll, round, luck_wins AS wins, wins_error FROM rolls JOIN edges USING (run, review, game_id, seat)),
    deciding AS (SELECT run, review, game_id, arg_max(ply, (wins, -ply::INTEGER)) AS ply FROM turns GROUP BY run, review, game_id)"""
"""SQL of how one-sided the rolls of each game were, after a table `counted` of runs, their reviews and rulesets.

`edges` has the luckiest seat, how much more its rolls gave than those of the others on average, and the standard error, as if the errors
of the seats were independent: over 30 to 120 reviews of each of six games with other luck, they correlated by 0.02 to 0.28, and the
estimates varied by 61 to 94 % of it;
`turns` what each roll added to the share of the win of this seat; `deciding` the ply of the roll that added most: points that come when
the win is settled decide nothing.
"""


def widen_estimate(amount: float, error: float, number: int) -> Interval:
    """Return an estimate with an interval that holds for all of a `number` of estimates; `error` is its standard error."""
    half = STANDARD_ERRORS * error
    return hold_for_all(Interval(amount, amount - half, amount + half), number)


class LuckCounts(NamedTuple):
    """Of how many edges of luck, and of how many changes of the win by a roll, the largest is picked."""

    edges: int
    """One for each reviewed game of two players, else one for each player: of two, the edge of one is that of the other with another sign."""
    rolls: int


def count_luck(con: duckdb.DuckDBPyConnection) -> LuckCounts:
    """Return the numbers of edges and rolls over all reviewed games."""
    rows = con.execute(
        f"""WITH {CHOSEN_REVIEWS}, games AS (SELECT count(*) AS players FROM ledgers JOIN chosen USING (run, review) GROUP BY run, game_id)
        SELECT coalesce(sum(if(players > 2, players, 1)), 0)::BIGINT, (SELECT count(*) FROM rolls JOIN chosen USING (run, review)) FROM games"""  # noqa: S608 - our SQL
    ).fetchall()
    return LuckCounts(*rows[0])


def find_review(run: Run) -> Path | None:
    """Return the file with reviews of a run; None if its games were not reviewed. Raises InvalidError if the file is another one."""
    path = run.review_path
    try:
        state = FileState.of(path)
    except OSError:
        return None
    _check_file(path, state, run.key)
    return path


@lru_cache(maxsize=256)
def _check_file(path: Path, _state: FileState, key: str) -> None:
    """Raise InvalidError if a file does not have the tables of reviews of the run of a key."""
    check_regular_file(path)
    with attach_for_reading(path) as (connection, name):
        stored = query_table_columns(connection, name)
        for table, columns in review_columns().items():
            for column, type_ in columns.items():
                if stored.get(table, {}).get(column) != type_:
                    raise InvalidError(
                        f"{path}: not a file with reviews: no stored column {table}.{column} of type {type_}; delete it"
                    )
        keys = connection.execute(f"SELECT DISTINCT run_key FROM {name}.main.reviews LIMIT 2").fetchall()  # noqa: S608 - our name
    if keys not in ([], [(key,)]):
        raise InvalidError(f"{path}: its reviews are those of another run; delete it")


@contextmanager
def open_reviews(run: Run) -> Iterator[duckdb.DuckDBPyConnection | None]:
    """Yield a connection whose current database is the file with reviews of a run, or None."""
    path = find_review(run)
    if path is None:
        yield None
        return
    with attach_for_reading(path) as (connection, name):
        connection.execute(f"USE {name}")
        yield connection


class StoredReview(NamedTuple):
    """A row of the table `reviews`."""

    review: int
    judge: str
    effort: float
    seed: int
    version: str


def list_reviews(run: Run) -> list[StoredReview]:
    """Return the reviews of the games of a run, in the order in which they were begun."""
    with open_reviews(run) as connection:
        if connection is None:
            return []
        columns = ", ".join(StoredReview._fields)
        return [
            StoredReview(*row)
            for row in connection.execute(f"SELECT {columns} FROM reviews ORDER BY review").fetchall()  # noqa: S608 - our names
        ]


def read_reviewed_game(run: Run, review: int, game_id: int) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of a reviewed game by table, without their first column, in their order."""
    with open_reviews(run) as connection:
        if connection is None:
            return {}
        return {
            table: connection.execute(
                f"SELECT * EXCLUDE (review) FROM {table} WHERE review = ? AND game_id = ?",  # noqa: S608 - names of the schema
                [review, game_id],
            ).fetchall()
            for table in list(review_columns())[1:]
        }


def list_clear_slips(
    run: Run,
    critical: float,
    least_choices: int = 2,
    strategies: Collection[str] = (),
    seats: Collection[int] = (),
) -> list[tuple[int, int]]:
    """Return the game and the ply of each bad decision whose lost share of the win is more than `critical` standard errors above zero.

    Decisions between fewer than `least_choices` actions are left out, and those of other `strategies` or `seats` if some are given. The review with the most playouts counts. Of each game its worst slip comes first, by the lower end of the interval, then the second
    ones, and so on. Raises InvalidError if no games were reviewed.
    """
    with open_reviews(run) as connection:
        reviews = (
            connection
            and connection.execute(
                "SELECT review FROM reviews WHERE games > 0 ORDER BY effort DESC, games DESC, review LIMIT 1"
            ).fetchone()
        )
        if connection is None or not reviews:
            raise InvalidError(
                f"the games of {run.name} were not reviewed yet; review them with: reroll review {run.name} --games all (in Python: review_all of the run)"
            )
        return connection.execute(
            """SELECT game_id, ply FROM (SELECT game_id, ply, regret_wins - $critical * wins_error AS low FROM decisions
            WHERE review = $review AND choices >= $least_choices AND class IN ('inaccuracy', 'mistake', 'blunder')
              AND (len($strategies) = 0 OR strategy = ANY($strategies)) AND (len($seats) = 0 OR seat = ANY($seats))) WHERE low > 0
            ORDER BY row_number() OVER (PARTITION BY game_id ORDER BY low DESC, ply), low DESC, game_id""",
            {
                "review": reviews[0],
                "critical": critical,
                "least_choices": least_choices,
                "strategies": list(strategies),
                "seats": list(seats),
            },
        ).fetchall()
