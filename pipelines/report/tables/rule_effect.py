"""Tables of the effect of a rule, with their 95 % intervals, which count blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from pipelines.design.short_names import short_names
from pipelines.report.estimates import format_interval

if TYPE_CHECKING:
    from pipelines.experiments.rules_effect import QuantityChange, RulesEffect


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
