"""Tables of what-if questions: one row for each player, or for each position of many games. Cells are texts or integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pipelines.report.estimates import NOT_ENOUGH_GAMES, format_interval
from pipelines.report.sentences.whatif import name_strategies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.experiments.whatif.many_games import WhatIfPositions
    from pipelines.experiments.whatif.whatif import WhatIf

Row: TypeAlias = "Mapping[str, str | int]"
"""A row: cells by the titles of their columns, which are those of all rows."""


def effect_rows(whatif: WhatIf) -> list[Row]:
    """Return the change for every player. Ranges are 95 % intervals."""
    return [
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


def overall_rows(positions: WhatIfPositions) -> list[Row]:
    """Return the mean change over all positions. Ranges are 95 % intervals, which count blocks."""
    return [
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


def position_rows(positions: WhatIfPositions) -> list[Row]:
    """Return one row for each position: the effect of the change on the seat of the question."""
    rows: list[Row] = []
    for one in positions.played:
        fork, effect = one.fork, one.seat_effect(one.fork.seat)
        rows.append(
            {
                "game": fork.game_id,
                "block": fork.block,
                "move": fork.ply + 1,
                "player": fork.seat + 1,
                "logged score": fork.result[fork.seat],
                "change in score": format_interval(effect.score, signed=True),
                "change in wins of 100": format_interval(effect.win_share, scale=100, signed=True),
                "continuations": one.n,
            }
        )
    return rows
