"""The report of a comparison: the verdict first, then the numbers behind it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard.queries import cached
from dashboard.queries import scores as score_queries
from dashboard.strategies import tables as comparison_tables
from dashboard.strategies.twin_games import show_twin_games
from dashboard.widgets import charts, number_fields, tables, verbatim, words
from dashboard.widgets.charts import series
from dashboard.widgets.markdown import escape_markdown
from engine import games
from pipelines.experiments.compare.comparison import Comparison, compare_strategies

if TYPE_CHECKING:
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.runs.library import Run
    from pipelines.statistics import Interval


def show_preview(comparison: Comparison) -> None:
    """Show the verdict and the differences after the first blocks."""
    show_verdict(comparison)
    dots = comparison_tables.difference_dots(comparison, cached.strategy_looks(comparison.strategies))
    if dots:
        chart = charts.draw_dots(
            dots, f"difference in {comparison_tables.METRIC_UNITS[comparison.metric]}", legend=False
        )
        figure = chart.mark_value(0, "equal").build_figure()
        st.plotly_chart(figure, key="brief-differences", alt="Differences with their intervals")


def show_comparison_report(run: Run) -> None:
    """Show the whole report of a finished comparison."""
    comparison = cached_comparison(*cached.file_version(run))
    show_verdict(comparison)
    st.header("Who beats whom?")
    if len(comparison.pairs) > 1:
        show_difference_matrix(comparison)
    show_pairs(comparison)
    show_strategy_results(comparison)
    pair = ask_pair(comparison)
    left, right = st.columns(2)
    with left:
        st.header("The distribution of their scores")
        show_score_distributions(run, comparison, pair)
    with right:
        st.header("Where do the points come from?")
        show_part_differences(comparison, pair)
    if pair.quantiles:
        left, right = st.columns(2)
        with left:
            st.header("Good games and bad games")
            show_quantiles(comparison, pair)
    else:
        right = st.container()
    with right:
        st.header("Does the seat matter?")
        show_seat_edges(comparison)
    show_ratings(comparison)
    st.header("Which games made the difference?")
    show_twin_games(run, pair)
    st.header("Checks of this comparison")
    show_controls(comparison)
    show_command_and_download(comparison)


@st.cache_data(max_entries=32, show_spinner="Comparing …")
def cached_comparison(path: str, changed: int) -> Comparison:
    """Return the comparison of a finished run. Run files never change, so it is cached."""
    del changed  # part of the key
    return compare_strategies(cached.dashboard_library().run(path))


def show_verdict(comparison: Comparison) -> None:
    """Show the verdict and the number of games behind it."""
    st.markdown(f"## {escape_markdown(comparison.verdict[0].upper() + comparison.verdict[1:])}.")
    st.caption(
        escape_markdown(
            f"{comparison.ruleset}: {comparison.blocks:,} blocks of {words.format_count(comparison.games_per_block, 'game')}, seed {comparison.seed}. "
            f"The difference is {comparison.estimand}"
            + (" The lowest score wins." if comparison.lowest_wins else "")
        )
    )


def ask_pair(comparison: Comparison) -> PairResult:
    """Ask for the pair that the page describes, if there are several, and write it into the address."""
    number = number_fields.parse_whole_number(st.query_params.get("pair", "")) or 0
    number = number if number < len(comparison.pairs) else 0
    if len(comparison.pairs) > 1:
        key = f"pair-{comparison.run}"
        number = st.selectbox(
            "Pair",
            range(len(comparison.pairs)),
            index=number,
            format_func=lambda index: f"{comparison.pairs[index].a} against {comparison.pairs[index].b}",
            key=key,
            on_change=lambda: st.query_params.update(pair=str(st.session_state[key])),
        )
    return comparison.pairs[number]


def show_difference_matrix(comparison: Comparison) -> None:
    """Show the difference between every two strategies as a matrix."""
    tables.show_table(
        comparison_tables.difference_matrix(comparison).reset_index(), "Every strategy against every other"
    )
    st.caption(
        f"The strategy of the row minus that of the column, in {comparison_tables.METRIC_UNITS[comparison.metric]}, ± half of "
        "the 95 % interval. * marks differences whose sign is clear, at 5 % after Holm's correction for all pairs."
    )


def show_pairs(comparison: Comparison) -> None:
    """Show a table with the numbers of every pair."""
    shown = [
        {
            "A": pair.a,
            "B": pair.b,
            "A - B": tables.format_interval(pair.difference, signed=True),
            "p (Holm)": pair.p_holm,
            "A wins, %": tables.format_interval(pair.win_share, scale=100),
            "A better, %": tables.format_interval(pair.better, scale=100),
            "blocks that differ, %": tables.format_interval(pair.differing, scale=100),
            "detectable difference": pair.detectable,
            "variance ratio": pair.variance_ratio,
            "blocks": pair.blocks,
        }
        for pair in comparison.pairs
    ]
    formats = {"p (Holm)": ".2g", "detectable difference": ".3g", "variance ratio": ".3g"}
    tables.show_table(pd.DataFrame(shown), "Every pair in numbers", formats)
    st.caption(
        "A better: how often A scores better than B on the same seat with the same luck; a tie counts one half. Detectable "
        "difference: the smallest true difference that this number of blocks finds in 80 of 100 comparisons. Variance ratio: "
        "the variance of the difference, divided by its variance with separate luck; below 1, the same luck makes the "
        "answer more precise."
    )
    tables.show_table_downloads(comparison_tables.pairs_table(comparison), f"{comparison.run}-pairs")


def show_strategy_results(comparison: Comparison) -> None:
    """Show the mean score, the win share and the rating of every strategy."""
    rated = {rating.strategy: rating.elo for rating in comparison.ratings}
    shown = [
        {
            "strategy": side.strategy,
            "mean score": tables.format_interval(side.score),
            "win share, %": tables.format_interval(side.win_share, scale=100),
            **({"rating": _format_rating(rated[side.strategy])} if side.strategy in rated else {}),
            "results": comparison.blocks * side.seats_per_block,
        }
        for side in comparison.sides
    ]
    tables.show_table(pd.DataFrame(shown), "The results of every strategy")
    if rated:
        st.caption(
            "Rating (Plackett-Luce): the mean is 0, and 400 points more mean odds of ten to one to finish ahead. If a "
            "strategy always or never wins, its rating is not finite."
        )
    tables.show_table_downloads(comparison_tables.sides_table(comparison), f"{comparison.run}-strategies")


def _format_rating(elo: Interval) -> str:
    """Return a rating with its interval as text."""
    return tables.format_interval(elo) if comparison_tables.is_finite(elo) else "not finite"


def show_score_distributions(run: Run, comparison: Comparison, pair: PairResult) -> None:
    """Draw the score distributions of both strategies of a pair, over all their games in the run."""
    played = next(iter(cached.rulesets_by_label([run]).values()))
    labels = {played.sha256: played.label}
    counts = [
        row
        for row in cached.query_runs(score_queries.score_counts, [run], tuple(labels), ())
        if row.strategy in {pair.a, pair.b}
    ]
    sums = cached.query_runs(score_queries.block_sums, [run], tuple(labels))
    shown = series.score_series(
        counts, sums, labels, cached.strategy_looks(comparison.strategies), some_seats=False
    )
    shape = st.segmented_control(
        "Shape",
        ["Histogram", "Cumulative", "Quantiles"],
        default="Histogram",
        required=True,
        key="spread-shape",
    )
    draw = {
        "Histogram": charts.draw_histograms,
        "Cumulative": charts.draw_cumulative_shares,
        "Quantiles": charts.draw_boxes,
    }
    st.plotly_chart(
        draw[shape or "Histogram"](shown).build_figure(), key="spread", alt="Scores of both strategies"
    )


def show_part_differences(comparison: Comparison, pair: PairResult) -> None:
    """Draw the difference between two strategies in each part of the score."""
    dots = comparison_tables.part_dots(
        comparison, pair, games.find_game(comparison.game).parts, cached.strategy_looks(comparison.strategies)
    )
    if not dots:
        st.caption("Not enough games to say.")
        return
    chart = charts.draw_dots(dots, f"points of {pair.a} - {pair.b}", legend=False)
    figure = chart.mark_value(0, "equal").build_figure()
    st.plotly_chart(figure, key="parts", alt="Difference by part of the score")
    st.caption("Mean difference in each part of the score. The parts add up to the difference of the scores.")


def show_quantiles(comparison: Comparison, pair: PairResult) -> None:
    """Show how the strategies differ in their worst and in their best games."""
    rows = [
        {
            "quantile": f"{one.share:.0%}",
            pair.a: one.a,
            f"{pair.b} ": one.b,
            "A - B": tables.format_interval(one.difference, signed=True),
        }
        for one in pair.quantiles
    ]
    tables.show_table(pd.DataFrame(rows), "Quantiles of both")
    st.caption(
        f"Quantiles of the results of single games, in {comparison_tables.METRIC_UNITS[comparison.metric]}, and the differences with "
        f"their 95 % intervals from {pair.blocks:,} blocks."
    )


def show_seat_edges(comparison: Comparison) -> None:
    """Show how much each seat is worth."""
    shown = [
        {
            "seat": edge.seat,
            "effect": tables.format_interval(edge.score, signed=True),
            "win share, %": tables.format_interval(edge.win_share, scale=100),
        }
        for edge in comparison.seats
    ]
    tables.show_table(pd.DataFrame(shown), "The effect of each seat")
    st.caption(
        "Effect: the score on the seat minus the mean score of the game, over all strategies, with the 95 % interval from "
        f"{comparison.blocks:,} blocks. Seat 0 starts."
    )


def show_ratings(comparison: Comparison) -> None:
    """Draw the ratings of more than two strategies; for two, the tables show everything."""
    dots = comparison_tables.rating_dots(comparison, cached.strategy_looks(comparison.strategies))
    if dots and len(comparison.strategies) > 2:
        st.header("The strength of each strategy")
        figure = charts.draw_dots(dots, "rating", legend=False).build_figure()
        st.plotly_chart(figure, key="ratings", alt="Ratings with their intervals")


def show_controls(comparison: Comparison) -> None:
    """Show the controls: facts that hold in every sound comparison."""
    marks = {True: "✓", False: "✗", None: "·"}
    lines = [
        f"{marks[control.holds]} **{escape_markdown(control.name)}**: {escape_markdown(control.says)}"
        for control in comparison.controls
    ]
    st.markdown("  \n".join(lines))


def show_command_and_download(comparison: Comparison) -> None:
    """Show the command that repeats the comparison, and a download of all numbers."""
    st.caption("This command repeats the comparison:")
    verbatim.show_verbatim(comparison.command)
    st.download_button(
        "Everything as JSON",
        lambda: json.dumps(comparison.as_json(), indent=1, ensure_ascii=False),
        f"{comparison.run}.json",
        "application/json",
        on_click="ignore",
    )
