"""The report of a comparison on the page Strategies: the sheet of its answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.strategies.checks import show_checks, start_checks
from dashboard.widgets import form_address
from dashboard.widgets.address import read_page_question, show_link
from dashboard.widgets.sheet import show_basis, show_part, show_parts, show_sheet, show_verdict
from pipelines.design.lineups import short_names
from pipelines.questions.address import write_address
from pipelines.questions.comparison import ComparisonAnswer, KnownComparisonQuestion, answer_comparison
from pipelines.questions.game import GameQuestion
from pipelines.report.compose import compose

if TYPE_CHECKING:
    from pipelines.experiments.comparison import Comparison
    from pipelines.report.sheet import Part, Sheet
    from pipelines.runs.library import Run

ROWS: Final = (("leads", "spread"),)
"""The parts that stand beside each other."""


def compose_shown(answer: ComparisonAnswer) -> Sheet:
    """Return the sheet of a comparison in the looks of the dashboard."""
    return compose(answer, cached.strategy_looks)


def show_preview(comparison: Comparison) -> None:
    """Show what the first blocks of a comparison say, and who leads."""
    sheet = compose_shown(ComparisonAnswer(KnownComparisonQuestion(run=comparison.run), comparison))
    show_verdict(sheet)
    show_parts(sheet.list_parts("main"), ROWS, {})
    show_basis(sheet)


def show_comparison_report(run: Run) -> None:
    """Show the whole report of a finished comparison."""
    question, unread = read_page_question(KnownComparisonQuestion)
    form_address.show_address_problems(unread)
    checks = start_checks(run)
    answer = cached_comparison(*cached.file_version(run), question)
    ask_pair(answer)
    checked = replace(answer.comparison, controls=checks.latest or ())
    sheet = compose_shown(replace(answer, comparison=checked))
    show_checks(checks)
    draw = {"parting": lambda part: _show_parting(answer, part)}
    show_sheet(sheet, rows=ROWS, draw=draw, details_key="statistics")


@st.cache_resource(max_entries=32, show_spinner="Comparing …")
def cached_comparison(path: str, changed: int, question: KnownComparisonQuestion) -> ComparisonAnswer:
    """Return the answer of a finished run without its controls. Run files never change, so it is cached."""
    del changed  # part of the key
    run = cached.dashboard_library().run(path)
    source = replace(cached.question_source(), only=(run,))
    return answer_comparison(question.model_copy(update={"run": run.name}), source, with_controls=False)


def ask_pair(answer: ComparisonAnswer) -> None:
    """Ask for the pair that the parts describe, if there are several, and write it into the address."""
    pairs = answer.comparison.pairs
    if len(pairs) == 1:
        return
    names = short_names(answer.comparison.strategies)
    key = f"pair-{answer.comparison.run}"
    st.selectbox(
        "Pair",
        range(len(pairs)),
        index=answer.pair_number,
        format_func=lambda index: f"{names[pairs[index].a]} against {names[pairs[index].b]}",
        key=key,
        on_change=lambda: st.query_params.update(
            write_address(KnownComparisonQuestion(pair=st.session_state[key]))
        ),
    )


def _show_parting(answer: ComparisonAnswer, part: Part) -> None:
    """Show where two games with the same luck part, with links to their replays."""
    show_part(part)
    if answer.parting is None:
        return
    names, twin, pair = short_names(answer.comparison.strategies), answer.twins[0], answer.pair
    with st.container(horizontal=True):
        for label, game in ((pair.a, twin.game_a), (pair.b, twin.game_b)):
            asked = GameQuestion(run=answer.comparison.run, game=game, ply=answer.parting.ply)
            show_link(asked, f"Replay the game of {names[label]}")
