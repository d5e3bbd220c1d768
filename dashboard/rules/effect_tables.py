"""From the effect of rules to tables and to what charts draw. Knows no Streamlit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dashboard.widgets import tables
from dashboard.widgets.charts import Estimate, ScoreSeries
from dashboard.widgets.palette import SeriesLook
from pipelines.statistics import Distribution

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.experiments.rules_effect import QuantityChange, RulesEffect, RulesetResults
    from pipelines.statistics import Interval

LOOK_A, LOOK_B = SeriesLook("#8A8A8A", "dot"), SeriesLook("#1F83C2", "solid")


def score_series(found: RulesEffect, strategy: str) -> list[ScoreSeries]:
    """Return how the scores of a strategy spread under A and under B."""
    mean = next(one for one in found.scores if one.of == strategy)
    return [_make_series(found.a, strategy, mean.a, LOOK_A), _make_series(found.b, strategy, mean.b, LOOK_B)]


def _make_series(ends: RulesetResults, strategy: str, mean: Interval | None, look: SeriesLook) -> ScoreSeries:
    values, counts = np.unique(ends.strategy_scores(strategy), return_counts=True)
    design = ends.design
    return ScoreSeries(
        design.game.title, design.rules.name, Distribution(values, counts), ends.blocks, mean, look
    )


def score_dots(found: RulesEffect, look: Mapping[str, SeriesLook]) -> list[Estimate]:
    """Return how much the score of each strategy changes."""
    return [
        Estimate(one.of, "difference in score", one.of, one.difference, found.blocks, look[one.of])
        for one in found.scores
        if one.difference
    ]


def seat_dots(found: RulesEffect) -> list[Estimate]:
    """Return what each seat is worth, first under A, then under B."""
    a, b = found.a.design.rules.name, found.b.design.rules.name
    edges = [(seat.of, a, seat.a, LOOK_A) for seat in found.seats] + [
        (seat.of, b, seat.b, LOOK_B) for seat in found.seats
    ]
    return [
        Estimate(int(seat), "edge of the seat", name, edge, found.blocks, look)
        for seat, name, edge, look in edges
        if edge
    ]


def changes_table(found: RulesEffect) -> pd.DataFrame:
    """Return all differences, one a row."""
    a, b = found.a.design.rules.name, found.b.design.rules.name
    rows: list[dict[str, Any]] = []

    def add_row(what: str, one: QuantityChange, scale: float = 1.0) -> None:
        rows.append(
            {
                "what": what,
                f"{a}": tables.format_interval(one.a, scale=scale),
                f"{b} ": tables.format_interval(one.b, scale=scale),
                "difference": tables.format_interval(one.difference, signed=True, scale=scale),
                "blocks": found.blocks,
            }
        )

    for one in found.scores:
        add_row(f"score of {one.of}", one)
    for one in found.win_shares:
        add_row(f"wins of a seat of {one.of}, %", one, 100.0)
    for one in found.lengths:
        add_row(f"{one.of} of a game", one)
    for one in found.seats:
        add_row(f"edge of seat {one.of}", one)
    return pd.DataFrame(rows)


def orders_table(found: RulesEffect) -> pd.DataFrame:
    """Return every two strategies, and who of them is ahead under both."""
    a, b = found.a.design.rules.name, found.b.design.rules.name
    marks = {"same": "the same one is ahead", "reversed": "reversed", "undecided": "not decided"}
    return pd.DataFrame(
        [
            {
                "ahead": f"{one.first} of {one.second}",
                "order": marks[one.order],
                f"{a}": tables.format_interval(one.a, signed=True),
                f"{b} ": tables.format_interval(one.b, signed=True),
                "change": tables.format_interval(one.difference, signed=True),
            }
            for one in found.orders
        ]
    )
