"""Keyed luck for compiled games: the functions of `engine.luck` in Numba, with the same results.

All numbers are uint64, because Numba turns a mix of signed and unsigned integers into floats.
"""

from __future__ import annotations

import numba as nb
import numpy as np

from engine.luck import NORMAL_STEPS

_WORD_MASK = np.uint64(0xFFFF_FFFF)
_WORD_BITS = np.uint64(32)
_STEP_BITS = np.uint64(33 - NORMAL_STEPS.bit_length())
_REST_MASK = np.uint64((1 << 32) // NORMAL_STEPS - 1)
_REST_UNIT = NORMAL_STEPS / (1 << 32)


@nb.njit(nb.uint64(nb.uint64, nb.uint64, nb.uint64, nb.uint64, nb.uint64), cache=True, nogil=True)
def random_word(seed, block, key, round_, index):
    """Return 32 random bits, as `Luck.word` does. `key` is the result of `counter_key`.

    Philox4x32-10 with counter (index / 4, round, key, block); the index chooses among its four words.
    """
    c0 = index >> np.uint64(2)
    c1 = round_
    c2 = key
    c3 = block
    k0 = seed & _WORD_MASK
    k1 = seed >> _WORD_BITS
    for _ in range(10):
        p0 = np.uint64(0xD251_1F53) * c0
        p1 = np.uint64(0xCD9E_8D57) * c2
        c0 = (p1 >> _WORD_BITS) ^ c1 ^ k0
        c2 = (p0 >> _WORD_BITS) ^ c3 ^ k1
        c1 = p1 & _WORD_MASK
        c3 = p0 & _WORD_MASK
        k0 = (k0 + np.uint64(0x9E37_79B9)) & _WORD_MASK
        k1 = (k1 + np.uint64(0xBB67_AE85)) & _WORD_MASK
    which = index & np.uint64(3)
    if which == np.uint64(0):
        return c0
    if which == np.uint64(1):
        return c1
    if which == np.uint64(2):
        return c2
    return c3


@nb.njit(nb.uint64(nb.uint64, nb.uint64), cache=True, nogil=True)
def counter_key(purpose, seat_and_one):
    """Return the third word of the counter from a purpose of `engine.luck` and seat + 1 (0 for chance)."""
    return purpose << np.uint64(8) | seat_and_one


@nb.njit(nb.uint64(nb.uint64, nb.uint64), cache=True, nogil=True)
def number_below(word_, n):
    """Turn 32 random bits into a number from 0 to n - 1, as `Luck.below` does."""
    return word_ * n >> _WORD_BITS


@nb.njit(nb.float64(nb.float64[::1], nb.uint64), cache=True, nogil=True)
def normal_number(quantiles, word_):
    """Turn 32 random bits into a number from the standard normal distribution, as `Source.normal` does.

    `quantiles` is an array of `engine.luck.normal_quantiles()`, (NORMAL_STEPS + 1,).
    """
    step = word_ >> _STEP_BITS
    rest = np.float64(word_ & _REST_MASK) * _REST_UNIT
    return quantiles[step] + (quantiles[step + np.uint64(1)] - quantiles[step]) * rest


@nb.njit(nb.uint64(nb.uint64, nb.uint64, nb.uint64, nb.uint64, nb.uint64), cache=True, nogil=True)
def fork_seed(seed, block, key_, round_, index):
    """Return a seed for games that a strategy plays out in its search, as `Source.fork` does. It takes two draws."""
    high = random_word(seed, block, key_, round_, index)
    return high << _WORD_BITS | random_word(seed, block, key_, round_, index + np.uint64(1))
