"""The contract of kernels: a game under one ruleset, compiled, that plays batches of games as arrays.

A kernel is an optional second implementation of a game, in the package `engine/games/<game>/kernel`, compiled by
Numba. It plays the same games as the plain rules, and it shares nothing with `rules.py` except the numbering of actions
and the keys of luck, so that tests can check each against the other. `engine.kernels.loader` finds and compiles kernels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias

import numpy as np

from engine import games
from engine.kernels.results import join_batches, make_batch
from engine.player_notation import read_settings
from engine.strategy import Player

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.kernels.results import Batch, IntArray, Results
    from engine.luck import Source
    from engine.ruleset import Ruleset
    from engine.state import State

    Packed: TypeAlias = Any
    """A packed position: every kernel has its own arrays."""
    Seatings: TypeAlias = Sequence[Sequence[Player]]
    """The player of every seat, for each seating."""
    BatchLuck: TypeAlias = tuple[np.uint64, NDArray[np.uint64], np.uint64]
    """The seed, the blocks, and the index of the first draw of a seat's first decision in a round."""

UNLIMITED_PLIES: Final = 1 << 30
BLOCKS_PER_STEP: Final = 8
"""The blocks of a call are a multiple of this number: some kernels play eight games side by side."""


class SeatStrategies(NamedTuple):
    """The strategy of every seat in every seating, for compiled code."""

    codes: NDArray[np.int64]
    """(seatings, seats) place of the strategy in `Kernel.strategies`."""
    settings: NDArray[np.float64]
    """(seatings, seats, parameters) its parameters in their declared order, padded with zeros."""


class Kernel(ABC):
    """One game under one ruleset, compiled."""

    strategies: ClassVar[tuple[str, ...]] = ("random", "greedy")
    """Names of the strategies that the kernel plays. Their parameters are those that the game declares."""
    games_per_call: ClassVar[int] = UNLIMITED_PLIES
    """About how many games one call of compiled code plays: they bound the room for a log."""

    def __init__(self, ruleset: Ruleset) -> None:
        """Raise InvalidError if the ruleset is too large for the kernel's arrays; the plain rules then play it."""
        self.ruleset = ruleset

    @cached_property
    def start(self) -> Packed:
        """The first position, packed. It must not be changed."""
        return self.pack(games.start_state(self.ruleset))

    def can_play(self, seating: Sequence[Player]) -> bool:
        """Return whether the kernel has every player's strategy."""
        return all(player.strategy.name in self.strategies for player in seating)

    def play(
        self,
        seatings: Seatings,
        seed: int,
        blocks: Sequence[int],
        *,
        start: Packed | None = None,
        logged: bool,
    ) -> Batch:
        """Play every seating in every block: the same games as `engine.play.play_out` plays.

        They begin at a packed position, which does not change; without one at the start of the game. Rounds are counted from
        the start of the game, plies from this position. The decisions of the current round are counted from this position, as
        `play_out` does without `decisions`. Compiled code is called for about `games_per_call` games at a time.
        """
        packed = self.start if start is None else start
        step = max(1, self.games_per_call // len(seatings) // BLOCKS_PER_STEP) * BLOCKS_PER_STEP
        numbers = (
            np.arange(blocks.start, blocks.stop, blocks.step, dtype=np.uint64)
            if isinstance(blocks, range)
            else np.array(blocks, np.uint64)
        )
        batches = []
        for first in range(0, max(1, len(blocks)), step):
            luck = np.uint64(seed), numbers[first : first + step], np.uint64(0)
            results = self.play_compiled(packed, seatings, luck, UNLIMITED_PLIES, logged=logged)
            batches.append(make_batch(results, logged=logged, standings=self.standings(results)))
        return join_batches(batches)

    @abstractmethod
    def play_compiled(
        self, packed: Packed, seatings: Seatings, luck: BatchLuck, max_plies: int, *, logged: bool
    ) -> Results:
        """Call compiled code: play every seating in every block from a position, which does not change.

        The results are ordered by block and within a block by seating. At least the first `max_plies` plies of each game
        are played; if the game is not over then, only its log has a meaning.
        """

    def standings(self, _results: Results) -> NDArray[np.integer] | None:
        """Return what decides the ranks, (games, seats), the higher the better; None if the scores do."""
        return None

    def decide(self, state: State, player: Player, source: Source) -> int:
        """Return the action that a player chooses in a position of the plain rules: the same as within a batch.

        It is the first ply of a game in which the player has every seat.
        """
        luck = np.uint64(source.luck.seed), np.array([source.luck.block], np.uint64), np.uint64(source.index)
        seatings = [[player] * self.ruleset.players]
        return int(self.play_compiled(self.pack(state), seatings, luck, 1, logged=True).log.action[0])

    def candidates(self, state: State, limit: int) -> list[int]:
        """Return the actions that look best to the acting seat, best first, at most `limit`.

        The order is by the score right after the action; a game with a better heuristic overrides this method.
        """
        sign = -1 if self.ruleset.lowest_wins else 1
        return sorted(state.actions, key=lambda action: -sign * state.play(action).score(state.seat))[:limit]

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

    def seat_strategies(self, seatings: Seatings) -> SeatStrategies:
        """Return the strategies of all seats as arrays, with room for the most parameters that a strategy of the game has."""
        game = games.find_game(self.ruleset.game)
        shape = len(seatings), self.ruleset.players
        codes = np.array(
            [[self.strategies.index(player.strategy.name) for player in seating] for seating in seatings],
            np.int64,
        ).reshape(shape)
        settings = np.zeros((*shape, max([1, *(len(strategy.parameters) for strategy in game.strategies)])))
        for cells, seating in zip(settings, seatings, strict=True):
            for row, player in zip(cells, seating, strict=True):
                row[: len(player.parameters)] = list(player.parameters.values())
        return SeatStrategies(codes, settings)

    @abstractmethod
    def pack(self, state: State) -> Packed:
        """Return a position of the plain rules in the kernel's own form."""

    @abstractmethod
    def unpack(self, packed: Packed) -> State:
        """Return a packed position as one of the plain rules."""

    @abstractmethod
    def actions(self, packed: Packed) -> IntArray:
        """Return the legal actions, ascending; where chance acts, the possible outcomes; none if the game is over."""

    @abstractmethod
    def apply_action(self, packed: Packed, action: int) -> Packed:
        """Return the position after a legal action. The given position does not change."""
