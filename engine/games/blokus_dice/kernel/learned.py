"""The strategy `learned` of Blokus Dice, compiled: the inputs of its network, the network, and the choice.

`engine.games.blokus_dice.learned_values` says what the network is. `learned` takes the placement for which the squares
drawn now and those still to be expected are most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from engine.games.blokus_dice.kernel.keeper import count_next_round, list_candidates
from engine.games.blokus_dice.kernel.offer import (
    Offer,
    list_fitting,
    make_offer,
    offer_of_held,
    offer_of_other,
)
from engine.games.blokus_dice.kernel.position import BOARD_COLOURS, BOARD_STRIKES, BOARD_UNFILLED, TURN_ROUND
from engine.games.blokus_dice.kernel.room import (
    Room,
    held_colour_room,
    make_room,
    other_colour_room,
    place_candidate,
    store_room,
)
from engine.games.blokus_dice.kernel.rules import held_colour
from engine.games.blokus_dice.kernel.tables import LONGEST_SHAPE, SPOT_STRIDE
from engine.games.blokus_dice.learned_values import (
    COLOUR_INPUTS,
    HIDDEN_UNITS,
    INPUTS,
    ROUND_INPUTS,
    SQUARES_PER_UNIT,
)
from engine.games.blokus_dice.ruleset import COLOUR_NAMES, FACE_COUNT
from engine.kernels.bits import count_bits
from engine.kernels.compiling import (
    copy_array,
    forbid_inlining,
    jit_entry,
    jit_inlined,
    jit_internal,
    vector_pointer,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus_dice.kernel.tables import Numbers, Tables


COLOURS: Final = len(COLOUR_NAMES)
SIZE_CLASSES: Final = 3
"""Shapes of up to three squares, of four and of five."""
# Places of inputs for the whole board, after those for the colours.
DICE_INPUT: Final = COLOUR_INPUTS * COLOURS
STRIKES_INPUT: Final = DICE_INPUT + COLOURS
MOST_STRIKES: Final = 3
SQUARES_INPUT: Final = STRIKES_INPUT + MOST_STRIKES + 1
ORDER_INPUT: Final = SQUARES_INPUT + 7
ROWS_INPUT: Final = ORDER_INPUT + 2
SIZES_INPUT: Final = ROWS_INPUT + FACE_COUNT
ROUND_INPUT: Final = SIZES_INPUT + SIZE_CLASSES

_MOST_AROUND: Final = 12
"""Squares around a corner, at most."""

_f32 = np.float32


class LearnedPlayer(NamedTuple):
    """A network, and room for a decision by it."""

    network: Network
    offer: Offer
    room: Room
    shape_faces: Numbers
    """(shapes,) face of the row of each shape; -1 if it is not on the list."""
    shape_classes: Numbers
    """(shapes,) size class of each shape."""
    scaled_counts: NDArray[np.float32]
    """(COLOUR_INPUTS, counts) input that each count gives; see `_scale_counts`."""
    rows_left: NDArray[np.int64]
    """(FACE_COUNT,) shapes of each row that still fit somewhere in some colour."""
    classes_left: NDArray[np.int64]
    """(SIZE_CLASSES,) such shapes of each size class."""
    dice: NDArray[np.int64]
    """(colours,) dice that will be left in each of the next rounds when the seat chooses."""
    seen: NDArray[np.float32]
    """(INPUTS,) inputs of the candidate under examination."""
    chosen: NDArray[np.float32]
    """(INPUTS,) inputs of the best one so far."""
    hidden: NDArray[np.float32]
    """(HIDDEN_UNITS,)"""


def make_learned_player(tables: Tables, network: Network) -> LearnedPlayer:
    """Return a player that decides by a network."""
    shapes = int(tables.shapes.max()) + 1
    faces, classes = np.full(shapes, -1, np.int32), np.zeros(shapes, np.int32)
    faces[tables.shapes] = tables.faces
    classes[tables.shapes] = np.maximum(tables.sizes - (LONGEST_SHAPE - SIZE_CLASSES + 1), 0)
    return LearnedPlayer(
        network=network,
        offer=make_offer(tables),
        room=make_room(tables),
        shape_faces=faces,
        shape_classes=classes,
        scaled_counts=_scale_counts(tables),
        rows_left=np.zeros(FACE_COUNT, np.int64),
        classes_left=np.zeros(SIZE_CLASSES, np.int64),
        dice=np.zeros(COLOURS, np.int64),
        seen=np.zeros(INPUTS, np.float32),
        chosen=np.zeros(INPUTS, np.float32),
        hidden=np.zeros(HIDDEN_UNITS, np.float32),
    )


def _scale_counts(tables: Tables) -> NDArray[np.float32]:
    """Return the inputs of a colour that one count gives. Rows of all other inputs are zero."""
    squares = tables.side**2
    counts = np.arange(max(tables.placement_count, _MOST_AROUND * squares) + 1)
    logarithms = np.round(np.log2(counts + 1.0), 9)
    scaled = np.zeros((COLOUR_INPUTS, len(counts)), np.float32)
    scaled[0] = scaled[1] = scaled[2] = (
        counts / FACE_COUNT
    )  # rows of the list with shapes of five, of four, of any size
    scaled[3] = logarithms / 8  # placements that fit
    scaled[4] = logarithms / 6  # orientations of these
    scaled[5] = 1.0 / (1.0 + counts)  # the placements again
    scaled[8] = counts / LONGEST_SHAPE  # squares of the largest shape
    scaled[10] = 4 * counts / squares  # squares of the colour
    scaled[11] = 2 * counts / squares  # squares that it may cover
    scaled[12] = counts / 8  # of these, squares at its corners
    scaled[13] = counts / 60  # squares around these, added up
    scaled[14] = counts / _MOST_AROUND  # the most around one
    return scaled


@jit_entry
def value_by_network(position, tables, workspace, learned, seat):
    """List every placement that the seat may draw, with its value; return how many there are and which one is best.

    `workspace` is a GameWorkspace whose `decision.fitting` must have been stored; the values, in squares, go to
    `workspace.keeper.values`. The best one is -1 without candidates; its inputs are in `learned.chosen`.
    """
    forbid_inlining()
    keeper = workspace.keeper
    count = list_candidates(position, tables, workspace.decision, keeper, seat)
    if count:
        prepare_decision(position, tables, keeper, learned, seat)
    best = -1
    for n in range(count):
        store_inputs(position, tables, keeper, learned, seat, n)
        size = np.float64(tables.sizes[np.int64(keeper.placements[n]) % SPOT_STRIDE])
        keeper.values[n] = size + SQUARES_PER_UNIT * run_network(
            learned.network, learned.seen, learned.hidden
        )
        if best < 0 or keeper.values[n] > keeper.values[best]:
            best = n
            copy_array(learned.seen, learned.chosen)
    return count, best


@jit_internal
def prepare_decision(position, tables, keeper, learned, seat):
    """Work out what `store_inputs` needs of the board, and write the inputs that are the same for all candidates."""
    forbid_inlining()
    colour = held_colour(position, seat)
    list_fitting(position, tables, learned.offer, seat, colour)
    store_room(position, tables, learned.room, seat, colour)
    _count_shapes_left(learned)
    count_next_round(position, tables, keeper, seat)
    inputs, seats, before = learned.seen, keeper.next_round[0], keeper.next_round[1]
    inputs[:] = 0
    inputs[ORDER_INPUT] = _f32(before / 4)
    inputs[ORDER_INPUT + 1] = _f32(seats / 4)
    for later in range(COLOURS):
        learned.dice[later] = seats - before
        inputs[DICE_INPUT + later] = _f32(learned.dice[later] / 4)
        before = seats - 1 if before == 0 else before - 1
    inputs[ROUND_INPUT + min(position.turn[TURN_ROUND], ROUND_INPUTS - 1)] = _f32(1)


@jit_inlined
def _count_shapes_left(learned):
    """Count the shapes that still fit somewhere, by row and by size class."""
    learned.rows_left[:] = 0
    learned.classes_left[:] = 0
    for shape in range(len(learned.shape_faces)):
        if learned.offer.shapes_left[0] >> shape & 1:
            learned.rows_left[learned.shape_faces[shape]] += 1
            learned.classes_left[learned.shape_classes[shape]] += 1


@jit_inlined
def store_inputs(position, tables, keeper, learned, seat, n):
    """Write the inputs of the network to `learned.seen`: what the own board is like after a candidate.

    All inputs are between 0 and about 1. `prepare_decision` must have been called.
    """
    inputs, room = learned.seen, learned.room
    placement = np.int64(keeper.placements[n])
    orientation = placement % SPOT_STRIDE
    colour = held_colour(position, seat)
    lost, shared = place_candidate(tables, room, colour, placement)
    safe, stuck_sum = 1.0, 0.0
    for later in range(COLOURS - 1):
        other, first = colour - 1 - later & 3, COLOUR_INPUTS * later
        offered = offer_of_other(tables, learned.offer, other, placement)
        stuck = _store_offer(tables, learned, first, offered, learned.dice[later])
        _store_room(learned, first, other_colour_room(tables, room, other, placement))
        safe *= 1.0 - stuck
        stuck_sum += stuck
    first = COLOUR_INPUTS * (COLOURS - 1)
    offered = offer_of_held(tables, learned.offer, colour, placement)
    stuck = _store_offer(tables, learned, first, offered, learned.dice[COLOURS - 1])
    is_begun = position.boards[seat, BOARD_COLOURS] >> colour & 1
    _store_room(learned, first, held_colour_room(tables, room, colour, placement, is_begun))
    safe *= 1.0 - stuck
    stuck_sum += stuck
    strikes = np.int64(tables.strikes - position.boards[seat, BOARD_STRIKES] - keeper.strikes[n])
    for left in range(MOST_STRIKES + 1):
        inputs[STRIKES_INPUT + left] = _f32(left == min(strikes, MOST_STRIKES))
    squares = tables.side * tables.side
    unfilled = (position.boards[seat, BOARD_UNFILLED] - tables.sizes[orientation]) / squares
    inputs[SQUARES_INPUT] = _f32(unfilled)
    inputs[SQUARES_INPUT + 1] = _f32(unfilled * unfilled)
    inputs[SQUARES_INPUT + 2] = _f32(4 * lost / squares)
    inputs[SQUARES_INPUT + 3] = _f32(2 * shared / squares)
    inputs[SQUARES_INPUT + 4] = _f32(safe)
    inputs[SQUARES_INPUT + 5] = _f32(stuck_sum / 2)
    inputs[SQUARES_INPUT + 6] = _f32(safe if strikes == 0 else 0.0)
    shape = tables.shapes[orientation]
    for face in range(FACE_COUNT):
        left = learned.rows_left[face] - (learned.shape_faces[shape] == face)
        inputs[ROWS_INPUT + face] = _f32(left / 4)
    for size in range(SIZE_CLASSES):
        left = learned.classes_left[size] - (learned.shape_classes[shape] == size)
        inputs[SIZES_INPUT + size] = _f32(left / 12)


@jit_inlined
def _store_offer(tables, learned, first, offered, dice):
    """Write the inputs on what fits in a colour and on what `dice` dice offer; return the chance that nothing does.

    `offered` is an Offered.
    """
    inputs, scaled = learned.seen, learned.scaled_counts
    size, stuck, faces, largest = 0.0, 1.0, np.int64(0), np.int64(0)
    for squares in range(LONGEST_SHAPE, 0, -1):
        of_size = offered.classes >> FACE_COUNT * (squares - 1) & (1 << FACE_COUNT) - 1
        faces |= of_size
        largest = max(largest, squares * np.int64(of_size != 0))
        rows = count_bits(faces)
        if squares == LONGEST_SHAPE:
            inputs[first] = scaled[0, rows]
        if squares == LONGEST_SHAPE - 1:
            inputs[first + 1] = scaled[1, rows]
        stuck = tables.miss_chances[rows, dice]
        size += 1.0 - stuck
    inputs[first + 2] = scaled[2, count_bits(faces)]
    inputs[first + 3] = scaled[3, offered.placements]
    inputs[first + 4] = scaled[4, offered.kinds]
    inputs[first + 5] = scaled[5, offered.placements]
    inputs[first + 6] = _f32(offered.placements > 0)
    inputs[first + 7] = _f32(size / LONGEST_SHAPE)
    inputs[first + 8] = scaled[8, largest]
    inputs[first + 9] = _f32(stuck)
    return stuck


@jit_inlined
def _store_room(learned, first, room):
    """Write the inputs on the squares of a colour, on those that it may cover, and on those at its corners."""
    inputs, scaled = learned.seen, learned.scaled_counts
    inputs[first + 10] = scaled[10, room.drawn]
    inputs[first + 11] = scaled[11, room.free]
    inputs[first + 12] = scaled[12, room.corners]
    inputs[first + 13] = scaled[13, room.around]
    inputs[first + 14] = scaled[14, room.most]


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
