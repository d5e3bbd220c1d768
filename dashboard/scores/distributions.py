"""The view of distributions: histograms, cumulative shares or quantiles of scores or of the points of one part."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.queries import cached
from dashboard.queries import scores as queries
from dashboard.scores import games_of_bin
from dashboard.scores.filters import ResultFilters, show_data_basis
from dashboard.widgets import charts, tables
from dashboard.widgets.charts import series
from pipelines.statistics import Distribution, mean_interval
from pipelines.viewer.palette import seat_looks

if TYPE_CHECKING:
    from dashboard.widgets.charts import ScoreSeries

SCORE_OPTION: Final = "score"
LAYOUTS: Final = ("Overlaid", "Side by side", "By seat")
SHAPES: Final = {
    "Histogram": "Share of results in each bin. All panels and lines have the same bins. Click a bin to list its games.",
    "Cumulative": "Share of results up to each score. The band contains the whole true curve with 95 % "
    "(Dvoretzky, Kiefer and Wolfowitz, counting blocks).",
    "Quantiles": "Box: the middle half. Whiskers: 5 and 95 %. Diamond: the mean with its 95 % interval.",
}


def show_distributions(filters: ResultFilters) -> None:
    """Show the distributions, their numbers, the percentiles of a score and the games of a bin."""
    titles = {SCORE_OPTION: "the score", **filters.part_titles}
    what, shape, layout = _ask_drawing_options(titles)
    part = "" if what == SCORE_OPTION else what
    all_series = _query_series(filters, part, by_seat=layout == "By seat")
    if not all_series:
        st.info("No games match these filters. Remove a filter to see more.")
        return
    show_data_basis(filters, all_series)
    if part and (filters.seats or layout == "By seat"):
        st.caption("Parts of the score are counted for all seats together.")
    chart_place, numbers = st.container(), series.series_table(all_series)
    tables.show_table(numbers, "The distributions in numbers", dict.fromkeys(("mean", "± 95 %", "sd"), ".2f"))
    if any(one.mean is None for one in all_series):
        st.caption("An interval needs at least two blocks of games.")
    tables.show_table_downloads(numbers, "scores")
    left, right = st.columns(2)
    with left:
        score = _show_percentiles(all_series)
    with right:
        span = games_of_bin.show_games_in_range(filters, part)
    if layout == "Side by side":
        all_series = [replace(one, panel=f"{one.panel_name} · {one.name}") for one in all_series]
    unit = f"points of {titles[what]}" if part else "score"
    with chart_place:  # drawn last, because the chart marks the score and the range that are chosen below it
        _show_distribution_chart(all_series, shape, unit, score, span)
        st.caption(SHAPES[shape])


def _ask_drawing_options(titles: dict[str, str]) -> tuple[str, str, str]:
    """Ask what to draw and how; returns the score or part, the shape and the layout."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shape = st.segmented_control(
            "Shape", list(SHAPES), default="Histogram", required=True, key="shape", bind="query-params"
        )
        layout = st.segmented_control(
            "Lines", LAYOUTS, default="Overlaid", required=True, key="lines", bind="query-params"
        )
        what = st.selectbox(
            "Distribution of",
            list(titles),
            format_func=lambda part: titles[part],
            key="of",
            bind="query-params",
            width=240,
        )
    return what or SCORE_OPTION, shape or "Histogram", layout or "Overlaid"


def _show_distribution_chart(
    all_series: list[ScoreSeries], shape: str, unit: str, score: int | None, span: tuple[int, int] | None
) -> None:
    """Draw the distributions, and mark the chosen score and the range whose games are listed."""
    if shape == "Histogram":
        chart = charts.draw_histograms(all_series, unit, clickable=True)
        if span:
            chart = chart.shade_range(*span)
    else:
        chart = (charts.draw_cumulative_shares if shape == "Cumulative" else charts.draw_boxes)(
            all_series, unit
        )
    if score is not None:
        chart = chart.mark_value(score, f"{score}")
    figure = chart.build_figure()
    alt = f"{shape} of {unit}: " + "; ".join(
        f"{one.panel_name}, {one.name}: mean {one.scores.mean:.1f}" for one in all_series
    )
    if shape == "Histogram":
        st.plotly_chart(
            figure, key="shape-chart", alt=alt, on_select=_take_clicked_bin, selection_mode="points"
        )
    else:
        st.plotly_chart(figure, key=f"shape-{shape}", alt=alt)


