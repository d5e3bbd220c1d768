"""From an answer to "what if" to tables, to what charts draw, and to addresses. Knows no Streamlit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dashboard.widgets.charts import ScoreSeries
from pipelines.statistics import MIN_BLOCKS, Distribution, t_interval
from pipelines.statistics.rounding import format_plus_minus

if TYPE_CHECKING:
    from dashboard.widgets.palette import SeriesLook
    from pipelines.experiments.whatif.fork import Change
    from pipelines.experiments.whatif.whatif import WhatIf, WhatIfPositions
    from pipelines.statistics import Interval


def format_half_interval(interval: Interval | None, *, signed: bool = False) -> str:
    """Write an estimate with half its interval."""
    return format_plus_minus(interval, signed=signed) if interval else "not enough"


def change_address_fields(change: Change) -> dict[str, str]:
    """Return how an address says what is different."""
    found: dict[str, str] = {}
    for seat, strategy in change.strategies.items():
        found |= {"seat": str(seat), "strategy": strategy}
    if change.action:
        found["action"] = change.action
    for key, value in change.options.items():
        found["option"] = f"{key}={value if isinstance(value, str) else json.dumps(value)}"
    if not change:
        found["luck"] = "1"
    return found


def make_score_series(ruleset: str, name: str, values: Any, look: SeriesLook) -> ScoreSeries:  # noqa: ANN401 - an array of whole numbers
    """Return values as what a chart draws."""
    distinct, counts = np.unique(np.asarray(values, dtype=np.int64), return_counts=True)
    distribution = Distribution(distinct, counts)
    return ScoreSeries(
        ruleset, name, distribution, distribution.n, t_interval(np.asarray(values, dtype=np.float64)), look
    )


def effects_table(found: WhatIf) -> pd.DataFrame:
    """Return all seats as a table."""
    rows = []
    for effect in found.seat_effects:
        was = found.fork.base.seating[effect.seat].name
        now = found.fork.changed.seating[effect.seat].name
        rows.append(
            {
                "seat": str(effect.seat),
                "strategy": was if was == now else f"{was} → {now}",
                "score as it was" if found.fork.change else "score logged": format_half_interval(effect.base),
                "score changed": format_half_interval(effect.changed),
                "score +/-": format_half_interval(effect.score, signed=True),
                "lead +/-": format_half_interval(effect.margin, signed=True),
                "rank +/-": format_half_interval(effect.rank, signed=True),
                "win share +/-": format_half_interval(effect.win_share, signed=True),
            }
        )
    return pd.DataFrame(rows)


def positions_table(found: WhatIfPositions) -> pd.DataFrame:
    """Return one row a position: what the change did there, to the seat that the question is about."""
    rows = []
    for one in found.played:
        effect = one.seat_effect(one.fork.seat)
        rows.append(
            {
                "game": one.fork.game_id,
                "ply": one.fork.ply,
                "seat": str(one.fork.seat),
                "logged score": one.fork.result[one.fork.seat],
                "score +/-": format_half_interval(effect.score, signed=True),
                "win share +/-": format_half_interval(effect.win_share, signed=True),
                "continuations": one.n,
            }
        )
    return pd.DataFrame(rows)


def positions_sentence(found: WhatIfPositions) -> str:
    """Say in words what the change does over all positions, and no more than the intervals allow."""
    score, wins = found.score, found.win_share
    over = f"{len(found.played)} positions"
    if score is None or wins is None or len(found.played) < MIN_BLOCKS:
        return f"not enough positions: {over}, at least {MIN_BLOCKS} are needed"
    seats = sorted({one.fork.seat for one in found.played})
    who = f"seat {seats[0]}" if len(seats) == 1 else "whoever acts there"
    settled = "" if score.low <= 0 <= score.high else " (settled)"
    return f"over {over} {who} scores {format_half_interval(score, signed=True)} points{settled} and wins {format_half_interval(wins, signed=True)} of a game"
