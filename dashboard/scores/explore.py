"""The view that filters several measures at once: linked histograms, and the selection compared with all other results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.scores.filters import change_question, show_lineups
from dashboard.scores.result_list import show_results
from dashboard.widgets import focus, tables
from dashboard.widgets.form_address import show_address_problems
from dashboard.widgets.labels import read_game_labels, show_label_filter
from dashboard.widgets.linked_histograms import Group, Lines, Measure, show_linked_histograms
from dashboard.widgets.markdown import escape_markdown
from pipelines.questions.scores import results
from pipelines.questions.scores.question import MAX_SELECTION_CHARACTERS
from pipelines.questions.scores.selection import (
    answer_cells,
    answer_number_of_results,
    answer_selected_results,
    answer_selection,
    list_measure_titles,
    read_selection,
)
from pipelines.report import wording
from pipelines.report.sentences.selection import (
    NOTHING_SELECTED,
    describe_selection,
    describe_selection_tests,
)
from pipelines.report.tables.scores import tabulate_selection
from pipelines.viewer.palette import seat_looks

if TYPE_CHECKING:
    from dashboard.scores.filters import ShownScores
    from pipelines.questions.scores.results import ResultCells, Selection
    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.viewer.palette import SeriesLook

MAX_RESULTS_LISTED: Final = 50
REPORT_KEY: Final = "selection-report"
_COMPONENT_KEY: Final = "linked-histograms"


def show_linked_view(shown: ShownScores) -> None:
    """Show the linked histograms, and the report on the selection that the address names."""
    scope = shown.scope
    if len({one.game for one in scope.rulesets}) > 1:
        st.info("Choose rulesets of one game: the points of different games have nothing in common.")
        return
    most = _ask_sample_size(shown)
    selection, problems = read_selection(shown.question, scope)
    with st.spinner("Reading the results …"):
        cells = answer_cells(scope, shown.source, most, selection)
    if not len(cells.counts):
        st.info("No games match these filters. Remove a filter to see more.")
        return
    show_address_problems(problems)
    _show_histograms(shown, cells, selection)
    show_lineups(shown)
    st.caption(
        "Drag across a chart, choose a bin, or move its two handles: all other charts then show the selected results only. "
        "Filled: share of the selected results in each bin; thin line: of all that are drawn. Margin: the distance to the best "
        "other score, positive if ahead."
    )
    if selection.ranges or selection.groups:
        with st.container(key=REPORT_KEY):
            _show_report(shown, selection)
    focus.show_when_requested(REPORT_KEY)


def _ask_sample_size(shown: ShownScores) -> int | None:
    """Return about how many results to draw; None for all, which is the answer unless there are very many."""
    every = answer_number_of_results(shown.scope, shown.source)
    if every <= results.MAX_CELLS:
        return None
    st.session_state["every"] = shown.question.every == "true"
    everything = st.toggle(
        f"Draw all {every:,} results",
        key="every",
        on_change=lambda: change_question(every="true" if st.session_state["every"] else "false"),
        help=f"Otherwise about {results.MAX_CELLS:,} are drawn at once: those of the first games of each run, which are "
        "a sample, because every block of games has luck of its own. A comparison always counts all results.",
    )
    return None if everything else results.MAX_CELLS


def _list_lines(shown: ShownScores) -> tuple[str, list[str], list[SeriesLook]]:
    """Return what the lines of a histogram are, with their names and looks: rulesets, or strategies of a single ruleset."""
    scope = shown.scope
    if len(scope.rulesets) > 1:
        names = list(scope.labels.values())
        return results.RULESET, names, list(seat_looks(len(names)).values())
    return (
        results.STRATEGY,
        [scope.names[name] for name in scope.strategies],
        [shown.looks[name] for name in scope.strategies],
    )


def _list_groups(scope: ScoresScope, cells: ResultCells) -> list[Group]:
    """Return the groups that have more than one member."""
    seats = int(cells.bins[results.SEAT].max()) + 1
    groups = [
        Group(results.RULESET, "Ruleset", list(scope.labels.values())),
        Group(results.STRATEGY, "Strategy", list(scope.names.values())),
        Group(results.SEAT, "Player", [wording.format_player(seat) for seat in range(seats)]),
    ]
    return [group for group in groups if len(group.names) > 1]


def _show_histograms(shown: ShownScores, cells: ResultCells, selection: Selection) -> None:
    """Show the linked histograms: a line for each ruleset, or for each strategy of a single ruleset."""
    titles = list_measure_titles(shown.scope)
    column, names, looks = _list_lines(shown)
    lines: Lines = {"column": column, "names": names, "looks": looks}
    selected = {measure: [low, high] for measure, low, high in selection.ranges}
    selected |= {group: list(members) for group, members in selection.groups}
    show_linked_histograms(
        key=_COMPONENT_KEY,
        measures=[Measure(name, titles[name], edges) for name, edges in cells.edges.items()],
        groups=_list_groups(shown.scope, cells),
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


def _show_report(shown: ShownScores, selection: Selection) -> None:
    """Show how the selected results differ from all others, and list the first of them."""
    st.header("The selection and all other results")
    st.markdown(escape_markdown(describe_selection(selection, shown.scope)))
    with st.spinner("Comparing …"):
        report = answer_selection(shown.question, shown.scope, shown.source).report
    if not report.selected:
        st.caption(NOTHING_SELECTED)
        return
    st.markdown(
        f"**{wording.format_count(report.selected, 'selected result')}**, "
        f"{wording.format_count(report.others, 'other result')}."
    )
    frame = tables.show_report_table(tabulate_selection(report, list_measure_titles(shown.scope)))
    st.caption(describe_selection_tests(report))
    tables.offer_table(frame, "The selection and all other results", "selection")
    _list_selected_results(shown, selection)


def _list_selected_results(shown: ShownScores, selection: Selection) -> None:
    """List the first selected results with links to their replays, or those of games with the labels that are chosen."""
    heading = st.empty()
    labels = read_game_labels(shown.scope.runs)
    wanted = show_label_filter(labels.values(), "selected-tags", "selected-favourites")
    tagged = tuple(game for game, held in labels.items() if wanted.fits(held)) if wanted else None
    found = answer_selected_results(shown.scope, shown.source, selection, MAX_RESULTS_LISTED, tagged)
    if not found:
        st.caption("No selected result is of a game with these labels.")
        return
    heading.subheader(f"The first {wording.format_count(len(found), 'selected result')}")
    show_results("The selected results", found, labels, shown.scope.strategies, "selected-results")
