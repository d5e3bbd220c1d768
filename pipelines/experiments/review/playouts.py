"""Playouts: positions of a game are played to the end many times by the same players, and only the results are kept.

Where there is a compiled game, a position has the form of the kernel, so that it is converted once and then updated ply
by ply. Otherwise it is a `State`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pipelines.experiments.whatif.continuations import find_branch_kernel, play_branch
from pipelines.experiments.whatif.fork import Branch
from pipelines.experiments.whatif.whatif import score_margins
from pipelines.statistics import win_shares

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from engine.state import State
    from engine.strategy import Player
    from pipelines.statistics.intervals import Floats

PlayoutPosition: TypeAlias = Any
"""A position in the form of the kernel, or a State."""


@dataclass(frozen=True)
class PlayoutResults:
    """The results of the playouts of a position, one row for each block."""

    scores: NDArray[np.int32]
    """(playouts, seats)"""
    ranks: NDArray[np.uint8]
    """(playouts, seats)"""

    @classmethod
    def no_results(cls, seats: int) -> PlayoutResults:
        """Return the results of zero playouts."""
        return cls(np.zeros((0, seats), np.int32), np.zeros((0, seats), np.uint8))

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def win_shares(self) -> Floats:
        """(playouts, seats) The share that each seat has of the win."""
        return win_shares(self.ranks)

    def first_playouts(self, count: int) -> PlayoutResults:
        """Return the results of the first `count` playouts."""
        return PlayoutResults(self.scores[:count], self.ranks[:count])


def join_results(series: Sequence[PlayoutResults]) -> PlayoutResults:
    """Return the results of several series of playouts in one object."""
    return PlayoutResults(
        np.concatenate([results.scores for results in series]),
        np.concatenate([results.ranks for results in series]),
    )


def order_actions(results: Mapping[int, PlayoutResults], state: State) -> list[int]:
    """Return the actions of the acting seat, best first: by win share plus a quarter of the standardised lead over the best other seat."""
    seat, sign = state.seat, -1 if state.ruleset.lowest_wins else 1
    leads = {action: score_margins(sign * playouts.scores, seat) for action, playouts in results.items()}
    spread = max(1.0, float(np.concatenate(list(leads.values())).std()))
    values = {
        action: float(playouts.win_shares[:, seat].mean() + leads[action].mean() / (4 * spread))
        for action, playouts in results.items()
    }
    return sorted(values, key=lambda action: -values[action])


class Playouts:
    """Plays positions of one ruleset to the end, always with the same players. It can be shared by threads."""

    def __init__(self, start: State, seating: Sequence[Player], seed: int) -> None:
        """`start` is any position of the ruleset, `seating` has the player of each seat."""
        self.seating = tuple(seating)
        self.seed = seed
        self.compiled = find_branch_kernel(Branch(start, (), self.seating))

    def make_position(self, state: State) -> PlayoutPosition:
        """Return a state in the form that `play_position` takes."""
        return self.compiled.pack(state) if self.compiled else state

    def position_after(self, position: PlayoutPosition, action: int) -> PlayoutPosition:
        """Return the position after a legal action or an outcome of a roll."""
        return self.compiled.apply_action(position, action) if self.compiled else position.play(action)

    def make_state(self, position: PlayoutPosition) -> State:
        """Return a position as one of the plain rules."""
        return self.compiled.unpack(position) if self.compiled else position

    def play_position(self, position: PlayoutPosition, first: int, count: int) -> PlayoutResults:
        """Play a position to the end with the luck of `count` blocks, beginning with block `first`."""
        blocks = range(first, first + count)
        if self.compiled:
            batch = self.compiled.play_from_packed(position, self.seating, self.seed, blocks, logged=False)
            return PlayoutResults(batch.scores, batch.ranks)
        continuations = play_branch(Branch(position, (), self.seating), self.seed, blocks)
        return PlayoutResults(continuations.scores, continuations.ranks)
