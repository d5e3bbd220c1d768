"""The processor time that a strategy needs for a decision."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import numpy as np

from engine import games
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

TIMING_SECONDS: Final = 0.5
"""Processor time for which one strategy is timed; at least one game is played."""


def decision_microseconds(ruleset: Ruleset, strategy: str, seconds: float | None = None) -> float:
    """Return the processor time of a decision, in microseconds.

    This is the time of whole games of the strategy against itself, divided by the decisions in them; so it includes a
    share of playing and logging the game. The compiled game plays if there is one. `seconds` is the time for which
    games are played (None: TIMING_SECONDS). Raises InvalidError for a strategy that does not exist.
    """
    self_play = _SelfPlay(ruleset, strategy)
    self_play.warm_kernel()
    decisions, size, started = 0, 1, time.process_time()
    while not decisions or time.process_time() - started < (TIMING_SECONDS if seconds is None else seconds):
        decisions += self_play.count_decisions(range(size))
        size *= 2  # a kernel plays many games at once, as in a run
    return (time.process_time() - started) / decisions * 1e6


class _SelfPlay:
    """Games in which the same strategy plays on every seat."""

    def __init__(self, ruleset: Ruleset, strategy: str) -> None:
        self._ruleset, self._game = ruleset, games.find_game(ruleset.game)
        self._seating = [read_player(self._game, strategy)] * ruleset.players
        self._compiled = find_kernel(ruleset, self._seating)
        if self._compiled is None and self._seating[0].strategy.make is None:
            raise InvalidError(f"{ruleset.name} has no compiled game here, which {strategy!r} needs")

    def warm_kernel(self) -> None:
        """Compile or load the compiled game, and what the strategy has learned, by playing one game of it."""
        if self._compiled:
            self.count_decisions(range(1))

    def count_decisions(self, blocks: range) -> int:
        """Play blocks and return the number of decisions of seats in them; outcomes of chance do not count."""
        if self._compiled:
            log = self._compiled.play([self._seating], 1, blocks, logged=True).log
            assert log is not None  # noqa: S101 - logged=True
            return int(np.count_nonzero(log.seat >= 0))
        decide = [player.decide for player in self._seating]
        return sum(
            ply.seat >= 0
            for block in blocks
            for ply in play_out(self._game.start(self._ruleset), decide, Luck(1, block))[1]
        )
