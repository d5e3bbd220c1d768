"""The page Strategies: comparisons of strategies on the same luck, with the verdict that their games support.

The address names the comparison: `?run=…` for one that is finished or in progress, and `&pair=1` for one of its pairs.
With the fields of `NewComparisonQuestion` it opens the form of a new comparison, beside what is known about its ruleset: the
recorded ladder, the largest comparison, and the yardsticks. An address without both shows the largest comparison, or the form in an
empty library.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cached
from dashboard.strategies.comparison_choice import (
    NEW_COMPARISON,
    ask_new_comparison,
    ask_which_comparison,
    comparable_runs,
    is_form_asked,
    largest_comparison,
    open_form,
    read_asked_comparison,
)
from dashboard.strategies.comparison_report import (
    cached_comparison,
    show_comparison_report,
    show_first_comparison,
    show_running_comparison,
)
from dashboard.widgets import tables
from dashboard.widgets.address import read_page_question, show_address_problems, write_page_question
from dashboard.widgets.charts import show_chart
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from dashboard.widgets.sheet import show_part, show_passage
from engine.catalogue import Catalogue
from pipelines.design.short_names import short_names
from pipelines.design.titles import format_ruleset_for
from pipelines.questions.comparison import KnownComparisonQuestion, NewComparisonQuestion
from pipelines.records import strategies
from pipelines.report import yardsticks
from pipelines.report.characters import describe_strategies, list_introductions
from pipelines.report.sheet import Passage
from pipelines.runs.library import Run
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from engine.ruleset import Ruleset


def show_known_results(ruleset: Ruleset, compared: Run | None) -> None:
    """Show what the ladder and a comparison under these rules say; an invitation if there is neither."""
    records = strategies.list_ladder_records(ruleset)
    title = format_ruleset_for(ruleset)
    if len(records) > 1:
        show_ladder(ruleset, is_first=True)
    if compared:
        sheet = cached.compose_sheet(
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


def show_ladder(ruleset: Ruleset, *, is_first: bool = False) -> None:
    """Show the recorded ladder of a ruleset, the lead of each strategy over the next one, under a sentence on its upper end; and how each plays."""
    records = strategies.list_ladder_records(ruleset)
    chart = yardsticks.ladder_chart(format_ruleset_for(ruleset), records, cached.strategy_looks(records))
    counts = ", ".join(f"{estimate.n:,}" for estimate in chart.estimates)
    caption = f"Recorded games ({counts} from the top), not those of a comparison here, so a lead differs a little. 95 % intervals."
    show_chart(chart, "strategies-ladder", caption=caption, is_first=is_first)
    characters = describe_strategies(ruleset, reversed(list(records)))
    show_passage(Passage("", list_introductions(characters, is_brief=True)))


def show_yardsticks() -> None:
    """Show a drawer for each yardstick; what is in it is built when it is opened."""
    records, cases = strategies.recorded_perfect_play(), strategies.list_review_cases()
    if not records and not cases:
        return
    st.header("How good are they really?")
    if records:
        drawer = st.expander(
            "How far is each strategy from perfect play?", key="perfect-play", bind="query-params"
        )
        if drawer.open:
            with drawer:
                show_perfect_play(list(records.values()))
    if cases:
        drawer = st.expander("Are predicted wins right?", key="calibration", bind="query-params")
        if drawer.open:
            with drawer:
                show_calibration(cases)


def show_perfect_play(records: list[strategies.PerfectPlayRecord]) -> None:
    """Show how far every strategy is from perfect play, a table for each solved ruleset."""
    st.markdown(yardsticks.PERFECT_PLAY_PURPOSE)
    for record in records:
        st.subheader(escape_markdown(record.title))
        tables.show_report_table(yardsticks.perfect_play_table(record))
        st.caption(yardsticks.describe_perfect_play(record))
    st.caption(yardsticks.PERFECT_PLAY_BASIS)


def show_calibration(cases: list[strategies.CalibrationCase]) -> None:
    """Show predicted wins beside those that happened, for the games of one ruleset."""
    judged = {case.ruleset for case in cases}
    titles = {name: ruleset.title for name, ruleset in Catalogue().rulesets.items() if name in judged}
    chosen = st.segmented_control(
        "Game",
        list(titles),
        default=next(iter(titles)),
        format_func=titles.__getitem__,
        required=True,
        key="strategies-calibration-game",
    )
    cases_of_ruleset = [case for case in cases if case.ruleset == chosen]
    names = short_names(case.players for case in cases_of_ruleset)
    for case in cases_of_ruleset:
        st.markdown(
            escape_markdown(set_minus_signs(yardsticks.describe_calibration(case, names[case.players])))
        )
    looks = cached.strategy_looks([case.players for case in cases_of_ruleset])
    show_chart(yardsticks.calibration_chart(cases_of_ruleset, looks), "strategies-calibration-chart")
    for case in cases_of_ruleset:
        st.markdown(f"**Games of {escape_markdown(names[case.players])}**")
        tables.show_report_table(yardsticks.calibration_table(case))
    st.caption(yardsticks.CALIBRATION_BASIS)


library = cached.dashboard_library()
st.title("Strategies")
comparisons = comparable_runs(library)
name = read_asked_comparison(library, comparisons)
chosen = comparisons.get(name or "")
largest = largest_comparison(comparisons)
is_missing = name is None and bool(read_page_question(KnownComparisonQuestion)[0].run)
is_new = name is None and not is_missing and (is_form_asked() or largest is None)
near = chosen if isinstance(chosen, Run) else largest
ask_which_comparison(
    comparisons,
    name or (None if is_missing else largest.name if largest and not is_new else NEW_COMPARISON),
    partial(open_form, library, near.summary.rulesets[0].name if near else ""),
)
if is_missing:  # any other comparison would be taken for the one that was asked for
    st.stop()
if is_new:
    if not comparisons and not cached.all_runs():
        st.info(
            "You have no games yet. Choose strategies and press **Compare**: the first verdict appears after a second."
        )
    known, form = st.columns([3, 2], gap="medium")
    # In narrow windows the form stands above what is known if the visitor has asked for it instead of the largest comparison.
    with form, st.container(border=True, key="asked-form" if largest else "offered-form"):
        ruleset = ask_new_comparison(library)
    with known:
        show_known_results(ruleset, largest_comparison(comparisons, ruleset.sha256))
elif name is not None:
    if isinstance(chosen, Run):
        show_comparison_report(chosen)
    else:
        show_address_problems(read_page_question(KnownComparisonQuestion)[1])
        show_running_comparison(library, name)
elif largest:
    show_address_problems(read_page_question(NewComparisonQuestion)[1])
    played = largest.summary.rulesets[0]
    shipped = library.catalogue.rulesets.get(played.name)
    if shipped and shipped.sha256 == played.sha256 and len(strategies.list_ladder_records(shipped)) > 1:
        compared, ladder = st.columns([3, 2], gap="medium")
        with ladder:
            show_ladder(shipped)
    else:
        compared = st.container()
    with compared:
        show_first_comparison(largest)
if name is None:
    show_yardsticks()
