"""Means with their intervals: by part of the score, by round, by seat."""

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


def _query_score_series(chosen: ResultFilters) -> list[ScoreSeries]:
    """Return the series of the chosen strategies: what estimates take their blocks and looks from."""
    counts = cached.query_runs(scores.score_counts, chosen.runs, chosen.hashes, chosen.seats)
    counts = [row for row in counts if row.strategy in chosen.strategies]
    sums = cached.query_runs(scores.block_sums, chosen.runs, chosen.hashes)
    return series.score_series(counts, sums, chosen.labels, chosen.look, some_seats=bool(chosen.seats))


def show_part_means(chosen: ResultFilters) -> None:
    """Show what the parts of the score bring."""
    rows = cached.query_runs(scores.part_points, chosen.runs, chosen.hashes, chosen.seats)
    estimates = series.mean_estimates(rows, _query_score_series(chosen), chosen.labels, chosen.part_titles)
    if not estimates:
        st.caption("Not enough games to say.")
        return
    st.plotly_chart(
        charts.draw_dots(estimates, "mean points", legend=True).build_figure(),
        key="parts-chart",
        alt="Mean points of each part of the score",
    )
    st.caption(
        "Mean points of each part of the score, with 95 % intervals. Together they are the mean score."
    )
    _show_means_table(estimates, "part")


def show_score_course(chosen: ResultFilters) -> None:
    """Show how scores grow."""
    rows = series.common_places(cached.query_runs(scores.scores_by_round, chosen.runs, chosen.hashes), 0.1)
    lines = series.mean_estimates(rows, _query_score_series(chosen), chosen.labels)
    if not lines:
        st.caption("These runs keep no plies (`--log scores`), so the course of their games is not known.")
        return
    if chosen.seats:
        st.caption("The course is counted for all seats together.")
    st.plotly_chart(
        charts.draw_score_course(lines).build_figure(), key="course-chart", alt="Mean score by round"
    )
    st.caption(
        "Mean score after each round, as if the game ended there; rounds that one game in ten reached."
    )
    _show_means_table(lines, "round")


def show_seat_means(chosen: ResultFilters) -> None:
    """Show what each seat brings."""
    rows = cached.query_runs(scores.scores_by_seat, chosen.runs, chosen.hashes)
    spots = series.mean_estimates(rows, _query_score_series(chosen), chosen.labels)
    if not spots:
        st.caption("Not enough games to say.")
        return
    st.plotly_chart(
        charts.draw_columns(spots, "seat").build_figure(), key="seat-chart", alt="Mean score of each seat"
    )
    st.caption("Mean score on each seat with its 95 % interval. Seat 0 starts.")
    _show_means_table(spots, "seat")


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
