"""Review of a game: the cost of every decision, the luck of every roll, and the value of every position.

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
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.actions import CHANCE
from pipelines.experiments.review_results import Review, Roll
from pipelines.experiments.reviewer import Reviewer
from pipelines.simulate.workers import usable_cpus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.experiments.review_results import Decision
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
            course[ply] = [[(one.estimate, one.half_width) for one in part] for part in known]
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
                    *(tuple(part[ply].tolist()) for part in (*gains, *halves)),
                )
                for ply in range(self.plies)
                if reviewer.states[ply].seat == CHANCE and ply in values and ply + 1 in values
            ),
            done=len(values) + len(decisions),
            steps=self.steps,
        )


def start_review(
    run: Run, game_id: int, *, policy: str | None = None, seed: int = 0, effort: float = 1.0
) -> UnfinishedReview:
    """Return the review of a logged game before its first step; `effort` multiplies all numbers of playouts.

    Raises InvalidError if the game is not logged, and for a strategy of the playouts that does not exist.
    """
    ruleset = run.ruleset(run.game(game_id).ruleset)
    reviewer = Reviewer(ruleset, run.actions(game_id), policy=policy, seed=seed, effort=effort)
    return UnfinishedReview(reviewer, run=run.name, game_id=game_id)
