"""The page Games: the hall of fame of the library, and the games that come first in an order.

The address is a question of `pipelines.questions.games`: the order (`sort`, `lowest`) and which games count.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dashboard.games.form import ask_games
from dashboard.games.game_list import show_game_list
from dashboard.games.records import (
    RECORDS,
    RECORDS_IN_A_ROW,
    show_first_games,
    show_records,
)
from dashboard.queries import cached
from dashboard.widgets.address import invite_to_simulate, read_page_question
from dashboard.widgets.form_address import show_address_problems
from dashboard.widgets.labels import read_game_labels, show_label_filter
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.design.number_limits import LISTED_GAMES
from pipelines.questions.games.question import GamesQuestion
from pipelines.report.sentences.games import describe_games

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
except GameError as error:
    st.error(escape_markdown(str(error)))
    st.stop()
st.markdown(f"**{escape_markdown(describe_games(answer))}**")
for sentence in answer.basis.left_out:
    st.caption(sentence)
if answer.games:
    is_mixed = len(answer.by_game) > 1
    if is_mixed:
        show_first_games(answer, runs.values())
        firsts = {name: found[: LISTED_GAMES.default] for name, found in answer.by_game.items()}
        answer = replace(answer, by_game=firsts)
    else:
        show_records(question, source, RECORDS[:RECORDS_IN_A_ROW], runs.values())
    st.header("The games")
    show_game_list(answer, labels)
    if not is_mixed:
        st.header("More records")
        show_records(question, source, RECORDS[RECORDS_IN_A_ROW:], runs.values())
