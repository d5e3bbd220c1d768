"""The review of a game as JSON data, which the replay draws, also while the review is being computed.

A value is [estimate, half width of the 95 % interval]; a square is [board, square] of the scene. A value that is not
computed yet is null or missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from engine.actions import CHANCE
from pipelines.experiments.review.review import iter_ply_reviews
from pipelines.experiments.review.review_results import count_classes
from pipelines.experiments.review.reviewer import MAX_CANDIDATES, Reviewer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset
    from engine.scene import Scene
    from pipelines.experiments.review.review_results import Decision
    from pipelines.runs.run import Run
    from pipelines.statistics import Interval
    from pipelines.statistics.arrays import Floats

LARGE_ROLL_WIN_SHARE: Final = 0.10
"""Share of the win that a seat must gain or lose by a roll for the roll to be called lucky or unlucky."""


class ReviewProgress(Protocol):
    """A review of a game, finished or not."""

    @property
    def ruleset(self) -> Ruleset: ...
    @property
    def reviewer(self) -> Reviewer: ...
    @property
    def playouts(self) -> int:
        """Playouts of every position."""
        ...

    @property
    def plies(self) -> int: ...
    @property
    def values(self) -> Mapping[int, tuple[list[Interval], list[Interval]]]:
        """By ply: the expected points and share of the win of every seat."""
        ...

    @property
    def decisions(self) -> Mapping[int, Decision | None]:
        """By ply; None where there was only one legal action."""
        ...

    @property
    def steps(self) -> int:
        """Number of values and decisions to compute."""
        ...

    @property
    def error(self) -> str:
        """Why the review cannot be finished; empty if it can."""
        ...


@dataclass(frozen=True)
class FinishedReview:
    """The review of a whole game, as `review_logged_game` computes it."""

    ruleset: Ruleset
    reviewer: Reviewer
    values: dict[int, tuple[list[Interval], list[Interval]]]
    decisions: dict[int, Decision | None]
    error: str = ""

    @property
    def playouts(self) -> int:
        return self.reviewer.position_playouts

    @property
    def plies(self) -> int:
        return len(self.reviewer.actions)

    @property
    def steps(self) -> int:
        return len(self.values) + len(self.decisions)


def review_logged_game(run: Run, game_id: int, *, effort: float = 1.0) -> FinishedReview:
    """Review a whole game; raise InvalidError if it is not logged. `effort` multiplies the number of playouts."""
    ruleset = run.ruleset(run.game(game_id).ruleset)
    reviewer = Reviewer(ruleset, run.actions(game_id), effort=effort)
    reviews = dict(iter_ply_reviews(reviewer))
    return FinishedReview(
        ruleset,
        reviewer,
        {ply: (points, wins) for ply, (points, wins, _) in reviews.items()},
        {ply: reviews[ply][2] for ply, state in enumerate(reviewer.states[:-1]) if state.seat != CHANCE},
    )


def build_review_document(work: ReviewProgress, scene: Scene) -> dict[str, Any]:
    """Return the values, decisions and ledgers that are known so far."""
    values, decisions = dict(work.values), dict(work.decisions)  # copies: the work goes on
    known = {
        ply: np.array([[[one.estimate, one.half_width] for one in part] for part in values[ply]])
        for ply in values
    }
    rows = [known.get(ply) for ply in range(work.plies + 1)]
    judged = [decision for ply in sorted(decisions) if (decision := decisions[ply])]
    is_complete = len(known) == len(rows)
    lowest_wins = work.ruleset.lowest_wins
    ledgers = (
        _result_ledgers(np.array(rows), _acting_seats(work), lowest_wins=lowest_wins) if is_complete else None
    )
    seats = range(work.ruleset.players)
    return {
        "policy": work.reviewer.policy,
        "playouts": work.playouts,
        "duel": max((decision.chosen.n for decision in judged), default=0),
        "candidates": MAX_CANDIDATES,
        "large": LARGE_ROLL_WIN_SHARE,
        "spread": round(work.reviewer.score_spread, 3) if judged else None,
        "done": len(values) + len(decisions),
        "steps": work.steps,
        "error": work.error,
        "scores": [None if row is None else row[0].round(3).tolist() for row in rows],
        "wins": [None if row is None else row[1].round(4).tolist() for row in rows],
        "decisions": [_decision_record(decision, work.ruleset, scene) for decision in judged],
        "rolls": _roll_records(known, _acting_seats(work), lowest_wins=lowest_wins),
        "ledgers": None if ledgers is None else ledgers[0].round(3).tolist(),
        "win_ledgers": None if ledgers is None else ledgers[1].round(4).tolist(),
        "counts": [count_classes(judged, seat) for seat in seats],
        "counts_by_points": [count_classes(judged, seat, "points") for seat in seats],
    }


def action_squares(action: int, seat: int, ruleset: Ruleset, scene: Scene) -> list[list[int]]:
    """Return the squares of an action in a scene: on the board of the seat, or else on the shared board."""
    owners = [board["seat"] for board in scene["boards"]]
    board = next((owners.index(owner) for owner in (seat, None) if owner in owners), None)
    return [] if board is None else [[board, cell] for cell in ruleset.action(action).cells]


def _acting_seats(work: ReviewProgress) -> list[int]:
    return [state.seat for state in work.reviewer.states[:-1]]


def _decision_record(decision: Decision, ruleset: Ruleset, scene: Scene) -> dict[str, Any]:
    is_best = decision.best.action == decision.chosen.action
    return {
        "ply": decision.ply,
        "options": decision.options,
        "judged": decision.judged,
        "judged_by_points": decision.judged_by_points,
        "settled": decision.win_settled,
        "better": None if is_best else decision.best.notation,
        "squares": [] if is_best else action_squares(decision.best.action, decision.seat, ruleset, scene),
        "points": _estimate_and_half(decision.lost_points),
        "wins": _estimate_and_half(decision.lost_wins),
    }


def _roll_records(known: dict[int, Floats], acted: list[int], *, lowest_wins: bool) -> list[dict[str, Any]]:
    """Return the effects of all rolls between two known positions.

    A roll is large if it changed the share of the win of a seat by at least `LARGE_ROLL_WIN_SHARE` and by more than the
    half width of the interval of the change; `large` is then the seat with the largest change. Effects on points are
    positive if they are good for the seat, also if the lowest score wins.
    """
    records: list[dict[str, Any]] = []
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
        records.append(
            {
                "ply": ply,
                "points": points.round(3).tolist(),
                "wins": wins.round(4).tolist(),
                "large": most if is_large else None,
            }
        )
    return records


def _result_ledgers(course: Floats, acted: list[int], *, lowest_wins: bool) -> Floats:
    """Return where the results came from, with shape (points and shares, seats, five parts, 2).

    The parts are: start, luck, own decisions, decisions of others, result. The first four add up to the last, but for
    points where the lowest score wins: there luck and decisions are positive if they led to fewer points. `course` has
    shape (plies + 1, points and shares, seats, 2). The half widths assume independent errors of the values. The
    values share their luck, so most sums are more precise than that.
    """
    plies, _, seats, _ = course.shape
    actors = np.array(acted)
    ledgers = np.zeros((2, seats, 5, 2))
    for seat in range(seats):
        weights = np.zeros((5, plies))  # how often each value counts in each part of the sum
        weights[0, 0] = weights[4, -1] = 1
        is_other = (actors != CHANCE) & (actors != seat)
        for part, is_part in enumerate((actors == CHANCE, actors == seat, is_other), start=1):
            weights[part, 1:] += is_part
            weights[part, :-1] -= is_part
        ledgers[:, seat, :, 0] = np.tensordot(course[:, :, seat, 0], weights, (0, 1))
        ledgers[:, seat, :, 1] = np.sqrt(np.tensordot(course[:, :, seat, 1] ** 2, weights**2, (0, 1)))
    if lowest_wins:
        ledgers[0, :, 1:4, 0] *= -1
    return ledgers


def _estimate_and_half(interval: Interval | None) -> list[float] | None:
    return interval and [round(interval.estimate, 4), round(interval.half_width, 4)]
