"""What a note shows of its answer: the board that it is about, or the chart without the texts, and the sentence."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple

import streamlit as st

from dashboard.queries import cached
from dashboard.queries.verdicts import read_listed_sheet
from dashboard.widgets.board import last_position, read_position, show_board
from engine import games
from pipelines.play.hand_game import continue_game
from pipelines.questions.comparison import KnownComparisonQuestion
from pipelines.questions.every_question import read_question
from pipelines.questions.game import START_PLY, GameQuestion
from pipelines.questions.hand_game import HandGameQuestion, prepare_hand_game
from pipelines.questions.rules import RulesetQuestion
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.simulation import SimulationQuestion
from pipelines.questions.whatif import WhatifQuestion
from pipelines.report.charts import Histogram, Intervals
from pipelines.report.compose import compose
from pipelines.report.show.svg import draw_thumbnail

if TYPE_CHECKING:
    from engine.scene import Scene
    from pipelines.questions.address import Address

BOARD_HEIGHT_PX: Final = 104
UNREADABLE: Final = (*cached.QUERY_ERRORS, OSError, cached.PreparationError)
"""Why a note has no picture now. The page to which it leads says what is wrong."""


class ChartAnswer(NamedTuple):
    """The chart of an answer, and the sentence above it."""

    chart: Histogram | Intervals
    sentence: str


def show_note_picture(note_id: str, title: str, page: str, address: Address) -> str:
    """Show the picture of what an address leads to, and return the sentence of its answer.

    Without a picture, or if it cannot be read, it shows nothing; without a sentence, the text is empty.
    """
    try:
        scene = _find_scene(page, address)
        answer = None if scene else _find_answer(page, address)
    except UNREADABLE:
        return ""
    drawing = draw_thumbnail(answer.chart) if answer else ""
    if scene or drawing:
        _show_picture(note_id, title, scene, drawing)
    return answer.sentence if answer else ""


def _show_picture(note_id: str, title: str, scene: Scene | None, drawing: str) -> None:
    with st.container(key=f"note-picture-{note_id}"):
        if scene:
            show_board(scene, key=f"picture-{note_id}", label=f"{title}:", size=BOARD_HEIGHT_PX)
        else:
            data = b64encode(drawing.encode()).decode()
            st.html(f'<img alt="{escape(f"{title}: the chart")}" src="data:image/svg+xml;base64,{data}">')


def _find_scene(page: str, address: Address) -> Scene | None:
    """Return the position or the empty board that an address leads to; None if it leads to no board.

    Raises a GameError if the game or the ruleset cannot be read.
    """
    library, question = cached.dashboard_library(), read_question(page, address).question
    match question:
        case (
            GameQuestion(run=name, game=number, ply=ply) | WhatifQuestion(run=name, game=number, ply=ply)
        ) if name:
            return read_position(library.run(name), number, None if ply == START_PLY else ply)
        case HandGameQuestion(seats=text) if text:
            game = continue_game(prepare_hand_game(question, library), question.moves)
            ruleset = game.setup.ruleset
            return last_position(games.find_game(ruleset.game).scene(ruleset, game.actions))
        case RulesetQuestion(ruleset=name) | SimulationQuestion(ruleset=name) if (
            name in library.catalogue.rulesets
        ):
            return last_position(cached.printed_components(library.catalogue.rulesets[name])[0])
    return None


def _find_answer(page: str, address: Address) -> ChartAnswer | None:
    """Return the answer of a comparison or of a distribution of scores; None for other questions.

    Raises one of the errors of `UNREADABLE` if the runs cannot be read now.
    """
    match read_question(page, address).question:
        case KnownComparisonQuestion() as question:
            run = cached.dashboard_library().run(question.run)
            sheet = read_listed_sheet(run, question.metric)
            if sheet:
                chart = sheet.parts[0].content
                if isinstance(chart, Intervals):
                    return ChartAnswer(chart, sheet.verdict)
        case ScoresQuestion(view="Scores") as question:
            sheet = compose(answer_scores(question, cached.question_source()), cached.strategy_looks)
            for spread in sheet.list_contents(Histogram):
                return ChartAnswer(spread, sheet.verdict)
    return None
