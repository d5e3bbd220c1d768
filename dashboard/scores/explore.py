"""The view that filters several measures at once: linked histograms, and the selection compared with all other results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.scores.question import change_question
from dashboard.scores.result_list import show_results
from dashboard.widgets import focus
from dashboard.widgets.linked_histograms import Group, Lines, Measure, show_linked_histograms
from dashboard.widgets.sheet import show_basis, show_part, show_verdict
from pipelines.questions.scores import selection
from pipelines.questions.scores.question import MAX_SELECTION_CHARACTERS
from pipelines.questions.scores.selection import (
    MAX_RESULTS_LISTED,
    answer_selected_results,
    list_measure_titles,
)
from pipelines.report.wording import format_player
from pipelines.viewer.palette import seat_looks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.questions.scores.selection import SelectionAnswer
    from pipelines.questions.source import QuestionSource
    from pipelines.report.sheet import Part, Sheet
    from pipelines.viewer.palette import SeriesLook

REPORT_KEY: Final = "selection-report"
_COMPONENT_KEY: Final = "linked-histograms"


def show_linked_view(
    sheet: Sheet, answer: SelectionAnswer, source: QuestionSource, looks: Mapping[str, SeriesLook]
) -> None:
    """Show the linked histograms in place of those of the sheet, then what it says of the selection."""
    if answer.results:
        _ask_sample_size(answer)
        _show_histograms(answer, looks)
        st.caption(
            "Drag across a chart, choose a bin, or move its two handles: all other charts then show the selected results only. "
            "Filled: share of the selected results in each bin; thin line: of all that are drawn. Margin: the distance to the best "
            "other score, positive if ahead."
        )
    with st.container(key=REPORT_KEY):
        show_verdict(sheet)
        show_basis(sheet)
        for part in sheet.parts:
            if part.key == "selection":
                show_part(part)
            elif part.key == "results":
                _list_selected_results(part, answer, source)
    focus.show_when_requested(REPORT_KEY)


def _ask_sample_size(answer: SelectionAnswer) -> None:
    """Offer to draw all results, if there are very many."""
    if answer.results <= selection.MAX_CELLS:
        return
    st.session_state["every"] = answer.question.every == "true"
    st.toggle(
        f"Draw all {answer.results:,} results",
        key="every",
        on_change=lambda: change_question(every="true" if st.session_state["every"] else "false"),
        help=f"Otherwise about {selection.MAX_CELLS:,} are drawn at once: those of the first games of each run, which are "
        "a sample, because every block of games has luck of its own. A comparison always counts all results.",
    )


def _list_groups(answer: SelectionAnswer) -> list[Group]:
    """Return the groups that have more than one member."""
    scope, seats = answer.scope, int(answer.cells.bins[selection.SEAT].max()) + 1
    groups = [
        Group(selection.RULESET, "Ruleset", list(scope.labels.values())),
        Group(selection.STRATEGY, "Strategy", list(scope.names.values())),
        Group(selection.SEAT, "Player", [format_player(seat) for seat in range(seats)]),
    ]
    return [group for group in groups if len(group.names) > 1]


def _show_histograms(answer: SelectionAnswer, looks: Mapping[str, SeriesLook]) -> None:
    """Show the linked histograms: a line for each ruleset, or for each strategy of a single ruleset."""
    scope, cells = answer.scope, answer.cells
    is_of_rulesets = len(scope.rulesets) > 1
    lines: Lines = {
        "column": selection.RULESET if is_of_rulesets else selection.STRATEGY,
        "names": list((scope.labels if is_of_rulesets else scope.names).values()),
        "looks": list(seat_looks(len(scope.rulesets)).values())
        if is_of_rulesets
        else [looks[name] for name in scope.strategies],
    }
    titles = list_measure_titles(scope)
    selected = {measure: [low, high] for measure, low, high in answer.selection.ranges}
    selected |= {group: list(members) for group, members in answer.selection.groups}
    show_linked_histograms(
        key=_COMPONENT_KEY,
        measures=[Measure(name, titles[name], edges) for name, edges in cells.edges.items()],
        groups=_list_groups(answer),
        lines=lines,
        columns=cells.bins,
        counts=cells.counts,
        selected=selected,
        on_compare=_write_address_selection,
    )


def _write_address_selection() -> None:
    """Write the selection that the visitor wants to compare into the address, and bring the report into view."""
    wanted = (st.session_state.get(_COMPONENT_KEY) or {}).get("compare")
    if isinstance(wanted, str) and len(wanted) <= MAX_SELECTION_CHARACTERS:
        change_question(select=wanted)
        focus.request_focus(REPORT_KEY)


def _list_selected_results(part: Part, answer: SelectionAnswer, source: QuestionSource) -> None:
    """List the first selected results with links to their replays."""

    def find_tagged(games: tuple[tuple[str, int], ...]) -> list[selection.SelectedResult]:
        return answer_selected_results(answer.scope, source, answer.selection, MAX_RESULTS_LISTED, games)

    show_results(part, answer.selected, answer.scope, "selected", find_tagged)
