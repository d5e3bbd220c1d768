"""The difference of the mean scores of two strategies or of two rulesets, paired by the luck that both have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.questions.scores.rollup_sums import LUCK_SQL
from pipelines.statistics import block_sums_difference

if TYPE_CHECKING:
    import duckdb

    from pipelines.statistics import Interval


class ScoreGroup(NamedTuple):
    """The results of a strategy under a ruleset."""

    ruleset: str
    """Hash."""
    strategy: str


def difference_of_means(
    con: duckdb.DuckDBPyConnection, a: ScoreGroup, b: ScoreGroup, seats: tuple[int, ...]
) -> Interval | None:
    """Return the mean score of a minus that of b, with its 95 % interval; None if there are too few blocks.

    Blocks of equal luck and numbers count as one, in whichever run they are. `seats` are the
    seats that count; all if empty.
    """
    columns = con.execute(
        f"""SELECT
             coalesce(sum(s.score) FILTER (r.sha256 = $ruleset_a AND s.strategy = $strategy_a), 0)::DOUBLE AS sum_a,
             count(*) FILTER (r.sha256 = $ruleset_a AND s.strategy = $strategy_a)::DOUBLE AS count_a,
             coalesce(sum(s.score) FILTER (r.sha256 = $ruleset_b AND s.strategy = $strategy_b), 0)::DOUBLE AS sum_b,
             count(*) FILTER (r.sha256 = $ruleset_b AND s.strategy = $strategy_b)::DOUBLE AS count_b
           FROM seats AS s JOIN games AS g USING (run, game_id) JOIN rulesets AS r USING (run, ruleset)
           JOIN ({LUCK_SQL}) AS l USING (run)
           WHERE r.sha256 IN ($ruleset_a, $ruleset_b) AND s.strategy IN ($strategy_a, $strategy_b)
             AND (len($seats) = 0 OR s.seat = ANY($seats))
           GROUP BY l.luck, g.block ORDER BY l.luck, g.block""",  # noqa: S608 - a constant
        {
            "ruleset_a": a.ruleset,
            "strategy_a": a.strategy,
            "ruleset_b": b.ruleset,
            "strategy_b": b.strategy,
            "seats": list(seats),
        },
    ).fetchnumpy()
    sum_a, count_a, sum_b, count_b = (
        np.asarray(columns[name], np.float64) for name in ("sum_a", "count_a", "sum_b", "count_b")
    )
    found = block_sums_difference((sum_a, sum_b), (count_a, count_b))
    return found and found.difference
