"""Sets of placements in compiled code: their words one by one, and many at once in vectors.

Bit tricks and hand-made instructions are kept here; `kernel_tables.py` tells what planes, patterns and windows are.
"""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from engine.games.blokus_dice.kernel.tables import VECTOR_WORDS, WORD_BITS

_JIT_OPTIONS: Final[dict[str, Any]] = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""Without Numba's runtime nothing can be allocated, and views of arrays cost nothing: counting references to them took
four fifths of the time."""

jit_inlined = nb.njit(**_JIT_OPTIONS, forceinline=True)
"""To pass the arrays of a position and of a ruleset on the stack took a third of the time."""
jit_entry = nb.njit(**_JIT_OPTIONS, forceinline=True, cache=True)
"""For what Python calls too."""
jit_merged = nb.njit(**_JIT_OPTIONS, inline="always")
"""For what is large and called from one place: it is compiled there only."""
jit_internal = nb.njit(**_JIT_OPTIONS)
"""For what is large, and takes longer than a call: compiled once, however often it is called."""


@intrinsic
def count_bits(_typing, number):
    """Count the bits of an integer that are 1."""

    def codegen(_context, builder, _signature, arguments):
        return builder.ctpop(arguments[0])

    return number(number), codegen


@intrinsic
def lowest_bit(_typing, number):
    """Return the index of the lowest bit that is 1."""

    def codegen(_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return number(number), codegen


def _words_address(context, builder, array, value, first):
    """Return the address of STEP words of an array, from a word on."""
    data = context.make_array(array)(context, builder, value).data
    return builder.bitcast(
        builder.gep(data, [first]), ir.VectorType(ir.IntType(WORD_BITS), VECTOR_WORDS).as_pointer()
    )


def _make_words_operation(instruction):
    """Make a change of STEP words of a plane, from a word on, by a row of a window: all at once, in vectors."""

    @intrinsic
    def change_words(_typing, plane, first, window):  # noqa: ARG001 - its name tells what it is
        def codegen(context, builder, _signature, arguments):
            vector = ir.VectorType(ir.IntType(WORD_BITS), VECTOR_WORDS)
            here = _words_address(context, builder, plane, arguments[0], arguments[1])
            row = _words_address(context, builder, window, arguments[2], ir.IntType(64)(0))
            before = builder.load(here, align=4, typ=vector)
            builder.store(instruction(builder, before, builder.load(row, align=4, typ=vector)), here, align=4)
            return context.get_dummy_value()

        return types.void(plane, types.int64, window), codegen

    return change_words


@intrinsic
def copy_array(_typing, before, now):
    """Copy an array to another one of the same shape."""

    def codegen(context, builder, _signature, arguments):
        source, target = (context.make_array(before)(context, builder, array) for array in arguments)
        cgutils.raw_memcpy(builder, target.data, source.data, source.nitems, source.itemsize)
        return context.get_dummy_value()

    return types.void(before, now), codegen


@intrinsic
def shared_words_mask(_typing, plane, first, pattern):  # noqa: ARG001 - its name tells what it is
    """Return which of the STEP words of a plane, from a word on, share a member with a pattern: a bit for each."""

    def codegen(context, builder, _signature, arguments):
        vector = ir.VectorType(ir.IntType(WORD_BITS), VECTOR_WORDS)
        words = _words_address(context, builder, plane, arguments[0], arguments[1])
        others = _words_address(context, builder, pattern, arguments[2], ir.IntType(64)(0))
        both = builder.and_(
            builder.load(words, align=4, typ=vector), builder.load(others, align=4, typ=vector)
        )
        some = builder.icmp_unsigned("!=", both, ir.Constant(vector, [0] * VECTOR_WORDS))
        return builder.zext(builder.bitcast(some, ir.IntType(VECTOR_WORDS)), ir.IntType(64))

    return types.int64(plane, types.int64, pattern), codegen


subtract_words = _make_words_operation(lambda builder, words, row: builder.and_(words, builder.not_(row)))
add_words = _make_words_operation(lambda builder, words, row: builder.or_(words, row))


@jit_inlined
def count_shared_members(some, others):
    """Count the members that two planes share."""
    total = np.uint32(0)
    for i in range(len(some)):
        total = np.uint32(total + count_bits(some[i] & others[i]))  # 32 bits: twice as many lanes as 64
    return np.int64(total)


@jit_inlined
def nth_shared_member(some, others, index):
    """Return the member that two planes share which has `index` smaller ones; there must be so many."""
    first = 0
    while True:
        inside = count_shared_members(
            some[first : first + VECTOR_WORDS], others[first : first + VECTOR_WORDS]
        )
        if index < inside:
            break
        index -= inside
        first += VECTOR_WORDS
    while True:
        rest = np.uint32(some[first] & others[first])
        inside = np.int64(count_bits(rest))
        if index < inside:
            break
        index -= inside
        first += 1
    for _ in range(index):
        rest = np.uint32(rest & np.uint32(rest - np.uint32(1)))
    return WORD_BITS * first + np.int64(lowest_bit(rest))
