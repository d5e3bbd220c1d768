"""The views of means with their intervals: by part of the score, by round and by seat."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard.queries import cached, scores
from dashboard.scores import headline
from dashboard.scores.beside_baseline import explain_missing_baseline, filter_baseline, style_as_baseline
from dashboard.scores.shown_headline import explain_missing_means, filter_comparable_runs, show_headline
from dashboard.scores.view_headlines import (
    compare_courses,
    compare_parts,
    describe_course,
    describe_parts,
    describe_players,
    list_lines,
)
from dashboard.widgets import tables
from dashboard.widgets.baseline import show_baseline_counts
from dashboard.widgets.charts import series, show_chart
from pipelines.report.charts import Columns, Intervals, Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dashboard.queries.scores import PlaceSums
    from dashboard.scores.filters import ResultFilters
    from dashboard.scores.view_headlines import Line
    from pipelines.report.charts import Estimate, ScoreSeries


def _query_score_series(filters: ResultFilters) -> list[ScoreSeries]:
    """Return the series of the chosen strategies, which hold their numbers of blocks and their looks."""
    counts = cached.query_runs(scores.score_counts, filters.runs, filters.hashes, filters.seats)
    counts = [row for row in counts if row.strategy in filters.strategies]
    sums = cached.query_runs(scores.block_sums, filters.runs, filters.hashes)
    return series.score_series(counts, sums, filters.labels, filters.looks, some_seats=bool(filters.seats))


def _count_from_one(rows: list[PlaceSums]) -> list[PlaceSums]:
    """Return sums by round or seat whose places are counted from 1, as people count; runs count them from 0."""
    return [row._replace(at=int(row.at) + 1) for row in rows]


def _query_baseline(
    filters: ResultFilters, estimates: list[Estimate], query: Callable[[ResultFilters], list[Estimate]]
) -> list[Estimate]:
    """Return the means of the pinned run in the panels of these estimates, in the look of the baseline."""
    pinned = filter_baseline(filters)
    panels = {one.ruleset for one in estimates}
    found = query(pinned) if pinned else []
    return style_as_baseline(one for one in found if one.ruleset in panels)


def _show_baseline_basis(
    filters: ResultFilters,
    baseline: list[Estimate],
    count_results: Callable[[list[int]], int] = max,
    missing: str = "",
) -> None:
    """Say what the means of the baseline rest on, or why there are none (`missing`).

    `count_results` returns the number of results from the numbers at the places.
    """
    counts: dict[str, list[int]] = {}
    for one in baseline:
        counts.setdefault(one.title or one.strategy, []).append(one.n)
    show_baseline_counts([(name, count_results(results)) for name, results in counts.items()])
    if not baseline:
        explain_missing_baseline(filters, missing)


def _show_headline(
    filters: ResultFilters,
    query: Callable[[ResultFilters], list[Estimate]],
    describe: Callable[[Line, Line | None], str],
    compare: Callable[[Line, Sequence[Line]], str],
) -> None:
    """Show what the means of `query` say: of the best strategy and the next one, or of one strategy under all rulesets."""
    fair = filter_comparable_runs(filters) if len(filters.rulesets) > 1 else filters
    if fair is None:
        return
    means = headline.list_means(_query_score_series(fair))
    lines = {(line.ruleset, line.strategy): line for line in list_lines(query(fair))}
    if len(filters.rulesets) > 1:
        compared = [lines.get((one.ruleset, one.strategy)) for one in headline.choose_compared(means)]
        known = [line for line in compared if line]
        sentence = compare(known[0], known[1:]) if known and len(known) == len(compared) else ""
        show_headline(sentence, counts_all_runs=len(fair.runs) == len(filters.runs))
    elif means:
        best, second = headline.choose_best(means, fair.runs, lowest_wins=filters.rulesets[0].lowest_wins)
        line = lines.get((best.ruleset, best.strategy))
        other = lines.get((second.ruleset, second.strategy)) if second else None
        show_headline(describe(line, other) if line else "")


def show_part_means(filters: ResultFilters) -> None:
    """Show the mean points of the parts of the score."""
    estimates = _query_part_means(filters)
    if not estimates:
        explain_missing_means(filters)
        return
    _show_headline(filters, _query_part_means, describe_parts, compare_parts)
    baseline = _query_baseline(filters, estimates, _query_part_means)
    title = "Mean points of each part of the score"
    chart = Intervals([*estimates, *baseline], "mean points", title, "result", has_legend=True)
    show_chart(chart, "parts-chart")
    _show_baseline_basis(filters, baseline)
    st.caption("Mean points of each part of the score with 95 % intervals. They add up to the mean score.")
    _show_means_table(estimates, "part")


def _query_part_means(filters: ResultFilters) -> list[Estimate]:
    rows = cached.query_runs(scores.part_points, filters.runs, filters.hashes, filters.seats)
    return series.mean_estimates(rows, _query_score_series(filters), filters.labels, filters.part_titles)


def show_score_course(filters: ResultFilters) -> None:
    """Show the mean score after each round."""
    estimates = _query_course_means(filters)
    if not estimates:
        if cached.query_runs(scores.scores_by_round, filters.runs, filters.hashes):
            explain_missing_means(filters)
            return
        st.caption(
            "The plies of these runs were not logged (`--log scores`), so the scores by round are not known."
        )
        return
    if filters.seats:
        st.caption("The scores by round are counted for all players together.")
    else:
        _show_headline(filters, _query_course_means, describe_course, compare_courses)
    baseline = _query_baseline(filters, estimates, _query_course_means)
    chart = Lines([*estimates, *baseline], "round", "mean score in points", "Mean score by round")
    show_chart(chart, "course-chart")
    _show_baseline_basis(filters, baseline, missing="its plies were not logged")
    st.caption(
        "Mean score after each round, as if the game ended there. Rounds that fewer than one game in ten reached are left out."
    )
    _show_means_table(estimates, "round")


def _query_course_means(filters: ResultFilters) -> list[Estimate]:
    rows = _count_from_one(cached.query_runs(scores.scores_by_round, filters.runs, filters.hashes))
    rows = series.common_places(rows, 0.1)
    return series.mean_estimates(rows, _query_score_series(filters), filters.labels)


def show_seat_means(filters: ResultFilters) -> None:
    """Show the mean score of each seat."""
    estimates = _query_seat_means(filters)
    if not estimates:
        explain_missing_means(filters)
        return
    _show_players_headline(filters)
    baseline = _query_baseline(filters, estimates, _query_seat_means)
    title = "Mean score of each player"
    show_chart(Columns([*estimates, *baseline], "player", "mean score in points", title), "seat-chart")
    _show_baseline_basis(filters, baseline, sum)
    st.caption("Mean score of each player with its 95 % interval. Player 1 starts.")
    _show_means_table(estimates, "player")


def _show_players_headline(filters: ResultFilters) -> None:
    """Show whether it matters which player a strategy is: the one with the most results, of several the best."""
    fair = filter_comparable_runs(filters) if len(filters.rulesets) > 1 else filters
    if fair is None:
        return
    means = headline.list_means(_query_score_series(replace(fair, seats=())))
    everywhere = headline.choose_compared(means) if len(filters.rulesets) > 1 else []
    if len(filters.rulesets) == 1 and means:
        sign = -1 if filters.rulesets[0].lowest_wins else 1
        everywhere = [max(means, key=lambda one: (one.results, sign * one.mean.estimate))]
    chosen = {one.strategy for one in everywhere}
    lines = [line for line in list_lines(_query_seat_means(fair)) if line.strategy in chosen]
    show_headline(describe_players(lines), counts_all_runs=len(fair.runs) == len(filters.runs))


def _query_seat_means(filters: ResultFilters) -> list[Estimate]:
    rows = _count_from_one(cached.query_runs(scores.scores_by_seat, filters.runs, filters.hashes))
    return series.mean_estimates(rows, _query_score_series(filters), filters.labels)


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
    tables.show_table(
        table,
        f"The means by {place}",
        dict.fromkeys(("mean", "from", "to"), ".2f"),
        strategies={one.strategy for one in estimates},
    )
    tables.show_table_downloads(table, f"by-{place}")
