"""Charts of the effect of a rule: what changes in the scores, and what each seat is worth under both rulesets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.short_names import short_names
from pipelines.report.charts import (
    Columns,
    Estimate,
    Histogram,
    Intervals,
    Mark,
    ScoreSeries,
    make_distribution,
)
from pipelines.report.wording import title_rulesets
from pipelines.viewer.palette import seat_looks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.experiments.rules_effect import RulesEffect
    from pipelines.viewer.palette import SeriesLook


def score_change_chart(effect: RulesEffect, looks: Mapping[str, SeriesLook]) -> Intervals:
    """Return the change in the mean score of each strategy; `looks` are those of the strategies by name."""
    names = short_names(effect.strategies)
    dots = [
        Estimate(
            names[change.of],
            "difference in score",
            change.of,
            change.difference,
            effect.blocks,
            looks[change.of],
        )
        for change in effect.scores
        if change.difference
    ]
    axis = "change of the score, in points"
    return Intervals(dots, axis, "Difference of the score of each strategy", mark=Mark(0, "no change"))


def score_distribution_chart(effect: RulesEffect, strategy: str) -> Histogram:
    """Return the final scores of a strategy under both rulesets."""
    mean = next(change for change in effect.scores if change.of == strategy)
    series = [
        ScoreSeries(
            results.design.game.title,
            title,
            make_distribution(results.strategy_scores(strategy).tolist()),
            results.blocks,
            interval,
            look,
        )
        for results, interval, (title, look) in zip(
            (effect.a, effect.b), (mean.a, mean.b), _list_lines(effect), strict=True
        )
    ]
    name = short_names(effect.strategies)[strategy]
    return Histogram(series, "score in points", f"Scores of {name} under both rulesets")


def seat_chart(effect: RulesEffect) -> Columns | None:
    """Return the effect of each seat, first under A, then under B; None if no interval is known."""
    columns = [
        Estimate(int(seat.of) + 1, "effect of the seat", title, edge, effect.blocks, look)
        for is_b, (title, look) in enumerate(_list_lines(effect))
        for seat in effect.seats
        if (edge := seat.b if is_b else seat.a)
    ]
    title = "What each seat is worth under both rulesets"
    return Columns(columns, "player", "mean score in points", title, "block") if columns else None


def _list_lines(effect: RulesEffect) -> list[tuple[str, SeriesLook]]:
    """Return the title and the look of ruleset A, then of B. They are the same in all charts."""
    titles = title_rulesets(effect.a.design.rules, effect.b.design.rules)
    return [*zip(titles, seat_looks(2).values(), strict=True)]
