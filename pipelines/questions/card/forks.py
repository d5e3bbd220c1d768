"""What a card finds out by playing on from positions of its games: what is at stake in decisions, and when luck decides."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine import games
from engine.strategies import read_player
from pipelines.experiments.continuations import continuation_seed
from pipelines.experiments.review import measure_stake
from pipelines.experiments.reviewer import Playouts, default_policy
from pipelines.questions.card.measures import STAKE_THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.ruleset import Ruleset
    from pipelines.experiments.reviewer import PlayoutPosition
    from pipelines.statistics.intervals import Floats, Integers

PARTS: Final = 4
"""Parts of a game whose luck is told apart."""
PART_GAMES: Final = 4
"""Games that go on from the end of a part with luck of their own."""
STAKE_BLOCKS: Final = 2
"""A decision is drawn from one of so many blocks: its playouts take as long as all other games of a block together."""


class LoggedGame(NamedTuple):
    """A game of a card; the arrays have an entry for each ply."""

    block: int
    actions: Integers
    rounds: Integers
    seats: Integers


class CardForks:
    """Plays on from positions of games in which one style has every seat. It can be shared by threads."""

    def __init__(self, ruleset: Ruleset, style: str, seed: int, rounds: float) -> None:
        """`rounds` is the usual length of a game, of which the parts of a game are equal shares."""
        game = games.find_game(ruleset.game)
        self.part_ends = [math.ceil(part * rounds / PARTS) for part in range(1, PARTS)]
        self._seed, self._start = seed, games.start_state(ruleset)
        self._style, self._values = (read_player(game, name) for name in (style, default_policy(ruleset)))

    def measure_game(self, logged: LoggedGame) -> tuple[Floats, Floats]:
        """Return margins of player 1 in games from the end of each part, (PARTS - 1, PART_GAMES), and a `Stake`, (2,).

        The stake is that of a decision that is drawn from all of the game. It is nan in blocks that are left out (`STAKE_BLOCKS`), and
        if the game is not compiled: the plain rules would take seconds for the playouts of each decision.
        """
        seed = continuation_seed(self._seed, logged.block)
        values, style = (
            Playouts(self._start, [player] * self._start.ruleset.players, seed)
            for player in (self._values, self._style)
        )
        draw = np.random.default_rng(seed)
        chosen = int(draw.choice(np.flatnonzero(logged.seats >= 0)))
        part_plies = np.searchsorted(logged.rounds, self.part_ends).tolist()
        positions = _find_positions(values, self._start, logged.actions.tolist(), {chosen, *part_plies})
        margins = []
        for ply in part_plies:
            position = positions[ply]
            if style.compiled is not values.compiled:  # a strategy that only the rules can play
                position = style.make_position(values.make_state(position))
            scores = style.play_position(position, 0, PART_GAMES).scores
            margins.append(scores[:, 0] - scores[:, 1:].mean(axis=1))
        is_drawn = values.compiled is not None and logged.block % STAKE_BLOCKS == 0
        stake = (
            measure_stake(values, positions[chosen], draw, STAKE_THRESHOLD) if is_drawn else (np.nan, np.nan)
        )
        return np.array(margins, np.float64), np.array(stake, np.float64)


def _find_positions(
    playouts: Playouts, start: PlayoutPosition, actions: Sequence[int], plies: set[int]
) -> dict[int, PlayoutPosition]:
    """Return the positions of a game before some of its plies, or at its end."""
    position, found = playouts.make_position(start), {}
    for ply in range(max(plies) + 1):
        if ply:
            position = playouts.position_after(position, actions[ply - 1])
        if ply in plies:
            found[ply] = position
    return found
