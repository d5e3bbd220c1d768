"""Tables of what-if questions: one row for each player, or for each position of many games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.report.estimates import NOT_ENOUGH_GAMES, format_interval
from pipelines.report.sentences.whatif import name_strategies
from pipelines.report.tables.table import Table, make_table
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from pipelines.experiments.whatif.many_games import WhatIfPositions
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.report.tables.table import Cell


def effects_table(whatif: WhatIf) -> Table:
    """Return the change for every player."""
    rows: list[dict[str, Cell]] = [
        {
            "player": effect.seat + 1,
            "strategy": name_strategies(whatif, effect.seat),
            "original score" if whatif.fork.change else "logged score": format_interval(effect.base),
            "changed score": format_interval(effect.changed),
            "change in score": format_interval(effect.score, signed=True),
            "change in lead": format_interval(effect.margin, signed=True),
            "change in rank": format_interval(effect.rank, signed=True),
            "change in wins of 100": format_interval(effect.win_share, scale=100, signed=True),
        }
        for effect in whatif.seat_effects
    ]
    caption = f"Ranges are 95 % intervals; n = {format_count(whatif.n, 'continuation')} of each branch."
    return make_table("The change for every player", rows, caption)


def overall_table(positions: WhatIfPositions) -> Table:
    """Return the mean change over all positions."""
    rows: list[dict[str, Cell]] = [
        {
            "changed minus original": name,
            "difference": format_interval(interval, scale=scale, signed=True)
            if positions.has_enough_blocks
            else NOT_ENOUGH_GAMES,
            "positions": len(positions.played),
            "blocks": positions.blocks,
        }
        for name, interval, scale in (
            ("final score of the player", positions.score, 1),
            ("wins of 100 games", positions.win_share, 100),
        )
    ]
    return make_table("The change over all positions", rows, "Ranges are 95 % intervals, which count blocks.")


def positions_table(positions: WhatIfPositions) -> Table:
    """Return one row for each position: the effect of the change on the seat of the question."""
    rows: list[dict[str, Cell]] = []
    for one in positions.played:
        fork, effect = one.fork, one.seat_effect(one.fork.seat)
        rows.append(
            {
                "game": fork.game_id + 1,
                "block": fork.block,
                "move": fork.ply + 1,
                "player": fork.seat + 1,
                "logged score": fork.result[fork.seat],
                "change in score": format_interval(effect.score, signed=True),
                "change in wins of 100": format_interval(effect.win_share, scale=100, signed=True),
                "continuations": one.n,
            }
        )
    return make_table("The change position by position", rows, formats={"game": "d", "block": "d"})
