"""The report of a comparison: the answer for people first, the numbers for statisticians behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import streamlit as st

from dashboard.queries import cached
from dashboard.strategies import tables as comparison_tables
from dashboard.strategies.characters import describe_played_strategies, show_characters
from dashboard.strategies.checks import show_checks, start_checks
from dashboard.strategies.details import show_details
from dashboard.strategies.twin_games import show_twin_games
from dashboard.widgets import number_fields
from dashboard.widgets.baseline import read_baseline_series, show_baseline_basis
from dashboard.widgets.charts import show_chart
from dashboard.widgets.charts.distributions import Shape
from dashboard.widgets.charts.series import make_score_series
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from engine import games
from pipelines.design.short_names import short_names
from pipelines.experiments.compare.comparison import Comparison, compare_strategies
from pipelines.experiments.compare.consequences import rank_strategies
from pipelines.questions.scores.distributions import read_score_groups
from pipelines.questions.scores.scope import scope_of_run
from pipelines.report import wording
from pipelines.report.charts import Histogram, Intervals, Mark

if TYPE_CHECKING:
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.runs.library import Run


def show_preview(comparison: Comparison) -> None:
    """Show the verdict after the first blocks, with its picture and what follows from it."""
    show_verdict(comparison)
    show_leads(comparison)
    show_consequences(comparison)


def show_comparison_report(run: Run) -> None:
    """Show the whole report of a finished comparison."""
    comparison = cached_comparison(*cached.file_version(run))
    show_verdict(comparison)
    checks = start_checks(run)
    show_checks(checks)
    left, right = st.columns([2, 3])
    with left:
        show_leads(comparison)
        show_consequences(comparison)
    with right:
        show_score_distributions(run, comparison)
    st.header("Who they are")
    ruleset = next(iter(run.rulesets.values()))
    show_characters(describe_played_strategies(run, ruleset, comparison.strategies))
    st.header("Where the points come from")
    pair = ask_pair(comparison)
    show_part_differences(comparison, pair)
    st.header("Games that made the difference")
    show_twin_games(run, pair, short_names(comparison.strategies))
    details = st.expander("For statisticians", key="statistics", bind="query-params")
    if details.open:
        with details:
            show_details(run, replace(comparison, controls=checks.latest or ()), pair)


@st.cache_data(max_entries=32, show_spinner="Comparing …")
def cached_comparison(path: str, changed: int) -> Comparison:
    """Return the comparison of a finished run without its controls. Run files never change, so it is cached."""
    del changed  # part of the key
    return compare_strategies(cached.dashboard_library().run(path), with_controls=False)


def show_verdict(comparison: Comparison) -> None:
    """Show the verdict and what it rests on."""
    st.markdown(f"## {write_markdown_sentence(comparison.verdict)}")
    lowest = " The lowest score wins." if comparison.lowest_wins else ""
    luck = "opening" if comparison.opening else "dice"
    st.caption(
        escape_markdown(
            f"{comparison.ruleset}: {wording.format_count(comparison.games, 'game')} in "
            f"{wording.format_count(comparison.blocks, 'block')}. The {wording.format_count(comparison.games_per_block, 'game')} "
            f"of a block have the same {luck} and differ in who plays which seat. Seed {comparison.seed}.{lowest}"
        )
    )


def show_leads(comparison: Comparison) -> None:
    """Draw by how much the best strategy is ahead of each other one."""
    dots = comparison_tables.lead_dots(comparison, cached.strategy_looks(comparison.strategies))
    if not dots:
        return
    title = "The lead over each other strategy, with its 95 % interval"
    chart = Intervals(dots, comparison_tables.lead_title(comparison), title, mark=Mark(0, "equal"))
    show_chart(chart, "leads", height=120 + 44 * len(dots))


def show_consequences(comparison: Comparison) -> None:
    """Show what follows from the verdict in plain sentences."""
    if not comparison.consequences:
        return
    st.markdown("\n".join(f"- {write_markdown_sentence(sentence)}" for sentence in comparison.consequences))
    st.caption(comparison_tables.range_caption(comparison))


def show_score_distributions(run: Run, comparison: Comparison) -> None:
    """Draw the score distributions of all strategies over each other, over all their games in the run."""
    shape = st.segmented_control(
        "Shape of the chart",
        get_args(Shape),
        default="Histogram",
        required=True,
        key="spread-shape",
        label_visibility="collapsed",
    )
    played = run.summary.rulesets[0]
    groups = read_score_groups(scope_of_run(run, played.sha256), cached.question_source())
    scores = make_score_series(groups, cached.strategy_looks(comparison.strategies))
    baseline = read_baseline_series(played.sha256, played.name, {run.name})
    chart = Histogram(
        [*scores, *baseline],
        "score in points",
        "The scores of all strategies",
    )
    show_chart(chart, "spread", shape=shape)
    show_baseline_basis(baseline)


def ask_pair(comparison: Comparison) -> PairResult:
    """Ask for the pair that the rest of the page describes, if there are several, and write it into the address.

    Pairs with the pinned strategy are offered first. At first these are the two best strategies.
    """
    order = rank_strategies(comparison.pairs)
    best = next((at for at, pair in enumerate(comparison.pairs) if {pair.a, pair.b} == set(order[:2])), 0)
    number = number_fields.parse_whole_number(st.query_params.get("pair", ""))
    number = best if number is None or number >= len(comparison.pairs) else number
    names = short_names(comparison.strategies)
    pinned = cached.baseline_strategy()
    if len(comparison.pairs) > 1:
        key = f"pair-{comparison.run}"
        offered = sorted(
            range(len(comparison.pairs)),
            key=lambda at: pinned not in {comparison.pairs[at].a, comparison.pairs[at].b},
        )
        number = st.selectbox(
            "Pair",
            offered,
            index=offered.index(number),
            format_func=lambda index: (
                f"{names[comparison.pairs[index].a]} against {names[comparison.pairs[index].b]}"
            ),
            key=key,
            on_change=lambda: st.query_params.update(pair=str(st.session_state[key])),
        )
    return comparison.pairs[number]


def show_part_differences(comparison: Comparison, pair: PairResult) -> None:
    """Draw the difference between two strategies in each part of the score."""
    names = short_names(comparison.strategies)
    dots = comparison_tables.part_dots(
        comparison, pair, games.find_game(comparison.game).parts, cached.strategy_looks(comparison.strategies)
    )
    if not dots:
        st.caption("Not enough games to say.")
        return
    axis = f"points of {names[pair.a]} minus those of {names[pair.b]}"
    show_chart(Intervals(dots, axis, "Difference by part of the score", mark=Mark(0, "equal")), "parts")
    st.caption(
        f"Mean difference in each part of the score with its 95 % interval, from {pair.blocks:,} blocks. The parts add up to "
        "the difference of the scores."
    )
