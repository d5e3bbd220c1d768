"""Tables and chart series of a comparison. This module does not use Streamlit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.widgets.charts import Estimate
from pipelines.statistics import Interval
from pipelines.statistics.rounding import format_plus_minus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.viewer.palette import SeriesLook

METRIC_UNITS = {"score": "points", "margin": "points of lead", "win": "share of the win"}


def pairs_table(comparison: Comparison) -> pd.DataFrame:
    """Return the numbers of every pair, one row for each pair."""
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
                "blocks that differ": pair.differing.estimate,
                "detectable difference": math.nan if pair.detectable is None else pair.detectable,
                "variance ratio": math.nan if pair.variance_ratio is None else pair.variance_ratio,
                "blocks": pair.blocks,
            }
            for pair in comparison.pairs
        ]
    )


def _interval_end(interval: Interval | None, which: int) -> float:
    return math.nan if interval is None else interval[which]


def difference_matrix(comparison: Comparison) -> pd.DataFrame:
    """Return the strategy of the row minus that of the column, the strongest first; a star marks those that a verdict names."""
    total = dict.fromkeys(comparison.strategies, 0.0)
    sign = -1 if comparison.lowest_wins and comparison.metric == "score" else 1
    cells: dict[tuple[str, str], str] = {}
    for pair in comparison.pairs:
        if pair.difference is None:
            continue
        total[pair.a] += sign * pair.difference.estimate
        total[pair.b] -= sign * pair.difference.estimate
        cells[pair.a, pair.b] = _format_difference(pair, pair.difference)
        cells[pair.b, pair.a] = _format_difference(pair, Interval(*(-pair.difference[i] for i in (0, 2, 1))))
    order = sorted(total, key=lambda name: -total[name])
    rows = [{column: cells.get((row, column), "") for column in order} for row in order]
    return pd.DataFrame(rows, index=pd.Index(order, name="minus the column"))


def _format_difference(pair: PairResult, difference: Interval) -> str:
    """Return a difference ± half of its interval, with a star if the verdict on the pair names a sign."""
    star = " *" if pair.verdict.kind in {"more", "fewer"} else ""
    return f"{format_plus_minus(difference, signed=True)}{star}"


def sides_table(comparison: Comparison) -> pd.DataFrame:
    """Return the results of each strategy, one row for each."""
    rated = {rating.strategy: rating for rating in comparison.ratings}
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
                "results": comparison.blocks * side.seats_per_block,
            }
            for side in comparison.sides
        ]
    )


def difference_dots(comparison: Comparison, look: Mapping[str, SeriesLook]) -> list[Estimate]:
    """Return the difference of every pair as a dot with its interval."""
    return [
        Estimate(
            f"{pair.a} - {pair.b}", comparison.ruleset, pair.a, pair.difference, pair.blocks, look[pair.a]
        )
        for pair in comparison.pairs
        if pair.difference
    ]


def part_dots(
    comparison: Comparison, pair: PairResult, titles: Mapping[str, str], look: Mapping[str, SeriesLook]
) -> list[Estimate]:
    """Return the difference of a pair in each part of the score."""
    return [
        Estimate(
            titles.get(part.part, part.part),
            comparison.ruleset,
            f"{pair.a} - {pair.b}",
            part.difference,
            pair.blocks,
            look[pair.a],
        )
        for part in pair.parts
    ]


def rating_dots(comparison: Comparison, look: Mapping[str, SeriesLook]) -> list[Estimate]:
    """Return the ratings with finite intervals, the strongest first."""
    rated = sorted(comparison.ratings, key=lambda rating: -rating.elo.estimate)
    return [
        Estimate(
            rating.strategy,
            comparison.ruleset,
            rating.strategy,
            rating.elo,
            comparison.blocks,
            look[rating.strategy],
        )
        for rating in rated
        if is_finite(rating.elo)
    ]


def is_finite(interval: Interval) -> bool:
    """Return whether both ends of an interval are finite; for a strategy that always wins they are not."""
    return math.isfinite(interval.low) and math.isfinite(interval.high)
