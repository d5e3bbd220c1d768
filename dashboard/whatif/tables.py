"""Tables and chart series of what-if questions. This module does not use Streamlit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dashboard.widgets.charts import ScoreSeries
from pipelines.design.short_names import short_names
from pipelines.statistics import Distribution, t_interval
from pipelines.statistics.rounding import format_plus_minus, set_minus_signs
from pipelines.viewer.palette import SeriesLook

if TYPE_CHECKING:
    from pipelines.experiments.whatif.many_games import WhatIfPositions
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.statistics import Interval


CHANGE_AXIS = "change in score (dashed: none)"
BASE_LOOK, CHANGED_LOOK = SeriesLook("#8A8A8A", "dot"), SeriesLook("#1F83C2", "solid")


def format_half_interval(interval: Interval | None, *, signed: bool = False) -> str:
    """Return an estimate ± half of its interval as text."""
    return set_minus_signs(format_plus_minus(interval, signed=signed)) if interval else "not enough games"


def scale_to_percent(share: Interval | None) -> Interval | None:
    """Return a share of wins as a number of 100 games."""
    return share and type(share)(*(100 * end for end in share))


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
        names = short_names((was, now))
        was, now = names[was], names[now]
        rows.append(
            {
                "player": effect.seat + 1,
                "strategy": was if was == now else f"{was} → {now}",
                "original score" if answer.fork.change else "logged score": format_half_interval(effect.base),
                "changed score": format_half_interval(effect.changed),
                "change in score": format_half_interval(effect.score, signed=True),
                "change in lead": format_half_interval(effect.margin, signed=True),
                "change in rank": format_half_interval(effect.rank, signed=True),
                "change in wins of 100": format_half_interval(
                    scale_to_percent(effect.win_share), signed=True
                ),
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
                "move": position.fork.ply + 1,
                "player": position.fork.seat + 1,
                "logged score": position.fork.result[position.fork.seat],
                "change in score": format_half_interval(effect.score, signed=True),
                "change in wins of 100": format_half_interval(
                    scale_to_percent(effect.win_share), signed=True
                ),
                "continuations": position.n,
            }
        )
    return pd.DataFrame(rows)
