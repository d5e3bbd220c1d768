"""The view of distributions: histograms, cumulative shares or quantiles of scores or of the points of one part."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.scores import games_of_bin
from dashboard.scores.beside_baseline import (
    describe_other_lineup,
    explain_missing_baseline,
    scope_baseline,
)
from dashboard.scores.filters import change_question, show_data_basis, show_lineups
from dashboard.scores.shown_headline import explain_missing_means, show_headline
from dashboard.widgets import tables
from dashboard.widgets.baseline import draw_as_baseline, show_baseline_basis
from dashboard.widgets.charts import show_chart
from dashboard.widgets.markdown import escape_markdown
from pipelines.questions.scores.distributions import answer_distributions, read_score_groups
from pipelines.questions.scores.place_means import answer_players
from pipelines.questions.scores.question import MAX_SCORE
from pipelines.report.charts import Histogram, Mark
from pipelines.report.charts.scores import (
    BY_PLAYER,
    BY_RULESET,
    BY_STRATEGY,
    ONE_BY_ONE,
    arrange_series,
    make_score_series,
)
from pipelines.report.sentences.place_means import describe_means
from pipelines.report.sentences.scores import describe_baseline, describe_distributions
from pipelines.report.tables.scores import tabulate_distributions, tabulate_percentiles

if TYPE_CHECKING:
    from dashboard.scores.filters import ShownScores
    from pipelines.questions.scores.distributions import DistributionsAnswer
    from pipelines.questions.scores.question import Shape
    from pipelines.report.charts import ScoreSeries

SHAPES: Final = {
    "Histogram": "How many of 100 results lie in each bin. A triangle on the axis marks the mean, the bar around it its 95 % "
    "interval.",
    "Cumulative": "Share of results up to each score. The band contains the whole true curve with 95 % "
    "(Dvoretzky, Kiefer and Wolfowitz, counting blocks).",
    "Quantiles": "Box: the middle half. Whiskers: 5 and 95 %. Diamond: the mean with its 95 % interval.",
}


def show_distributions(shown: ShownScores) -> None:
    """Show what the distributions say, their picture, the games of a bin, the numbers and the percentiles of a score."""
    answer = answer_distributions(shown.question, shown.scope, shown.source)
    if not answer.groups:
        st.info("No games match these filters. Remove a filter to see more.")
        return
    players = answer_players(answer, shown.source)
    sentence = describe_means(players) if players else describe_distributions(answer)
    show_headline(sentence)
    if not sentence:  # they say why there is none
        show_lineups(shown)
    if not any(one.mean.has_interval for one in answer.groups):
        explain_missing_means(shown.scope)
    chart_place = st.container()
    span = games_of_bin.show_games_in_range(shown, answer.part)
    with st.expander("The numbers", expanded=shown.question.score is not None):
        show_data_basis(shown.scope, answer.results, answer.basis.blocks)
        if answer.part and (shown.scope.seats or shown.question.compared == BY_PLAYER):
            st.caption("Parts of the score are counted for all players together.")
        frame = tables.show_report_table(tabulate_distributions(answer.groups), shown.scope.strategies)
        if not all(one.mean.has_interval for one in answer.groups):
            st.caption("An interval needs at least two blocks of games.")
        tables.offer_table(frame, "Scores", "scores")
        score = _show_percentiles(answer)
    with chart_place:  # drawn last, because the chart marks the score and the range that are chosen below it
        compared = shown.question.compared
        arranged = arrange_series(make_score_series(answer.groups, shown.looks), compared)
        baseline = _read_baseline(shown, answer.part, {one.panel_name for one in arranged})
        unit = f"points of {shown.question.part}" if answer.part else "score in points"
        if baseline:
            st.markdown(escape_markdown(describe_baseline(baseline)))
        _show_distribution_chart([*arranged, *baseline], shown.question.shape, unit, score, span)
        show_baseline_basis(baseline, describe_other_lineup(shown.scope))
        if not baseline:
            explain_missing_baseline(shown.scope)
        if sentence:
            show_lineups(shown)


def _show_distribution_chart(
    all_series: list[ScoreSeries], shape: Shape, axis: str, score: int | None, span: tuple[int, int] | None
) -> None:
    """Draw the distributions, and mark the chosen score and the range whose games are listed."""
    is_clickable = shape == "Histogram"
    chart = Histogram(
        all_series,
        axis,
        "Final scores" if axis.startswith("score") else axis.capitalize(),
        mark=None if score is None else Mark(score, f"{score}"),
        shaded=span if is_clickable else None,
        shape=shape,
    )
    show_chart(
        chart,
        "shape-chart" if is_clickable else f"shape-{shape}",
        caption=SHAPES[shape],
        on_click=_take_clicked_bin if is_clickable else None,
    )


def _take_clicked_bin() -> None:
    """Set the range whose games are listed to the bin that was clicked."""
    picked: Any = st.session_state.get("shape-chart")
    if not picked:
        return  # the page no longer shows this chart
    bins = [point.get("customdata") for point in picked["selection"]["points"]]
    if bins and isinstance(bins[0], (list, tuple, dict)):
        values = list(bins[0].values()) if isinstance(bins[0], dict) else list(bins[0])
        games_of_bin.choose_range(int(values[0]), int(values[1]))


def _read_baseline(shown: ShownScores, part: str, panels: set[str]) -> list[ScoreSeries]:
    """Return the lines of the pinned run for the panels of the chart; none if the chart shows only that run."""
    pinned = scope_baseline(shown.scope)
    if pinned is None:
        return []
    lines = []
    names = pinned.names | shown.scope.names
    for one in make_score_series(read_score_groups(pinned, shown.source, part), shown.looks):
        panel = {
            BY_STRATEGY: one.ruleset,
            BY_RULESET: names[one.strategy],
            BY_PLAYER: f"{one.ruleset} · {names[one.strategy]}",
            ONE_BY_ONE: f"{one.ruleset} · {one.name}",
        }[shown.question.compared]
        if panel in panels:
            lines.append(replace(one, panel=panel))
    return draw_as_baseline(lines)


def _show_percentiles(answer: DistributionsAnswer) -> int | None:
    """Ask for a score, show its percentile in each series, and return it; None if no score is given."""
    st.header("How good is a score?")
    st.session_state["score"] = answer.question.score
    score = st.number_input(
        "A score of",
        value=None,
        step=1,
        key="score",
        on_change=lambda: change_question(score=st.session_state["score"]),
        placeholder="any score",
        min_value=-MAX_SCORE,
        max_value=MAX_SCORE,
    )
    if score is None:
        st.caption("Enter a score to see which share of the results lies below it.")
        return None
    frame = tables.show_report_table(tabulate_percentiles(answer.groups, score), answer.scope.strategies)
    st.caption(
        "Percentile: per cent of the results that are lower; equal results count half. From and to: its 95 % interval "
        "(Wilson, each block counted as one result)."
    )
    tables.offer_table(frame, "Percentiles", "percentiles")
    return score
