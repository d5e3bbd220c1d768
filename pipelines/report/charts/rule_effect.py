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
from pipelines.viewer.palette import CHOSEN_LOOK, OTHER_LOOK, mark_baseline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.experiments.rules_effect import RulesEffect
    from pipelines.viewer.palette import SeriesLook


def score_change_chart(effect: RulesEffect, looks: Mapping[str, SeriesLook]) -> Intervals:
    """Return the change in the mean score of each strategy; `looks` are those of the strategies by name."""
    names = short_names(effect.strategies)
    dots = [
        Estimate(
            mark_baseline(names[change.of], looks[change.of]),
            "difference in score",
            change.of,
            change.difference,
            effect.blocks,
            looks[change.of],
        )
        for change in effect.scores
        if change.difference
    ]
    axis = f"change of the score under {effect.b.design.rules.name}, in points"
    return Intervals(dots, axis, "Difference of the score of each strategy", mark=Mark(0, "no change"))


def score_distribution_chart(effect: RulesEffect, strategy: str) -> Histogram:
    """Return the final scores of a strategy under both rulesets."""
    mean = next(change for change in effect.scores if change.of == strategy)
    series = [
        ScoreSeries(
            results.design.game.title,
            results.design.rules.name,
            make_distribution(results.strategy_scores(strategy).tolist()),
            results.blocks,
            interval,
            look,
        )
        for results, interval, look in ((effect.a, mean.a, OTHER_LOOK), (effect.b, mean.b, CHOSEN_LOOK))
    ]
    name = short_names(effect.strategies)[strategy]
    return Histogram(series, "score in points", f"Scores of {name} under both rulesets")


def seat_chart(effect: RulesEffect) -> Columns | None:
    """Return the effect of each seat, first under A, then under B; None if no interval is known."""
    a, b = effect.a.design.rules.name, effect.b.design.rules.name
    edges = [(seat.of, a, seat.a, OTHER_LOOK) for seat in effect.seats]
    edges += [(seat.of, b, seat.b, CHOSEN_LOOK) for seat in effect.seats]
    columns = [
        Estimate(int(seat) + 1, "effect of the seat", name, edge, effect.blocks, look)
        for seat, name, edge, look in edges
        if edge
    ]
    title = "What each seat is worth under both rulesets"
    return Columns(columns, "player", "mean score in points", title, "block") if columns else None
