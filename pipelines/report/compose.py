"""The sheet of every answer: one function for each class of answers, which stands beside the words of its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from pipelines.questions.address import Question, write_path
from pipelines.questions.card import CardAnswer
from pipelines.questions.comparison import ComparisonAnswer
from pipelines.questions.game import GameAnswer
from pipelines.questions.games import GamesAnswer
from pipelines.questions.openings import OpeningsAnswer
from pipelines.questions.rule_effect import RuleEffectAnswer
from pipelines.questions.rules import RulesAnswer
from pipelines.questions.scores.answer import DistributionsAnswer
from pipelines.questions.scores.decisions import DecisionsAnswer
from pipelines.questions.scores.means import LengthsAnswer, MeansAnswer
from pipelines.questions.scores.moves import MovesAnswer
from pipelines.questions.scores.selection import SelectionAnswer
from pipelines.questions.scores.squares import SquaresAnswer
from pipelines.questions.sql import SqlAnswer
from pipelines.questions.whatif import ManyGamesAnswer, WhatifAnswer
from pipelines.report.card import compose_card
from pipelines.report.comparison import compose_comparison
from pipelines.report.game import compose_game
from pipelines.report.games import compose_games
from pipelines.report.many_games import compose_many_games
from pipelines.report.openings import compose_openings
from pipelines.report.rule_effect import compose_rule_effect
from pipelines.report.rules import compose_rules
from pipelines.report.scores import compose_scores
from pipelines.report.sql import compose_sql
from pipelines.report.whatif import compose_whatif

if TYPE_CHECKING:
    from pipelines.report.sheet import FindLooks, Sheet

COMPOSERS: Final[Mapping[type, Callable[[Any, FindLooks], Sheet]]] = {
    CardAnswer: compose_card,
    ComparisonAnswer: compose_comparison,
    DecisionsAnswer: compose_scores,
    DistributionsAnswer: compose_scores,
    GameAnswer: compose_game,
    GamesAnswer: compose_games,
    LengthsAnswer: compose_scores,
    ManyGamesAnswer: compose_many_games,
    MeansAnswer: compose_scores,
    MovesAnswer: compose_scores,
    OpeningsAnswer: compose_openings,
    RuleEffectAnswer: compose_rule_effect,
    RulesAnswer: compose_rules,
    SelectionAnswer: compose_scores,
    SqlAnswer: compose_sql,
    SquaresAnswer: compose_scores,
    WhatifAnswer: compose_whatif,
}


class Answer(Protocol):
    """What `ANSWERS` return: every answer holds its question."""

    @property
    def question(self) -> Question: ...


def compose(answer: Answer, find_looks: FindLooks) -> Sheet:
    """Return the sheet of an answer. It is pure: an answer that grows has the same parts under the same keys.

    `find_looks` returns the looks of strategies by their names.
    """
    sheet = COMPOSERS[type(answer)](answer, find_looks)
    return replace(sheet, address=write_path(answer.question))
