"""Tables of what-if questions: one row for each player, or for each position of many games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.report.estimates import (
    NOT_ENOUGH_GAMES,
    format_interval,
    format_intervals,
    share_decimals,
)
from pipelines.report.sentences.whatif import name_branches, name_strategies
from pipelines.report.tables.table import Table, make_table
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from pipelines.experiments.whatif.many_games import WhatIfPositions
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.report.tables.table import Cell


def effects_table(whatif: WhatIf) -> Table:
    """Return the change for every player."""
    effects = whatif.seat_effects
    points = share_decimals(
        [one for effect in effects for one in (effect.base, effect.changed, effect.score, effect.margin)]
    )
    ranks = format_intervals([effect.rank for effect in effects], signed=True)
    wins = format_intervals([effect.win_share for effect in effects], scale=100, signed=True)
    was, now = name_branches(whatif)
    rows: list[dict[str, Cell]] = [
        {
            "player": effect.seat + 1,
            "strategy": name_strategies(whatif, effect.seat),
            f"score, {was}": format_interval(effect.base, decimals=points),
            f"score, {now}": format_interval(effect.changed, decimals=points),
            "change in score": format_interval(effect.score, signed=True, decimals=points),
            "change in lead": format_interval(effect.margin, signed=True, decimals=points),
            "change in rank": rank,
            "change in wins of 100": win,
        }
        for effect, rank, win in zip(effects, ranks, wins, strict=True)
    ]
    caption = f"Ranges are 95 % intervals; n = {format_count(whatif.n, 'continuation')} of each branch."
    return make_table("The change for every player", rows, caption)


def overall_table(positions: WhatIfPositions) -> Table:
    """Return the mean change over all positions."""
    rows: list[dict[str, Cell]] = [
        {
            "with the change": name,
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
    effects = [one.seat_effect(one.fork.seat) for one in positions.played]
    scores = format_intervals([effect.score for effect in effects], signed=True)
    wins = format_intervals([effect.win_share for effect in effects], scale=100, signed=True)
    for one, score, win in zip(positions.played, scores, wins, strict=True):
        fork = one.fork
        rows.append(
            {
                "game": fork.game_id + 1,
                "block": fork.block,
                "move": fork.ply + 1,
                "player": fork.seat + 1,
                "logged score": fork.result[fork.seat],
                "change in score": score,
                "change in wins of 100": win,
                "continuations": one.n,
            }
        )
    return make_table("The change position by position", rows, formats={"game": "d", "block": "d"})
