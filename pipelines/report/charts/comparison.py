"""Charts of a comparison: who leads, every pair, the parts of the score, and the ratings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pipelines.design.metrics import METRICS
from pipelines.design.short_names import short_names
from pipelines.experiments.compare.consequences import rank_strategies
from pipelines.report.charts.estimates import Intervals
from pipelines.report.charts.series import Estimate, Mark
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.viewer.palette import SeriesLook


def pair_chart(comparison: Comparison, looks: Mapping[str, SeriesLook]) -> Intervals:
    """Return the difference of every pair; `looks` are those of the strategies by name."""
    metric, names = METRICS[comparison.metric], short_names(comparison.strategies)
    estimates = []
    for pair in comparison.pairs:
        first, second, sign = _put_winner_first(pair)
        if pair.difference:
            estimates.append(
                Estimate(
                    f"{names[first]} − {names[second]}",
                    comparison.ruleset,
                    first,
                    pair.difference.times(sign * metric.scale),
                    pair.blocks,
                    looks[first],
                )
            )
    axis = f"first minus second, {metric.many} a game"
    return Intervals(estimates, axis, f"Difference in {metric.many}", mark=Mark(0))


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
        dots.append(
            Estimate(
                f"ahead of {names[other]}",
                f"{names[best]} · n = {format_count(pair.blocks * pair.games_per_block, 'game')}",
                best,
                pair.difference.times(scale),
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
    """Return the difference of a pair in each part of the score: what the winner gets minus what the other one gets."""
    names, (first, second, sign) = short_names(comparison.strategies), _put_winner_first(pair)
    return [
        Estimate(
            titles.get(part.part, part.part),
            comparison.ruleset,
            f"{names[first]} − {names[second]}",
            part.difference.times(sign),
            pair.blocks,
            look[first],
        )
        for part in pair.parts
    ]


def parts_title(comparison: Comparison, pair: PairResult) -> str:
    """Return the title of the axis of the parts of the score."""
    names, (first, second, _) = short_names(comparison.strategies), _put_winner_first(pair)
    return f"points of {names[first]} minus those of {names[second]}"


def _put_winner_first(pair: PairResult) -> tuple[str, str, int]:
    """Return the strategies of a pair, the better one first if the verdict names it, and the sign of their difference."""
    return (pair.b, pair.a, -1) if pair.verdict.better == pair.b else (pair.a, pair.b, 1)


def rating_dots(comparison: Comparison, look: Mapping[str, SeriesLook]) -> list[Estimate]:
    """Return the ratings with finite intervals, the strongest first."""
    names = short_names(comparison.strategies)
    rated = sorted(comparison.ratings, key=lambda rating: -rating.elo.estimate)
    return [
        Estimate(
            names[rating.strategy],
            comparison.ruleset,
            rating.strategy,
            rating.elo,
            comparison.blocks,
            look[rating.strategy],
        )
        for rating in rated
        if all(map(math.isfinite, rating.elo))
    ]
