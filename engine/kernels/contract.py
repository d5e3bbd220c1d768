"""The contract of kernels: a game under one ruleset, compiled, that plays batches of games as arrays.

A kernel is an optional second implementation of a game, in the package `engine/games/<game>/kernel`, compiled by
Numba. It plays the same games as the plain rules, and it shares nothing with `rules.py` except the numbering of actions
and the keys of luck, so that tests can check each against the other. `engine.kernels.loader` finds and compiles kernels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from engine import games
from engine.player_notation import read_settings
from engine.strategy import Player

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.luck import Source
    from engine.ruleset import Ruleset
    from engine.state import State

    IntArray: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True)
class PlyLog:
    """The plies of games as columns, game after game. All arrays have the shape (plies,). The seat of chance is -1."""

    round: NDArray[np.uint16]
    seat: NDArray[np.int8]
    action: IntArray
    options: IntArray
    """Number of legal actions; -1 for chance."""
    score: IntArray
    """Score of the acting seat after the ply; 0 for chance."""


@dataclass(frozen=True)
class Batch:
    """Finished games as columns, ordered by block and within a block by seating."""

    rounds: IntArray
    """(games,) number of rounds that have begun."""
    plies: IntArray
    """(games,) number of plies."""
    scores: IntArray
    """(games, seats)"""
    ranks: NDArray[np.uint8]
    """(games, seats)"""
    counts: IntArray
    """(games, seats, parts) count of each score part, in the order of `Game.parts`."""
    points: IntArray
    """(games, seats, parts) points of each score part."""
    log: PlyLog | None
    """All plies of all games, in the order of the games; None if plies were not logged."""


def join_batches(batches: Sequence[Batch]) -> Batch:
    """Return one batch with the games of all batches, in this order. The log is None if no batch has one."""
    columns = {
        field.name: np.concatenate([getattr(batch, field.name) for batch in batches])
        for field in fields(Batch)
        if field.name != "log"
    }
    logs = [batch.log for batch in batches if batch.log is not None]
    if not logs:
        return Batch(**columns, log=None)
    log_columns = {
        field.name: np.concatenate([getattr(log, field.name) for log in logs]) for field in fields(PlyLog)
    }
    return Batch(**columns, log=PlyLog(**log_columns))


class Kernel(ABC):
    """One game under one ruleset, compiled."""

    strategies: ClassVar[tuple[str, ...]] = ("random", "greedy")
    """Names of the strategies that the kernel plays. Their parameters are those that the game declares."""

    def __init__(self, ruleset: Ruleset) -> None:
        """Raise InvalidError if the ruleset is too large for the kernel's arrays; the plain rules then play it."""
        self.ruleset = ruleset

    def can_play(self, seating: Sequence[Player]) -> bool:
        """Return whether the kernel has every player's strategy."""
        return all(player.strategy.name in self.strategies for player in seating)

    @abstractmethod
    def play(self, seatings: Sequence[Sequence[Player]], seed: int, blocks: range, *, logged: bool) -> Batch:
        """Play every seating in every block from the start: the same games as `engine.play.play_out` plays."""

    @abstractmethod
    def play_from_packed(
        self,
        packed: Any,  # noqa: ANN401 - every kernel has its own arrays
        seating: Sequence[Player],
        seed: int,
        blocks: Sequence[int],
        *,
        logged: bool,
    ) -> Batch:
        """Play on from a packed position, once with the luck of each block. The position itself does not change.

        Rounds are counted from the start of the game, plies from this position. The decisions of the current round
        are counted from this position, as `play_out` does without `decisions`.
        """

    def play_from_state(
        self, state: State, seating: Sequence[Player], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        """Play on from a position of the plain rules, as `play_from_packed` does."""
        return self.play_from_packed(self.pack(state), seating, seed, blocks, logged=logged)

    def play_seatings(
        self, state: State, seatings: Sequence[Sequence[Player]], seed: int, block: int, *, logged: bool
    ) -> Batch:
        """Play on from a position with every seating, all with the luck of one block, as `play_from_state` does."""
        return join_batches(
            [self.play_from_state(state, seating, seed, [block], logged=logged) for seating in seatings]
        )

    @abstractmethod
    def decide(self, state: State, player: Player, source: Source) -> int:
        """Return the action that a player chooses in a position of the plain rules: the same as within a batch."""

    def candidates(self, state: State, most: int) -> list[int]:
        """Return the actions that look best to the acting seat, best first, at most `most`.

        The order is by the score right after the action; a game with a better heuristic overrides this method.
        """
        sign = -1 if self.ruleset.lowest_wins else 1
        return sorted(state.actions, key=lambda action: -sign * state.play(action).score(state.seat))[:most]

    def read_player(self, text: str) -> Player:
        """Return a player of one of the game's own strategies that decides by this kernel."""
        name = text.partition(":")[0]
        strategy = next(
            strategy for strategy in games.find_game(self.ruleset.game).strategies if strategy.name == name
        )
        settings = read_settings(strategy, text)
        player = Player(
            settings.player_name,
            strategy,
            settings.parameters,
            lambda state, source: self.decide(state, player, source),
        )
        return player

    def parameter_array(self, seatings: Sequence[Sequence[Player]]) -> NDArray[np.float64]:
        """Return the parameters of every player's strategy in their declared order, padded with zeros.

        The shape is (seatings, seats, parameters), where the last is that of the strategy with most parameters.
        """
        game = games.find_game(self.ruleset.game)
        width = max([1, *(len(strategy.parameters) for strategy in game.strategies)])
        values = np.zeros((len(seatings), len(seatings[0]) if seatings else 0, width))
        for row, seating in zip(values, seatings, strict=True):
            for cells, player in zip(row, seating, strict=True):
                cells[: len(player.parameters)] = list(player.parameters.values())
        return values

    @abstractmethod
    def pack(self, state: State) -> Any:  # noqa: ANN401 - every kernel has its own arrays
        """Return a position of the plain rules in the kernel's own form."""

    @abstractmethod
    def unpack(self, packed: Any) -> State:  # noqa: ANN401 - as above
        """Return a packed position as one of the plain rules."""

    @abstractmethod
    def actions(self, packed: Any) -> IntArray:  # noqa: ANN401 - as above
        """Return the legal actions, ascending; where chance acts, the possible outcomes; none if the game is over."""

    @abstractmethod
    def apply_action(self, packed: Any, action: int) -> Any:  # noqa: ANN401 - as above
        """Return the position after a legal action. The given position does not change."""
