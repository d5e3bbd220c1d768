"""The columns of a sheet side by side in one vector register: every trick with bits is in here.

A column is a set of rows, one bit a row. `Lanes` holds one such set for each column, so that one instruction asks the
same question of an orientation at every column of its left edge. Numba offers no vectors; these operations hand them
to the compiler in its own portable terms, whatever the registers of the machine.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

from engine.games.bloxx.kernel_tables import LANES

_INT32: Final = ir.IntType(32)
_INT64: Final = ir.IntType(64)


class Lanes(types.Type):
    """One set of rows for each column."""

    def __init__(self, bits: int) -> None:
        super().__init__(name=f"Lanes({bits})")
        self.bits = bits
        self.count = LANES[f"uint{bits}"]


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]  # mypy does not look into Numba
    def __init__(self, manager, lanes) -> None:
        super().__init__(manager, lanes, ir.VectorType(ir.IntType(lanes.bits), lanes.count))


def _all(lanes, number):
    """Return a constant in every lane."""
    vector = lanes.type
    return ir.Constant(vector, [ir.Constant(vector.element, number)] * vector.count)


def _spread(builder, vector, number):
    """Return a number that is known only when the program runs in every lane."""
    nothing = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(nothing, builder.trunc(number, vector.element), _INT32(0))
    return builder.shuffle_vector(
        first, nothing, ir.Constant(ir.VectorType(_INT32, vector.count), [_INT32(0)] * vector.count)
    )


def _as_bits(builder, flags):
    """Return a vector of truth values as a set of lanes, one bit a lane."""
    return builder.zext(builder.bitcast(flags, ir.IntType(flags.type.count)), _INT64)


def _lanes_at(_typing, rows, seat, column, down):  # noqa: ARG001 - Numba asks for them by name
    lanes = Lanes(rows.dtype.bitwidth)

    def code(context, builder, _signature, arguments):
        array = context.make_array(rows)(context, builder, arguments[0])
        start = cgutils.get_item_pointer(context, builder, rows, array, arguments[1:3], wraparound=False)
        vector = context.get_value_type(lanes)
        loaded = builder.load(builder.bitcast(start, vector.as_pointer()), align=lanes.bits // 8, typ=vector)
        return builder.lshr(loaded, _spread(builder, vector, arguments[3]))

    return lanes(rows, types.int64, types.int64, types.int64), code


def _of_one(instruction, result=None):
    """Make an operation on Lanes; it returns Lanes, or else a `result`."""

    def operation(_typing, lanes):
        def code(_context, builder, _signature, arguments):
            return instruction(builder, *arguments)

        return (result or lanes)(lanes), code

    return intrinsic(operation)


def _of_two(instruction, result=None):
    """Make an operation on Lanes and other Lanes or a number."""

    def operation(_typing, lanes, other):
        def code(_context, builder, _signature, arguments):
            return instruction(builder, *arguments)

        return (result or lanes)(lanes, other if isinstance(other, Lanes) else types.int64), code

    return intrinsic(operation)


def _size(builder, lanes):
    vector = lanes.type
    whole = ir.IntType(vector.element.width * vector.count)
    return builder.trunc(builder.ctpop(builder.bitcast(lanes, whole)), _INT64)


def _in_row(builder, lanes, row):
    moved = builder.lshr(lanes, _spread(builder, lanes.type, row))
    return _as_bits(builder, builder.trunc(moved, ir.VectorType(ir.IntType(1), lanes.type.count)))


def _number(instruction):
    """Make an operation on a set that is an integer."""

    def operation(_typing, bits):  # noqa: ARG001 - Numba asks for them by name
        def code(_context, builder, _signature, arguments):
            return instruction(builder, arguments[0])

        return types.int64(types.int64), code

    return intrinsic(operation)


lanes_at: Any = intrinsic(_lanes_at)
"""(rows, seat, column, down): the sets from rows[seat, column] onwards, each moved down by some rows."""
either: Any = _of_two(lambda builder, lanes, other: builder.or_(lanes, other))
"""(lanes, other): rows in either."""
both: Any = _of_two(lambda builder, lanes, other: builder.and_(lanes, other))
"""(lanes, other): rows in both."""
without: Any = _of_two(lambda builder, lanes, other: builder.and_(lanes, builder.not_(other)))
"""(lanes, other): rows in the first but not in the second."""
lower_edge: Any = _of_one(lambda builder, lanes: builder.and_(lanes, _all(lanes, 1)))
"""(lanes): row 0 only."""
one_down: Any = _of_one(lambda builder, lanes: builder.lshr(lanes, _all(lanes, 1)))
"""(lanes): all rows moved down by one."""
size: Any = _of_one(_size, types.int64)
"""(lanes): how many rows there are in all lanes together."""
occupied: Any = _of_one(
    lambda builder, lanes: _as_bits(builder, builder.icmp_unsigned("!=", lanes, _all(lanes, 0))), types.int64
)
"""(lanes): the columns that hold any row, as an integer with one bit a column."""
in_row: Any = _of_two(_in_row, types.int64)
"""(lanes, row): the columns that hold this row, as an integer with one bit a column."""
lane: Any = _of_two(
    lambda builder, lanes, column: builder.zext(builder.extract_element(lanes, column), _INT64), types.int64
)
"""(lanes, column): the rows of one column, as an integer with one bit a row."""
lowest: Any = _number(lambda builder, bits: builder.cttz(bits, ir.IntType(1)(1)))
"""(bits): the number of the lowest bit of an integer that is not 0."""
count: Any = _number(lambda builder, bits: builder.ctpop(bits))
"""(bits): the number of bits that are set."""
