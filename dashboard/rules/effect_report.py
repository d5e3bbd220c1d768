"""What a change of rules changes: the answer first, then what it rests on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.rules import effect_tables
from dashboard.widgets import charts, tables
from pipelines.experiments.rules_effect import rules_effect_sentence

if TYPE_CHECKING:
    from pipelines.experiments.rules_effect import RulesEffect


def show_effect_details(found: RulesEffect, *, is_whole: bool) -> None:
    """Show what the answer rests on."""
    left, right = st.columns(2)
    with left:
        st.header("Scores under both")
        show_score_distributions(found)
    with right:
        st.header("What changes with the same dice")
        show_score_differences(found)
    show_all_changes(found)
    left, right = st.columns([2, 3])
    with left:
        st.header("Does the seat matter more or less?")
        show_seat_edges(found)
    with right:
        st.header("Does another strategy come out ahead?")
        show_strategy_orders(found)
    if is_whole:
        show_effect_downloads(found)


def show_effect_headline(found: RulesEffect, *, is_early: bool) -> None:
    """Say what the change of rules changes. `is_early`: somebody stopped it before its last block."""
    is_final = found.is_over and not is_early
    said = rules_effect_sentence(found) if is_final else f"so far, {rules_effect_sentence(found)}"
    st.markdown(f"## {cached.escape_markdown(said[0].upper() + said[1:])}.")
    if not is_final:
        st.caption(
            "The intervals are meant for the number of blocks that was asked for: who looks again and again, or stops when it "
            "looks good, errs more often than in 5 of 100."
        )
    st.caption(cached.escape_markdown(_format_basis(found)))


def _format_basis(found: RulesEffect) -> str:
    ratio, share = found.variance_ratio, found.differing_share
    pairing = (
        f" The same luck makes the difference as sure as {1 / ratio:.1f} times as many games would."
        if ratio and ratio < 1
        else ""
    )
    opening = (
        f" No dice fall, so every block starts with {found.a.design.opening} random plies."
        if found.a.design.opening
        else ""
    )
    lowest = " The lowest score wins." if found.a.design.rules.lowest_wins else ""
    return (
        f"{', '.join(found.a.design.lineup)} in every rotation, {found.blocks:,} blocks under each ruleset, seed "
        f"{found.a.design.seed}; {share.estimate:.0%} of the blocks end differently ({share.low:.0%} to {share.high:.0%})."
        f"{pairing}{opening}{lowest}"
    )


def show_score_distributions(found: RulesEffect) -> None:
    """Draw how the scores of a strategy spread under both."""
    strategy = found.strategies[0]
    if len(found.strategies) > 1:
        strategy = st.segmented_control(
            "Strategy", found.strategies, default=strategy, required=True, key="rules-effect-strategy"
        )
    figure = charts.draw_histograms(effect_tables.score_series(found, strategy)).build_figure()
    st.plotly_chart(figure, key="rules-effect-scores", alt=f"Scores of {strategy} under both rulesets")


def show_score_differences(found: RulesEffect) -> None:
    """Draw how much each strategy's score changes."""
    dots = effect_tables.score_dots(found, cached.strategy_looks(found.strategies))
    chart = charts.draw_dots(dots, f"points more under {found.b.design.rules.name}", legend=False)
    figure = chart.mark_value(0, "no change").build_figure()
    st.plotly_chart(figure, key="rules-effect-changes", alt="Difference of the score of each strategy")
    st.caption(
        "Mean difference of each strategy's score with its 95 % interval, from blocks on the same luck."
    )


def show_all_changes(found: RulesEffect) -> None:
    """Show all differences in numbers."""
    tables.show_table(effect_tables.changes_table(found), "All differences in numbers")
    st.caption(
        f"Each value with its 95 % interval; n = {found.blocks:,} blocks of {found.games_per_block} "
        f"game{'s' * (found.games_per_block > 1)} under each ruleset. Seats: score less the mean of the game."
    )


def show_seat_edges(found: RulesEffect) -> None:
    """Draw what each seat is worth under both."""
    edges = effect_tables.seat_dots(found)
    if not edges:
        return
    figure = charts.draw_columns(edges, "seat").build_figure()
    st.plotly_chart(figure, key="rules-effect-seats", alt="What each seat is worth under both rulesets")
    st.caption("Score on each seat less the mean of its game, all strategies together. Seat 0 starts.")


def show_strategy_orders(found: RulesEffect) -> None:
    """Say who is ahead of whom under both."""
    if not found.orders:
        st.caption("All seats play the same strategy: seat two different ones to see who comes out ahead.")
        return
    tables.show_table(effect_tables.orders_table(found), "Who is ahead of whom")
    st.caption(
        f"How many points the first is ahead of the second{' (fewer points are ahead)' if found.a.design.rules.lowest_wins else ''}, "
        f"from {found.blocks:,} blocks. The order is told only where both leads are beyond doubt."
    )


def show_effect_downloads(found: RulesEffect) -> None:
    """Give all figures away."""
    tables.show_table_downloads(effect_tables.changes_table(found), "rules-effect")
    st.download_button(
        "Everything as JSON",
        lambda: json.dumps(found.as_json(), indent=1, ensure_ascii=False),
        "rules-effect.json",
        "application/json",
        on_click="ignore",
    )
