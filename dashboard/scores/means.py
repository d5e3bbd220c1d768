"""The views of means with their intervals: by part of the score, by round and by seat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard.queries import cached, scores
from dashboard.widgets import charts, tables
from dashboard.widgets.charts import series

if TYPE_CHECKING:
    from dashboard.scores.filters import ResultFilters
    from dashboard.widgets.charts import Estimate, ScoreSeries


def _query_score_series(filters: ResultFilters) -> list[ScoreSeries]:
    """Return the series of the chosen strategies, which hold their numbers of blocks and their looks."""
    counts = cached.query_runs(scores.score_counts, filters.runs, filters.hashes, filters.seats)
    counts = [row for row in counts if row.strategy in filters.strategies]
    sums = cached.query_runs(scores.block_sums, filters.runs, filters.hashes)
    return series.score_series(counts, sums, filters.labels, filters.looks, some_seats=bool(filters.seats))


def show_part_means(filters: ResultFilters) -> None:
    """Show the mean points of the parts of the score."""
    rows = cached.query_runs(scores.part_points, filters.runs, filters.hashes, filters.seats)
    estimates = series.mean_estimates(rows, _query_score_series(filters), filters.labels, filters.part_titles)
    if not estimates:
        st.caption("Not enough games for an interval.")
        return
    st.plotly_chart(
        charts.draw_dots(estimates, "mean points", legend=True).build_figure(),
        key="parts-chart",
        alt="Mean points of each part of the score",
    )
    st.caption("Mean points of each part of the score with 95 % intervals. They add up to the mean score.")
    _show_means_table(estimates, "part")


def show_score_course(filters: ResultFilters) -> None:
    """Show the mean score after each round."""
    rows = series.common_places(cached.query_runs(scores.scores_by_round, filters.runs, filters.hashes), 0.1)
    estimates = series.mean_estimates(rows, _query_score_series(filters), filters.labels)
    if not estimates:
        st.caption(
            "The plies of these runs were not logged (`--log scores`), so the scores by round are not known."
        )
        return
    if filters.seats:
        st.caption("The scores by round are counted for all seats together.")
    st.plotly_chart(
        charts.draw_score_course(estimates).build_figure(), key="course-chart", alt="Mean score by round"
    )
    st.caption(
        "Mean score after each round, as if the game ended there. Rounds that fewer than one game in ten reached are left out."
    )
    _show_means_table(estimates, "round")


def show_seat_means(filters: ResultFilters) -> None:
    """Show the mean score of each seat."""
    rows = cached.query_runs(scores.scores_by_seat, filters.runs, filters.hashes)
    estimates = series.mean_estimates(rows, _query_score_series(filters), filters.labels)
    if not estimates:
        st.caption("Not enough games for an interval.")
        return
    st.plotly_chart(
        charts.draw_columns(estimates, "seat").build_figure(), key="seat-chart", alt="Mean score of each seat"
    )
    st.caption("Mean score on each seat with its 95 % interval. Seat 0 starts.")
    _show_means_table(estimates, "seat")


def _show_means_table(estimates: list[Estimate], place: str) -> None:
    """Show the numbers behind a chart."""
    table = pd.DataFrame(
        [
            {
                "ruleset": one.ruleset,
                "strategy": one.strategy,
                place: one.at,
                "mean": one.mean.estimate,
                "from": one.mean.low,
                "to": one.mean.high,
                "n": one.n,
            }
            for one in estimates
        ]
    )
    tables.show_table(table, f"The means by {place}", dict.fromkeys(("mean", "from", "to"), ".2f"))
    tables.show_table_downloads(table, f"by-{place}")
