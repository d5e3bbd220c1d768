"""The review of a game as JSON data, which the replay draws, also while the review is being computed.

A value is [estimate, half width of the 95 % interval]. A value that is not
computed yet is null or missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pipelines.experiments.reviewer import MAX_CANDIDATES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.actions import Action
    from engine.ruleset import Ruleset
    from engine.scene import Scene, SceneBoard
    from pipelines.experiments.review_results import Decision, Review, Roll, ValuedMoves
    from pipelines.statistics import Interval
    from pipelines.statistics.intervals import Floats

LARGE_ROLL_WIN_SHARE: Final = 0.10
"""Share of the win that a seat must gain or lose by a roll for the roll to be called lucky or unlucky."""


def build_review_document(
    review: Review, ruleset: Ruleset, scene: Scene, *, error: str = ""
) -> dict[str, Any]:
    """Return the values, decisions and ledgers that are known so far; `error` says why the review cannot be finished."""
    seats = range(ruleset.players)
    return {
        "policy": review.policy,
        "playouts": review.playouts,
        "duel": max((decision.chosen.n for decision in review.decisions), default=0),
        "candidates": MAX_CANDIDATES,
        "large": LARGE_ROLL_WIN_SHARE,
        "spread": round(review.score_spread, 3) if review.decisions else None,
        "done": review.done,
        "steps": review.steps,
        "error": error,
        "scores": _position_records(review.scores, review.score_halves, 3),
        "wins": _position_records(review.win_shares, review.win_share_halves, 4),
        "decisions": [decision_record(decision, ruleset, scene) for decision in review.decisions],
        "rolls": [_roll_record(roll) for roll in review.rolls],
        "ledgers": _ledger_records(review.ledgers(), 3),
        "win_ledgers": _ledger_records(review.ledgers(wins=True), 4),
        "counts": [review.class_counts(seat) for seat in seats],
        "counts_by_points": [review.class_counts(seat, "points") for seat in seats],
    }


def find_board(seat: int, boards: Sequence[SceneBoard]) -> int | None:
    """Return the index of the board on which a seat places its pieces: its own, or else a shared one; None without a board."""
    owners = [board["seat"] for board in boards]
    return next((owners.index(owner) for owner in (seat, None) if owner in owners), None)


def action_record(action: Action) -> dict[str, Any]:
    """Return an action as JSON data, with its squares on the board of `find_board`, or its dice."""
    record: dict[str, Any] = {"action": action.notation, "kind": action.kind}
    if action.cells:
        return record | {"piece": action.piece, "die": action.die, "cells": list(action.cells)}
    return record | ({"dice": list(action.dice)} if action.dice else {})


def decision_record(decision: Decision, ruleset: Ruleset, scene: Scene) -> dict[str, Any]:
    """Return a decision with the values of the best moves."""
    is_best = decision.best.action == decision.chosen.action
    return {
        **moves_record(decision, ruleset, scene),
        "options": decision.options,
        "judged": decision.judged,
        "judged_by_points": decision.judged_by_points,
        "won": round_estimate(decision.chosen.win_share),
        "n": decision.chosen.n,
        "better": None if is_best else decision.best.notation,
        "points": round_estimate(decision.lost_points),
        "wins": round_estimate(decision.lost_wins),
    }


def moves_record(valued: Decision | ValuedMoves, ruleset: Ruleset, scene: Scene) -> dict[str, Any]:
    """Return the best moves at a ply with their values: the share of the win and the final score of the acting seat."""
    return {
        "ply": valued.ply,
        "nearly_decided": valued.win_nearly_decided,
        "board": find_board(valued.seat, scene["boards"]),
        "moves": [
            action_record(ruleset.action(move.action))
            | {
                "wins": round_estimate(move.win_share),
                "score": round_estimate(move.score),
                "behind_by_win": is_clear_loss(move.wins_behind),
                "behind_by_points": is_clear_loss(move.points_behind),
            }
            for move in valued.candidates
        ],
    }


def is_clear_loss(lost: Interval | None) -> bool:
    """Return whether the whole interval of a loss is above zero."""
    return lost is not None and lost.low > 0


def _position_records(values: Floats, halves: Floats, digits: int) -> list[list[list[float]] | None]:
    rows = np.stack([values, halves], axis=-1).round(digits)
    return [None if np.isnan(row).any() else row.tolist() for row in rows]


def _ledger_records(ledgers: Floats, digits: int) -> list[list[list[float]]] | None:
    return None if np.isnan(ledgers).any() else ledgers.round(digits).tolist()


def _roll_record(roll: Roll) -> dict[str, Any]:
    """Return the effects of a roll.

    A roll is large if it changed the share of the win of a seat by at least `LARGE_ROLL_WIN_SHARE` and by more than the
    half width of the interval of the change; `large` is then the seat with the largest change, of equal ones that which gained.
    """
    changes = list(np.abs(roll.luck_wins).round(6))
    most = max(range(len(changes)), key=lambda seat: (changes[seat], roll.luck_wins[seat]))
    is_large = abs(roll.luck_wins[most]) >= max(LARGE_ROLL_WIN_SHARE, roll.luck_wins_halves[most])
    points, wins = (
        np.column_stack(pair)
        for pair in ((roll.luck_points, roll.luck_points_halves), (roll.luck_wins, roll.luck_wins_halves))
    )
    return {
        "ply": roll.ply,
        "points": points.round(3).tolist(),
        "wins": wins.round(4).tolist(),
        "large": most if is_large else None,
    }


def round_estimate(interval: Interval | None) -> list[float] | None:
    """Return a value as [estimate, half width]."""
    return interval and [round(interval.estimate, 4), round(interval.half_width, 4)]
