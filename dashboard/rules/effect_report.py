"""The report on the effect of a rule: the answer first, then the numbers behind it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets import tables
from dashboard.widgets.charts import show_chart
from dashboard.widgets.keep.other_forms import OtherForm, offer_form
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from pipelines.design.short_names import short_names
from pipelines.report.charts.rule_effect import score_change_chart, score_distribution_chart, seat_chart
from pipelines.report.sentences.rule_effect import (
    list_effect_consequences,
    rules_effect_sentence,
    write_effect_basis,
    write_pairing,
)
from pipelines.report.tables.rule_effect import changes_table, orders_table
from pipelines.report.wording import format_count
from pipelines.viewer.palette import mark_baseline

if TYPE_CHECKING:
    from pipelines.experiments.rules_effect import RulesEffect


def show_effect_details(effect: RulesEffect, *, is_whole: bool) -> None:
    """Show the pictures behind the answer, what follows from it, and the numbers for statisticians on request."""
    left, right = st.columns([2, 3])
    with left:
        show_score_differences(effect)
        show_consequences(effect)
    with right:
        show_score_distributions(effect)
    details = st.expander("For statisticians", key="effect-statistics", on_change="rerun")
    if details.open:
        with details:
            _show_numbers(effect, is_whole=is_whole)


def _show_numbers(effect: RulesEffect, *, is_whole: bool) -> None:
    st.caption(write_markdown_sentence(write_pairing(effect)))
    show_all_changes(effect)
    left, right = st.columns([2, 3])
    with left:
        show_seat_edges(effect)
    with right:
        st.header("The order of the strategies")
        show_strategy_orders(effect)
    if is_whole:
        offer_effect_files(effect)


def show_consequences(effect: RulesEffect) -> None:
    """Show what else changes in plain sentences."""
    sentences = list_effect_consequences(effect)
    if sentences:
        st.markdown("\n".join(f"- {write_markdown_sentence(sentence)}" for sentence in sentences))
        st.caption("Ranges in brackets are 95 % intervals.")


def show_effect_headline(effect: RulesEffect, *, is_early: bool) -> None:
    """Show the answer as a sentence. `is_early` means that the visitor stopped before the last block."""
    is_final = effect.is_over and not is_early
    sentence = rules_effect_sentence(effect) if is_final else f"so far, {rules_effect_sentence(effect)}"
    st.markdown(f"## {write_markdown_sentence(sentence)}")
    if not is_final:
        st.caption(
            "The intervals are valid for the number of blocks that you entered. If you stop earlier because the result looks "
            "good, more than 5 of 100 such answers are wrong."
        )
    st.caption(escape_markdown(write_effect_basis(effect)))


def show_score_distributions(effect: RulesEffect) -> None:
    """Draw the scores of a strategy under both rulesets."""
    strategy = effect.strategies[0]
    if len(effect.strategies) > 1:
        looks, names = cached.strategy_looks(effect.strategies), short_names(effect.strategies)
        strategy = st.segmented_control(
            "Scores of",
            effect.strategies,
            default=strategy,
            required=True,
            key="rules-effect-strategy",
            format_func=lambda name: mark_baseline(names[name], looks[name]),
        )
    show_chart(score_distribution_chart(effect, strategy), "rules-effect-scores")


def show_score_differences(effect: RulesEffect) -> None:
    """Draw the change in the score of each strategy."""
    chart = score_change_chart(effect, cached.strategy_looks(effect.strategies))
    caption = f"The mean change in the score of each strategy with its 95 % interval; {format_count(effect.blocks, 'block')}."
    show_chart(chart, "rules-effect-changes", caption=caption)


def show_all_changes(effect: RulesEffect) -> None:
    """Show all differences as a table."""
    tables.show_report_table(changes_table(effect))


def show_seat_edges(effect: RulesEffect) -> None:
    """Draw how much each seat is worth under both rulesets."""
    chart = seat_chart(effect)
    if chart is None:
        return
    show_chart(
        chart,
        "rules-effect-seats",
        caption="The score on each seat minus the mean score of its game, over all strategies. Player 1 starts.",
    )


def show_strategy_orders(effect: RulesEffect) -> None:
    """Show which strategy is ahead under both rulesets."""
    if not effect.orders:
        st.caption(
            "All seats play the same strategy. Choose two different strategies to see which one is ahead."
        )
        return
    tables.show_report_table(orders_table(effect))


def offer_effect_files(effect: RulesEffect) -> None:
    """Offer all numbers as files."""
    tables.offer_table(tables.make_frame(changes_table(effect)), "All changes", "rules-effect")
    offer_form(
        OtherForm(
            "Everything",
            "JSON",
            lambda: json.dumps(effect.as_json(), indent=1, ensure_ascii=False),
            "rules-effect.json",
            "application/json",
        )
    )
