"""How scores, or points of one part, spread: the same bins for all, shares up to each score, or quantiles."""

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
from dashboard.widgets.palette import seat_looks
from pipelines.statistics import Distribution, mean_interval

if TYPE_CHECKING:
    from dashboard.widgets.charts import ScoreSeries

SCORE_OPTION: Final = "score"
LAYOUTS: Final = ("Overlaid", "Side by side", "By seat")
SHAPES: Final = {
    "Histogram": "Share of results in each bin. All panels and lines have the same bins; click one to list its games.",
    "Cumulative": "Share of results up to each score; the band holds the true curve with 95 % "
    "(Dvoretzky, Kiefer and Wolfowitz, counting blocks).",
    "Quantiles": "Box: middle half; whiskers: 5 and 95 %; diamond: mean with its 95 % interval.",
}


def show_distributions(chosen: ResultFilters) -> None:
    """Show distributions, their numbers, and the games behind a bin."""
    titles = {SCORE_OPTION: "the score", **chosen.part_titles}
    what, shape, layout = _ask_drawing_options(titles)
    part = "" if what == SCORE_OPTION else what
    shown = _query_series(chosen, part, by_seat=layout == "By seat")
    if not shown:
        st.info("No games fit these filters. Clear one of them to see more.")
        return
    show_data_basis(chosen, shown)
    if part and (chosen.seats or layout == "By seat"):
        st.caption("Parts of the score are counted for all seats together.")
    drawing, numbers = st.container(), series.series_table(shown)
    tables.show_table(numbers, "The numbers of the spread", dict.fromkeys(("mean", "± 95 %", "sd"), ".2f"))
    if any(one.mean is None for one in shown):
        st.caption("Not enough games for an interval where it is missing: it takes two blocks.")
    tables.show_table_downloads(numbers, "scores")
    left, right = st.columns(2)
    with left:
        asked = _show_percentiles(shown)
    with right:
        span = games_of_bin.show_games_in_range(chosen, part)
    with drawing:  # last, as what is asked below is marked in it
        laid = (
            [replace(one, panel=f"{one.panel_name} · {one.name}") for one in shown]
            if layout == "Side by side"
            else shown
        )
        _show_distribution_chart(laid, shape, "points of " + titles[what] if part else "score", asked, span)
        st.caption(SHAPES[shape])


