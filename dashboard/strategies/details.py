"""The numbers of a comparison for statisticians, behind the answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard.queries import cached
from dashboard.strategies import tables as comparison_tables
from dashboard.strategies.twin_games import show_twin_table
from dashboard.widgets import tables, verbatim
from dashboard.widgets.charts import show_chart
from dashboard.widgets.markdown import escape_markdown
from pipelines.design.short_names import short_names
from pipelines.report.charts import Intervals
from pipelines.report.estimates import format_interval

if TYPE_CHECKING:
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.runs.library import Run
    from pipelines.statistics import Interval


def show_details(run: Run, comparison: Comparison, pair: PairResult) -> None:
    """Show all numbers of a comparison; `pair` is the pair that the page describes."""
    estimand = escape_markdown(f"The difference is {comparison.estimand}")
    st.caption(f"{estimand} {comparison_tables.range_caption(comparison)}")
    st.header("Every pair")
    if len(comparison.pairs) > 1:
        show_difference_matrix(comparison)
    show_pairs(comparison)
    st.header("Every strategy")
    show_strategy_results(comparison)
    show_ratings(comparison)
    left, right = st.columns(2)
    with left:
        if pair.quantiles:
            st.header("Good games and bad games")
            show_quantiles(comparison, pair)
    with right:
        st.header("Does the seat matter?")
        show_seat_edges(comparison)
    st.header("The games that differ most")
    show_twin_table(run, pair, short_names(comparison.strategies))
    st.header("Checks of this comparison")
    show_controls(comparison)
    show_command_and_download(comparison)


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
    names = short_names(comparison.strategies)
    unit = comparison_tables.METRIC_UNITS[comparison.metric]
    shown = [
        {
            "A": names[pair.a],
            "B": names[pair.b],
            f"A − B, {unit}": format_interval(pair.difference, signed=True),
            "p (Holm)": pair.p_holm,
            "A wins of 100": format_interval(pair.win_share, scale=100),
            "A does better with the same luck, of 100": format_interval(pair.better, scale=100),
            "blocks in which they differ, of 100": format_interval(pair.differing, scale=100),
            "smallest difference to be found": pair.detectable,
            "gain from the same luck": None if not pair.variance_ratio else 1 / pair.variance_ratio,
            "blocks": pair.blocks,
        }
        for pair in comparison.pairs
    ]
    formats = {"p (Holm)": ".2g", "smallest difference to be found": ".3g", "gain from the same luck": ".3g"}
    tables.show_table(pd.DataFrame(shown), "Every pair in numbers", formats)
    st.caption(
        "A wins: games that A wins against B, with all its seats; a tie is split. A does better with the same luck: how often "
        "A scores better than B on the same seat with the same luck; a tie counts one half. Smallest difference to be found: "
        "the true difference that this number of blocks finds in 80 of 100 comparisons. Gain from the same luck: so many "
        "times as many games with separate luck would be needed for the same precision."
    )
    tables.show_table_downloads(comparison_tables.pairs_table(comparison), f"{comparison.run}-pairs")


def show_strategy_results(comparison: Comparison) -> None:
    """Show the mean score and the rating of every strategy, and its wins if every strategy plays in every game."""
    names = short_names(comparison.strategies)
    rated = {rating.strategy: rating.elo for rating in comparison.ratings}
    # In a duel a strategy has several seats, which win less often than the strategy: that is another figure than its wins.
    has_wins = comparison.arrangement == "rotate" or comparison.players == 2
    shown = [
        {
            "strategy": names[side.strategy],
            "mean score": format_interval(side.score),
            **({"wins of 100 games": format_interval(side.win_share, scale=100)} if has_wins else {}),
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
    return format_interval(elo) if comparison_tables.is_finite(elo) else "not finite"


def show_quantiles(comparison: Comparison, pair: PairResult) -> None:
    """Show how the strategies differ in their worst and in their best games."""
    names = short_names(comparison.strategies)
    rows = [
        {
            "games": f"{one.share * 100:.0f} of 100 score less" if one.share != 0.5 else "half score less",
            names[pair.a]: one.a,
            f"{names[pair.b]} ": one.b,
            # Whole-number quantiles are often equal in all bootstrap samples, which does not make them exact.
            "difference": format_interval(one.difference, signed=True, is_point_exact=False),
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
            "player": edge.seat + 1,
            "effect": format_interval(edge.score, signed=True),
            "wins of 100 games": format_interval(edge.win_share, scale=100),
        }
        for edge in comparison.seats
    ]
    tables.show_table(pd.DataFrame(shown), "The effect of each seat")
    st.caption(
        "Effect: the score on this seat minus the mean score of the game, over all strategies, with the 95 % interval from "
        f"{comparison.blocks:,} blocks. Player 1 starts."
    )


def show_ratings(comparison: Comparison) -> None:
    """Draw the ratings of more than two strategies; for two, the tables show everything."""
    dots = comparison_tables.rating_dots(comparison, cached.strategy_looks(comparison.strategies))
    if dots and len(comparison.strategies) > 2:
        st.header("The strength of each strategy")
        show_chart(Intervals(dots, "rating in Elo points", "Ratings with their intervals"), "ratings")


def show_controls(comparison: Comparison) -> None:
    """Show the controls: facts that hold in every sound comparison."""
    if not comparison.controls:
        st.caption("The checks are not finished yet.")
        return
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
