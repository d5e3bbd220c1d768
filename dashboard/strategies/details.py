"""The numbers of a comparison for statisticians, behind the answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.strategies.twin_games import show_twin_table
from dashboard.widgets import tables, verbatim
from dashboard.widgets.charts import show_chart
from dashboard.widgets.keep.other_forms import OtherForm, offer_form
from dashboard.widgets.markdown import escape_markdown
from pipelines.design.short_names import short_names
from pipelines.report.charts import Intervals
from pipelines.report.charts.comparison import rating_dots
from pipelines.report.sentences.comparison import describe_ranges
from pipelines.report.tables.comparison import (
    controls_table,
    difference_matrix,
    pair_numbers,
    pairs_table,
    quantiles_table,
    seats_table,
    side_numbers,
    sides_table,
)

if TYPE_CHECKING:
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.runs.library import Run


def show_details(run: Run, comparison: Comparison, pair: PairResult) -> None:
    """Show all numbers of a comparison; `pair` is the pair that the page describes."""
    st.caption(escape_markdown(f"The difference is {comparison.estimand} {describe_ranges(comparison)}"))
    st.header("Every pair")
    if len(comparison.pairs) > 1:
        tables.show_report_table(difference_matrix(comparison))
    tables.show_report_table(pairs_table(comparison))
    tables.offer_table(tables.make_frame(pair_numbers(comparison)), "Every pair", f"{comparison.run}-pairs")
    st.header("Every strategy")
    tables.show_report_table(sides_table(comparison))
    tables.offer_table(
        tables.make_frame(side_numbers(comparison)), "Every strategy", f"{comparison.run}-strategies"
    )
    show_ratings(comparison)
    left, right = st.columns(2)
    with left:
        if pair.quantiles:
            st.header("Good games and bad games")
            tables.show_report_table(quantiles_table(comparison, pair))
    with right:
        st.header("Does the seat matter?")
        tables.show_report_table(seats_table(comparison))
    st.header("The games that differ most")
    show_twin_table(run, pair, short_names(comparison.strategies))
    st.header("Checks of this comparison")
    if comparison.controls:
        lines = [
            f"**{escape_markdown(name)}** {result}: {escape_markdown(finding)}"
            for name, result, finding in controls_table(comparison).texts
        ]
        st.markdown("  \n".join(lines))
    else:
        st.caption("The checks are not finished yet.")
    show_command(comparison)


def show_ratings(comparison: Comparison) -> None:
    """Draw the ratings of more than two strategies; for two, the tables show everything."""
    dots = rating_dots(comparison, cached.strategy_looks(comparison.strategies))
    if dots and len(comparison.strategies) > 2:
        st.header("The strength of each strategy")
        show_chart(Intervals(dots, "rating in Elo points", "Ratings with their intervals"), "ratings")


def show_command(comparison: Comparison) -> None:
    """Show the command that repeats the comparison, and offer all numbers as a file."""
    st.caption("This command repeats the comparison:")
    verbatim.show_verbatim(comparison.command)
    offer_form(
        OtherForm(
            "Everything",
            "JSON",
            lambda: json.dumps(comparison.as_json(), indent=1, ensure_ascii=False),
            f"{comparison.run}.json",
            "application/json",
        )
    )
