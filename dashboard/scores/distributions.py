"""The view of distributions: histograms, cumulative shares or quantiles of scores or of the points of one part."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.queries import cached
from dashboard.queries import scores as queries
from dashboard.queries.differences import ScoreGroup, difference_of_means
from dashboard.scores import games_of_bin, headline
from dashboard.scores.beside_baseline import explain_missing_baseline, filter_baseline
from dashboard.scores.filters import ResultFilters, show_data_basis
from dashboard.scores.shown_headline import explain_missing_means, filter_comparable_runs, show_headline
from dashboard.widgets import tables
from dashboard.widgets.baseline import draw_as_baseline, show_baseline_basis
from dashboard.widgets.charts import series, show_chart
from pipelines.report import wording
from pipelines.report.charts import Histogram, Mark, ScoreSeries
from pipelines.statistics import Distribution, mean_interval
from pipelines.viewer.palette import mark_baseline, seat_looks

if TYPE_CHECKING:
    from dashboard.widgets.charts.distributions import Shape
    from pipelines.statistics import Interval

SCORE_OPTION: Final = "score"
BY_RULESET, BY_STRATEGY, BY_PLAYER, ONE_BY_ONE = "Rulesets", "Strategies", "Players", "One by one"
SHAPES: Final[dict[Shape, str]] = {
    "Histogram": "Share of results in each bin; all panels and lines have the same bins. A triangle on the axis marks the "
    "mean, the bar around it is its 95 % interval. Click a bin to list its games.",
    "Cumulative": "Share of results up to each score. The band contains the whole true curve with 95 % "
    "(Dvoretzky, Kiefer and Wolfowitz, counting blocks).",
    "Quantiles": "Box: the middle half. Whiskers: 5 and 95 %. Diamond: the mean with its 95 % interval.",
}


def show_distributions(filters: ResultFilters) -> None:
    """Show what the distributions say, their picture, the games of a bin, the numbers and the percentiles of a score."""
    titles = {SCORE_OPTION: "the score", **filters.part_titles}
    with st.container(key="scores-picture"):  # in narrow windows the options stand below the picture
        what, shape, compared = _ask_drawing_options(titles, filters)
        part = "" if what == SCORE_OPTION else what
        all_series = _query_series(filters, part, by_seat=compared == BY_PLAYER)
        if not all_series:
            st.info("No games match these filters. Remove a filter to see more.")
            return
        unit = f"points of {titles[what]}" if part else "points"
        _show_headline(filters, part, all_series, unit)
        chart_place = st.container()
    st.caption(SHAPES[shape])
    span = games_of_bin.show_games_in_range(filters, part)
    st.header("The numbers")
    show_data_basis(filters, all_series)
    if part and (filters.seats or compared == BY_PLAYER):
        st.caption("Parts of the score are counted for all players together.")
    numbers = series.series_table(all_series)
    tables.show_table(
        numbers,
        "The distributions in numbers",
        dict.fromkeys(("mean", "± 95 %", "sd"), ".2f"),
        strategies=filters.strategies,
    )
    if any(one.mean is None for one in all_series):
        st.caption("An interval needs at least two blocks of games.")
    tables.show_table_downloads(numbers, "scores")
    score = _show_percentiles(all_series, filters.strategies)
    with chart_place:  # drawn last, because the chart marks the score and the range that are chosen below it
        arranged = arrange_series(all_series, compared)
        baseline = _query_baseline(filters, part, compared, {one.panel_name for one in arranged})
        axis = unit if part else "score in points"
        _show_distribution_chart([*arranged, *baseline], shape, axis, score, span)
        show_baseline_basis(baseline)
        if not baseline:
            explain_missing_baseline(filters)


def _show_headline(filters: ResultFilters, part: str, all_series: list[ScoreSeries], unit: str) -> None:
    """Show a sentence on what the picture shows: rulesets compared with each other, else strategies."""
    if len(filters.rulesets) > 1:
        fair = filter_comparable_runs(filters)
        if fair is None:
            return
        means = headline.list_means(_query_series(fair, part, by_seat=False))
        sentence = headline.compare_rulesets(means, unit, _paired_difference(fair, part))
        show_headline(sentence, counts_all_runs=len(fair.runs) == len(filters.runs))
    else:
        plain = [one for one in all_series if not one.line] or _query_series(filters, part, by_seat=False)
        lowest_wins = filters.rulesets[0].lowest_wins and not part
        sentence = headline.describe_strategies(
            headline.list_means(plain),
            unit,
            filters.runs,
            lowest_wins=lowest_wins,
            difference=_paired_difference(filters, part),
        )
        show_headline(sentence)
        if not sentence:
            explain_missing_means(filters)


def _paired_difference(filters: ResultFilters, part: str) -> headline.MeasureDifference:
    """Return the function that measures the difference of two means: paired by their luck where scores are compared.

    A run has no block sums of parts, so for these the half widths of both means add up.
    """
    hashes = {label: sha256 for sha256, label in filters.labels.items()}

    def pair_by_luck(a: headline.StrategyMean, b: headline.StrategyMean, /) -> Interval:
        group_a, group_b = (ScoreGroup(hashes[one.ruleset], one.strategy) for one in (a, b))
        found = cached.query_runs(difference_of_means, filters.runs, group_a, group_b, filters.seats)
        return found or headline.add_half_widths(a, b)

    return headline.add_half_widths if part else pair_by_luck


def arrange_series(all_series: list[ScoreSeries], compared: str) -> list[ScoreSeries]:
    """Give each series its panel and its colour: what is compared shares a panel, and each line of it has a colour."""
    if compared == ONE_BY_ONE:
        return [replace(one, panel=f"{one.panel_name} · {one.name}") for one in all_series]
    if compared != BY_RULESET:
        return all_series
    rulesets = list(dict.fromkeys(one.ruleset for one in all_series))
    looks = seat_looks(len(rulesets))
    overlaid = [
        replace(
            one,
            line=one.ruleset,
            panel=mark_baseline(one.title or one.strategy, one.look),
            look=looks[rulesets.index(one.ruleset)],
        )
        for one in all_series
    ]
    # The baseline comes first. A strategy of a single ruleset has nothing to be compared with, so its panel comes last.
    held = Counter(one.strategy for one in all_series)
    pinned = {one.strategy for one in all_series if one.look.is_baseline}
    return sorted(overlaid, key=lambda one: (one.strategy not in pinned, -held[one.strategy]))


def _ask_drawing_options(titles: dict[str, str], filters: ResultFilters) -> tuple[str, Shape, str]:
    """Ask what to draw and how; returns the score or part, the shape and what is compared in a panel.

    Several rulesets are compared with each other unless the visitor wants otherwise.
    """
    comparable = [*([BY_RULESET] if len(filters.rulesets) > 1 else []), BY_STRATEGY, BY_PLAYER, ONE_BY_ONE]
    with st.container(horizontal=True, vertical_alignment="bottom", key="chart-options"):
        compared = st.segmented_control(
            "Compare",
            comparable,
            default=comparable[0],
            required=True,
            key="compare",
            bind="query-params",
            label_visibility="collapsed",
        )
        shape = st.segmented_control(
            "Shape",
            list(SHAPES),
            default="Histogram",
            required=True,
            key="shape",
            bind="query-params",
            label_visibility="collapsed",
        )
        what = st.selectbox(
            "Distribution of",
            list(titles),
            format_func=lambda part: titles[part],
            key="of",
            bind="query-params",
            width=240,
            label_visibility="collapsed",
        )
    return what or SCORE_OPTION, shape, compared or comparable[0]


def _show_distribution_chart(
    all_series: list[ScoreSeries], shape: Shape, axis: str, score: int | None, span: tuple[int, int] | None
) -> None:
    """Draw the distributions, and mark the chosen score and the range whose games are listed."""
    means = "; ".join(f"{one.panel_name}, {one.name}: mean {one.scores.mean:.1f}" for one in all_series)
    is_clickable = shape == "Histogram"
    chart = Histogram(
        all_series,
        axis,
        f"{shape} of {axis}: {means}",
        mark=None if score is None else Mark(score, f"{score}"),
        shaded=span if is_clickable else None,
    )
    if is_clickable:
        show_chart(chart, "shape-chart", on_click=_take_clicked_bin)
    else:
        show_chart(chart, f"shape-{shape}", shape=shape)


def _take_clicked_bin() -> None:
    """Set the range whose games are listed to the bin that was clicked."""
    picked: Any = st.session_state.get("shape-chart")
    if not picked:
        return  # the page no longer shows this chart
    bins = [point.get("customdata") for point in picked["selection"]["points"]]
    if bins and isinstance(bins[0], (list, tuple, dict)):
        values = list(bins[0].values()) if isinstance(bins[0], dict) else list(bins[0])
        games_of_bin.choose_range(int(values[0]), int(values[1]))


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


def _query_baseline(filters: ResultFilters, part: str, compared: str, panels: set[str]) -> list[ScoreSeries]:
    """Return the lines of the pinned run for the panels of the chart; none if the chart shows only that run."""
    pinned = filter_baseline(filters)
    lines = []
    names = (pinned.names if pinned else {}) | filters.names
    for one in _query_series(pinned, part, by_seat=False) if pinned else []:
        panel = {
            BY_STRATEGY: one.ruleset,
            BY_RULESET: names[one.strategy],
            BY_PLAYER: f"{one.ruleset} · {names[one.strategy]}",
            ONE_BY_ONE: f"{one.ruleset} · {one.name}",
        }[compared]
        if panel in panels:
            lines.append(replace(one, panel=panel))
    return draw_as_baseline(lines)


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
            ScoreSeries(
                label,
                strategy,
                scores,
                blocks,
                mean,
                looks[seat],
                wording.format_player(seat),
                panel=f"{label} · {filters.names[strategy]}",
            )
        )
    order = list(filters.labels.values())
    return sorted(all_series, key=lambda one: (order.index(one.ruleset), one.strategy, one.line))


def _show_percentiles(all_series: list[ScoreSeries], strategies: list[str]) -> int | None:
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
                **({"player": one.line.removeprefix("player ")} if one.line else {}),
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
        strategies=strategies,
    )
    st.caption(
        "Percentile: per cent of the results that are lower; equal results count half. From and to: its 95 % interval "
        "(Wilson, each block counted as one result)."
    )
    tables.show_table_downloads(table, "percentiles")
    return score
