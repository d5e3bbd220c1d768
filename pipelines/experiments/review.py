"""Review of a game: the cost of every decision, the luck of every roll, and the value of every position, also as JSON data.

The value of a position is estimated by playouts: it is the mean final score and the mean share of the win of each seat
when one fast strategy plays on every seat, with luck that is independent of that of the game. All positions and
candidates of a review are played with the same luck, so that differences between values are more precise than the values
themselves.

The difference between the values after and before a roll is its luck, and the difference between the values after and
before an action belongs to the seat that chose it. The value of the first position plus all these differences is exactly
the result of the game. Luck and what actions gave are positive if they are good for the seat, also where the lowest score
wins.

A decision is judged by the share of the win that it lost, or by points. Where nearly all playouts have
the same winner, shares of the win say nothing, so decisions are judged by points there in any case.

The review of a game as JSON data, which the replay draws, also while the review is being computed.
A value is [estimate, half width of the 95 % interval]. A value that is not
computed yet is null or missing.

What is at stake in a decision: how much more often the best legal move wins than the median one.
Both moves are chosen by playouts and then played on with fresh luck, the same for both. So the best move of many is not
overrated because it was lucky in the playouts that chose it: if all moves are equal, the mean gain is 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from engine.actions import CHANCE, Action
from pipelines.design.titles import name_legal_actions
from pipelines.experiments.review_results import Decision, Loss, Review, Roll
from pipelines.experiments.reviewer import (
    FIRST_POSITION_BLOCK,
    MAX_CANDIDATES,
    PlayoutPosition,
    Playouts,
    Reviewer,
    candidate_actions,
    join_results,
    order_actions,
)
from pipelines.simulate.workers import usable_cpus
from pipelines.statistics.intervals import Floats, hold_for_all

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Scene, SceneBoard
    from engine.state import State
    from pipelines.runs.run import Run
    from pipelines.statistics import Interval


class UnfinishedReview:
    """The review of a game while it is computed, in steps that can be interrupted and continued.

    The values of all positions are computed first: they are cheap and draw the course of the game.
    """

    def __init__(self, reviewer: Reviewer, *, run: str = "", game_id: int = 0) -> None:
        self.reviewer = reviewer
        self.run, self.game_id = run, game_id
        self.plies = len(reviewer.actions)
        self.values: dict[int, tuple[list[Interval], list[Interval]]] = {}
        """By ply: the expected points and share of the win of every seat. The value after the last ply is the result."""
        self.decisions: dict[int, Decision | None] = {}
        """By ply; None where there was only one legal action."""
        self._decision_plies = [ply for ply, state in enumerate(reviewer.states[:-1]) if state.seat != CHANCE]

    @property
    def steps(self) -> int:
        """Number of values and decisions to compute."""
        return self.plies + 1 + len(self._decision_plies)

    @property
    def done(self) -> int:
        """Number of values and decisions that are computed."""
        return len(self.values) + len(self.decisions)

    @property
    def is_done(self) -> bool:
        """True if every value and decision is computed."""
        return self.done == self.steps

    def compute_steps(self) -> Iterator[int]:
        """Compute the missing values and decisions; yields the number of steps done.

        Kernels release the GIL, so they use one thread a processor. The plain rules gain nothing from threads.
        """
        with ThreadPoolExecutor(usable_cpus() if self.reviewer.is_compiled else 1) as threads:
            futures: dict[Any, tuple[dict[int, Any], int]] = {}
            for results, compute, plies in (
                (self.values, self.reviewer.position_value, range(self.plies + 1)),
                (self.decisions, self.reviewer.review_decision, self._decision_plies),
            ):
                futures |= {
                    threads.submit(compute, ply): (results, ply) for ply in plies if ply not in results
                }
            try:
                for future in as_completed(futures):
                    results, ply = futures[future]
                    results[ply] = future.result()
                    yield self.done
            finally:
                threads.shutdown(wait=False, cancel_futures=True)

    def compute_here(self) -> None:
        """Compute the missing values and decisions in this thread."""
        for ply in range(self.plies + 1):
            self.values[ply] = self.reviewer.position_value(ply)
        for ply in self._decision_plies:
            self.decisions[ply] = self.reviewer.review_decision(ply)

    def finish(self) -> Review:
        """Compute all steps and return the whole review."""
        for _ in self.compute_steps():
            pass
        return self.summarise()

    def summarise(self) -> Review:
        """Return what is known so far, as the review of the game; it is complete if `is_done`."""
        reviewer, values, decisions = (
            self.reviewer,
            dict(self.values),
            dict(self.decisions),
        )  # the work goes on
        course = np.full((self.plies + 1, 2, reviewer.ruleset.players, 2), np.nan)
        for ply, known in values.items():
            course[ply] = [[(interval.estimate, interval.half_width) for interval in part] for part in known]
        points, wins = course[:, 0], course[:, 1]
        sign = -1 if reviewer.ruleset.lowest_wins else 1
        gains = sign * np.diff(points[..., 0], axis=0), np.diff(wins[..., 0], axis=0)
        halves = tuple(np.hypot(part[1:, :, 1], part[:-1, :, 1]) for part in (points, wins))
        judged = tuple(decision for ply in sorted(decisions) if (decision := decisions[ply]))
        return Review(
            run=self.run,
            game_id=self.game_id,
            policy=reviewer.policy,
            playouts=reviewer.position_playouts,
            ruleset=reviewer.ruleset.name,
            lowest_wins=reviewer.ruleset.lowest_wins,
            score_spread=reviewer.score_spread if judged or self.is_done else np.nan,
            seats=tuple(state.seat for state in reviewer.states[:-1]),
            scores=points[..., 0],
            score_halves=points[..., 1],
            win_shares=wins[..., 0],
            win_share_halves=wins[..., 1],
            decisions=judged,
            rolls=tuple(
                Roll(
                    ply,
                    reviewer.ruleset.action(reviewer.actions[ply]).notation,
                    tuple(gains[0][ply].tolist()),
                    tuple(gains[1][ply].tolist()),
                    tuple(halves[0][ply].tolist()),
                    tuple(halves[1][ply].tolist()),
                    _find_probability(reviewer.states[ply], reviewer.actions[ply]),
                )
                for ply in range(self.plies)
                if reviewer.states[ply].seat == CHANCE and ply in values and ply + 1 in values
            ),
            done=len(values) + len(decisions),
            steps=self.steps,
        )


def _find_probability(state: State, outcome: int) -> float:
    return float(state.probabilities[list(state.actions).index(outcome)])


def start_review(
    run: Run, game_id: int, *, policy: str | None = None, seed: int = 0, effort: float = 1.0
) -> UnfinishedReview:
    """Return the review of a logged game before its first step; `effort` multiplies all numbers of playouts.

    Each game of a run has playouts with luck of its own.

    Raises InvalidError if the game is not logged, and for a strategy of the playouts that does not exist.
    """
    ruleset = run.ruleset(run.game(game_id).ruleset)
    reviewer = Reviewer(
        ruleset,
        run.actions(game_id),
        policy=policy,
        seed=seed,
        number=game_id,
        effort=effort,
    )
    return UnfinishedReview(reviewer, run=run.name, game_id=game_id)


LARGE_ROLL_WIN_SHARE: Final = 0.10
"""Share of the win that a seat must gain or lose by a roll for the roll to be called lucky or unlucky."""


def build_review_document(
    review: Review, ruleset: Ruleset, scene: Scene, *, error: str = ""
) -> dict[str, Any]:
    """Return the values, decisions and ledgers that are known so far; `error` says why the review cannot be finished."""
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
    }


def find_board(seat: int, boards: Sequence[SceneBoard]) -> int | None:
    """Return the index of the board on which a seat places its pieces: its own, or else a shared one; None without a board."""
    owners = [board["seat"] for board in boards]
    return next((owners.index(owner) for owner in (seat, None) if owner in owners), None)


def action_record(action: Action, name: str) -> dict[str, Any]:
    """Return an action as JSON data, with its name and its squares on the board of `find_board`, or its dice."""
    record: dict[str, Any] = {"action": action.notation, "kind": action.kind}
    if action.cells:
        return record | {"name": name, "piece": action.piece, "die": action.die, "cells": list(action.cells)}
    return record | ({"dice": list(action.dice)} if action.dice else {})


MAX_ALTERNATIVES: Final = 4000
"""Legal actions that are sent to a browser; no ruleset of the catalogue has half as many."""


def alternatives_document(state: State, scene: Scene) -> dict[str, Any]:
    """Return the legal actions in a position, with their squares in the scene."""
    return choices_document(state, state.actions[:MAX_ALTERNATIVES], scene["boards"])


def choices_document(state: State, actions: Sequence[int], boards: Sequence[SceneBoard]) -> dict[str, Any]:
    """Return some of the legal actions in a position, with the board on which they lie."""
    ruleset = state.ruleset
    shares = state.probabilities if state.seat == CHANCE else [None] * len(actions)
    names = name_legal_actions(ruleset, tuple(state.actions)) if state.seat != CHANCE else {}
    return {
        "seat": state.seat,
        "board": find_board(state.seat, boards),
        "total": len(state.actions),
        "options": [
            action_record(ruleset.action(action), names.get(action, ""))
            | ({} if share is None else {"share": round(share, 5)})
            for action, share in zip(actions, shares, strict=False)
        ],
    }


def decision_record(decision: Decision, ruleset: Ruleset, scene: Scene) -> dict[str, Any]:
    """Return a decision, and its candidates with their values: the share of the win and the final score of the acting seat.

    What is said of all candidates, that they are clearly behind the first one, holds for all at once.
    """
    names = name_legal_actions(ruleset, decision.legal)
    is_best = decision.best.action == decision.chosen.action

    def is_clearly(lost: Interval | None) -> bool:
        return is_clear_loss(lost and hold_for_all(lost, len(decision.candidates)))

    return {
        "ply": decision.ply,
        "nearly_decided": decision.win_nearly_decided,
        "board": find_board(decision.seat, scene["boards"]),
        "moves": [
            action_record(ruleset.action(move.action), names[move.action])
            | {
                "wins": round_estimate(move.win_share),
                "score": round_estimate(move.score),
                "behind_by_win": is_clearly(move.wins_behind),
                "behind_by_points": is_clearly(move.points_behind),
            }
            for move in decision.candidates
        ],
        "options": decision.options,
        "judged": decision.judged,
        "judged_by_points": decision.judged_by_points,
        "won": round_estimate(decision.chosen.win_share),
        "n": decision.chosen.n,
        "playouts": decision.chosen.n if len(decision.candidates) > 2 else 0,
        "better": None if is_best else decision.best.notation,
        "points": round_estimate(decision.lost_points),
        "wins": round_estimate(decision.lost_wins),
    }


def loss_record(loss: Loss) -> dict[str, Any]:
    """Return what an action loses against another one, in the fields of a decision."""
    return {
        "judged": loss.judged,
        "judged_by_points": loss.judged_by_points,
        "nearly_decided": loss.win_nearly_decided,
        "points": round_estimate(loss.points),
        "wins": round_estimate(loss.wins),
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
    largest = max(range(len(changes)), key=lambda seat: (changes[seat], roll.luck_wins[seat]))
    is_large = abs(roll.luck_wins[largest]) >= max(LARGE_ROLL_WIN_SHARE, roll.luck_wins_halves[largest])
    points, wins = (
        np.column_stack(pair)
        for pair in ((roll.luck_points, roll.luck_points_halves), (roll.luck_wins, roll.luck_wins_halves))
    )
    return {
        "ply": roll.ply,
        "points": points.round(3).tolist(),
        "wins": wins.round(4).tolist(),
        "large": largest if is_large else None,
    }


def round_estimate(interval: Interval | None) -> list[float] | None:
    """Return a value as [estimate, half width]."""
    return interval and [round(interval.estimate, 4), round(interval.half_width, 4)]


MAX_LIKELY_MOVES: Final = 6
"""Moves that look best, among which the best one is sought, besides those of the sample."""
MAX_SAMPLED_MOVES: Final = 9
"""Moves drawn from all legal ones, whose median stands for that of all."""
FIRST_PLAYOUTS: Final = 16
"""Playouts of each of these moves."""
FINALISTS: Final = 3
"""Number of moves among which more playouts choose the best one."""
FINAL_PLAYOUTS: Final = 48
FRESH_PLAYOUTS: Final = (64, 128, 256, 512)
"""Numbers of fresh playouts of the best and the median move after which the decision may be settled."""
SETTLED_STANDARD_ERRORS: Final = 3.0
"""A decision is settled when its gain is this many standard errors from the threshold. If all moves are equal and the results
of moves with equal luck independent, 0.1 % of decisions seem to matter."""


class Stake(NamedTuple):
    """What is at stake in a decision."""

    gain: float
    """Share of the win by which the best move is better than the median one: without bias for the moves that were chosen."""
    matters: bool
    """Whether it is at least the threshold, after as many playouts as that takes."""


def measure_stake(
    playouts: Playouts, position: PlayoutPosition, draw: np.random.Generator, threshold: float
) -> Stake:
    """Return what is at stake in a position in which a seat acts. With one legal move, that is nothing.

    `draw` chooses the sample of moves. Of an even number of moves, the median is the mean of the two in the middle. A decision matters
    if its gain is at least `threshold`.
    """
    state = playouts.make_state(position)
    if len(state.actions) < 2:
        return Stake(0.0, matters=False)
    sample = draw.permutation(state.actions)[:MAX_SAMPLED_MOVES].tolist()
    likely = candidate_actions(state, MAX_LIKELY_MOVES)
    positions = {
        action: playouts.position_after(position, action) for action in dict.fromkeys([*likely, *sample])
    }
    results = {
        action: playouts.play_position(after, 0, FIRST_PLAYOUTS) for action, after in positions.items()
    }
    ordered = order_actions(results, state)
    middle = [action for action in ordered if action in sample]
    middle = middle[(len(middle) - 1) // 2 : len(middle) // 2 + 1]
    final = {
        action: join_results(
            [results[action], playouts.play_position(positions[action], FIRST_PLAYOUTS, FINAL_PLAYOUTS)]
        )
        for action in ordered[:FINALISTS]
    }
    best = order_actions(final, state)[0]
    return _play_fresh(playouts, [positions[action] for action in (best, *middle)], state, threshold)


def _play_fresh(
    playouts: Playouts, positions: Sequence[PlayoutPosition], state: State, threshold: float
) -> Stake:
    """Compare the position after the best move with those after the median ones until the decision is settled."""
    gains: Floats = np.zeros(0)
    first_gain = mean = 0.0
    for count in FRESH_PLAYOUTS:
        done = len(gains)
        best, *middle = (
            playouts.play_position(position, FIRST_POSITION_BLOCK + done, count - done).win_shares[
                :, state.seat
            ]
            for position in positions
        )
        gains = np.concatenate([gains, best - np.mean(middle, axis=0)])
        mean, error = float(gains.mean()), float(gains.std(ddof=1)) / math.sqrt(count)
        if not done:
            first_gain = mean  # that of a number of playouts which does not depend on the results
        if abs(mean - threshold) > SETTLED_STANDARD_ERRORS * error:
            break
    return Stake(first_gain, mean >= threshold)
