"""What is known about the strategies of a ruleset before a comparison: the recorded ladder and the newest comparison."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.strategies.report import cached_comparison, show_leads
from dashboard.widgets.address import write_page_question
from dashboard.widgets.charts import show_chart
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from engine.counted_nouns import capitalise
from pipelines.design.short_names import short_names
from pipelines.questions.comparison.question import KnownComparisonQuestion
from pipelines.records.ladder import list_ladder_records
from pipelines.report import wording
from pipelines.report.charts import Estimate, Intervals, Mark
from pipelines.statistics.rounding import set_minus_signs, split_sign
from pipelines.viewer.palette import mark_baseline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset
    from pipelines.records.ladder import LadderRecord
    from pipelines.runs.library import Run
    from pipelines.viewer.palette import SeriesLook


def show_known_results(ruleset: Ruleset, compared: Run | None) -> None:
    """Show what the ladder and a comparison under these rules say; an invitation if there is neither."""
    records = list_ladder_records(ruleset)
    title = f"{ruleset.title} for {wording.format_count(ruleset.players, 'player')}"
    if len(records) > 1:
        _show_ladder(title, records)
    if compared:
        comparison = cached_comparison(*cached.file_version(compared))
        st.markdown(f"**In your library:** {write_markdown_sentence(comparison.verdict)}")
        if not records:
            show_leads(comparison)
        st.button(
            "Open this comparison",
            key="strategies-known",
            type="tertiary",
            on_click=write_page_question,
            args=(KnownComparisonQuestion(run=compared.name),),
        )
    if not records and not compared:
        st.markdown(f"## {escape_markdown(f'Nobody has compared strategies of {title} here yet.')}")
        st.markdown(
            "Choose two or more strategies and press **Compare**. They play each other in every seat with the same luck. "
            "The first verdict appears after a second and becomes narrower while the games are played."
        )


def _show_ladder(title: str, records: Mapping[str, LadderRecord]) -> None:
    """Show the recorded ladder of a ruleset: a sentence on its upper end, and the lead of each strategy over the next."""
    st.markdown(f"## {escape_markdown(set_minus_signs(describe_ladder(title, records)))}")
    dots = ladder_dots(records, cached.strategy_looks(records))
    title = "The lead of each strategy over the next weaker one, with its 95 % interval"
    chart = Intervals(dots, "lead in points a game", title, "game", Mark(0, "equal"))
    show_chart(chart, "strategies-ladder", height=100 + 34 * len(dots))
    counts = ", ".join(f"{one.n:,}" for one in dots)
    st.caption(
        escape_markdown(
            "The ladder that comes with Reroll: by how many points a game each strategy leads the next weaker one, with the "
            f"95 % interval. Games, from the top: {counts}."
        )
    )


def ladder_dots(records: Mapping[str, LadderRecord], looks: Mapping[str, SeriesLook]) -> list[Estimate]:
    """Return the lead of each strategy over the next weaker one, the strongest first."""
    names = short_names(records)
    labels = list(records)
    return [
        Estimate(
            f"{mark_baseline(names[label], looks[label])} over {names[weaker]}",
            "",
            label,
            lead,
            records[label].games,
            looks[label],
            names[label],
        )
        for weaker, label in reversed(list(itertools.pairwise(labels)))
        if (lead := records[label].lead)
    ]


def describe_ladder(title: str, records: Mapping[str, LadderRecord]) -> str:
    """Return which strategies stand highest on a ladder, and by how much the highest leads; the weakest comes first.

    A strategy that is not clearly ahead of the next one stands beside it.
    """
    names = short_names(records)
    (second, _), (first, record) = list(records.items())[-2:]
    best, next_best = names[first], names[second]
    if record.lead is None:
        return f"{title}: how far {best} is ahead of {next_best} was not measured."
    sign, numbers = split_sign(record.lead)
    span = f"(95 % interval {numbers.low} to {numbers.high}; {wording.format_count(record.games, 'game')})"
    if sign > 0:
        return (
            f"{capitalise(best)} is the strongest of {wording.format_count(len(records), 'strategy')} in {title}: "
            f"{numbers.estimate} points a game ahead of {next_best} {span}."
        )
    if sign == 0:
        return (
            f"{capitalise(best)} and {next_best} stand highest of {wording.format_count(len(records), 'strategy')} in {title}; "
            f"{best} is not clearly ahead of {next_best} ({numbers.estimate} points a game, {span[1:]}."
        )
    return f"{capitalise(best)} is {numbers.estimate} points a game behind {next_best} in {title} {span}."
