"""The page Games: the hall of fame of the library, and the games that come first in an order.

The address is a question of `pipelines.questions.games`: the order (`sort`, `lowest`) and which games count.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cached
from dashboard.games import RECORDS_IN_A_ROW, ask_games, show_records
from dashboard.widgets.address import invite_to_simulate, read_page_question, show_address_problems
from dashboard.widgets.labels import add_part_labels, read_game_labels, show_label_filter
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.sheet import offer_sheet, show_basis, show_parts, show_verdict
from engine.errors import GameError
from pipelines.design.limits import LISTED_GAMES
from pipelines.questions.games import GamesQuestion, iter_records
from pipelines.report.compose import compose
from pipelines.report.table import Table

if TYPE_CHECKING:
    from pipelines.questions.games import GamesAnswer
    from pipelines.report.sheet import Sheet

st.title("Games")
runs = {run.name: run for run in cached.all_runs()}
if not runs:
    invite_to_simulate()
    st.stop()
question, problems = read_page_question(GamesQuestion)
show_address_problems(problems)
labels = read_game_labels(runs.values())
with ask_games(question, runs):
    wanted = show_label_filter(labels.values(), "list-tags", "list-favourites")
tagged = {place for place, held in labels.items() if wanted.fits(held)} if wanted else None
source = cached.question_source()
asked = question.model_copy(update={"most": LISTED_GAMES.most})
try:
    answer = cached.list_games(asked, source, only=tagged)
    records = tuple(iter_records(answer, lambda one: cached.list_games(one, source)))
except GameError as error:
    st.error(escape_markdown(str(error)))
    st.stop()
if len(answer.by_game) > 1:
    firsts = {name: found[: LISTED_GAMES.default] for name, found in answer.by_game.items()}
    answer = replace(answer, by_game=firsts)


def compose_labelled(answer: GamesAnswer) -> Sheet:
    """Return the sheet of an answer, whose list of games has the labels of their notes."""
    sheet = compose(answer, cached.strategy_looks)
    places = [(game.run, game.game_id) for game in answer.games]
    return replace(
        sheet,
        parts=tuple(
            add_part_labels(part, places, labels) if part.key == "games" else part for part in sheet.parts
        ),
    )


answer = replace(answer, records=records)
sheet = compose_labelled(answer)
show_verdict(sheet)
show_basis(sheet)
tiles = next((part.content for part in sheet.parts if part.key == "records"), None)
if isinstance(tiles, Table):
    st.subheader(tiles.title, anchor=False)
    show_records(answer, tiles, 0, runs.values())
show_parts(sheet.list_parts("main"), (), {})
if isinstance(tiles, Table) and answer.records[RECORDS_IN_A_ROW:] and len(answer.by_game) == 1:
    st.subheader("More records", anchor=False)
    show_records(answer, tiles, RECORDS_IN_A_ROW, runs.values())
offer_sheet(sheet)
