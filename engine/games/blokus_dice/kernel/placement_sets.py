"""Planes and windows in compiled code: operations on whole vectors of words, made by hand.

`tables` explains what planes, vectors, patterns and windows are.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from engine.games.blokus_dice.kernel.tables import VECTOR_WORDS, WORD_BITS
from engine.kernels.bits import count_bits, nth_bit
from engine.kernels.compiling import jit_inlined, vector_pointer

_WORD_BYTES = WORD_BITS // 8


def _load_vector(context, builder, array, index=None):
    """Return VECTOR_WORDS words of an array as a vector, from an index on. See `vector_pointer`."""
    if index is None:
        index = types.int64, ir.IntType(64)(0)
    pointer = vector_pointer(context, builder, array, index, VECTOR_WORDS)
    vector = ir.VectorType(ir.IntType(WORD_BITS), VECTOR_WORDS)
    return builder.load(pointer, align=_WORD_BYTES, typ=vector)


def _make_vector_operation(combine):
    """Return a compiled function (plane, first, window row) that changes VECTOR_WORDS words of a plane at once.

    `combine(builder, words, row)` gives the instructions that make the new words.
    """

    @intrinsic
    def change_words(_typing, plane, _first, window):
        def codegen(context, builder, _signature, arguments):
            words, index, row = arguments
            place = (plane, words), (types.int64, index)
            before = _load_vector(context, builder, *place)
            after = combine(builder, before, _load_vector(context, builder, (window, row)))
            pointer = vector_pointer(context, builder, *place, VECTOR_WORDS)
            builder.store(after, pointer, align=_WORD_BYTES)
            return context.get_dummy_value()

        return types.void(plane, types.int64, window), codegen

    return change_words


subtract_words = _make_vector_operation(lambda builder, words, row: builder.and_(words, builder.not_(row)))
"""(plane, first, row): take the placements of a row of words from a plane, from the word `first` on."""
add_words = _make_vector_operation(lambda builder, words, row: builder.or_(words, row))
"""(plane, first, row): add the placements of a row of words to a plane, from the word `first` on."""


@intrinsic
def shared_words_mask(_typing, plane, _first, pattern):
    """Return which words of a vector of a plane, from the word `_first` on, share a member with a pattern: a bit for each."""

    def codegen(context, builder, _signature, arguments):
        words, index, row = arguments
        vector = ir.VectorType(ir.IntType(WORD_BITS), VECTOR_WORDS)
        of_plane = _load_vector(context, builder, (plane, words), (types.int64, index))
        shared = builder.and_(of_plane, _load_vector(context, builder, (pattern, row)))
        is_shared = builder.icmp_unsigned("!=", shared, ir.Constant(vector, [0] * VECTOR_WORDS))
        return builder.zext(builder.bitcast(is_shared, ir.IntType(VECTOR_WORDS)), ir.IntType(64))

    return types.int64(plane, types.int64, pattern), codegen


@intrinsic
def merge_shared_words(_typing, target, counts, plane, _first, row):
    """Add to VECTOR_WORDS words of `target` the members that a plane, from the word `_first` on, shares with a row.

    `counts` are VECTOR_WORDS / 2 numbers (int64): to each, the number of these members in two words is added.
    """

    def codegen(context, builder, signature, arguments):
        of_target, of_counts, of_plane, of_first, of_row = zip(signature.args, arguments, strict=True)
        shared = builder.and_(
            _load_vector(context, builder, of_plane, of_first), _load_vector(context, builder, of_row)
        )
        start = types.int64, ir.IntType(64)(0)
        target_pointer = vector_pointer(context, builder, of_target, start, VECTOR_WORDS)
        merged = builder.or_(_load_vector(context, builder, of_target), shared)
        builder.store(merged, target_pointer, align=_WORD_BYTES)
        pairs = ir.VectorType(ir.IntType(2 * WORD_BITS), VECTOR_WORDS // 2)
        name = f"llvm.ctpop.v{VECTOR_WORDS // 2}i{2 * WORD_BITS}"
        count = builder.module.globals.get(name) or ir.Function(
            builder.module, ir.FunctionType(pairs, [pairs]), name
        )
        counts_pointer = vector_pointer(context, builder, of_counts, start, VECTOR_WORDS // 2)
        before = builder.load(counts_pointer, align=2 * _WORD_BYTES, typ=pairs)
        after = builder.add(before, builder.call(count, [builder.bitcast(shared, pairs)]))
        builder.store(after, counts_pointer, align=2 * _WORD_BYTES)
        return context.get_dummy_value()

    return types.void(target, counts, plane, types.int64, row), codegen


@jit_inlined
def count_shared_members(plane, other):
    """Return how many members two planes share."""
    total = np.uint32(0)
    for i in range(len(plane)):
        total = np.uint32(
            total + count_bits(plane[i] & other[i])
        )  # 32 bits: twice as many in a register as 64
    return np.int64(total)


@jit_inlined
def nth_shared_member(plane, other, n):
    """Return member `n`, counted from 0, of those that two planes share; they must share more than `n`."""
    word = 0
    while True:
        members = count_shared_members(plane[word : word + VECTOR_WORDS], other[word : word + VECTOR_WORDS])
        if n < members:
            break
        n -= members
        word += VECTOR_WORDS
    while True:
        shared = np.uint32(plane[word] & other[word])
        members = np.int64(count_bits(shared))
        if n < members:
            break
        n -= members
        word += 1
    return WORD_BITS * word + np.int64(nth_bit(shared, n))
