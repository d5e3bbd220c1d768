"""Keyed luck for compiled games: the functions of `engine.luck` in Numba, with the same results.

All numbers are uint64, because Numba turns a mix of signed and unsigned integers into floats.
"""

from __future__ import annotations

from typing import Final

import numba as nb
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from engine.kernels.compiling import vector_pointer
from engine.luck import NORMAL_STEPS

_WORD_MASK = np.uint64(0xFFFF_FFFF)
_WORD_BITS = np.uint64(32)
_STEP_BITS = np.uint64(33 - NORMAL_STEPS.bit_length())
_REST_MASK = np.uint64((1 << 32) // NORMAL_STEPS - 1)
_REST_UNIT = NORMAL_STEPS / (1 << 32)
SEATS_AT_ONCE: Final = 4
"""Seats for which `store_seat_words` draws: one vector holds four numbers."""


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


@intrinsic
def _store_words(_typing, words, seed, block, purpose, round_, index):
    """Write to `words` what `store_seat_words` does."""

    def codegen(context, builder, signature, arguments):
        _, of_seed, of_block, of_purpose, of_round, of_index = arguments
        number = ir.IntType(64)
        vector = ir.VectorType(number, SEATS_AT_ONCE)

        def repeat(value):
            return ir.Constant(vector, [value] * SEATS_AT_ONCE)

        def fill(value):
            filled = ir.Constant(vector, ir.Undefined)
            for seat in range(SEATS_AT_ONCE):
                filled = builder.insert_element(filled, value, ir.IntType(32)(seat))
            return filled

        def low_half(value):
            return builder.and_(value, repeat(0xFFFF_FFFF))

        def high_half(value):
            return builder.lshr(value, repeat(32))

        seats = ir.Constant(vector, [seat + 1 for seat in range(SEATS_AT_ONCE)])
        c0 = low_half(fill(builder.lshr(of_index, number(2))))
        c1 = low_half(fill(of_round))
        c2 = low_half(builder.or_(fill(builder.shl(of_purpose, number(8))), seats))
        c3 = low_half(fill(of_block))
        k0, k1 = low_half(fill(of_seed)), high_half(fill(of_seed))
        for _ in range(10):
            p0, p1 = builder.mul(repeat(0xD251_1F53), c0), builder.mul(repeat(0xCD9E_8D57), c2)
            c0 = builder.xor(builder.xor(high_half(p1), c1), k0)
            c2 = builder.xor(builder.xor(high_half(p0), c3), k1)
            c1, c3 = low_half(p1), low_half(p0)
            k0 = low_half(builder.add(k0, repeat(0x9E37_79B9)))
            k1 = low_half(builder.add(k1, repeat(0xBB67_AE85)))
        which, chosen = builder.and_(of_index, number(3)), c3
        for place, word in enumerate((c0, c1, c2)):
            chosen = builder.select(builder.icmp_unsigned("==", which, number(place)), word, chosen)
        of_words = signature.args[0], arguments[0]
        pointer = vector_pointer(context, builder, of_words, (types.int64, number(0)), SEATS_AT_ONCE)
        builder.store(chosen, pointer, align=8)
        return context.get_dummy_value()

    return types.void(words, seed, block, purpose, round_, index), codegen


@nb.njit(
    nb.void(nb.uint64[::1], nb.uint64, nb.uint64, nb.uint64, nb.uint64, nb.uint64), cache=True, nogil=True
)
def store_seat_words(words, seed, block, purpose, round_, index):
    """Write to `words`, (SEATS_AT_ONCE,), what `random_word` returns for each of the first seats.

    One vector computes the words of all seats, in the time that `random_word` takes for one.
    """
    _store_words(words, seed, block, purpose, round_, index)


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
