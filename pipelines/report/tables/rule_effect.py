"""Tables of the effect of a rule, with their 95 % intervals, which count blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.short_names import short_names
from pipelines.report.estimates import format_interval
from pipelines.report.tables.table import Table
from pipelines.report.wording import format_count, format_player, title_rulesets

if TYPE_CHECKING:
    from pipelines.experiments.rules_effect import QuantityChange, RulesEffect
    from pipelines.report.tables.table import Cell

ORDER_WORDS = {"same": "the same strategy is ahead", "reversed": "reversed", "undecided": "not decided"}


def changes_table(effect: RulesEffect) -> Table:
    """Return all differences, one a row."""
    names = short_names(effect.strategies)

    def make_row(what: str, change: QuantityChange, scale: float = 1.0) -> tuple[Cell, ...]:
        return (
            what,
            format_interval(change.a, scale=scale),
            format_interval(change.b, scale=scale),
            format_interval(change.difference, signed=True, scale=scale),
            effect.blocks,
        )

    rows = [make_row(f"score of {names[change.of]}", change) for change in effect.scores]
    rows += [
        make_row(f"wins of a seat of {names[change.of]}, of 100 games", change, 100.0)
        for change in effect.win_shares
    ]
    rows += [make_row(f"{change.of} of a game", change) for change in effect.lengths]
    rows += [
        make_row(f"effect of the seat of {format_player(int(change.of))}", change) for change in effect.seats
    ]
    a, b = title_rulesets(effect.a.design.rules, effect.b.design.rules)
    return Table(
        "All differences",
        ("what", a, b, "difference", "blocks"),
        tuple(rows),
        f"Values with their 95 % intervals; n = {format_count(effect.blocks, 'block')} of "
        f"{format_count(effect.games_per_block, 'game')} under each ruleset. Seats: score minus the mean score of the game.",
    )


def orders_table(effect: RulesEffect) -> Table:
    """Return a row for every two strategies with the lead under both rulesets."""
    a, b = title_rulesets(effect.a.design.rules, effect.b.design.rules)
    names = short_names(effect.strategies)
    fewer = " (fewer points are ahead)" if effect.a.design.rules.lowest_wins else ""
    return Table(
        "The order of the strategies",
        ("ahead", "order", a, b, "change"),
        tuple(
            (
                f"{names[change.first]} of {names[change.second]}",
                ORDER_WORDS[change.order],
                format_interval(change.a, signed=True),
                format_interval(change.b, signed=True),
                format_interval(change.difference, signed=True),
            )
            for change in effect.orders
        ),
        f"The lead of the first strategy over the second, in points{fewer}, from {format_count(effect.blocks, 'block')}. The table names "
        "an order only if both leads are significant.",
    )
