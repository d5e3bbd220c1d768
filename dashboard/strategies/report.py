"""The report of a comparison: the answer for people first, the numbers for statisticians behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import streamlit as st

from dashboard.queries import cached
from dashboard.strategies.characters import describe_played_strategies, show_characters
from dashboard.strategies.checks import show_checks, start_checks
from dashboard.strategies.details import show_details
from dashboard.strategies.twin_games import show_twin_games
from dashboard.widgets import form_address
from dashboard.widgets.address import read_page_question
from dashboard.widgets.charts import show_chart
from dashboard.widgets.charts.distributions import Shape
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from engine import games
from pipelines.design.short_names import short_names
from pipelines.experiments.compare.comparison import Comparison
from pipelines.questions.address import write_address
from pipelines.questions.comparison.answer import ComparisonAnswer, answer_comparison
from pipelines.questions.comparison.question import KnownComparisonQuestion
from pipelines.questions.scores.distributions import read_score_groups
from pipelines.questions.scores.scope import scope_of_run
from pipelines.report.charts import Histogram, Intervals, Mark
from pipelines.report.charts.comparison import lead_dots, lead_title, part_dots, parts_title
from pipelines.report.charts.scores import make_score_series
from pipelines.report.sentences.comparison import describe_basis, describe_ranges
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.runs.library import Run


def show_preview(comparison: Comparison) -> None:
    """Show the verdict after the first blocks, with its picture and what follows from it."""
    show_verdict(comparison)
    show_leads(comparison)
    show_consequences(comparison)


def show_comparison_report(run: Run) -> None:
    """Show the whole report of a finished comparison."""
    question, unread = read_page_question(KnownComparisonQuestion)
    answer = ComparisonAnswer(
        question, run, cached_comparison(*cached.file_version(run), metric=question.metric)
    )
    comparison = answer.comparison
    form_address.show_address_problems((*unread, *answer.problems))
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
    pair = ask_pair(answer)
    show_part_differences(comparison, pair)
    st.header("Games that made the difference")
    show_twin_games(run, pair, short_names(comparison.strategies))
    details = st.expander("For statisticians", key="statistics", bind="query-params")
    if details.open:
        with details:
            show_details(run, replace(comparison, controls=checks.latest or ()), pair)


@st.cache_data(max_entries=32, show_spinner="Comparing …")
def cached_comparison(path: str, changed: int, *, metric: str | None = None) -> Comparison:
    """Return the comparison of a finished run without its controls. Run files never change, so it is cached."""
    del changed  # part of the key
    run = cached.dashboard_library().run(path)
    question = KnownComparisonQuestion(run=run.name, metric=metric)
    return answer_comparison(question, run, with_controls=False).comparison


def show_verdict(comparison: Comparison) -> None:
    """Show the verdict and what it rests on."""
    st.markdown(f"## {write_markdown_sentence(comparison.verdict)}")
    st.caption(escape_markdown(describe_basis(comparison)))


def show_leads(comparison: Comparison) -> None:
    """Draw by how much the best strategy is ahead of each other one."""
    dots = lead_dots(comparison, cached.strategy_looks(comparison.strategies))
    if not dots:
        return
    title = "The lead over each other strategy, with its 95 % interval"
    chart = Intervals(dots, lead_title(comparison), title, mark=Mark(0, "equal"))
    show_chart(chart, "leads", height=120 + 44 * len(dots))


def show_consequences(comparison: Comparison) -> None:
    """Show what follows from the verdict in plain sentences."""
    if not comparison.consequences:
        return
    st.markdown("\n".join(f"- {write_markdown_sentence(sentence)}" for sentence in comparison.consequences))
    st.caption(escape_markdown(describe_ranges(comparison)))


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
    groups = read_score_groups(scope_of_run(run, run.summary.rulesets[0].sha256), cached.question_source())
    scores = make_score_series(groups, cached.strategy_looks(comparison.strategies))
    show_chart(Histogram(scores, "score in points", "The scores of all strategies"), "spread", shape=shape)


def ask_pair(answer: ComparisonAnswer) -> PairResult:
    """Ask for the pair that the rest of the page describes, if there are several, and write it into the address."""
    pairs = answer.comparison.pairs
    if len(pairs) == 1:
        return pairs[0]
    names = short_names(answer.comparison.strategies)
    key = f"pair-{answer.run.name}"
    number = st.selectbox(
        "Pair",
        range(len(pairs)),
        index=answer.pair_number,
        format_func=lambda index: f"{names[pairs[index].a]} against {names[pairs[index].b]}",
        key=key,
        on_change=lambda: st.query_params.update(
            write_address(KnownComparisonQuestion(pair=st.session_state[key]))
        ),
    )
    return pairs[number]


def show_part_differences(comparison: Comparison, pair: PairResult) -> None:
    """Draw the difference between two strategies in each part of the score."""
    dots = part_dots(
        comparison, pair, games.find_game(comparison.game).parts, cached.strategy_looks(comparison.strategies)
    )
    if not dots:
        st.caption("Not enough games to say.")
        return
    axis = parts_title(comparison, pair)
    show_chart(Intervals(dots, axis, "Difference by part of the score", mark=Mark(0, "equal")), "parts")
    st.caption(
        f"Mean difference in each part of the score with its 95 % interval, from {format_count(pair.blocks, 'block')}. The parts add up to "
        "the difference of the scores."
    )
