"""The view of game lengths, in rounds or in plies."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.queries import cached, scores
from dashboard.scores.beside_baseline import explain_missing_baseline, filter_baseline
from dashboard.scores.shown_headline import show_headline
from dashboard.scores.view_headlines import GameLength, describe_lengths
from dashboard.widgets import tables
from dashboard.widgets.baseline import assign_baseline_looks
from dashboard.widgets.charts import show_chart
from pipelines.report.charts import QUANTILES, Histogram, ScoreSeries
from pipelines.statistics import Distribution, mean_interval
from pipelines.viewer.palette import seat_looks

if TYPE_CHECKING:
    from dashboard.queries.scores import BlockSums
    from dashboard.scores.filters import ResultFilters
    from pipelines.viewer.palette import SeriesLook

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
    lengths = _query_lengths(filters, unit)
    if not lengths:
        st.info("No games match these filters. Remove a filter to see more.")
        return
    described = [
        GameLength(
            filters.labels[sha256],
            one,
            mean_interval(one.mean, one.sd, min(_count_blocks(sums, sha256), one.n)),
        )
        for sha256, one in lengths.items()
    ]
    show_headline(describe_lengths(described, unit))
    looks = seat_looks(len(lengths))
    lines = [
        _make_line(filters.labels[sha256], one, looks[at]) for at, (sha256, one) in enumerate(lengths.items())
    ]
    baseline = _query_baseline(filters, lengths, unit)
    title = f"Length of games in {unit}"
    show_chart(Histogram([*lines, *baseline], unit, title, "game", has_means=False), "length-chart")
    if not baseline:
        explain_missing_baseline(filters)
    rows = []
    for (sha256, one), (_, _, mean) in zip(lengths.items(), described, strict=True):
        blocks = _count_blocks(sums, sha256)
        rows.append(
            {
                "ruleset": filters.labels[sha256],
                "games": one.n,
                "blocks": blocks,
                f"mean {unit}": one.mean,
                "from": mean.low if mean else np.nan,
                "to": mean.high if mean else np.nan,
                "shortest": one.quantile(0),
                **{f"{share:.0%}": one.quantile(share) for share in QUANTILES},
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


def _count_blocks(sums: list[BlockSums], sha256: str) -> int:
    """Return the number of blocks of a ruleset."""
    return max((row.blocks for row in sums if row.sha256 == sha256), default=0)


def _make_line(name: str, lengths: Distribution, look: SeriesLook) -> ScoreSeries:
    """Return the line of a ruleset, or of the pinned run, in a chart without panels."""
    return ScoreSeries("", "", lengths, lengths.n, None, look, line=name)


def _query_lengths(filters: ResultFilters, unit: str) -> dict[str, Distribution]:
    """Return the distribution of the length of games by the hash of the ruleset; rulesets without games are left out."""
    counts: dict[str, Counter[int]] = {sha256: Counter() for sha256 in filters.hashes}
    for row in cached.query_runs(scores.game_lengths, filters.runs, filters.hashes):
        counts[row.sha256][row.rounds if unit == "rounds" else row.plies] += row.games
    return {
        sha256: Distribution(
            np.array(sorted(games), dtype=np.int64),
            np.array([games[length] for length in sorted(games)], dtype=np.int64),
        )
        for sha256, games in counts.items()
        if games
    }


def _query_baseline(filters: ResultFilters, lengths: dict[str, Distribution], unit: str) -> list[ScoreSeries]:
    """Return the lines of the pinned run: the lengths of its games, under the rulesets of the chart."""
    pinned = filter_baseline(filters)
    if pinned is None:
        return []
    found = _query_lengths(pinned, unit)
    own = seat_looks(len(lengths))
    looks = assign_baseline_looks({sha256: own[at] for at, sha256 in enumerate(lengths) if sha256 in found})
    names = {sha256: f"{filters.labels[sha256]}, " if len(looks) > 1 else "" for sha256 in looks}
    return [
        _make_line(f"{names[sha256]}run {pinned.runs[0].name} (baseline)", found[sha256], look)
        for sha256, look in looks.items()
    ]
