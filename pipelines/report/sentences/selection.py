"""The sentences on a selection of results and its comparison with all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.questions.scores import results
from pipelines.questions.scores.selection import list_measure_titles
from pipelines.report import wording
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from pipelines.questions.scores.results import Selection, SelectionReport
    from pipelines.questions.scores.scope import ScoresScope


NOTHING_SELECTED: Final = "No result is selected."


def describe_selection(selection: Selection, scope: ScoresScope) -> str:
    """Return the selection in words."""
    titles = list_measure_titles(scope)
    said = [
        f"{titles[measure]} from {set_minus_signs(f'{low:,} to {high:,}')}"
        for measure, low, high in selection.ranges
    ]
    names = {results.STRATEGY: list(scope.names.values()), results.RULESET: list(scope.labels.values())}
    for group, members in selection.groups:
        chosen = [
            names[group][member] if group in names else wording.format_player(member) for member in members
        ]
        said.append(" or ".join(chosen))
    return f"Selected: {'; '.join(said)}."


def describe_selection_tests(report: SelectionReport) -> str:
    """Return what the differences between the selected results and all others mean."""
    return (
        "Difference: the mean of the selected results minus that of all others, with its 95 % interval. p: of the test that "
        f"there is no difference, corrected for {wording.format_count(len(report.differences), 'measure')} (Holm). Intervals and "
        "tests count blocks, because the games of a block share their luck. A difference shows what goes together, not "
        "what causes it."
    )
