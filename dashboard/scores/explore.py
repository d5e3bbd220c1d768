"""The view that filters several measures at once: linked histograms, and the selection compared with all other results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.scores.beside_baseline import explain_missing_baseline, scope_baseline
from dashboard.scores.filters import change_question, show_lineups
from dashboard.scores.result_list import show_results
from dashboard.widgets import focus, tables
from dashboard.widgets.baseline import assign_baseline_looks, show_baseline_counts
from dashboard.widgets.form_address import show_address_problems
from dashboard.widgets.labels import read_game_labels, show_label_filter
from dashboard.widgets.linked_histograms import Group, Lines, Measure, Reference, show_linked_histograms
from dashboard.widgets.markdown import escape_markdown
from pipelines.questions.scores import results
from pipelines.questions.scores.question import MAX_SELECTION_CHARACTERS
from pipelines.questions.scores.selection import (
    answer_bins,
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
from pipelines.viewer.palette import mark_baseline, seat_looks

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    _show_histograms(shown, cells, selection, most)
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


def _query_references(shown: ShownScores, cells: ResultCells, most: int | None) -> list[Reference]:
    """Return the outlines of the pinned run: one for each ruleset, or for each strategy of a single ruleset.

    They are those of about `most` results, or of all if it is None.
    """
    pinned = scope_baseline(shown.scope)
    if pinned is None:
        return []
    group, names, looks = _list_lines(pinned, pinned.names | shown.scope.names, shown.looks)
    binned = answer_bins(pinned, shown.source, group, cells, most)
    own = assign_baseline_looks({names[one.member]: looks[one.member] for one in binned})
    return [Reference(names[one.member], one.n, one.shares, own[names[one.member]]) for one in binned]


def _show_references_basis(scope: ScoresScope, references: list[Reference]) -> None:
    """Say what the outlines of the baseline rest on, or why there are none."""
    if not references:
        explain_missing_baseline(scope)
        return
    outside = any(sum(shares) < 1 - 1e-9 for one in references for shares in one.shares.values())
    show_baseline_counts(
        [(one.name, one.n) for one in references],
        " They all count, whatever is selected."
        + (" Results outside of the range of the chosen runs are not drawn." if outside else ""),
    )


def _list_lines(
    scope: ScoresScope, short: Mapping[str, str], looks: Mapping[str, SeriesLook]
) -> tuple[str, list[str], list[SeriesLook]]:
    """Return what the lines of a histogram are, with their names and looks: rulesets, or strategies of a single ruleset.

    `short` holds the short names of the strategies by full name.
    """
    if len(scope.rulesets) > 1:
        names = list(scope.labels.values())
        return results.RULESET, names, list(seat_looks(len(names)).values())
    return (
        results.STRATEGY,
        [short[name] for name in scope.strategies],
        [looks[name] for name in scope.strategies],
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


def _show_histograms(shown: ShownScores, cells: ResultCells, selection: Selection, most: int | None) -> None:
    """Show the linked histograms: a line for each ruleset, or for each strategy of a single ruleset."""
    titles = list_measure_titles(shown.scope)
    references = _query_references(shown, cells, most)
    column, names, looks = _list_lines(shown.scope, shown.scope.names, shown.looks)
    lines: Lines = {
        "column": column,
        "names": [mark_baseline(name, look) for name, look in zip(names, looks, strict=True)],
        "looks": looks,
    }
    selected = {measure: [low, high] for measure, low, high in selection.ranges}
    selected |= {group: list(members) for group, members in selection.groups}
    show_linked_histograms(
        key=_COMPONENT_KEY,
        measures=[Measure(name, titles[name], edges) for name, edges in cells.edges.items()],
        groups=_list_groups(shown.scope, cells),
        lines=lines,
        references=references,
        columns=cells.bins,
        counts=cells.counts,
        selected=selected,
        on_compare=_write_address_selection,
    )
    _show_references_basis(shown.scope, references)


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