def _ask_drawing_options(titles: dict[str, str]) -> tuple[str, str, str]:
    """Ask what is drawn and how."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shape = st.segmented_control(
            "Shape", list(SHAPES), default="Histogram", required=True, key="shape", bind="query-params"
        )
        layout = st.segmented_control(
            "Lines", LAYOUTS, default="Overlaid", required=True, key="lines", bind="query-params"
        )
        what = st.selectbox(
            "Spread of",
            list(titles),
            format_func=lambda part: titles[part],
            key="of",
            bind="query-params",
            width=240,
        )
    return what or SCORE_OPTION, shape or "Histogram", layout or "Overlaid"


def _show_distribution_chart(
    shown: list[ScoreSeries], shape: str, unit: str, asked: int | None, span: tuple[int, int] | None
) -> None:
    """Draw the distributions, with the score that is asked about and the range whose games are listed."""
    if shape == "Histogram":
        chart = charts.draw_histograms(shown, unit, clickable=True)
        if span:
            chart = chart.shade_range(*span)
    else:
        chart = (charts.draw_cumulative_shares if shape == "Cumulative" else charts.draw_boxes)(shown, unit)
    if asked is not None:
        chart = chart.mark_value(asked, f"{asked}")
    figure = chart.build_figure()
    alt = f"{shape} of {unit}: " + "; ".join(
        f"{one.panel_name}, {one.name}: mean {one.scores.mean:.1f}" for one in shown
    )
    if shape == "Histogram":
        st.plotly_chart(
            figure, key="shape-chart", alt=alt, on_select=_take_clicked_bin, selection_mode="points"
        )
    else:
        st.plotly_chart(figure, key=f"shape-{shape}", alt=alt)


def _take_clicked_bin() -> None:
    """Take the bin that was clicked as the range whose games are listed."""
    picked: Any = st.session_state.get("shape-chart")
    if not picked:
        return  # the click came when the page was already showing something else
    bins = [point.get("customdata") for point in picked["selection"]["points"]]
    if bins and isinstance(bins[0], (list, tuple, dict)):
        values = list(bins[0].values()) if isinstance(bins[0], dict) else list(bins[0])
        st.session_state["from"], st.session_state["to"] = int(values[0]), int(values[1])


def _query_series(chosen: ResultFilters, part: str, *, by_seat: bool) -> list[ScoreSeries]:
    sums = cached.query_runs(queries.block_sums, chosen.runs, chosen.hashes)
    if part:
        counts = cached.query_runs(queries.part_counts, chosen.runs, chosen.hashes, (part,))
        counts = [row for row in counts if row.strategy in chosen.strategies]
        # Block sums of parts are not kept: each block counts as one result, which is never too narrow.
        return series.score_series(counts, sums, chosen.labels, chosen.look, some_seats=True)
    if by_seat:
        return _query_seat_series(chosen, sums)
    counts = cached.query_runs(queries.score_counts, chosen.runs, chosen.hashes, chosen.seats)
    counts = [row for row in counts if row.strategy in chosen.strategies]
    return series.score_series(counts, sums, chosen.labels, chosen.look, some_seats=bool(chosen.seats))


def _query_seat_series(chosen: ResultFilters, sums: list[queries.BlockSums]) -> list[ScoreSeries]:
    """Return one series for each ruleset, strategy and seat; a panel holds the seats of one strategy."""
    rows: dict[tuple[str, str, int], list[tuple[int, int]]] = defaultdict(list)
    for row in cached.query_runs(queries.score_counts_by_seat, chosen.runs, chosen.hashes, chosen.seats):
        if row.strategy in chosen.strategies:
            rows[row.sha256, row.strategy, row.seat].append((row.score, row.results))
    look = seat_looks(1 + max((seat for _, _, seat in rows), default=0))
    found_ = []
    for (sha256, strategy, seat), pairs in rows.items():
        columns = np.array(pairs, dtype=np.int64)
        scores = Distribution(columns[:, 0], columns[:, 1])
        blocks = min(
            scores.n, sum(one.blocks for one in sums if (one.sha256, one.strategy) == (sha256, strategy))
        )
        label = chosen.labels[sha256]
        mean = mean_interval(scores.mean, scores.sd, blocks)
        found_.append(
            charts.ScoreSeries(
                label, strategy, scores, blocks, mean, look[seat], f"seat {seat}", f"{label} · {strategy}"
            )
        )
    order = list(chosen.labels.values())
    return sorted(found_, key=lambda one: (order.index(one.ruleset), one.strategy, one.line))


def _show_percentiles(shown: list[ScoreSeries]) -> int | None:
    """Say where a score stands that is asked about, and return it."""
    st.header("How good is a score?")
    asked = st.number_input(
        "A score of",
        value=None,
        step=1,
        key="score",
        bind="query-params",
        placeholder="any score",
        min_value=-(10**6),
        max_value=10**6,
    )
    if asked is None:
        st.caption("Give a score to see what share of results lies below it.")
        return None
    rows = []
    for one in shown:
        below, equal = one.scores.split_at(asked)
        rank = one.scores.percentile_of(asked, one.blocks)
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
        table, "Where this score stands", dict.fromkeys(("percentile", "from", "to", "below", "equal"), ".1f")
    )
    st.caption(
        "Percentile: per cent of results below, half of the equal ones included; from and to: its 95 % interval "
        "(Wilson, each block counted as one result)."
    )
    tables.show_table_downloads(table, "percentiles")
    return asked
