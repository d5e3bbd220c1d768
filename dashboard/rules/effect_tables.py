"""Tables and chart series of the effect of a rule. This module does not use Streamlit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from pipelines.design.short_names import short_names
from pipelines.report.charts import Estimate, ScoreSeries, make_distribution
from pipelines.report.estimates import format_interval
from pipelines.viewer.palette import CHOSEN_LOOK, OTHER_LOOK, SeriesLook, mark_baseline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.experiments.rules_effect import QuantityChange, RulesEffect, RulesetResults
    from pipelines.statistics import Interval
    from pipelines.viewer.palette import SeriesLook


def score_series(effect: RulesEffect, strategy: str) -> list[ScoreSeries]:
    """Return the score distributions of a strategy under A and under B."""
    mean = next(change for change in effect.scores if change.of == strategy)
    return [
        _make_series(effect.a, strategy, mean.a, OTHER_LOOK),
        _make_series(effect.b, strategy, mean.b, CHOSEN_LOOK),
    ]


def _make_series(ends: RulesetResults, strategy: str, mean: Interval | None, look: SeriesLook) -> ScoreSeries:
    scores = make_distribution(ends.strategy_scores(strategy).tolist())
    design = ends.design
    return ScoreSeries(design.game.title, design.rules.name, scores, ends.blocks, mean, look)


def score_dots(effect: RulesEffect, look: Mapping[str, SeriesLook]) -> list[Estimate]:
    """Return the change in the score of each strategy."""
    names = short_names(effect.strategies)
    return [
        Estimate(
            mark_baseline(names[change.of], look[change.of]),
            "difference in score",
            change.of,
            change.difference,
            effect.blocks,
            look[change.of],
        )
        for change in effect.scores
        if change.difference
    ]


def seat_dots(effect: RulesEffect) -> list[Estimate]:
    """Return the effect of each seat, first under A, then under B."""
    a, b = effect.a.design.rules.name, effect.b.design.rules.name
    edges = [(seat.of, a, seat.a, OTHER_LOOK) for seat in effect.seats] + [
        (seat.of, b, seat.b, CHOSEN_LOOK) for seat in effect.seats
    ]
    return [
        Estimate(int(seat) + 1, "effect of the seat", name, edge, effect.blocks, look)
        for seat, name, edge, look in edges
        if edge
    ]


def changes_table(effect: RulesEffect) -> pd.DataFrame:
    """Return all differences, one a row."""
    a, b = effect.a.design.rules.name, effect.b.design.rules.name
    rows: list[dict[str, Any]] = []

    def add_row(what: str, change: QuantityChange, scale: float = 1.0) -> None:
        rows.append(
            {
                "what": what,
                f"{a}": format_interval(change.a, scale=scale),
                f"{b} ": format_interval(change.b, scale=scale),
                "difference": format_interval(change.difference, signed=True, scale=scale),
                "blocks": effect.blocks,
            }
        )

    names = short_names(effect.strategies)
    for change in effect.scores:
        add_row(f"score of {names[change.of]}", change)
    for change in effect.win_shares:
        add_row(f"wins of a seat of {names[change.of]}, of 100 games", change, 100.0)
    for change in effect.lengths:
        add_row(f"{change.of} of a game", change)
    for change in effect.seats:
        add_row(f"effect of the seat of player {int(change.of) + 1}", change)
    return pd.DataFrame(rows)


def orders_table(effect: RulesEffect) -> pd.DataFrame:
    """Return a row for every two strategies with the lead under both rulesets."""
    a, b = effect.a.design.rules.name, effect.b.design.rules.name
    names = short_names(effect.strategies)
    marks = {"same": "the same strategy is ahead", "reversed": "reversed", "undecided": "not decided"}
    return pd.DataFrame(
        [
            {
                "ahead": f"{names[change.first]} of {names[change.second]}",
                "order": marks[change.order],
                f"{a}": format_interval(change.a, signed=True),
                f"{b} ": format_interval(change.b, signed=True),
                "change": format_interval(change.difference, signed=True),
            }
            for change in effect.orders
        ]
    )
