"""The luck of whole games, drawn at once: all dice of all turns, and the first words of the strategies' own luck."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.games.spexxx.dice import NUMBER_OF_DICE
from engine.kernels.compiling import jit_inlined, jit_internal, jit_merged
from engine.kernels.luck import counter_key, random_word
from engine.luck import MAX_DRAWS_PER_DECISION, PURPOSE_DICE, PURPOSE_STRATEGY

if TYPE_CHECKING:
    from numpy.typing import NDArray

_u64 = np.uint64


class Turns(NamedTuple):
    """The turns that are left in a game, and the luck in them."""

    rounds: NDArray[np.uint64]
    """(turns,)"""
    seats: NDArray[np.uint64]
    """(turns,)"""
    faces: NDArray[np.uint16]
    """(LANES, throws, turns) faces of five dice from 0, three bits each."""
    words: NDArray[np.uint32]
    """(LANES, decisions, turns) first word of a decision's own luck; without decisions if no strategy is random."""
    played: int
    """The number of turns that are played, from the first one on."""


class LaneGame(NamedTuple):
    """One of the games side by side, with the keys of its luck."""

    lane: np.uint64
    seed: np.uint64
    block: np.uint64


@jit_merged  # merged, it becomes vector instructions
def _counter_words(seed, block, key, round_, c0):
    """Return all four words of one counter; `engine.kernels.luck.random_word` returns one of them."""
    mask = _u64(0xFFFF_FFFF)
    c1, c2, c3 = round_ & mask, key & mask, block & mask
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
def roll_dice(turns, first, seed, block, faces):
    """Roll all dice of the turns of a block, from turn `first` on, into `faces`: (throws, turns).

    Digit i in base six of the word of a throw is die i. It is in bits 3i to 3i + 2.
    """
    mask, six = _u64(0xFFFF_FFFF), _u64(6)
    for turn in range(
        _u64(first), _u64(turns.rounds.shape[0])
    ):  # only unsigned, it becomes vector instructions
        key = counter_key(_u64(PURPOSE_DICE), turns.seats[turn] + _u64(1))
        for throw, word in enumerate(_counter_words(seed, block, key, turns.rounds[turn], _u64(0))):
            if throw < faces.shape[0]:
                fraction = word
                packed = _u64(0)
                for die in range(NUMBER_OF_DICE):
                    fraction *= six
                    packed |= fraction >> _u64(32) << _u64(3 * die)
                    fraction &= mask
                faces[throw, turn] = packed


@jit_internal
def draw_decision_words(turns, seed, block, index, words):
    """Draw the first word of every decision into `words`: (decisions, turns). Those of the first turn begin at `index`."""
    for decision in range(words.shape[0]):
        for turn in range(turns.rounds.shape[0]):
            key = counter_key(_u64(PURPOSE_STRATEGY), turns.seats[turn] + _u64(1))
            first = _u64(decision * MAX_DRAWS_PER_DECISION // 4)
            words[decision, turn] = _counter_words(seed, block, key, turns.rounds[turn], first)[0]
        if index and turns.rounds.shape[0]:
            key = counter_key(_u64(PURPOSE_STRATEGY), turns.seats[0] + _u64(1))
            words[decision, 0] = random_word(
                seed, block, key, turns.rounds[0], index + _u64(decision * MAX_DRAWS_PER_DECISION)
            )


@jit_inlined
def complete_throw(tables, faces, hand):
    """Return the throw in which the missing dice of a hand show the first of these faces (SP-2)."""
    for _ in range(NUMBER_OF_DICE - tables.sizes[hand]):
        hand = _u64(tables.hand_plus_die[hand, faces & 7])
        faces >>= 3
    return hand
