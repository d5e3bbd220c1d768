"""What is known about the strategies of a ruleset before a comparison: the recorded ladder and the newest comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.strategies.report import cached_comparison, compose_shown
from dashboard.widgets.address import write_page_question
from dashboard.widgets.charts import show_chart
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from dashboard.widgets.sheet import show_part
from engine.counted_nouns import capitalise
from engine.opponents import list_opponents
from pipelines.design.titles import format_ruleset_for
from pipelines.questions.comparison import KnownComparisonQuestion
from pipelines.records.ladder import list_ladder_records
from pipelines.report.characters import name_opponent
from pipelines.report.yardsticks import describe_ladder, ladder_chart
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset
    from pipelines.records.ladder import LadderRecord
    from pipelines.runs.library import Run


def show_known_results(ruleset: Ruleset, compared: Run | None) -> None:
    """Show what the ladder and a comparison under these rules say; an invitation if there is neither."""
    records = list_ladder_records(ruleset)
    title = format_ruleset_for(ruleset)
    if len(records) > 1:
        _show_ladder(ruleset.game, title, records)
    if compared:
        sheet = compose_shown(
            cached_comparison(*cached.file_version(compared), KnownComparisonQuestion(run=compared.name))
        )
        st.markdown(f"**In your library:** {write_markdown_sentence(sheet.verdict)}")
        if not records and sheet.parts:
            show_part(sheet.parts[0])
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


def _show_ladder(game: str, title: str, records: Mapping[str, LadderRecord]) -> None:
    """Show the recorded ladder of a ruleset: a sentence on its upper end, the lead of each strategy over the next, opponents."""
    st.markdown(f"## {escape_markdown(set_minus_signs(describe_ladder(title, records)))}")
    chart = ladder_chart(records, cached.strategy_looks(records))
    counts = ", ".join(f"{one.n:,}" for one in chart.estimates)
    caption = (
        "The ladder that comes with Reroll: by how many points a game each strategy leads the next weaker one, with the "
        f"95 % interval. Games, from the top: {counts}."
    )
    show_chart(chart, "strategies-ladder", caption=caption)
    opponents = [
        f"**{escape_markdown(capitalise(name_opponent(game, one.strategy)))}**: {escape_markdown(one.plays)}"
        for one in list_opponents(game)
    ]
    st.markdown("  \n".join(opponents))
