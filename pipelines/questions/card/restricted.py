"""Restricted play: what something is worth to a player who may not use it, while all others may."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine import games
from engine.strategies import read_player
from pipelines.experiments.reviewer import Playouts, join_results
from pipelines.simulate.compiled_games import begin_game

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.restriction import Restriction
    from engine.state import State
    from pipelines.design.design import Design
    from pipelines.statistics.intervals import Floats


class RestrictedGames:
    """Plays the games of a style again, in which one player is restricted. It can be shared by threads."""

    def __init__(self, design: Design) -> None:
        """`design` has the same strategy in every seat."""
        self.design = design
        self.restrictions: Sequence[Restriction] = design.game.restrictions(design.rules)
        self._start = games.start_state(design.rules)
        self._playouts = Playouts(
            self._start, [read_player(design.game, design.lineup[0])] * design.seats, design.seed
        )

    @property
    def games_of_block(self) -> int:
        """Number of games of a block: each restriction is put on each seat."""
        return len(self.restrictions) * self.design.seats

    def measure_losses(self, blocks: range, wins: Floats, scores: Floats) -> dict[str, Floats]:
        """Return what a restricted player loses in wins and in points, a mean over the seats: each (blocks, restrictions).

        `wins` and `scores`, both (blocks, seats), are those of the games without a restriction, which have the same luck.
        """
        sign = -1 if self.design.rules.lowest_wins else 1
        starts = self._list_starts(blocks)
        lost = {key: np.zeros((len(blocks), len(self.restrictions))) for key in ("worth", "worth-points")}
        for place, restriction in enumerate(self.restrictions):
            for seat in range(self.design.seats):
                played = join_results(
                    [
                        self._playouts.play_position(
                            self._playouts.make_position(restriction.restrict(state, seat)),
                            part.start,
                            len(part),
                        )
                        for state, part in starts
                    ]
                )
                lost["worth"][:, place] += wins[:, seat] - played.win_shares[:, seat]
                lost["worth-points"][:, place] += sign * (scores[:, seat] - played.scores[:, seat])
        return {key: sums / self.design.seats for key, sums in lost.items()}

    def _list_starts(self, blocks: range) -> list[tuple[State, range]]:
        """Return the positions from which blocks are played: one for all, or the end of the opening of each block."""
        if not self.design.opening:
            return [(self._start, blocks)]
        return [(begin_game(self.design, block, 0)[0], range(block, block + 1)) for block in blocks]
