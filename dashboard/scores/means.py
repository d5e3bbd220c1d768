"""Means with their intervals: by part of the score, by round, by seat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard.queries import cached, scores
from dashboard.widgets import charts, tables
from dashboard.widgets.charts import series

if TYPE_CHECKING:
    from dashboard.scores.filters import Chosen
    from dashboard.widgets.charts import Estimate, Series


def _whole(chosen: Chosen) -> list[Series]:
    """Return the series of the chosen strategies: what estimates take their blocks and looks from."""
    counts = cached.ask(scores.score_counts, chosen.runs, chosen.hashes, chosen.seats)
    counts = [row for row in counts if row.strategy in chosen.strategies]
    sums = cached.ask(scores.block_sums, chosen.runs, chosen.hashes)
    return series.score_series(counts, sums, chosen.labels, chosen.look, some_seats=bool(chosen.seats))


def parts(chosen: Chosen) -> None:
    """Show what the parts of the score bring."""
    rows = cached.ask(scores.part_points, chosen.runs, chosen.hashes, chosen.seats)
    estimates = series.estimates(rows, _whole(chosen), chosen.labels, chosen.part_titles)
    if not estimates:
        st.caption("Not enough games to say.")
        return
    st.plotly_chart(
        charts.dots(estimates, "mean points", legend=True).figure(),
        key="parts-chart",
        alt="Mean points of each part of the score",
    )
    st.caption(
        "Mean points of each part of the score, with 95 % intervals. Together they are the mean score."
    )
    _numbers(estimates, "part")


def course(chosen: Chosen) -> None:
    """Show how scores grow."""
    rows = series.common_places(cached.ask(scores.scores_by_round, chosen.runs, chosen.hashes), 0.1)
    lines = series.estimates(rows, _whole(chosen), chosen.labels)
    if not lines:
        st.caption("These runs keep no plies (`--log scores`), so the course of their games is not known.")
        return
    if chosen.seats:
        st.caption("The course is counted for all seats together.")
    st.plotly_chart(charts.course(lines).figure(), key="course-chart", alt="Mean score by round")
    st.caption(
        "Mean score after each round, as if the game ended there; rounds that one game in ten reached."
    )
    _numbers(lines, "round")


def seats(chosen: Chosen) -> None:
    """Show what each seat brings."""
    rows = cached.ask(scores.scores_by_seat, chosen.runs, chosen.hashes)
    spots = series.estimates(rows, _whole(chosen), chosen.labels)
    if not spots:
        st.caption("Not enough games to say.")
        return
    st.plotly_chart(charts.columns(spots, "seat").figure(), key="seat-chart", alt="Mean score of each seat")
    st.caption("Mean score on each seat with its 95 % interval. Seat 0 starts.")
    _numbers(spots, "seat")


def _numbers(estimates: list[Estimate], place: str) -> None:
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
    tables.show(table, f"The means by {place}", dict.fromkeys(("mean", "from", "to"), ".2f"))
    tables.downloads(table, f"by-{place}")
