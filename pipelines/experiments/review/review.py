"""Review of a game: the cost of every decision, the luck of every roll, and the value of every position.

The value of a position is estimated by playouts: it is the mean final score and the mean share of the win of each seat
when one fast strategy plays on every seat, with luck that is independent of that of the game. All positions and
candidates of a review are played with the same luck, so that differences between values are more precise than the values
themselves.

The difference between the values after and before a roll is its luck, and the difference between the values after and
before an action belongs to the seat that chose it. The value of the first position plus all these differences is exactly
the result of the game. Luck and what actions gave are positive if they are good for the seat, also where the lowest score
wins.

A decision is judged by the share of the win that it lost, or by points. Shares of the win say nothing where the win is
settled, so decisions are judged by points there in any case.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from engine.actions import CHANCE
from pipelines.experiments.review.review_results import Review, Roll
from pipelines.experiments.review.reviewer import Reviewer
from pipelines.simulate.workers import usable_cpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.experiments.review.review_results import Decision
    from pipelines.runs.run import Run
    from pipelines.statistics import Interval

PlyReview: TypeAlias = "tuple[list[Interval], list[Interval], Decision | None]"
"""Expected scores and win shares of the seats before a ply, and the decision of the ply."""


def review_game(  # noqa: PLR0913 - the options of a review
    run: Run,
    game_id: int,
    *,
    policy: str | None = None,
    seed: int = 0,
    effort: float = 1.0,
    progress: Callable[[int, int], bool] = lambda _done, _plies: True,
) -> Review | None:
    """Review a logged game.

    `progress` is called after each ply with the number of reviewed plies and the number of all plies; if it returns
    False, the review ends with None. Raises InvalidError if the game is not logged.
    """
    ruleset = run.ruleset(run.game(game_id).ruleset)
    reviewer = Reviewer(ruleset, run.actions(game_id), policy=policy, seed=seed, effort=effort)
    ply_reviews = {}
    for ply, ply_review in iter_ply_reviews(reviewer):
        ply_reviews[ply] = ply_review
        if not progress(len(ply_reviews), len(reviewer.actions) + 1):
            return None
    return build_review(reviewer, ply_reviews, run=run.name, game_id=game_id)


def iter_ply_reviews(reviewer: Reviewer) -> Iterator[tuple[int, PlyReview]]:
    """Yield the number and the review of every ply in order; the last item is the end of the game."""

    def review_ply(ply: int) -> PlyReview:
        # The decision comes first, because the value of the next position uses its playouts again.
        decision = reviewer.review_decision(ply)
        return *reviewer.position_value(ply), decision

    plies = range(len(reviewer.states))
    if not reviewer.is_compiled:  # Python code gains nothing from threads
        yield from ((ply, review_ply(ply)) for ply in plies)
        return
    with ThreadPoolExecutor(usable_cpus()) as threads:  # compiled games release the interpreter lock
        futures = [threads.submit(review_ply, ply) for ply in plies]
        try:
            for ply, future in zip(plies, futures, strict=True):
                yield ply, future.result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)


def build_review(
    reviewer: Reviewer, ply_reviews: dict[int, PlyReview], *, run: str = "", game_id: int = 0
) -> Review:
    """Combine the reviews of all plies, given by ply, into the review of the game."""
    plies = len(reviewer.actions)
    points, wins = (np.array([ply_reviews[ply][part] for ply in range(plies + 1)]) for part in (0, 1))
    point_halves, win_halves = ((part[..., 2] - part[..., 1]) / 2 for part in (points, wins))
    sign = -1 if reviewer.ruleset.lowest_wins else 1
    steps = sign * np.diff(points[..., 0], axis=0), np.diff(wins[..., 0], axis=0)
    noise = tuple(np.hypot(half[1:], half[:-1]) for half in (point_halves, win_halves))
    rolls = [
        Roll(
            ply,
            reviewer.ruleset.action(reviewer.actions[ply]).notation,
            *(tuple(float(value) for value in values[ply]) for values in (*steps, *noise)),
        )
        for ply in range(plies)
        if reviewer.states[ply].seat == CHANCE
    ]
    return Review(
        run=run,
        game_id=game_id,
        policy=reviewer.policy,
        ruleset=reviewer.ruleset.name,
        lowest_wins=reviewer.ruleset.lowest_wins,
        score_spread=reviewer.score_spread,
        seats=tuple(state.seat for state in reviewer.states[:-1]),
        scores=points[..., 0],
        score_halves=point_halves,
        win_shares=wins[..., 0],
        win_share_halves=win_halves,
        decisions=tuple(decision for ply in range(plies) if (decision := ply_reviews[ply][2])),
        rolls=tuple(rolls),
    )
