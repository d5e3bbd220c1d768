"""The list of the games that come first in an order; a row leads to the replay of its game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.widgets import tables
from dashboard.widgets.labels import add_label_column
from pipelines.questions.game.question import write_replay_link
from pipelines.report.tables.games import tabulate_games

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.notes.store import Labels
    from pipelines.questions.games.answer import GamesAnswer


def show_game_list(answer: GamesAnswer, labels: Mapping[tuple[str, int], Labels]) -> None:
    """Show the games of an answer with the labels of their notes."""
    table = tabulate_games(answer)
    shown = add_label_column(
        tables.make_frame(table), [(game.run, game.game_id) for game in answer.games], labels
    )
    links = [
        write_replay_link(game.run, game.game_id, game.ply) if game.is_logged else "" for game in answer.games
    ]
    sentences = ["The first ones of each game."] if len(answer.by_game) > 1 else []
    sentences += [tables.CHOOSE_A_ROW] if any(links) else []
    sentences += [] if all(links) else ["Games whose moves were not logged cannot be replayed."]
    st.caption(" ".join(sentences))
    tables.show_table(shown, table.title, table.formats, {table.columns[0]: links})
    tables.offer_table(shown, table.title, "games")
