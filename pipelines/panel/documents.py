"""What the board of a replay shows, as JSON data: alternatives at a ply, questions and answers.

Plies, seats and squares are numbered as in the log. Texts are for people, who count from 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine import games
from engine.actions import CHANCE
from engine.strategies import built_in_strategies
from pipelines.experiments.review import action_record, find_board, round_estimate
from pipelines.questions.address import find_limits, write_path
from pipelines.questions.whatif import ManyGamesQuestion, WhatifQuestion
from pipelines.report.compose import compose
from pipelines.report.show.html import write_sheet_html
from pipelines.report.whatif import playing_on_sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.ruleset import Ruleset
    from engine.scene import Scene, SceneBoard
    from engine.state import State
    from pipelines.questions.whatif import WhatifAnswer
    from pipelines.statistics import Interval

MAX_ALTERNATIVES: Final = 4000
"""Legal actions that are sent to a browser; no ruleset of the catalogue has half as many."""
QUICK_STRATEGY: Final = "greedy"
"""The strategy that plays on for those that are slow or not built in."""


def alternatives_document(state: State, scene: Scene) -> dict[str, Any]:
    """Return the legal actions in a position, with their squares in the scene."""
    return choices_document(state, state.actions[:MAX_ALTERNATIVES], scene["boards"])


def choices_document(state: State, actions: Sequence[int], boards: Sequence[SceneBoard]) -> dict[str, Any]:
    """Return some of the legal actions in a position, with the board on which they lie."""
    ruleset = state.ruleset
    shares = state.probabilities if state.seat == CHANCE else [None] * len(actions)
    return {
        "seat": state.seat,
        "board": find_board(state.seat, boards),
        "total": len(state.actions),
        "options": [
            action_record(ruleset.action(action)) | ({} if share is None else {"share": round(share, 5)})
            for action, share in zip(actions, shares, strict=False)
        ],
    }


def players_document(ruleset: Ruleset, seated: Sequence[str]) -> dict[str, Any]:
    """Return the strategies that may play a seat instead, and who would play on for slow ones."""
    game = games.find_game(ruleset.game)
    strategies = built_in_strategies(game)
    return {
        "strategies": [
            {"name": name, "title": strategy.title, "slow": is_slow_strategy(ruleset, name)}
            for name, strategy in strategies.items()
        ],
        "quick": {str(seat): name for seat, name in quick_substitutes(ruleset, seated).items()},
    }


def is_slow_strategy(ruleset: Ruleset, text: str) -> bool:
    """Return whether a strategy plays whole games out before it decides, or is not part of Reroll."""
    strategies = built_in_strategies(games.find_game(ruleset.game))
    strategy = strategies.get(text.partition(":")[0])
    return strategy is None or any(parameter.name == "playouts" for parameter in strategy.parameters)


def quick_substitutes(ruleset: Ruleset, seated: Sequence[str]) -> Mapping[int, str]:
    """Return the seats whose strategy is slow, each with the quick strategy that can play on for it."""
    return {seat: QUICK_STRATEGY for seat, text in enumerate(seated) if is_slow_strategy(ruleset, text)}


def question_document(question: WhatifQuestion) -> dict[str, Any]:
    """Return a question about a game as the board asks it, with the fields of its change if it is of one kind.

    `query` and `many` are the queries of the addresses that ask it of this game and of many; `name` is one for a run of it.
    """
    many = ManyGamesQuestion(
        run=question.run,
        games="all",
        **question.model_dump(include={"seats", "strategies", "options", "luck", "substitute"}),
    )
    document: dict[str, Any] = {
        "ply": question.ply,
        "query": write_path(question).partition("?")[2],
        "many": write_path(many).partition("?")[2],
        "name": f"whatif-{question.run}-{question.game + 1}-{question.ply + 1}"[:80],
        "luck": question.luck,
    }
    if question.options or len(question.strategies) + bool(question.action) > 1:
        return document
    if question.strategies:
        return {**document, "seat": question.seats[0], "strategy": question.strategies[0]}
    return {**document, "action": question.action}


def answer_document(answer: WhatifAnswer) -> dict[str, Any]:
    """Return an answer: its sheet as HTML, how much of it is played, and the numbers that the list of best moves takes over."""
    whatif, question = answer.whatif, answer.question
    effect, most = whatif.seat_effect(whatif.fork.seat), find_limits(WhatifQuestion, "n").most
    return {
        "html": write_sheet_html(compose(answer, lambda _: {}), is_on_board=True),
        "n": whatif.n,
        "total": question.n,
        "isOver": whatif.is_over,
        "more": min(most, 10 * question.n) if question.n < most else None,
        "players": playing_on_sentence(whatif),
        "values": {
            "base": _values_document(effect.base_win_share, effect.base),
            "changed": _values_document(effect.changed_win_share, effect.changed),
            "difference": _values_document(effect.win_share, effect.score),
        },
    }


def _values_document(win_share: Interval | None, score: Interval | None) -> dict[str, Any]:
    """Return what a branch is worth to the seat of the question as a review returns what a move is worth."""
    return {"wins": round_estimate(win_share), "score": round_estimate(score)}
