"""The neural network of the strategy `learned` of Blokus Dice, compiled.

`engine.games.blokus_dice.learned_values` says what it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from engine.games.blokus_dice.learned_values import HIDDEN_UNITS, INPUTS
from engine.kernels.compiling import jit_inlined, vector_pointer

if TYPE_CHECKING:
    from numpy.typing import NDArray

_f32 = np.float32
_FLOAT_BYTES = 4
_INDEX = ir.IntType(64)
_LANE = ir.IntType(32)
_VECTOR = ir.VectorType(ir.FloatType(), HIDDEN_UNITS)


class Network(NamedTuple):
    """The weights of the network."""

    inputs: NDArray[np.float32]
    """(INPUTS x HIDDEN_UNITS,) the weights of each input, one after the other."""
    constants: NDArray[np.float32]
    """(HIDDEN_UNITS,)"""
    outputs: NDArray[np.float32]
    """(HIDDEN_UNITS,)"""
    constant: NDArray[np.float32]
    """(1,)"""


def split_weights(weights: NDArray[np.float32]) -> Network:
    """Return weights in a row, as `read_learned_values` returns them, as a network. The arrays are views."""
    of_inputs, rest = np.split(weights, [INPUTS * HIDDEN_UNITS])
    constants, outputs, constant = np.split(rest, [HIDDEN_UNITS, 2 * HIDDEN_UNITS])
    return Network(of_inputs, constants, outputs, constant)


@intrinsic
def add_weighted_rows(_typing, sums, values, rows):
    """Add to `sums` (HIDDEN_UNITS,) each row of `rows` times its value, the first row first; rows of value 0 are left out.

    All sums stay in registers. A plain loop stores and loads them for every row, because the arrays might overlap.
    """

    def codegen(context, builder, signature, arguments):
        sums_place, values_place, rows_place = zip(signature.args, arguments, strict=True)
        before, begin, body, add, next_row, end = (
            builder.block,
            *(builder.append_basic_block(name) for name in ("begin", "row", "add", "next", "end")),
        )
        target = vector_pointer(context, builder, sums_place, (types.int64, _INDEX(0)), HIDDEN_UNITS)
        first_sums = builder.load(target, align=_FLOAT_BYTES, typ=_VECTOR)
        builder.branch(begin)
        builder.position_at_end(begin)
        row, sums = builder.phi(_INDEX), builder.phi(_VECTOR)
        builder.cbranch(builder.icmp_signed("<", row, _INDEX(INPUTS)), body, end)
        builder.position_at_end(body)
        value = _load_floats(context, builder, values_place, row, 1)
        is_used = builder.fcmp_unordered("!=", builder.extract_element(value, _LANE(0)), ir.FloatType()(0.0))
        builder.cbranch(is_used, add, next_row)
        builder.position_at_end(add)
        weights = _load_floats(
            context, builder, rows_place, builder.mul(row, _INDEX(HIDDEN_UNITS)), HIDDEN_UNITS
        )
        repeated = builder.shuffle_vector(
            value, value, ir.VectorType(_LANE, HIDDEN_UNITS)([0] * HIDDEN_UNITS)
        )
        more = builder.fadd(sums, builder.fmul(repeated, weights))
        builder.branch(next_row)
        builder.position_at_end(next_row)
        after = builder.phi(_VECTOR)
        after.add_incoming(sums, body)
        after.add_incoming(more, add)
        row.add_incoming(_INDEX(0), before)
        row.add_incoming(builder.add(row, _INDEX(1)), next_row)
        sums.add_incoming(first_sums, before)
        sums.add_incoming(after, next_row)
        builder.branch(begin)
        builder.position_at_end(end)
        builder.store(sums, target, align=_FLOAT_BYTES)
        return context.get_dummy_value()

    return types.void(sums, values, rows), codegen


def _load_floats(context, builder, array, index, lanes):
    """Return `lanes` floats of an array as a vector, from an index on. See `vector_pointer`."""
    pointer = vector_pointer(context, builder, array, (types.int64, index), lanes)
    return builder.load(pointer, align=_FLOAT_BYTES, typ=ir.VectorType(ir.FloatType(), lanes))


@jit_inlined
def run_network(network, inputs, hidden):
    """Return the output of the network; `hidden` receives the values of the hidden units."""
    for j in range(HIDDEN_UNITS):
        hidden[j] = network.constants[j]
    add_weighted_rows(hidden, inputs, network.inputs)
    output = network.constant[0]
    for j in range(HIDDEN_UNITS):
        hidden[j] = max(hidden[j], _f32(0))
        output += hidden[j] * network.outputs[j]
    return np.float64(output)
