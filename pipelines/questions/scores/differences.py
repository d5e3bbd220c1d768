"""The difference of the mean scores of two strategies or of two rulesets, paired by the luck that both have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.questions.scores.rollup_sums import number_lucks
from pipelines.statistics import block_sums_difference

if TYPE_CHECKING:
    import duckdb

    from pipelines.statistics import Interval
    from pipelines.statistics.arrays import Floats, Integers


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
    parts = [_read_block_sums(con, run, luck, a, b, seats) for run, luck in number_lucks(con).items()]
    blocks = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)[1]
    sum_a, count_a, sum_b, count_b = (
        np.bincount(blocks, np.concatenate([part[column] for part in parts])).astype(np.float64)
        for column in range(1, 5)
    )
    found = block_sums_difference((sum_a, sum_b), (count_a, count_b))
    return found and found.difference


def _read_block_sums(  # noqa: PLR0913, PLR0917 - a run and what counts in it
    con: duckdb.DuckDBPyConnection, run: str, luck: int, a: ScoreGroup, b: ScoreGroup, seats: tuple[int, ...]
) -> tuple[Integers, Floats, Floats, Floats, Floats]:
    """Return the number of each block, and for both groups the sum of its scores and the number of its results."""
    columns = con.execute(
        """SELECT g.block,
             coalesce(sum(s.score) FILTER (r.sha256 = $ruleset_a AND s.strategy = $strategy_a), 0)::DOUBLE AS sum_a,
             count(*) FILTER (r.sha256 = $ruleset_a AND s.strategy = $strategy_a)::DOUBLE AS count_a,
             coalesce(sum(s.score) FILTER (r.sha256 = $ruleset_b AND s.strategy = $strategy_b), 0)::DOUBLE AS sum_b,
             count(*) FILTER (r.sha256 = $ruleset_b AND s.strategy = $strategy_b)::DOUBLE AS count_b
           FROM seats AS s JOIN games AS g ON g.run = s.run AND g.game_id = s.game_id
           JOIN rulesets AS r ON r.run = g.run AND r.ruleset = g.ruleset
           WHERE s.run = $run AND g.run = $run AND r.run = $run AND r.sha256 IN ($ruleset_a, $ruleset_b)
             AND s.strategy IN ($strategy_a, $strategy_b) AND (len($seats) = 0 OR s.seat = ANY($seats))
           GROUP BY g.block ORDER BY g.block""",
        {
            "run": run,
            "ruleset_a": a.ruleset,
            "strategy_a": a.strategy,
            "ruleset_b": b.ruleset,
            "strategy_b": b.strategy,
            "seats": list(seats),
        },
    ).fetchnumpy()
    block = np.asarray(columns["block"], np.int64) + luck * 2**32
    sums = [np.asarray(columns[name], np.float64) for name in ("sum_a", "count_a", "sum_b", "count_b")]
    return block, sums[0], sums[1], sums[2], sums[3]
