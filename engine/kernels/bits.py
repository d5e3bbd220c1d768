"""Sets as the bits of integers, in compiled code.

The functions take integers of any width, signed or not, and return the same type. Unlike the operators of Numba they
never widen a number to 64 bits.
"""

from __future__ import annotations

from llvmlite import ir
from numba.extending import intrinsic

from engine.kernels.compiling import jit_inlined


@intrinsic
def count_bits(_typing, bits):
    """Return how many bits are 1."""

    def codegen(_context, builder, _signature, arguments):
        return builder.ctpop(arguments[0])

    return bits(bits), codegen


@intrinsic
def lowest_bit(_typing, bits):
    """Return the place of the lowest bit that is 1, counted from 0; without meaning if no bit fits."""

    def codegen(_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return bits(bits), codegen


@intrinsic
def clear_lowest_bit(_typing, bits):
    """Return the integer without its lowest bit that is 1."""

    def codegen(_context, builder, _signature, arguments):
        below = builder.sub(arguments[0], arguments[0].type(1))
        return builder.and_(arguments[0], below)

    return bits(bits), codegen


@jit_inlined
def nth_bit(bits, n):
    """Return the place of the bit that is 1 and has n such bits below it; without meaning if no bit fits."""
    for _ in range(n):
        bits = clear_lowest_bit(bits)
    return lowest_bit(bits)
