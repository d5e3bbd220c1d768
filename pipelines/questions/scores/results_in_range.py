"""The SQL of the list of results whose score, or points of a part, lie in a range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

    import duckdb

    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.questions.source import QuestionSource

MAX_RESULTS_SEARCHED: Final = 4000
"""Results that are searched for a list: more than a list shows, and fewer than a large run has."""


class ResultInRange(NamedTuple):
    """A result whose score, or points of a part, lie in a range, and its game."""

    run: str
    game: int
    seat: int
    strategy: str
    score: int
    rank: int
    rounds: int
    plies: int
    is_logged: bool


_RESULTS_BY_SCORE_SQL: Final = """SELECT run, game_id, seat, strategy, score, rank FROM seats
    WHERE score BETWEEN $low AND $high AND strategy = ANY($strategies)"""
_RESULTS_BY_PART_SQL: Final = (
    "SELECT run, game_id, seat FROM parts WHERE part = $part AND points BETWEEN $low AND $high"
)
_RESULTS_NEAR_FOUND_SQL: Final = """SELECT run, game_id, seat, strategy, score, rank
    FROM seats SEMI JOIN found USING (run, game_id, seat)
    WHERE game_id BETWEEN (SELECT min(game_id) FROM found) AND (SELECT max(game_id) FROM found)"""


def count_results_by_run(
    con: duckdb.DuckDBPyConnection, strategies: tuple[str, ...], part: str, span: tuple[int, int]
) -> dict[str, int]:
    """Count the results in a span by run, of all seats; runs without one are left out."""
    table, value, count = (
        ("part_histogram", "points", "seats") if part else ("score_histogram", "score", "games")
    )
    rows = con.execute(
        f"""SELECT run, sum({count})::BIGINT FROM {table}
            WHERE {value} BETWEEN $low AND $high AND strategy = ANY($strategies) {"AND part = $part" if part else ""}
            GROUP BY run""",  # noqa: S608 - only texts of this file are put together
        {"low": span[0], "high": span[1], "strategies": list(strategies)} | ({"part": part} if part else {}),
    ).fetchall()
    return dict(rows)


def results_between(  # noqa: PLR0913, PLR0917 - the filters of the question
    con: duckdb.DuckDBPyConnection,
    strategies: tuple[str, ...],
    seats: tuple[int, ...],
    part: str,
    span: tuple[int, int],
    most: int,
    games: tuple[tuple[str, int], ...] | None = None,
) -> list[ResultInRange]:
    """Return the results whose score, or points of `part` if it is not empty, are in `span`, both ends included.

    At most `most` of each run in the order of the games, of these `games` (run and number) if they are given.
    """
    tagged = "SEMI JOIN (SELECT unnest($runs) AS run, unnest($games) AS game_id) USING (run, game_id)"
    found = f"""FROM ({_RESULTS_BY_PART_SQL if part else _RESULTS_BY_SCORE_SQL} AND (len($seats) = 0 OR seat = ANY($seats)))
        {"" if games is None else tagged} LIMIT {MAX_RESULTS_SEARCHED}"""
    # The rows of a score hold everything that is listed; the points of a part stand in another table.
    near = _RESULTS_NEAR_FOUND_SQL if part else "SELECT * FROM found"
    values = {
        "strategies": list(strategies),
        "seats": list(seats),
        "low": span[0],
        "high": span[1],
        "most": most,
    }
    if games is not None:
        values |= {"runs": [run for run, _ in games], "games": [game for _, game in games]}
    rows = con.execute(
        f"""WITH found AS MATERIALIZED ({found}), near AS ({near}),
            chosen AS (FROM near WHERE strategy = ANY($strategies)
              QUALIFY row_number() OVER (PARTITION BY run ORDER BY game_id, seat) <= $most)
            SELECT run, game_id, seat, strategy, score, rank, rounds, plies, logged
            FROM chosen JOIN games USING (run, game_id) ORDER BY run, game_id, seat""",  # noqa: S608 - only texts of this file are put together
        values | ({"part": part} if part else {}),
    ).fetchall()
    return [ResultInRange(*row) for row in rows]


def list_results_in_range(  # noqa: PLR0913, PLR0917 - as above
    scope: ScoresScope,
    source: QuestionSource,
    part: str,
    span: tuple[int, int],
    most: int,
    tagged: Collection[tuple[str, int]] | None,
) -> list[ResultInRange]:
    """Return the results of a scope in a range, from the newest run on, at most `most`.

    `tagged` are the runs and numbers of the only games that count; all if it is None.
    """
    runs = {run.name: run for held in scope.runs_by_ruleset.values() for run in held}
    games = None if tagged is None else tuple(sorted(tagged))
    counts = source.query(count_results_by_run, tuple(runs.values()), scope.strategies, part, span)
    waiting = [run for name, run in runs.items() if name in counts]
    if games is not None:
        waiting = [run for run in waiting if run.name in {name for name, _ in games}]
    found: list[ResultInRange] = []
    while waiting and len(found) < most:
        # The runs that have too few results are asked together, and then one that may have very many.
        few, left = [], most - len(found)
        while waiting and counts[waiting[0].name] < left:
            left -= counts[waiting[0].name]
            few.append(waiting.pop(0))
        for asked in filter(None, (few, waiting[:1])):
            order = [run.name for run in asked]
            query = (scope.strategies, scope.seats, part, span, most, games)
            found += sorted(
                source.query(results_between, asked, *query), key=lambda one: order.index(one.run)
            )
        del waiting[:1]
    return found[:most]
