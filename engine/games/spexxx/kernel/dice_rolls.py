"""The luck of whole games, dealt at once: all dice of all turns, and the first words of strategies' own luck."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numba as nb
import numpy as np

from engine.games.spexxx.dice import NUMBER_OF_DICE
from engine.games.spexxx.kernel.lines import jit_inlined, jit_internal
from engine.kernels.luck import counter_key, random_word
from engine.luck import MAX_DRAWS_PER_DECISION, PURPOSE_DICE, PURPOSE_STRATEGY

if TYPE_CHECKING:
    from numpy.typing import NDArray

_u64 = np.uint64


class Turns(NamedTuple):
    """The turns to play and the luck of the dice in them."""

    rounds: NDArray[np.uint64]
    """(turns,)"""
    seats: NDArray[np.uint64]
    """(turns,)"""
    thrown: NDArray[np.uint16]
    """(LANES, throws, turns) Five faces from 0, each in three bits."""
    own: NDArray[np.uint32]
    """(LANES, decisions, turns) First word of a strategy's own luck; no decisions if nobody is in need of it."""


@nb.njit(cache=True, nogil=True, _nrt=False, inline="always")  # else it would not become vector instructions
def _counter_words(seed, block, key_, round_, c0):
    """Return all four words of one counter: `kernel_luck.word` gives one of them."""
    mask = _u64(0xFFFF_FFFF)
    c1, c2, c3 = round_ & mask, key_ & mask, block & mask
    k0, k1 = seed & mask, seed >> _u64(32)
    for _ in range(10):
        p0 = _u64(0xD251_1F53) * c0
        p1 = _u64(0xCD9E_8D57) * c2
        c0 = (p1 >> _u64(32)) ^ c1 ^ k0
        c2 = (p0 >> _u64(32)) ^ c3 ^ k1
        c1, c3 = p1 & mask, p0 & mask
        k0, k1 = (k0 + _u64(0x9E37_79B9)) & mask, (k1 + _u64(0xBB67_AE85)) & mask
    return c0, c1, c2, c3


@jit_internal
def roll_dice(turns, first, seed, block, thrown):
    """Throw all dice of the turns of a block from the first of them on.

    Digit i in base six of the word of throw k is die i, in bits 3i to 3i + 2.
    """
    mask, six = _u64(0xFFFF_FFFF), _u64(6)
    for turn in range(_u64(first), _u64(turns.rounds.shape[0])):  # unsigned: else it would not be vectors
        open_ = counter_key(_u64(PURPOSE_DICE), turns.seats[turn] + _u64(1))
        for throw, word_ in enumerate(_counter_words(seed, block, open_, turns.rounds[turn], _u64(0))):
            if throw < thrown.shape[0]:
                faces = _u64(0)
                for die in range(NUMBER_OF_DICE):
                    word_ *= six  # noqa: PLW2901 - what is left of the fraction
                    faces |= word_ >> _u64(32) << _u64(3 * die)
                    word_ &= mask  # noqa: PLW2901 - as above
                thrown[throw, turn] = faces


@jit_internal
def draw_decision_words(turns, seed, block, index, own):
    """Draw the first word of every decision; those of the first turn begin at an index."""
    for decision in range(own.shape[0]):
        for turn in range(turns.rounds.shape[0]):
            hidden = counter_key(_u64(PURPOSE_STRATEGY), turns.seats[turn] + _u64(1))
            first = _u64(decision * MAX_DRAWS_PER_DECISION // 4)
            own[decision, turn] = _counter_words(seed, block, hidden, turns.rounds[turn], first)[0]
        if index and turns.rounds.shape[0]:
            hidden = counter_key(_u64(PURPOSE_STRATEGY), turns.seats[0] + _u64(1))
            own[decision, 0] = random_word(
                seed, block, hidden, turns.rounds[0], index + _u64(decision * MAX_DRAWS_PER_DECISION)
            )


@jit_inlined
def complete_throw(b, faces, hand):
    """SP-2: return the throw when what is missing to five dice shows the first of these faces."""
    for _ in range(NUMBER_OF_DICE - b.sizes[hand]):
        hand = _u64(b.plus[hand, faces & 7])
        faces >>= 3
    return hand
