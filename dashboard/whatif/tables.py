"""Tables, chart series and addresses of what-if questions. This module does not use Streamlit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dashboard.widgets.charts import ScoreSeries
from pipelines.statistics import Distribution, t_interval
from pipelines.statistics.rounding import format_plus_minus

if TYPE_CHECKING:
    from pipelines.experiments.whatif.fork import Change
    from pipelines.experiments.whatif.many_games import WhatIfPositions
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.statistics import Interval
    from pipelines.viewer.palette import SeriesLook


def format_half_interval(interval: Interval | None, *, signed: bool = False) -> str:
    """Return an estimate ± half of its interval as text."""
    return format_plus_minus(interval, signed=signed) if interval else "not enough games"


def change_address_fields(change: Change) -> dict[str, str]:
    """Return the address fields of a change."""
    fields: dict[str, str] = {}
    for seat, strategy in change.strategies.items():
        fields |= {"seat": str(seat), "strategy": strategy}
    if change.action:
        fields["action"] = change.action
    for key, value in change.options.items():
        fields["option"] = f"{key}={value if isinstance(value, str) else json.dumps(value)}"
    if not change:
        fields["luck"] = "1"
    return fields


def make_score_series(ruleset: str, name: str, values: Any, look: SeriesLook) -> ScoreSeries:  # noqa: ANN401 - an array of whole numbers
    """Return the distribution of whole numbers as a chart series."""
    distinct, counts = np.unique(np.asarray(values, dtype=np.int64), return_counts=True)
    distribution = Distribution(distinct, counts)
    return ScoreSeries(
        ruleset, name, distribution, distribution.n, t_interval(np.asarray(values, dtype=np.float64)), look
    )


def effects_table(answer: WhatIf) -> pd.DataFrame:
    """Return the change for every seat as a table."""
    rows = []
    for effect in answer.seat_effects:
        was = answer.fork.base.seating[effect.seat].label
        now = answer.fork.changed.seating[effect.seat].label
        rows.append(
            {
                "seat": str(effect.seat),
                "strategy": was if was == now else f"{was} → {now}",
                "original score" if answer.fork.change else "logged score": format_half_interval(effect.base),
                "changed score": format_half_interval(effect.changed),
                "change in score": format_half_interval(effect.score, signed=True),
                "change in lead": format_half_interval(effect.margin, signed=True),
                "change in rank": format_half_interval(effect.rank, signed=True),
                "change in win share": format_half_interval(effect.win_share, signed=True),
            }
        )
    return pd.DataFrame(rows)


def positions_table(positions: WhatIfPositions) -> pd.DataFrame:
    """Return one row for each position: the effect of the change on the seat of the question."""
    rows = []
    for position in positions.played:
        effect = position.seat_effect(position.fork.seat)
        rows.append(
            {
                "game": position.fork.game_id,
                "block": position.fork.block,
                "ply": position.fork.ply,
                "seat": str(position.fork.seat),
                "logged score": position.fork.result[position.fork.seat],
                "change in score": format_half_interval(effect.score, signed=True),
                "change in win share": format_half_interval(effect.win_share, signed=True),
                "continuations": position.n,
            }
        )
    return pd.DataFrame(rows)
