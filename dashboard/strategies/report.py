"""What a comparison says: its verdict first, then what that rests on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard.queries import cached
from dashboard.queries import scores as queries
from dashboard.strategies import tables as figures
from dashboard.strategies.twin_games import show_twin_games
from dashboard.widgets import charts, number_fields, tables, verbatim, words
from dashboard.widgets.charts import series
from engine import games
from pipelines.experiments.compare.comparison import Comparison, compare_strategies

if TYPE_CHECKING:
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.runs.library import Run
    from pipelines.statistics import Interval


def show_preview(found: Comparison) -> None:
    """Show what the first blocks say."""
    show_verdict(found)
    dots = figures.difference_dots(found, cached.strategy_looks(found.strategies))
    if dots:
        chart = charts.draw_dots(dots, f"difference in {figures.METRIC_UNITS[found.metric]}", legend=False)
        figure = chart.mark_value(0, "equal").build_figure()
        st.plotly_chart(figure, key="brief-differences", alt="Differences with their intervals")


def show_comparison_report(run: Run) -> None:
    """Show everything that a finished comparison says."""
    found = cached_comparison(*cached.file_version(run))
    show_verdict(found)
    st.header("Who is ahead of whom?")
    if len(found.pairs) > 1:
        show_difference_matrix(found)
    show_pairs(found)
    show_strategy_results(found)
    pair = ask_pair(found)
    left, right = st.columns(2)
    with left:
        st.header("How do their scores spread?")
        show_score_distributions(run, found, pair)
    with right:
        st.header("Where do the points come from?")
        show_part_differences(found, pair)
    if pair.quantiles:
        left, right = st.columns(2)
        with left:
            st.header("Better on good days or on bad ones?")
            show_quantiles(found, pair)
    else:
        right = st.container()
    with right:
        st.header("Does the seat matter?")
        show_seat_edges(found)
    show_ratings(found)
    st.header("Which games made the difference?")
    show_twin_games(run, pair)
    st.header("Can it be trusted?")
    show_controls(found)
    show_command_and_download(found)


@st.cache_data(max_entries=32, show_spinner="Comparing …")
def cached_comparison(path: str, changed: int) -> Comparison:
    """Return a comparison of a run that is there; it never changes."""
    del changed
    return compare_strategies(cached.dashboard_library().run(path))


def show_verdict(found: Comparison) -> None:
    """Say the verdict and what it rests on."""
    st.markdown(f"## {cached.escape_markdown(found.verdict[0].upper() + found.verdict[1:])}.")
    st.caption(
        cached.escape_markdown(
            f"{found.ruleset}: {found.blocks:,} blocks of {words.format_count(found.games_per_block, 'game')}, seed {found.seed}. "
            f"The difference is {found.estimand}" + (" The lowest score wins." if found.lowest_wins else "")
        )
    )


def ask_pair(found: Comparison) -> PairResult:
    """Ask for the pair that the page goes into, if there are several, and put it into the address."""
    number = number_fields.parse_whole_number(st.query_params.get("pair", "")) or 0
    number = number if number < len(found.pairs) else 0
    if len(found.pairs) > 1:
        key = f"pair-{found.run}"
        number = st.selectbox(
            "Pair",
            range(len(found.pairs)),
            index=number,
            format_func=lambda at: f"{found.pairs[at].a} against {found.pairs[at].b}",
            key=key,
            on_change=lambda: st.query_params.update(pair=str(st.session_state[key])),
        )
    return found.pairs[number]


def show_difference_matrix(found: Comparison) -> None:
    """Show every strategy against every other."""
    tables.show_table(figures.difference_matrix(found).reset_index(), "Every strategy against every other")
    st.caption(
        f"The row's strategy less the column's, in {figures.METRIC_UNITS[found.metric]}, ± half its 95 % interval; "
        "* settled at 5 % after Holm's correction for all pairs."
    )


def show_pairs(found: Comparison) -> None:
    """Show every pair in numbers."""
    shown = [
        {
            "A": pair.a,
            "B": pair.b,
            "A - B": tables.format_interval(pair.difference, signed=True),
            "p (Holm)": pair.p_holm,
            "A wins, %": tables.format_interval(pair.win_share, scale=100),
            "A better, %": tables.format_interval(pair.better, scale=100),
            "differing, %": tables.format_interval(pair.differing, scale=100),
            "could detect": pair.detectable,
            "pairing": pair.variance_ratio,
            "blocks": pair.blocks,
        }
        for pair in found.pairs
    ]
    formats = {"p (Holm)": ".2g", "could detect": ".3g", "pairing": ".3g"}
    tables.show_table(pd.DataFrame(shown), "Every pair in numbers", formats)
    st.caption(
        "A better: how often A did better than B in the same place on the same luck, ties half. Could detect: the smallest "
        "true difference that so many blocks settle four times in five. Pairing: variance of the difference over what it "
        "would be on separate luck; below 1, the same luck makes it surer."
    )
    tables.show_table_downloads(figures.pairs_table(found), f"{found.run}-pairs")


def show_strategy_results(found: Comparison) -> None:
    """Show every strategy's own results."""
    rated = {one.strategy: one.elo for one in found.ratings}
    shown = [
        {
            "strategy": side.strategy,
            "mean score": tables.format_interval(side.score),
            "win share, %": tables.format_interval(side.win_share, scale=100),
            **({"rating": _format_rating(rated[side.strategy])} if side.strategy in rated else {}),
            "results": found.blocks * side.seats_per_block,
        }
        for side in found.sides
    ]
    tables.show_table(pd.DataFrame(shown), "Every strategy's own results")
    if rated:
        st.caption(
            "Rating: Plackett-Luce; 400 points are odds of ten to one to end ahead, and the mean is 0. Where one "
            "of them always or never wins, some are not finite."
        )
    tables.show_table_downloads(figures.sides_table(found), f"{found.run}-strategies")


