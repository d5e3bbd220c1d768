"""Playouts: positions of one ruleset played on by one fast strategy, many times each, for their results alone.

A position is given as whatever plays it on: the kernel's own arrays, made once and carried from ply to ply, or a
position of the plain rules where there is no kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pipelines.experiments.whatif.continuations import Continuations, find_branch_kernel, play_branch
from pipelines.experiments.whatif.fork import Branch
from pipelines.statistics import win_shares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.state import State
    from engine.strategy import Player
    from pipelines.statistics.arrays import Floats

PlayoutPosition: TypeAlias = Any
"""Of a kernel, or a State."""


@dataclass(frozen=True)
class PlayoutResults:
    """How playouts of one position ended; rows over the blocks of luck."""

    scores: NDArray[np.int32]
    """(playouts, seats)"""
    ranks: NDArray[np.uint8]
    """(playouts, seats)"""

    @classmethod
    def no_results(cls, seats: int) -> PlayoutResults:
        """Return no playouts."""
        return cls(np.zeros((0, seats), np.int32), np.zeros((0, seats), np.uint8))

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def win_shares(self) -> Floats:
        """(playouts, seats) The share that each seat has of the win."""
        return win_shares(self.ranks)

    def first_playouts(self, count: int) -> PlayoutResults:
        """Return the first of them."""
        return PlayoutResults(self.scores[:count], self.ranks[:count])


def join_results(ends: Sequence[PlayoutResults]) -> PlayoutResults:
    """Put playouts one behind the other."""
    return PlayoutResults(
        np.concatenate([one.scores for one in ends]), np.concatenate([one.ranks for one in ends])
    )


class Playouts:
    """Plays positions of one ruleset on, the same strategy in every seat. Threads may share one."""

    def __init__(self, start: State, player: Player, seed: int) -> None:
        """`start` is any position under the ruleset."""
        self.seating = (player,) * start.ruleset.players
        self.seed = seed
        self.compiled = find_branch_kernel(Branch(start, (), self.seating))

    def make_position(self, state: State) -> PlayoutPosition:
        """Return a position of the rules as what plays it on."""
        return self.compiled.pack(state) if self.compiled else state

    def position_after(self, position: PlayoutPosition, action: int) -> PlayoutPosition:
        """Return the position after a legal action, or after an outcome of a roll."""
        return self.compiled.apply_action(position, action) if self.compiled else position.play(action)

    def play_position(self, position: PlayoutPosition, first: int, count: int) -> PlayoutResults:
        """Play a position on with the luck of some blocks."""
        blocks = range(first, first + count)
        if self.compiled:
            batch = self.compiled.play_from_packed(position, self.seating, self.seed, blocks, logged=False)
            return PlayoutResults(batch.scores, batch.ranks)
        found: Continuations = play_branch(Branch(position, (), self.seating), self.seed, blocks)
        return PlayoutResults(found.scores, found.ranks)
