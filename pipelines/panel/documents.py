"""What the What if panel of a replay shows, as JSON data: alternatives at a ply, and answers.

An interval is [estimate, low, high]. Plies, seats and squares are numbered as in the log. Texts are for people, who count from 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine import games
from engine.actions import CHANCE
from engine.counted_nouns import capitalise
from engine.strategies import built_in_strategies
from pipelines.experiments.review import action_record, find_board, round_estimate
from pipelines.questions.address import write_path
from pipelines.report.estimates import format_interval, set_sentence, share_decimals
from pipelines.report.whatif import (
    basis_sentence,
    effects_table,
    name_branches,
    playing_on_sentence,
    whatif_sentence,
    win_chances_sentence,
)
from pipelines.report.wording import bind_percent_signs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.ruleset import Ruleset
    from engine.scene import Scene, SceneBoard
    from engine.state import State
    from pipelines.experiments.whatif import WhatIf
    from pipelines.questions.whatif.question import WhatifQuestion
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


def question_document(question: WhatifQuestion, ruleset: Ruleset) -> dict[str, Any]:
    """Return a question about a game of a ruleset that the panel is to show, with the fields of its change if it is of one kind."""
    document: dict[str, Any] = {
        "ply": question.ply,
        "query": write_path(question).partition("?")[2],
        "text": question.change.describe(ruleset),
        "luck": question.luck,
    }
    if question.options or len(question.strategies) + bool(question.action) > 1:
        return document
    if question.strategies:
        return {**document, "seat": question.seats[0], "strategy": question.strategies[0]}
    return {**document, "action": question.action}


def answer_document(answer: WhatIf, total: int) -> dict[str, Any]:
    """Return an answer: its sentences, the intervals of the seat of the question, and a row of texts for every player.

    `total` is the number of continuations that were asked for.
    """
    fork = answer.fork
    effect = answer.seat_effect(fork.seat)
    basis = (win_chances_sentence(answer), basis_sentence(answer))
    decimals = share_decimals([effect.base, effect.changed, effect.score])
    return {
        "n": answer.n,
        "total": total,
        "seat": fork.seat,
        "ply": fork.ply,
        "condition": capitalise(playing_on_sentence(answer)),
        "sentence": bind_percent_signs(set_sentence(whatif_sentence(answer))),
        "basis": bind_percent_signs(" ".join(map(set_sentence, filter(None, basis)))),
        "branches": name_branches(answer),
        "bars": {
            "base": _bar_document(effect.base, decimals),
            "changed": _bar_document(effect.changed, decimals),
            "difference": _bar_document(effect.score, decimals, signed=True),
        },
        "values": {
            "base": _values_document(effect.base_win_share, effect.base),
            "changed": _values_document(effect.changed_win_share, effect.changed),
            "difference": _values_document(effect.win_share, effect.score),
        },
        "rows": effects_table(answer)
        .select_columns("strategy", f"score, {name_branches(answer)[1]}", "change in score")
        .texts,
    }


def _bar_document(interval: Interval | None, decimals: int, *, signed: bool = False) -> dict[str, Any] | None:
    return interval and {
        "interval": [round(number, 4) for number in (interval.estimate, interval.low, interval.high)],
        "text": format_interval(interval, signed=signed, decimals=decimals),
    }


def _values_document(win_share: Interval | None, score: Interval | None) -> dict[str, Any]:
    """Return what a branch is worth to the seat of the question as a review returns what a move is worth."""
    return {"wins": round_estimate(win_share), "score": round_estimate(score)}
