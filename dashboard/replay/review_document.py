"""What the replay draws of a review, as JSON data: also of one that is still being worked out.

Values come as [estimate, half width of the 95 % interval]; squares as [board, square] of the scene. What is not known
yet is null, or not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from engine.actions import CHANCE
from pipelines.experiments.review.review import CLASS_THRESHOLDS, MAX_CANDIDATES, NEGLIGIBLE_LOSS

if TYPE_CHECKING:
    from dashboard.replay.review_work import ReviewWork
    from engine.ruleset import Ruleset
    from engine.scene import Scene
    from pipelines.experiments.review.review import Decision
    from pipelines.statistics import Interval
    from pipelines.statistics.arrays import Floats

LARGE_ROLL_WIN_SHARE: Final = 0.10
"""From how much of the win, gained or lost by some seat, a roll is called lucky or unlucky."""
GRADES: Final = ("best", "good", "unclear", *(name for _, name in reversed(CLASS_THRESHOLDS)))
"""Classes of decisions and one more: the interval of the loss leaves open whether it matters."""


def build_review_document(work: ReviewWork, scene: Scene) -> dict[str, Any]:
    """Return what is known so far."""
    values, decisions = dict(work.values), dict(work.decisions)
    steps = work.steps  # after the copies: figures and progress never claim more than is there
    known = {
        ply: np.array([[[one.estimate, one.half_width] for one in part] for part in values[ply]])
        for ply in values
    }
    rows = [known.get(ply) for ply in range(work.plies + 1)]
    judged = [decision for ply in sorted(decisions) if (decision := decisions[ply])]
    ledgers = _result_ledgers(np.array(rows), _acting_seats(work)) if len(known) == len(rows) else None
    return {
        "policy": work.reviewer.policy,
        "playouts": work.playouts,
        "duel": max((decision.chosen.n for decision in judged), default=0),
        "candidates": MAX_CANDIDATES,
        "large": LARGE_ROLL_WIN_SHARE,
        "done": len(values) + len(decisions),
        "steps": steps,
        "error": work.error,
        "scores": [None if row is None else row[0].round(3).tolist() for row in rows],
        "wins": [None if row is None else row[1].round(4).tolist() for row in rows],
        "decisions": [_decision_record(decision, work.ruleset, scene) for decision in judged],
        "rolls": _roll_records(known, _acting_seats(work), lowest_wins=work.ruleset.lowest_wins),
        "ledgers": None if ledgers is None else ledgers[0].round(3).tolist(),
        "win_ledgers": None if ledgers is None else ledgers[1].round(4).tolist(),
        "counts": [_grade_counts(judged, seat) for seat in range(work.ruleset.players)],
    }


def grade_decision(decision: Decision) -> str:
    """Return the class of a decision, or `unclear` where its interval reaches from no loss that counts to one that does."""
    lost = decision.lost_wins
    if lost is None:
        return "unclear"
    is_open = lost.estimate >= NEGLIGIBLE_LOSS and lost.low < CLASS_THRESHOLDS[-1][0] <= lost.high
    return "unclear" if is_open and decision.judged in {"best", "good"} else decision.judged


def action_squares(action: int, seat: int, ruleset: Ruleset, scene: Scene) -> list[list[int]]:
    """Return where an action of a seat lies in a scene: on the seat's own board, else on the one that all share."""
    owners = [board["seat"] for board in scene["boards"]]
    board = next((owners.index(owner) for owner in (seat, None) if owner in owners), None)
    return [] if board is None else [[board, cell] for cell in ruleset.action(action).cells]


def _acting_seats(work: ReviewWork) -> list[int]:
    return [state.seat for state in work.reviewer.states[:-1]]


def _decision_record(decision: Decision, ruleset: Ruleset, scene: Scene) -> dict[str, Any]:
    is_best = decision.best.action == decision.chosen.action
    return {
        "ply": decision.ply,
        "options": decision.options,
        "judged": grade_decision(decision),
        "better": None if is_best else decision.best.notation,
        "squares": [] if is_best else action_squares(decision.best.action, decision.seat, ruleset, scene),
        "points": _estimate_and_half(decision.lost_points),
        "wins": _estimate_and_half(decision.lost_wins),
    }


def _grade_counts(decisions: list[Decision], seat: int) -> dict[str, int]:
    own = [grade_decision(decision) for decision in decisions if decision.seat == seat]
    return {name: own.count(name) for name in GRADES}


def _roll_records(known: dict[int, Floats], acted: list[int], *, lowest_wins: bool) -> list[dict[str, Any]]:
    """Return all rolls between two positions that are known; `large` is the seat that a large one moved most.

    A roll is large if it moved a seat's share of the win by `LARGE_ROLL_WIN_SHARE` and by more than what the intervals of the two
    values leave open. More points are better here, whichever score wins.
    """
    found = []
    for ply, seat in enumerate(acted):
        if seat != CHANCE or ply not in known or ply + 1 not in known:
            continue
        moved = known[ply + 1][..., 0] - known[ply][..., 0]
        halves = np.hypot(known[ply + 1][..., 1], known[ply][..., 1])
        if lowest_wins:
            moved[0] *= -1
        most = int(np.abs(moved[1]).argmax())
        is_large = abs(moved[1][most]) >= max(LARGE_ROLL_WIN_SHARE, halves[1][most])
        points, wins = np.stack([moved, halves], axis=-1)
        found.append(
            {
                "ply": ply,
                "points": points.round(3).tolist(),
                "wins": wins.round(4).tolist(),
                "large": most if is_large else None,
            }
        )
    return found


def _result_ledgers(course: Floats, acted: list[int]) -> Floats:
    """Return where results came from: (points and shares, seats, five parts, 2).

    The parts: start, luck, own decisions, others' decisions, result; the first four add up to the last. `course` has
    (plies + 1, points and shares, seats, 2). Halves are those of sums of values that err independently: on common
    luck they do not quite, and most sums are surer than this says.
    """
    plies, _, seats, _ = course.shape
    who = np.array(acted)
    found = np.zeros((2, seats, 5, 2))
    for seat in range(seats):
        weights = np.zeros((5, plies))  # how often each value counts in each part
        weights[0, 0] = weights[4, -1] = 1
        for part, made in enumerate((who == CHANCE, who == seat, (who != CHANCE) & (who != seat)), start=1):
            weights[part, 1:] += made
            weights[part, :-1] -= made
        found[:, seat, :, 0] = np.tensordot(course[:, :, seat, 0], weights, (0, 1))
        found[:, seat, :, 1] = np.sqrt(np.tensordot(course[:, :, seat, 1] ** 2, weights**2, (0, 1)))
    return found


def _estimate_and_half(interval: Interval | None) -> list[float] | None:
    return interval and [round(interval.estimate, 4), round(interval.half_width, 4)]
