"""What is at stake in a decision: how much more often the best legal move wins than the median one.

Both moves are chosen by playouts and then played on with fresh luck, the same for both. So the best move of many is not
overrated because it was lucky in the playouts that chose it: if all moves are equal, the mean gain is 0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pipelines.experiments.reviewer import (
    FIRST_POSITION_BLOCK,
    candidate_actions,
    join_results,
    order_actions,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.state import State
    from pipelines.experiments.reviewer import PlayoutPosition, Playouts
    from pipelines.statistics.intervals import Floats

MAX_LIKELY_MOVES: Final = 6
"""Moves that look best, among which the best one is sought, besides those of the sample."""
MAX_SAMPLED_MOVES: Final = 9
"""Moves drawn from all legal ones, whose median stands for that of all."""
FIRST_PLAYOUTS: Final = 16
"""Playouts of each of these moves."""
FINALISTS: Final = 3
"""Moves of which the best one is chosen by more playouts."""
FINAL_PLAYOUTS: Final = 48
FRESH_PLAYOUTS: Final = (64, 128, 256, 512)
"""Numbers of fresh playouts of the best and the median move after which the decision may be settled."""
SETTLED_STANDARD_ERRORS: Final = 3.0
"""A decision is settled when its gain is so many standard errors from the threshold. If all moves are equal and the results
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