def _format_rating(elo: Interval) -> str:
    """Write a rating with its interval, if it has a finite one."""
    return tables.format_interval(elo) if figures.is_finite(elo) else "none that is finite"


def show_score_distributions(run: Run, found: Comparison, pair: PairResult) -> None:
    """Draw the scores of both strategies of a pair, over all their games in the run."""
    one = next(iter(cached.rulesets_by_label([run]).values()))
    labels = {one.sha256: one.label}
    counts = [
        row
        for row in cached.query_runs(queries.score_counts, [run], tuple(labels), ())
        if row.strategy in {pair.a, pair.b}
    ]
    sums = cached.query_runs(queries.block_sums, [run], tuple(labels))
    shown = series.score_series(
        counts, sums, labels, cached.strategy_looks(found.strategies), some_seats=False
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


def show_part_differences(found: Comparison, pair: PairResult) -> None:
    """Draw what each part of the score adds to the difference."""
    dots = figures.part_dots(
        found, pair, games.find_game(found.game).parts, cached.strategy_looks(found.strategies)
    )
    if not dots:
        st.caption("Not enough games to say.")
        return
    chart = charts.draw_dots(dots, f"points of {pair.a} - {pair.b}", legend=False)
    figure = chart.mark_value(0, "equal").build_figure()
    st.plotly_chart(figure, key="parts", alt="Difference by part of the score")
    st.caption("Mean difference in each part of the score; together they are the difference of scores.")


def show_quantiles(found: Comparison, pair: PairResult) -> None:
    """Show how the strategies differ on their worst and on their best days."""
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
        f"Quantiles of single games in {figures.METRIC_UNITS[found.metric]}, and their difference with its 95 % interval from "
        f"{pair.blocks:,} blocks."
    )


def show_seat_edges(found: Comparison) -> None:
    """Show what each seat is worth."""
    shown = [
        {
            "seat": edge.seat,
            "edge": tables.format_interval(edge.score, signed=True),
            "win share, %": tables.format_interval(edge.win_share, scale=100),
        }
        for edge in found.seats
    ]
    tables.show_table(pd.DataFrame(shown), "What each seat is worth")
    st.caption(
        "Edge: score on the seat less the mean of its game, all strategies together, with its 95 % interval from "
        f"{found.blocks:,} blocks. Seat 0 starts."
    )


def show_ratings(found: Comparison) -> None:
    """Draw how strong each strategy is on one scale; of two, or without finite ratings, the tables say it all."""
    dots = figures.rating_dots(found, cached.strategy_looks(found.strategies))
    if dots and len(found.strategies) > 2:
        st.header("How strong is each?")
        figure = charts.draw_dots(dots, "rating", legend=False).build_figure()
        st.plotly_chart(figure, key="ratings", alt="Ratings with their intervals")


def show_controls(found: Comparison) -> None:
    """Show what had to hold."""
    marks = {True: "✓", False: "✗", None: "·"}
    lines = [
        f"{marks[one.holds]} **{cached.escape_markdown(one.name)}**: {cached.escape_markdown(one.says)}"
        for one in found.controls
    ]
    st.markdown("  \n".join(lines))


def show_command_and_download(found: Comparison) -> None:
    """Show the command that plays the same, and give all figures away."""
    st.caption("The same again, from the command line:")
    verbatim.show_verbatim(found.command)
    st.download_button(
        "Everything as JSON",
        lambda: json.dumps(found.as_json(), indent=1, ensure_ascii=False),
        f"{found.run}.json",
        "application/json",
        on_click="ignore",
    )
