"""What the What if panel of a replay shows, as JSON data: alternatives at a ply, answers, and pairs of continuations.

An interval is [estimate, low, high]. Plies, seats and squares are numbered as in the log. Texts are for people, who count from 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from engine import games
from engine.actions import CHANCE
from engine.counted_nouns import capitalise
from engine.strategies import built_in_strategies
from pipelines.experiments.review.review_document import action_record, find_board, round_estimate
from pipelines.questions.address import write_path
from pipelines.report.estimates import format_interval, set_sentence, share_decimals
from pipelines.report.sentences.whatif import (
    basis_sentence,
    playing_on_sentence,
    whatif_sentence,
    win_chances_sentence,
)
from pipelines.report.tables.whatif import effects_table
from pipelines.report.wording import bind_percent_signs, name_branches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.ruleset import Ruleset
    from engine.scene import Scene, SceneBoard
    from engine.state import State
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.questions.whatif.question import WhatifQuestion
    from pipelines.statistics import Interval

MAX_ALTERNATIVES: Final = 4000
"""Legal actions that are sent to a browser; no ruleset of the catalogue has half as many."""
QUICK_STRATEGY: Final = "greedy"
"""The strategy that plays on for those that are slow or not built in."""
CONTINUATION_PLACES: Final = {"worst": 0.0, "middle": 0.5, "best": 1.0}
"""Continuations that are remarkable, by their place among all, sorted by what the change gained for the seat."""


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


def find_continuation(answer: WhatIf, place: str) -> int:
    """Return the number of a remarkable continuation; `place` is a key of `CONTINUATION_PLACES`."""
    sign = -1 if answer.fork.ruleset.lowest_wins else 1
    order = np.argsort(sign * answer.differences[:, answer.fork.seat], kind="stable")
    return int(order[round(CONTINUATION_PLACES[place] * (len(order) - 1))])


def continuation_document(answer: WhatIf, number: int, logged_scene: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scenes of one continuation on both branches, from the beginning of the game.

    If only the luck changes, the original branch is the logged game itself, whose scene is `logged_scene`.
    """
    fork = answer.fork
    pairs = []
    for branch, ends in ((fork.base, answer.base), (fork.changed, answer.changed)):
        ruleset = branch.state.ruleset
        names = [player.name for player in branch.seating]
        actions = [*branch.actions, *ends.game_actions(number)]
        pairs.append({**games.find_game(ruleset.game).scene(ruleset, actions), "strategies": names})
    base, changed = pairs
    if not fork.change:
        base = {**logged_scene}
    return {
        "number": number,
        "n": answer.n,
        "seat": fork.seat,
        "ply": fork.ply,
        "names": [capitalise(name) for name in name_branches(answer)],
        "difference": int(answer.differences[number, fork.seat]),
        "base": base,
        "changed": changed,
    }
