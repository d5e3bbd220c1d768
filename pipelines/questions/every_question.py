"""All classes of questions, the one that an address asks, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine.errors import unknown_name_error
from pipelines.questions import whatif
from pipelines.questions.address import (
    Address,
    Question,
    list_keys,
    nothing_asked_error,
    read_fields,
    shorten_value,
)
from pipelines.questions.card import CardQuestion, answer_card
from pipelines.questions.comparison import KnownComparisonQuestion, NewComparisonQuestion, answer_comparison
from pipelines.questions.game import GameQuestion, answer_game
from pipelines.questions.games import GamesQuestion, answer_games_with_records
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.openings import OpeningsQuestion, answer_openings
from pipelines.questions.rule_effect import RuleEffectQuestion, answer_rule_effect
from pipelines.questions.rules import RulesQuestion, answer_rules
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.simulation import SimulationQuestion
from pipelines.questions.sql import SqlQuestion, answer_sql

if TYPE_CHECKING:
    from pipelines.questions.source import QuestionSource

QUESTIONS: Final[tuple[type[Question], ...]] = (
    CardQuestion,
    GameQuestion,
    GamesQuestion,
    HandGameQuestion,
    KnownComparisonQuestion,
    whatif.ManyGamesQuestion,
    NewComparisonQuestion,
    OpeningsQuestion,
    RuleEffectQuestion,
    RulesQuestion,
    whatif.SavedWhatifQuestion,
    ScoresQuestion,
    SimulationQuestion,
    SqlQuestion,
    whatif.WhatifQuestion,
)
QUESTIONS_OF_PAGES: Final[Mapping[str, tuple[type[Question], ...]]] = {
    page: tuple(sorted((kind for kind in QUESTIONS if kind.page == page), key=lambda kind: not kind.marks))
    for page in sorted({kind.page for kind in QUESTIONS})
}
"""Of several questions of one page, those with `marks` come first."""

ANSWERS: Final[Mapping[type[Question], Callable[..., Any]]] = {
    CardQuestion: answer_card,
    GameQuestion: answer_game,
    GamesQuestion: answer_games_with_records,
    KnownComparisonQuestion: answer_comparison,
    whatif.ManyGamesQuestion: whatif.answer_many_games,
    OpeningsQuestion: answer_openings,
    RuleEffectQuestion: answer_rule_effect,
    RulesQuestion: answer_rules,
    whatif.SavedWhatifQuestion: lambda question, source: whatif.answer_saved_whatif(
        source.find_run(question.run), source
    ),
    ScoresQuestion: answer_scores,
    SqlQuestion: answer_sql,
    whatif.WhatifQuestion: whatif.answer_whatif,
}
"""The function that answers each class of questions, asked with the question and a source."""


class Reading(NamedTuple):
    """What an address asks, and what is wrong with it."""

    question: Question
    problems: tuple[str, ...]
    """A sentence on each text that does not fit and on each key that the question does not have."""


_KEYS_OF_ONE_GAME: Final = frozenset(list_keys(whatif.WhatifQuestion)) - {"run"}


def current_page(page: str, query: Address) -> str:
    """Return the page that an address leads to. Until version 0.4.0, *What if* asked about one game, too, which replays do now.

    >>> current_page("whatif", {"run": ["demo"], "move": ["3"]}), current_page("whatif", {"run": ["demo"]})
    ('replay', 'whatif')
    """
    is_of_one_game = not whatif.ManyGamesQuestion.marks & query.keys() and _KEYS_OF_ONE_GAME & query.keys()
    return whatif.WhatifQuestion.page if page == whatif.ManyGamesQuestion.page and is_of_one_game else page


def read_question(page: str, query: Address) -> Reading:
    """Return the question that the address of a page asks. Raises InvalidError if the page answers no question.

    >>> read_question("sql", {"sql": ["FROM run"], "limit": ["3"]}).problems
    ('The address has a field limit that means nothing here.',)
    """
    kinds = QUESTIONS_OF_PAGES.get(current_page(page, query))
    if kinds is None:
        raise unknown_name_error("page", shorten_value(page), QUESTIONS_OF_PAGES)
    kind = next((kind for kind in kinds if not kind.marks or kind.marks & query.keys()), None)
    if kind is None:
        raise nothing_asked_error(*kinds)
    return Reading(*read_fields(kind, query))


def answer_question(question: Question, source: QuestionSource) -> Any:  # noqa: ANN401 - each class of questions has its own
    """Return the typed answer of a question. Raises a GameError, such as InvalidError, if it has none."""
    answer = ANSWERS.get(type(question))
    if answer is None:
        raise nothing_asked_error(*QUESTIONS_OF_PAGES[question.page])
    return answer(question, source)