def _take_clicked_bin() -> None:
    """Set the range whose games are listed to the bin that was clicked."""
    picked: Any = st.session_state.get("shape-chart")
    if not picked:
        return  # the page no longer shows this chart
    bins = [point.get("customdata") for point in picked["selection"]["points"]]
    if bins and isinstance(bins[0], (list, tuple, dict)):
        values = list(bins[0].values()) if isinstance(bins[0], dict) else list(bins[0])
        st.session_state["from"], st.session_state["to"] = int(values[0]), int(values[1])


def _query_series(filters: ResultFilters, part: str, *, by_seat: bool) -> list[ScoreSeries]:
    sums = cached.query_runs(queries.block_sums, filters.runs, filters.hashes)
    if part:
        counts = cached.query_runs(queries.part_counts, filters.runs, filters.hashes, (part,))
        counts = [row for row in counts if row.strategy in filters.strategies]
        # A run has no block sums of parts, so each block counts as one result. The interval is never too narrow.
        return series.score_series(counts, sums, filters.labels, filters.looks, some_seats=True)
    if by_seat:
        return _query_seat_series(filters, sums)
    counts = cached.query_runs(queries.score_counts, filters.runs, filters.hashes, filters.seats)
    counts = [row for row in counts if row.strategy in filters.strategies]
    return series.score_series(counts, sums, filters.labels, filters.looks, some_seats=bool(filters.seats))


def _query_seat_series(filters: ResultFilters, sums: list[queries.BlockSums]) -> list[ScoreSeries]:
    """Return a series for each ruleset, strategy and seat. A panel holds the seats of one strategy."""
    rows: dict[tuple[str, str, int], list[tuple[int, int]]] = defaultdict(list)
    for row in cached.query_runs(queries.score_counts_by_seat, filters.runs, filters.hashes, filters.seats):
        if row.strategy in filters.strategies:
            rows[row.sha256, row.strategy, row.seat].append((row.score, row.results))
    looks = seat_looks(1 + max((seat for _, _, seat in rows), default=0))
    all_series = []
    for (sha256, strategy, seat), pairs in rows.items():
        columns = np.array(pairs, dtype=np.int64)
        scores = Distribution(columns[:, 0], columns[:, 1])
        blocks = min(
            scores.n, sum(one.blocks for one in sums if (one.sha256, one.strategy) == (sha256, strategy))
        )
        label = filters.labels[sha256]
        mean = mean_interval(scores.mean, scores.sd, blocks)
        all_series.append(
            charts.ScoreSeries(
                label, strategy, scores, blocks, mean, looks[seat], f"seat {seat}", f"{label} · {strategy}"
            )
        )
    order = list(filters.labels.values())
    return sorted(all_series, key=lambda one: (order.index(one.ruleset), one.strategy, one.line))


def _show_percentiles(all_series: list[ScoreSeries]) -> int | None:
    """Ask for a score, show its percentile in each series, and return it; None if no score is given."""
    st.header("How good is a score?")
    score = st.number_input(
        "A score of",
        value=None,
        step=1,
        key="score",
        bind="query-params",
        placeholder="any score",
        min_value=-(10**6),
        max_value=10**6,
    )
    if score is None:
        st.caption("Enter a score to see which share of the results lies below it.")
        return None
    rows = []
    for one in all_series:
        below, equal = one.scores.split_at(score)
        rank = one.scores.percentile_of(score, one.blocks)
        rows.append(
            {
                "ruleset": one.ruleset,
                "strategy": one.strategy,
                **({"seat": one.line.removeprefix("seat ")} if one.line else {}),
                "percentile": 100 * rank.estimate,
                "from": 100 * rank.low,
                "to": 100 * rank.high,
                "below": 100 * below,
                "equal": 100 * equal,
                "results": one.scores.n,
                "blocks": one.blocks,
            }
        )
    table = pd.DataFrame(rows)
    tables.show_table(
        table,
        "The percentile of this score",
        dict.fromkeys(("percentile", "from", "to", "below", "equal"), ".1f"),
    )
    st.caption(
        "Percentile: per cent of the results that are lower; equal results count half. From and to: its 95 % interval "
        "(Wilson, each block counted as one result)."
    )
    tables.show_table_downloads(table, "percentiles")
    return score
