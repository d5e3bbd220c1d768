"""The view of game lengths, in rounds or in plies."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.queries import cached, scores
from dashboard.widgets import charts, tables
from pipelines.statistics import Distribution, mean_interval
from pipelines.viewer.palette import seat_looks

if TYPE_CHECKING:
    from dashboard.scores.filters import ResultFilters

LENGTH_UNITS: Final = ("rounds", "plies")


def show_game_lengths(filters: ResultFilters) -> None:
    """Show the distribution of the length of games for each ruleset."""
    unit = (
        st.segmented_control(
            "Length in",
            LENGTH_UNITS,
            default="rounds",
            required=True,
            key="length",
            bind="query-params",
            label_visibility="collapsed",
        )
        or "rounds"
    )
    sums = cached.query_runs(scores.block_sums, filters.runs, filters.hashes)
    counts: dict[str, Counter[int]] = {sha256: Counter() for sha256 in filters.hashes}
    for row in cached.query_runs(scores.game_lengths, filters.runs, filters.hashes):
        counts[row.sha256][row.rounds if unit == "rounds" else row.plies] += row.games
    lengths = {
        sha256: Distribution(
            np.array(sorted(games), dtype=np.int64),
            np.array([games[length] for length in sorted(games)], dtype=np.int64),
        )
        for sha256, games in counts.items()
        if games
    }
    if not lengths:
        st.info("No games match these filters. Remove a filter to see more.")
        return
    looks = seat_looks(len(lengths))
    lines = [(filters.labels[sha256], one, looks[at]) for at, (sha256, one) in enumerate(lengths.items())]
    st.plotly_chart(
        charts.draw_game_lengths(lines, unit).build_figure(),
        key="length-chart",
        alt=f"Length of games in {unit}",
    )
    rows = []
    for sha256, one in lengths.items():
        blocks = max((row.blocks for row in sums if row.sha256 == sha256), default=0)
        mean = mean_interval(one.mean, one.sd, min(blocks, one.n))
        rows.append(
            {
                "ruleset": filters.labels[sha256],
                "games": one.n,
                "blocks": blocks,
                f"mean {unit}": one.mean,
                "from": mean.low if mean else np.nan,
                "to": mean.high if mean else np.nan,
                "shortest": one.quantile(0),
                **{f"{share:.0%}": one.quantile(share) for share in charts.QUANTILES},
                "longest": one.quantile(1),
            }
        )
    table = pd.DataFrame(rows)
    tables.show_table(table, "The lengths in numbers", dict.fromkeys((f"mean {unit}", "from", "to"), ".2f"))
    st.caption(
        "All games of the chosen runs, with all strategies. From and to: the 95 % interval of the mean, each block counted "
        "as one game. Rolls of the dice are plies too."
    )
    tables.show_table_downloads(table, f"length-{unit}")
