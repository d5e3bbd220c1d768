"""A list of single results with links to the replays of their games, and its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.widgets import tables
from dashboard.widgets.labels import add_label_column
from pipelines.questions.game.question import write_replay_link
from pipelines.report.tables.scores import tabulate_results

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pipelines.notes.store import Labels
    from pipelines.questions.scores.results import SelectedResult
    from pipelines.questions.scores.results_in_range import ResultInRange


def show_results(
    title: str,
    found: Sequence[ResultInRange | SelectedResult],
    labels: Mapping[tuple[str, int], Labels],
    strategies: Collection[str],
    file_name: str,
) -> None:
    """Show results, the highest score first, with the labels of their games; the names of `strategies` become short."""
    found = sorted(found, key=lambda one: -one.score)
    table = tabulate_results(title, found)
    listed = add_label_column(tables.make_frame(table), [(one.run, one.game) for one in found], labels)
    links = [write_replay_link(one.run, one.game) if one.is_logged else "" for one in found]
    tables.show_table(listed, title, table.formats, {"game": links}, strategies=strategies)
    tables.offer_table(listed, title, file_name)
