"""Tables and chart series of a comparison. This module does not use Streamlit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.widgets.markdown import write_markdown_sentence
from pipelines.design.short_names import short_names
from pipelines.experiments.compare.consequences import rank_strategies
from pipelines.experiments.compare.verdict import METRIC_WORDINGS
from pipelines.report.charts import Estimate
from pipelines.statistics import Interval
from pipelines.statistics.rounding import format_plus_minus, set_minus_signs
from pipelines.viewer.palette import mark_baseline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.viewer.palette import SeriesLook

METRIC_UNITS = {"score": "points", "margin": "points of lead", "win": "share of the win"}


def range_caption(comparison: Comparison) -> str:
    """Return what ranges in brackets are, as Markdown, and which of them allow for the decision to stop."""
    validity = comparison.interval_validity
    return (
        f"Ranges in brackets are 95 % intervals.{f' {write_markdown_sentence(validity)}' if validity else ''}"
    )


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
    names = short_names(comparison.strategies)
    cells: dict[tuple[str, str], str] = {}
    for pair in comparison.pairs:
        if pair.difference is None:
            continue
        cells[pair.a, pair.b] = _format_difference(pair, pair.difference)
        cells[pair.b, pair.a] = _format_difference(pair, Interval(*(-pair.difference[i] for i in (0, 2, 1))))
    order = rank_strategies(comparison.pairs)
    rows = [{names[column]: cells.get((row, column), "") for column in order} for row in order]
    return pd.DataFrame(rows, index=pd.Index([names[name] for name in order], name="minus the column"))


def _format_difference(pair: PairResult, difference: Interval) -> str:
    """Return a difference ± half of its interval, with a star if the verdict on the pair names a sign."""
    star = " *" if pair.verdict.kind in {"more", "fewer"} else ""
    return set_minus_signs(f"{format_plus_minus(difference, signed=True)}{star}")


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
        scale = sign * METRIC_WORDINGS[comparison.metric].scale
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
    return f"lead in {METRIC_WORDINGS[comparison.metric].many}" + (
        " (fewer points win)" if _is_less_better(comparison) else ""
    )


def _is_less_better(comparison: Comparison) -> bool:
    return comparison.lowest_wins and comparison.metric == "score"


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
        if is_finite(rating.elo)
    ]


def is_finite(interval: Interval) -> bool:
    """Return whether both ends of an interval are finite; for a strategy that always wins they are not."""
    return math.isfinite(interval.low) and math.isfinite(interval.high)
