"""Downloads and chart series of a comparison. This module does not use Streamlit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

from pipelines.design.metrics import METRICS
from pipelines.design.short_names import short_names
from pipelines.experiments.compare.consequences import rank_strategies
from pipelines.report.charts import Estimate
from pipelines.report.tables.comparison import has_finite_ends
from pipelines.statistics import Interval
from pipelines.viewer.palette import mark_baseline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.viewer.palette import SeriesLook


def pairs_frame(comparison: Comparison) -> pd.DataFrame:
    """Return the numbers of every pair, one row for each pair."""
    return pd.DataFrame(
        [
            {
                "A": pair.a,
                "B": pair.b,
                **_interval_cells(("A - B", "from", "to"), pair.difference),
                "p (Holm)": pair.p_holm,
                **_interval_cells(("A wins", "wins from", "wins to"), pair.win_share),
                **_interval_cells(("A better",), pair.better),
                "blocks that differ": pair.differing.estimate,
                "detectable difference": math.nan if pair.detectable is None else pair.detectable,
                "variance ratio": math.nan if pair.variance_ratio is None else pair.variance_ratio,
                "blocks": pair.blocks,
            }
            for pair in comparison.pairs
        ]
    )


def sides_frame(comparison: Comparison) -> pd.DataFrame:
    """Return the results of each strategy, one row for each."""
    rated = {rating.strategy: rating.elo for rating in comparison.ratings}
    rating_names = ("rating", "rating from", "rating to") if rated else ()
    return pd.DataFrame(
        [
            {
                "strategy": side.strategy,
                **_interval_cells(("mean score", "score from", "score to"), side.score),
                **_interval_cells(("win share", "wins from", "wins to"), side.win_share),
                **_interval_cells(rating_names, rated.get(side.strategy)),
                "results": comparison.blocks * side.seats_per_block,
            }
            for side in comparison.sides
        ]
    )


def _interval_cells(names: Sequence[str], interval: Interval | None) -> dict[str, float]:
    """Return the estimate and the ends of an interval, as many as have names."""
    return dict(zip(names, interval or (math.nan,) * 3, strict=False))


def lead_dots(comparison: Comparison, look: Mapping[str, SeriesLook]) -> list[Estimate]:
    """Return the lead of the best strategy over each other one as a dot with its interval; more is better for it."""
    best, *others = rank_strategies(comparison.pairs)
    names = short_names(comparison.strategies)
    dots = []
    for other in others:
        pair = next(pair for pair in comparison.pairs if {pair.a, pair.b} == {best, other})
        if pair.difference is None:
            continue
        sign = -1 if (pair.a == best) == _is_less_better(comparison) else 1
        scale = sign * METRICS[comparison.metric].scale
        ends = sorted(scale * end for end in pair.difference[1:])
        lead = Interval(scale * pair.difference.estimate, *ends)
        dots.append(
            Estimate(
                f"ahead of {mark_baseline(names[other], look[other])}",
                f"{mark_baseline(names[best], look[best])} · n = {pair.blocks * pair.games_per_block:,} games",
                best,
                lead,
                pair.blocks,
                look[best],
                names[best],
            )
        )
    return dots


def lead_title(comparison: Comparison) -> str:
    """Return the title of the axis of leads."""
    return f"lead in {METRICS[comparison.metric].many}" + (
        " (fewer points win)" if _is_less_better(comparison) else ""
    )


def _is_less_better(comparison: Comparison) -> bool:
    return comparison.lowest_wins and METRICS[comparison.metric].follows_scores


def part_dots(
    comparison: Comparison, pair: PairResult, titles: Mapping[str, str], look: Mapping[str, SeriesLook]
) -> list[Estimate]:
    """Return the difference of a pair in each part of the score."""
    names = short_names(comparison.strategies)
    return [
        Estimate(
            titles.get(part.part, part.part),
            comparison.ruleset,
            f"{names[pair.a]} − {names[pair.b]}",
            part.difference,
            pair.blocks,
            look[pair.a],
        )
        for part in pair.parts
    ]


def rating_dots(comparison: Comparison, look: Mapping[str, SeriesLook]) -> list[Estimate]:
    """Return the ratings with finite intervals, the strongest first."""
    names = short_names(comparison.strategies)
    rated = sorted(comparison.ratings, key=lambda rating: -rating.elo.estimate)
    return [
        Estimate(
            mark_baseline(names[rating.strategy], look[rating.strategy]),
            comparison.ruleset,
            rating.strategy,
            rating.elo,
            comparison.blocks,
            look[rating.strategy],
        )
        for rating in rated
        if has_finite_ends(rating.elo)
    ]
