"""The report on the effect of a rule: the answer first, then the numbers behind it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.rules import effect_tables
from dashboard.widgets import tables
from dashboard.widgets.charts import show_chart
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from pipelines.design.short_names import short_names
from pipelines.experiments.rules_effect_sentences import list_effect_consequences, rules_effect_sentence
from pipelines.report import wording
from pipelines.report.charts import Columns, Histogram, Intervals, Mark
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
    st.caption(escape_markdown(_format_pairing(effect)))
    show_all_changes(effect)
    left, right = st.columns([2, 3])
    with left:
        st.header("The effect of the seat")
        show_seat_edges(effect)
    with right:
        st.header("The order of the strategies")
        show_strategy_orders(effect)
    if is_whole:
        show_effect_downloads(effect)


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
    st.caption(escape_markdown(_format_basis(effect)))


def _format_basis(effect: RulesEffect) -> str:
    """Return who played and how often."""
    names = short_names(effect.strategies)
    opening = (
        f" The game has no dice, so every block starts with {effect.a.design.opening} random moves."
        if effect.a.design.opening
        else " Both rulesets get the same luck."
    )
    lowest = " The lowest score wins." if effect.a.design.rules.lowest_wins else ""
    return (
        f"{', '.join(names[name] for name in effect.a.design.labels)} on all seats in turn, {effect.blocks:,} blocks of "
        f"{wording.format_count(effect.games_per_block, 'game')} under each ruleset, seed {effect.a.design.seed}.{opening}{lowest}"
    )


def _format_pairing(effect: RulesEffect) -> str:
    """Return what the same luck under both rulesets does to the precision."""
    ratio, share = effect.variance_ratio, effect.differing_share
    gain = (
        f" The same luck makes the difference as precise as {1 / ratio:.1f} times as many games with separate luck."
        if ratio and ratio < 1
        else ""
    )
    return f"{share.estimate:.0%} of the blocks end differently ({share.low:.0%} to {share.high:.0%}).{gain}"


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
    title = f"Scores of {strategy} under both rulesets"
    chart = Histogram(effect_tables.score_series(effect, strategy), "score in points", title)
    show_chart(chart, "rules-effect-scores")


def show_score_differences(effect: RulesEffect) -> None:
    """Draw the change in the score of each strategy."""
    dots = effect_tables.score_dots(effect, cached.strategy_looks(effect.strategies))
    axis = f"change of the score under {effect.b.design.rules.name}, in points"
    chart = Intervals(dots, axis, "Difference of the score of each strategy", mark=Mark(0, "no change"))
    show_chart(chart, "rules-effect-changes", height=120 + 44 * len(dots))
    st.caption(
        f"The mean change in the score of each strategy with its 95 % interval; {effect.blocks:,} blocks."
    )


def show_all_changes(effect: RulesEffect) -> None:
    """Show all differences as a table."""
    tables.show_table(effect_tables.changes_table(effect), "All differences")
    st.caption(
        f"Values with their 95 % intervals; n = {effect.blocks:,} blocks of {effect.games_per_block} "
        f"game{'s' * (effect.games_per_block > 1)} under each ruleset. Seats: score minus the mean score of the game."
    )


def show_seat_edges(effect: RulesEffect) -> None:
    """Draw how much each seat is worth under both rulesets."""
    edges = effect_tables.seat_dots(effect)
    if not edges:
        return
    title = "What each seat is worth under both rulesets"
    show_chart(Columns(edges, "player", "mean score in points", title, "block"), "rules-effect-seats")
    st.caption(
        "The score on each seat minus the mean score of its game, over all strategies. Player 1 starts."
    )


def show_strategy_orders(effect: RulesEffect) -> None:
    """Show which strategy is ahead under both rulesets."""
    if not effect.orders:
        st.caption(
            "All seats play the same strategy. Choose two different strategies to see which one is ahead."
        )
        return
    tables.show_table(effect_tables.orders_table(effect), "The order of the strategies")
    st.caption(
        f"The lead of the first strategy over the second, in points{' (fewer points are ahead)' if effect.a.design.rules.lowest_wins else ''}, "
        f"from {effect.blocks:,} blocks. The table names an order only if both leads are significant."
    )


def show_effect_downloads(effect: RulesEffect) -> None:
    """Offer all numbers as files."""
    tables.show_table_downloads(effect_tables.changes_table(effect), "rules-effect")
    st.download_button(
        "Everything as JSON",
        lambda: json.dumps(effect.as_json(), indent=1, ensure_ascii=False),
        "rules-effect.json",
        "application/json",
        on_click="ignore",
    )
