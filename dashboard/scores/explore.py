"""The view that filters several measures at once: linked histograms, and the selection compared with all other results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard.queries import cached, results
from dashboard.queries.results import ResultQuestion, Selection
from dashboard.scores.beside_baseline import explain_missing_baseline, filter_baseline
from dashboard.widgets import focus, tables
from dashboard.widgets.baseline import assign_baseline_looks, show_baseline_counts
from dashboard.widgets.labels import add_label_column, read_game_labels, show_label_filter
from dashboard.widgets.linked_histograms import Group, Lines, Measure, Reference, show_linked_histograms
from dashboard.widgets.markdown import escape_markdown
from pipelines.design.short_names import short_names
from pipelines.report import wording
from pipelines.report.estimates import format_interval
from pipelines.statistics.rounding import set_minus_signs
from pipelines.viewer.palette import mark_baseline, seat_looks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.queries.results import ResultCells, SelectionReport
    from dashboard.scores.filters import ResultFilters
    from pipelines.viewer.palette import SeriesLook

SELECTION_KEY: Final = "select"
"""Key of the selection in the address: JSON, by measure its lowest and highest value, by group its members."""
MAX_SELECTION_CHARACTERS: Final = 2000
MAX_RESULTS_LISTED: Final = 50
MAX_VALUE: Final = 2**31
REPORT_KEY: Final = "selection-report"
_COMPONENT_KEY: Final = "linked-histograms"


def show_linked_view(filters: ResultFilters) -> None:
    """Show the linked histograms, and the report on the selection that the address names."""
    if len({one.game for one in filters.rulesets}) > 1:
        st.info("Choose rulesets of one game: the points of different games have nothing in common.")
        return
    question = _ask_results(filters)
    most = _ask_sample_size(filters, question)
    with st.spinner("Reading the results …"):
        cells = cached.query_runs(results.count_result_cells, filters.runs, question._replace(most=most))
    if not len(cells.counts):
        st.info("No games match these filters. Remove a filter to see more.")
        return
    titles = _measure_titles(filters)
    groups = _list_groups(filters, cells)
    selection = _read_address_selection(question, groups)
    _show_histograms(filters, cells, groups, selection, most)
    st.caption(
        "Drag across a chart, click a bin, or move its two handles: all other charts then show the selected results only. "
        "Filled: share of the selected results in each bin; thin line: of all that are drawn. Margin: the distance to the best "
        "other score, positive if ahead."
    )
    if selection.ranges or selection.groups:
        with st.container(key=REPORT_KEY):
            _show_report(filters, question, selection, titles)
    focus.show_when_requested(REPORT_KEY)


def _ask_results(filters: ResultFilters) -> ResultQuestion:
    return ResultQuestion(
        filters.hashes, tuple(filters.strategies), filters.seats, tuple(filters.part_titles)
    )


def _ask_sample_size(filters: ResultFilters, question: ResultQuestion) -> int | None:
    """Return about how many results to draw; None for all, which is the answer unless there are very many."""
    every = cached.query_runs(results.count_results, filters.runs, question)
    if every <= results.MAX_CELLS:
        return None
    everything = st.toggle(
        f"Draw all {every:,} results",
        key="every",
        bind="query-params",
        help=f"Otherwise about {results.MAX_CELLS:,} are drawn at once: those of the first games of each run, which are "
        "a sample, because every block of games has luck of its own. A comparison always counts all results.",
    )
    return None if everything else results.MAX_CELLS


def _query_references(filters: ResultFilters, cells: ResultCells, most: int | None) -> list[Reference]:
    """Return the outlines of the pinned run: one for each ruleset, or for each strategy of a single ruleset.

    They are those of about `most` results, or of all if it is None.
    """
    pinned = filter_baseline(filters)
    if pinned is None:
        return []
    edges = tuple((measure, tuple(ends.tolist())) for measure, ends in cells.edges.items())
    group, names, looks = _list_lines(pinned, pinned.names | filters.names)
    question = _ask_results(pinned)._replace(most=most)
    binned = cached.query_runs(results.bin_results, pinned.runs, question, group, edges)
    own = assign_baseline_looks({names[one.member]: looks[one.member] for one in binned})
    return [Reference(names[one.member], one.n, one.shares, own[names[one.member]]) for one in binned]


def _show_references_basis(filters: ResultFilters, references: list[Reference]) -> None:
    """Say what the outlines of the baseline rest on, or why there are none."""
    if not references:
        explain_missing_baseline(filters)
        return
    outside = any(sum(shares) < 1 - 1e-9 for one in references for shares in one.shares.values())
    show_baseline_counts(
        [(one.name, one.n) for one in references],
        " They all count, whatever is selected."
        + (" Results outside of the range of the chosen runs are not drawn." if outside else ""),
    )


def _list_lines(filters: ResultFilters, short: Mapping[str, str]) -> tuple[str, list[str], list[SeriesLook]]:
    """Return what the lines of a histogram are, with their names and looks: rulesets, or strategies of a single ruleset.

    `short` holds the short names of the strategies by full name.
    """
    if len(filters.rulesets) > 1:
        names = list(filters.labels.values())
        return results.RULESET, names, list(seat_looks(len(names)).values())
    looks = [filters.looks[name] for name in filters.strategies]
    return results.STRATEGY, [short[name] for name in filters.strategies], looks


def _measure_titles(filters: ResultFilters) -> dict[str, str]:
    """Return the titles of all measures by name, in the order of the charts."""
    parts = {results.PART_PREFIX + part: title for part, title in filters.part_titles.items()}
    return {
        results.SCORE: "Score",
        results.MARGIN: "Margin",
        results.ROUNDS: "Length in rounds",
        **parts,
        results.WON: "Share of games won",
    }


def _list_groups(filters: ResultFilters, cells: ResultCells) -> list[Group]:
    """Return the groups that have more than one member."""
    seats = int(cells.bins[results.SEAT].max()) + 1
    groups = [
        Group(results.RULESET, "Ruleset", list(filters.labels.values())),
        Group(results.STRATEGY, "Strategy", list(filters.names.values())),
        Group(results.SEAT, "Player", [wording.format_player(seat) for seat in range(seats)]),
    ]
    return [group for group in groups if len(group.names) > 1]


def _show_histograms(
    filters: ResultFilters,
    cells: ResultCells,
    groups: list[Group],
    selection: Selection,
    most: int | None,
) -> None:
    """Show the linked histograms: a line for each ruleset, or for each strategy of a single ruleset."""
    titles = _measure_titles(filters)
    references = _query_references(filters, cells, most)
    column, names, looks = _list_lines(filters, filters.names)
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
        groups=groups,
        lines=lines,
        references=references,
        columns=cells.bins,
        counts=cells.counts,
        selected=selected,
        on_compare=_write_address_selection,
    )
    _show_references_basis(filters, references)


def _write_address_selection() -> None:
    """Write the selection that the visitor wants to compare into the address, and bring the report into view."""
    wanted = (st.session_state.get(_COMPONENT_KEY) or {}).get("compare")
    if isinstance(wanted, str) and len(wanted) <= MAX_SELECTION_CHARACTERS:
        st.query_params[SELECTION_KEY] = wanted
        focus.request_focus(REPORT_KEY)


def _read_address_selection(question: ResultQuestion, groups: list[Group]) -> Selection:
    """Return the selection in the address; what it names that does not exist is ignored."""
    text = st.query_params.get(SELECTION_KEY, "")
    try:
        document: Any = json.loads(text) if 0 < len(text) <= MAX_SELECTION_CHARACTERS else {}
    except (ValueError, RecursionError):
        document = {}
    if not isinstance(document, dict):
        return Selection()
    held = {
        key: tuple(values)
        for key, values in document.items()
        if isinstance(values, list)
        and all(type(value) is int and abs(value) <= MAX_VALUE for value in values)
    }
    ranges = [(measure, *held[measure]) for measure in question.measures if len(held.get(measure, ())) == 2]
    members = [
        (group.key, tuple(value for value in held[group.key] if 0 <= value < len(group.names)))
        for group in groups
        if group.key in held
    ]
    return Selection(tuple(ranges), tuple((key, chosen) for key, chosen in members if chosen))


def _show_report(
    filters: ResultFilters, question: ResultQuestion, selection: Selection, titles: dict[str, str]
) -> None:
    """Show how the selected results differ from all others, and list the first of them."""
    st.header("The selection and all other results")
    st.markdown(escape_markdown(describe_selection(selection, question, filters.labels, titles)))
    with st.spinner("Comparing …"):
        report = cached.query_runs(results.selected_differences, filters.runs, question, selection)
    if not report.selected:
        st.caption("No result is selected.")
        return
    st.markdown(
        f"**{wording.format_count(report.selected, 'selected result')}**, "
        f"{wording.format_count(report.others, 'other result')}."
    )
    table = differences_table(report, titles)
    tables.show_table(table, "The selected results and all others", {"selected": ".2f", "others": ".2f"})
    st.caption(
        "Difference: the mean of the selected results minus that of all others, with its 95 % interval. p: of the test that "
        f"there is no difference, corrected for {wording.format_count(len(report.differences), 'measure')} (Holm). Intervals and "
        "tests count blocks, because the games of a block share their luck. A difference shows what goes together, not "
        "what causes it."
    )
    tables.show_table_downloads(table, "selection")
    _list_selected_results(filters, question, selection)


def describe_selection(
    selection: Selection, question: ResultQuestion, labels: dict[str, str], titles: dict[str, str]
) -> str:
    """Return the selection in words."""
    said = [
        f"{titles[measure]} from {set_minus_signs(f'{low:,} to {high:,}')}"
        for measure, low, high in selection.ranges
    ]
    names = {
        results.STRATEGY: list(short_names(question.strategies).values()),
        results.RULESET: [labels[sha256] for sha256 in question.rulesets],
    }
    for group, members in selection.groups:
        chosen = [
            names[group][member] if group in names else wording.format_player(member) for member in members
        ]
        said.append(" or ".join(chosen))
    return f"Selected: {'; '.join(said)}."


def differences_table(report: SelectionReport, titles: dict[str, str]) -> pd.DataFrame:
    """Return a row for each measure, the clearest differences first."""
    rows = sorted(report.differences, key=lambda row: row.corrected_p)
    return pd.DataFrame(
        [
            {
                "measure": titles[row.measure],
                "selected": row.selected_mean,
                "others": row.other_mean,
                "difference (95 %)": format_interval(
                    row.difference and row.difference.difference, signed=True
                ),
                "p": "< 0.001" if row.corrected_p < 0.001 else f"{row.corrected_p:.3f}",
                "blocks": row.difference.blocks if row.difference else None,
            }
            for row in rows
        ]
    )


def _list_selected_results(filters: ResultFilters, question: ResultQuestion, selection: Selection) -> None:
    """List the first selected results with links to their replays, or those of games with the labels that are chosen."""
    heading = st.empty()
    labels = read_game_labels(filters.runs)
    wanted = show_label_filter(labels.values(), "selected-tags", "selected-favourites")
    tagged = tuple(game for game, held in labels.items() if wanted.fits(held)) if wanted else None
    found = cached.query_runs(
        results.selected_results, filters.runs, question, selection, MAX_RESULTS_LISTED, tagged
    )
    if not found:
        st.caption("No selected result is of a game with these labels.")
        return
    heading.subheader(f"The first {wording.format_count(len(found), 'selected result')}")
    listed = pd.DataFrame(
        [
            {
                "run": one.run,
                "game": one.game,
                "player": one.seat + 1,
                "strategy": one.strategy,
                "score": one.score,
                "margin": one.margin,
            }
            for one in found
        ]
    )
    listed = add_label_column(listed, [(one.run, one.game) for one in found], labels)
    addresses = [
        f"replay?{urlencode({'run': one.run, 'game': one.game})}" if one.is_logged else "" for one in found
    ]
    tables.show_table(
        listed, "The selected results", {"game": "d"}, {"game": addresses}, strategies=filters.strategies
    )
    tables.show_table_downloads(listed, "selected-results")
