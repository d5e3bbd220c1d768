"""Tables of the effect of a rule, with their 95 % intervals, which count blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.short_names import short_names
from pipelines.report.estimates import format_interval, share_decimals
from pipelines.report.tables.table import Table
from pipelines.report.wording import format_count, format_player, title_rulesets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pipelines.experiments.rules_effect import PairOrder, QuantityChange, RulesEffect
    from pipelines.report.tables.table import Cell

ORDER_WORDS = {"same": "the same strategy is ahead", "reversed": "reversed", "undecided": "not decided"}


def changes_table(effect: RulesEffect) -> Table:
    """Return all differences, one a row."""
    names = short_names(effect.strategies)

    def make_rows(
        changes: Sequence[QuantityChange], name: Callable[[str], str], scale: float = 1.0
    ) -> list[tuple[Cell, ...]]:
        return [
            (name(change.of), *texts, effect.blocks)
            for change, texts in zip(changes, _format_changes(changes, scale), strict=True)
        ]

    rows = make_rows(effect.scores, lambda of: f"score of {names[of]}")
    rows += make_rows(effect.win_shares, lambda of: f"wins of a seat of {names[of]}, of 100 games", 100.0)
    for change in effect.lengths:
        rows += make_rows([change], lambda of: f"{of} of a game")
    rows += make_rows(effect.seats, lambda of: f"effect of the seat of {format_player(int(of))}")
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
                *texts,
            )
            for change, texts in zip(effect.orders, _format_changes(effect.orders, is_lead=True), strict=True)
        ),
        f"The lead of the first strategy over the second, in points{fewer}, from {format_count(effect.blocks, 'block')}. The table names "
        "an order only if both leads are significant.",
    )


def _format_changes(
    changes: Sequence[QuantityChange | PairOrder], scale: float = 1.0, *, is_lead: bool = False
) -> Iterator[tuple[str, ...]]:
    """Yield the values under both rulesets and their difference, all with the same number of decimals; leads are signed."""
    decimals = share_decimals(
        [interval for change in changes for interval in (change.a, change.b, change.difference)], scale=scale
    )
    for change in changes:
        yield tuple(
            format_interval(interval, scale=scale, signed=signed, decimals=decimals)
            for interval, signed in ((change.a, is_lead), (change.b, is_lead), (change.difference, True))
        )
