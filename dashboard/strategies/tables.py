"""From a comparison to tables and to what charts draw. Knows no Streamlit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.widgets.charts import Estimate
from pipelines.statistics import Interval
from pipelines.statistics.rounding import format_plus_minus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.widgets.palette import SeriesLook
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.compare.pair_results import PairResult

METRIC_UNITS = {"score": "points", "margin": "points of lead", "win": "share of the win"}
SETTLED_P_VALUE = 0.05


def pairs_table(found: Comparison) -> pd.DataFrame:
    """Return one row a pair, in numbers."""
    return pd.DataFrame(
        [
            {
                "A": pair.a,
                "B": pair.b,
                "A - B": _interval_end(pair.difference, 0),
                "from": _interval_end(pair.difference, 1),
                "to": _interval_end(pair.difference, 2),
                "p (Holm)": pair.p_holm,
                "A wins": _interval_end(pair.win_share, 0),
                "wins from": _interval_end(pair.win_share, 1),
                "wins to": _interval_end(pair.win_share, 2),
                "A better": _interval_end(pair.better, 0),
                "differing": pair.differing.estimate,
                "could detect": math.nan if pair.detectable is None else pair.detectable,
                "pairing": math.nan if pair.variance_ratio is None else pair.variance_ratio,
                "blocks": pair.blocks,
            }
            for pair in found.pairs
        ]
    )


def _interval_end(interval: Interval | None, which: int) -> float:
    return math.nan if interval is None else interval[which]


def difference_matrix(found: Comparison) -> pd.DataFrame:
    """Return the row's strategy less the column's, settled ones marked; strategies from the strongest down."""
    total = dict.fromkeys(found.strategies, 0.0)
    sign = -1 if found.lowest_wins and found.metric == "score" else 1
    cells: dict[tuple[str, str], str] = {}
    for pair in found.pairs:
        if pair.difference is None:
            continue
        total[pair.a] += sign * pair.difference.estimate
        total[pair.b] -= sign * pair.difference.estimate
        cells[pair.a, pair.b] = _format_difference(pair, pair.difference)
        cells[pair.b, pair.a] = _format_difference(pair, Interval(*(-pair.difference[i] for i in (0, 2, 1))))
    order = sorted(total, key=lambda name: -total[name])
    rows = [{column: cells.get((row, column), "") for column in order} for row in order]
    return pd.DataFrame(rows, index=pd.Index(order, name="less the column"))


def _format_difference(pair: PairResult, difference: Interval) -> str:
    """Write a difference with its half interval, with a star where it is settled after Holm's correction."""
    star = " *" if difference.half_width and pair.p_holm <= SETTLED_P_VALUE else ""
    return f"{format_plus_minus(difference, signed=True)}{star}"


def sides_table(found: Comparison) -> pd.DataFrame:
    """Return each strategy's own results."""
    rated = {one.strategy: one for one in found.ratings}
    return pd.DataFrame(
        [
            {
                "strategy": side.strategy,
                "mean score": _interval_end(side.score, 0),
                "score from": _interval_end(side.score, 1),
                "score to": _interval_end(side.score, 2),
                "win share": _interval_end(side.win_share, 0),
                "wins from": _interval_end(side.win_share, 1),
                "wins to": _interval_end(side.win_share, 2),
                **(
                    {
                        "rating": rated[side.strategy].elo.estimate,
                        "rating from": rated[side.strategy].elo.low,
                        "rating to": rated[side.strategy].elo.high,
                    }
                    if side.strategy in rated
                    else {}
                ),
                "results": found.blocks * side.seats_per_block,
            }
            for side in found.sides
        ]
    )


def difference_dots(found: Comparison, look: Mapping[str, SeriesLook]) -> list[Estimate]:
    """Return every difference at its pair."""
    return [
        Estimate(f"{pair.a} - {pair.b}", found.ruleset, pair.a, pair.difference, pair.blocks, look[pair.a])
        for pair in found.pairs
        if pair.difference
    ]


def part_dots(
    found: Comparison, pair: PairResult, titles: Mapping[str, str], look: Mapping[str, SeriesLook]
) -> list[Estimate]:
    """Return what each part of the score adds to the difference of a pair."""
    return [
        Estimate(
            titles.get(part.part, part.part),
            found.ruleset,
            f"{pair.a} - {pair.b}",
            part.difference,
            pair.blocks,
            look[pair.a],
        )
        for part in pair.parts
    ]


def rating_dots(found: Comparison, look: Mapping[str, SeriesLook]) -> list[Estimate]:
    """Return the ratings, the strongest first; those without a finite interval are left out."""
    rated = sorted(found.ratings, key=lambda one: -one.elo.estimate)
    return [
        Estimate(one.strategy, found.ruleset, one.strategy, one.elo, found.blocks, look[one.strategy])
        for one in rated
        if is_finite(one.elo)
    ]


def is_finite(interval: Interval) -> bool:
    """Say whether an interval ends on both sides: the rating of one that always wins does not."""
    return math.isfinite(interval.low) and math.isfinite(interval.high)
