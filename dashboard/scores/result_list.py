"""A list of single results with links to the replays of their games, and a filter by the labels of the games."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.widgets import tables
from dashboard.widgets.labels import add_label_column, read_game_labels, show_label_filter
from dashboard.widgets.markdown import escape_markdown
from pipelines.questions.game import write_replay_link
from pipelines.report import wording
from pipelines.report.score_tables import tabulate_results

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipelines.questions.scores.distributions import ResultInRange
    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.questions.scores.selection import SelectedResult
    from pipelines.report.sheet import Part


def show_results(
    part: Part,
    found: Sequence[ResultInRange | SelectedResult],
    scope: ScoresScope,
    key: str,
    find_tagged: Callable[[tuple[tuple[str, int], ...]], Sequence[ResultInRange | SelectedResult] | None],
) -> None:
    """Show the results of a part, which are `found`; a row leads to the replay of its game.

    `key` begins the fields of the address that hold the chosen labels. `find_tagged` returns the results of some games only.
    """
    st.subheader(escape_markdown(part.title), anchor=False)
    labels = read_game_labels(scope.runs)
    wanted = show_label_filter(labels.values(), f"{key}-tags", f"{key}-favourites")
    if wanted:
        found = find_tagged(tuple(game for game, held in labels.items() if wanted.fits(held))) or ()
    if not found:
        st.caption("No result in this list is of a game with these labels.")
        return
    is_logged = any(one.is_logged for one in found)
    st.caption(tables.CHOOSE_A_ROW if is_logged else "Their plies were not logged.")
    table = tabulate_results(part.title, found)
    ordered = sorted(found, key=lambda one: -one.score)
    listed = add_label_column(tables.make_frame(table), [(one.run, one.game) for one in ordered], labels)
    links = [write_replay_link(one.run, one.game) if one.is_logged else "" for one in ordered]
    tables.show_table(listed, part.title, table.formats, {"game": links}, strategies=scope.strategies)
    counted = f"{wording.format_count(len(found), 'result')}." if wanted else part.caption
    if counted:
        st.caption(counted)
