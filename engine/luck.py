"""Keyed luck: every random number is a pure function of its place in the experiment.

The dice of round 7 do not depend on earlier decisions, the random numbers that a strategy draws for itself never
change the dice, and any part of an experiment can be computed on any machine in any order.

The generator is Philox4x32 with ten rounds: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
easy as 1, 2, 3", SC 2011. Its key is the seed. Its counter holds, from word 0: index / 4, round, purpose and
seat, block. The four words that it returns serve the indices 4k to 4k + 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from statistics import NormalDist
from typing import Final, TypeVar

from engine.actions import CHANCE

PURPOSE_DICE: Final = 0
"""Purpose of the dice: random events that all players see."""
PURPOSE_STRATEGY: Final = 1
"""Purpose of the draws that a strategy makes for itself."""
PURPOSE_OPENING: Final = 2
"""Purpose of the random first plies that no player decides; they make games without dice differ between blocks."""

NORMAL_STEPS: Final = 1 << 12
"""Number of equally likely intervals in the table of quantiles of the normal distribution."""

MAX_DRAWS_PER_DECISION: Final = 1 << 16
"""Random numbers that a strategy may draw in one decision. More would repeat the numbers of its next decision."""

_WORD_MASK: Final = 0xFFFF_FFFF

T = TypeVar("T")


@lru_cache(maxsize=64)
def philox(c0: int, c1: int, c2: int, c3: int, seed: int) -> tuple[int, int, int, int]:
    """Return the four 32-bit words of one counter under a 64-bit key.

    >>> [f"{word:08x}" for word in philox(0, 0, 0, 0, 0)]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    for k0, k1 in _round_keys(seed):
        p0 = 0xD251_1F53 * c0
        p1 = 0xCD9E_8D57 * c2
        c0 = p1 >> 32 ^ c1 ^ k0
        c2 = p0 >> 32 ^ c3 ^ k1
        c1 = p1 & _WORD_MASK
        c3 = p0 & _WORD_MASK
    return c0, c1, c2, c3


@lru_cache(maxsize=16)
def _round_keys(seed: int) -> tuple[tuple[int, int], ...]:
    """Return the two key words of each of the ten rounds."""
    return tuple(
        ((seed + i * 0x9E37_79B9) & _WORD_MASK, ((seed >> 32) + i * 0xBB67_AE85) & _WORD_MASK)
        for i in range(10)
    )


@dataclass(frozen=True)
class Luck:
    """All luck of one block. Every game of the block gets the same dice, whichever strategies play it.

    `seed` has 64 bits, `block` has 32.
    """

    seed: int
    block: int

    def word(self, purpose: int, round_: int, seat: int, index: int) -> int:
        """Return 32 random bits."""
        return philox(index >> 2, round_, purpose << 8 | seat - CHANCE, self.block, self.seed)[index & 3]

    def below(self, n: int, purpose: int, round_: int, seat: int, index: int) -> int:
        """Return a number from 0 to n - 1, each equally likely up to n / 2**32."""
        return self.word(purpose, round_, seat, index) * n >> 32

    def source(self, round_: int, seat: int, decision: int) -> Source:
        """Return the random numbers of a seat's strategy for its decision number `decision` (from 0) of this round."""
        return Source(self, round_, seat, decision * MAX_DRAWS_PER_DECISION)


@cache
def normal_quantiles() -> tuple[float, ...]:
    """Return the quantiles of the standard normal distribution for i / NORMAL_STEPS, i from 0 to NORMAL_STEPS.

    The first and the last quantile are infinite; they are replaced by linear extrapolation from their neighbours.
    """
    inner = [NormalDist().inv_cdf(i / NORMAL_STEPS) for i in range(1, NORMAL_STEPS)]
    end = 2 * inner[-1] - inner[-2]
    return (-end, *inner, end)


@dataclass
class Source:
    """The random numbers of one decision. Drawing from it changes no other random number of the game."""

    luck: Luck
    round: int
    seat: int
    index: int
    """The index of the next number."""

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1."""
        return self.word() * n >> 32

    def word(self) -> int:
        """Return 32 random bits."""
        index = self.index
        self.index += 1
        return self.luck.word(PURPOSE_STRATEGY, self.round, self.seat, index)

    def normal(self) -> float:
        """Return a number from the standard normal distribution, interpolated linearly between its quantiles.

        Only sums and products of doubles occur, so that compiled code gets the same number bit by bit.
        """
        step, rest = divmod(self.word(), (1 << 32) // NORMAL_STEPS)
        quantiles = normal_quantiles()
        return quantiles[step] + (quantiles[step + 1] - quantiles[step]) * (rest * NORMAL_STEPS / (1 << 32))

    def fork(self) -> int:
        """Return a seed for games that a strategy plays out in its search, one block per game. It takes two draws."""
        return self.word() << 32 | self.word()

    def choice(self, items: Sequence[T]) -> T:
        """Return one of the items. If there is only one, no random number is drawn."""
        return items[self.below(len(items))] if len(items) > 1 else items[0]
