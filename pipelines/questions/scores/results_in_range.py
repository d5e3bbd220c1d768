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


_RESULTS_BY_SCORE_SQL: Final = """SELECT game_id, seat, strategy, score, rank FROM seats
    WHERE score BETWEEN $low AND $high AND strategy = ANY($strategies)"""
_RESULTS_BY_PART_SQL: Final = (
    "SELECT game_id, seat FROM parts WHERE part = $part AND points BETWEEN $low AND $high"
)
_RESULTS_NEAR_FOUND_SQL: Final = """SELECT game_id, seat, strategy, score, rank FROM seats SEMI JOIN found USING (game_id, seat)
    WHERE game_id BETWEEN (SELECT min(game_id) FROM found) AND (SELECT max(game_id) FROM found)"""


def results_between(  # noqa: PLR0913, PLR0917 - the filters of the question
    con: duckdb.DuckDBPyConnection,
    strategies: tuple[str, ...],
    seats: tuple[int, ...],
    part: str,
    span: tuple[int, int],
    most: int,
    games: tuple[int, ...] | None = None,
) -> list[ResultInRange]:
    """Return the results of one run whose score, or points of `part` if it is not empty, are in `span`, both ends included.

    At most `most` in the order of the games, of these `games` if they are given.
    """
    found = f"{_RESULTS_BY_PART_SQL if part else _RESULTS_BY_SCORE_SQL} AND (len($seats) = 0 OR seat = ANY($seats)){' AND game_id = ANY($games)' if games is not None else ''} LIMIT {MAX_RESULTS_SEARCHED}"
    # The rows of a score hold everything that is listed; the points of a part stand in another table.
    near = _RESULTS_NEAR_FOUND_SQL if part else "SELECT * FROM found"
    values = {
        "strategies": list(strategies),
        "seats": list(seats),
        "low": span[0],
        "high": span[1],
        "most": most,
    }
    rows = con.execute(
        f"""WITH found AS MATERIALIZED ({found}), near AS ({near}),
            chosen AS (FROM near WHERE strategy = ANY($strategies) ORDER BY game_id, seat LIMIT $most)
            SELECT run, game_id, seat, strategy, score, rank, rounds, plies, logged
            FROM chosen JOIN games USING (game_id) ORDER BY game_id, seat""",  # noqa: S608 - only texts of this file are put together
        values | ({"part": part} if part else {}) | ({"games": list(games)} if games is not None else {}),
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
    found: list[ResultInRange] = []
    runs = {run.name: run for held in scope.runs_by_ruleset.values() for run in held}
    for run in runs.values():
        games = None if tagged is None else tuple(sorted(game for name, game in tagged if name == run.name))
        if len(found) < most and games != ():
            query = (scope.strategies, scope.seats, part, span, most - len(found), games)
            found += source.query(results_between, [run], *query)
    return found
