"""The strategies `keeper` and `rollout` of Blokus Dice, compiled.

`keeper` values the squares of a placement and what it leaves to each colour. After a placement the seat holds the other
three colours in turn, then the same colour again. For each of these four rounds the board tells which rows of the list
have a shape that fits in the colour, and the order of play how many dice will be left. This gives the expected size of
the largest shape, and the probability that no die fits.

`rollout` plays the best candidates of `keeper` on in playouts. Boards affect one another only through the dice that are
left. So a playout has one board, the own: the seats that are in stay in, and the dice that they leave are as good as
rolled afresh. It ends when the seat drops out, and costs a quarter of a game of four. All candidates meet the same dice.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.blokus_dice.kernel.policies import choose_greedy, corner_points_around, mark_corner_points
from engine.games.blokus_dice.kernel.position import (
    ANY_FACE,
    BOARD_COLOURS,
    BOARD_STRIKES,
    BOARD_UNFILLED,
    PLANE_APART,
    PLANE_FREE,
    PLANE_JOINED,
    TURN_OUT_COUNT,
    TURN_ROLL,
    TURN_ROUND,
    TURN_STARTER,
)
from engine.games.blokus_dice.kernel.rules import (
    draw_placement,
    held_colour,
    roll_dice,
    store_fitting,
    untaken_face,
    update_planes,
)
from engine.games.blokus_dice.kernel.tables import (
    LONGEST_SHAPE,
    MAX_DICE,
    SPOT_STRIDE,
    SPOT_WORDS,
    VECTOR_WORDS,
    WORD_BITS,
)
from engine.games.blokus_dice.ruleset import COLOUR_NAMES, FACE_COUNT
from engine.kernels.bits import clear_lowest_bit, count_bits, lowest_bit
from engine.kernels.compiling import copy_array, jit_inlined, jit_internal
from engine.kernels.halving import halve_candidates
from engine.kernels.luck import counter_key, fork_seed, random_word
from engine.luck import PURPOSE_STRATEGY

# Places of the weights, in the order of `weights.toml`
(
    WEIGHT_STRIKE,
    WEIGHT_FORCED,
    WEIGHT_RARE,
    WEIGHT_POINTS,
    WEIGHT_GAIN,
    WEIGHT_MOBILITY,
    WEIGHT_VARIETY,
    WEIGHT_FADE,
    WEIGHT_FUTURE,
) = range(9)


@jit_internal
def value_candidates(position, tables, workspace, keeper, weights, seat):
    """List every placement that the seat may draw, with its value; return how many there are.

    `keeper` is a KeeperWorkspace. A placement that some die offers is listed without a strike only: a strike would be
    wasted on it. `workspace.fitting` must have been stored.
    """
    mark_corner_points(position.filled[seat], held_colour(position, seat), tables.side, workspace)
    count_shape_placements(position, tables, keeper, seat)
    count_next_round(position, tables, keeper, seat)
    count = list_candidates(position, tables, workspace, keeper, seat)
    for n in range(count):
        keeper.values[n] = _candidate_value(position, tables, workspace, keeper, weights, seat, n)
    return count


@jit_inlined
def count_shape_placements(position, tables, keeper, seat):
    """Store the placements that each colour allows, and count those of each shape that some colour allows."""
    planes, allowed = position.planes[seat], keeper.allowed
    keeper.shape_placements[:] = 0
    for colour in range(len(COLOUR_NAMES)):
        for i in range(tables.words):
            allowed[colour, i] = planes[PLANE_JOINED + colour, i] & planes[PLANE_APART + colour, i]
    for word in range(tables.words):
        rest = np.uint32(
            planes[PLANE_FREE, word]
            & (allowed[0, word] | allowed[1, word] | allowed[2, word] | allowed[3, word])
        )
        while rest:
            orientation = WORD_BITS * (word % SPOT_WORDS) + np.int64(lowest_bit(rest))
            keeper.shape_placements[tables.shapes[orientation]] += 1
            rest = clear_lowest_bit(rest)


@jit_inlined
def count_next_round(position, tables, keeper, seat):
    """BD-10: count the seats that are in, and those of them before this one in the next round."""
    turn, next_round = position.turn, keeper.next_round
    next_round[0], next_round[1] = tables.players - turn[TURN_OUT_COUNT], 0
    other = (turn[TURN_STARTER] + 1) % tables.players
    while other != seat:
        next_round[1] += 1
        for out in range(turn[TURN_OUT_COUNT]):
            if position.gone[out] == other:
                next_round[1] -= 1
        other = (other + 1) % tables.players


@jit_inlined
def list_candidates(position, tables, workspace, keeper, seat):
    """List the candidates without their values; return how many there are."""
    first_face, faces = -1, 0  # the die that a strike takes, and a bit for each face that is left
    for die in range(MAX_DICE):
        face = untaken_face(position, tables, die)
        if face >= 0:
            faces |= 1 << face
            if first_face < 0:
                first_face = face
    can_strike = position.boards[seat, BOARD_STRIKES] < tables.strikes
    count = 0
    for word in range(tables.words):
        rest = np.uint32(workspace.fitting[word] & tables.offered[ANY_FACE, word])
        spot, k = divmod(word, SPOT_WORDS)
        while rest:
            orientation = WORD_BITS * k + np.int64(lowest_bit(rest))
            rest = clear_lowest_bit(rest)
            face = np.int64(tables.faces[orientation])
            is_offered = faces >> face & 1
            if not is_offered and not can_strike:
                continue
            keeper.placements[count] = SPOT_STRIDE * spot + orientation
            keeper.faces[count] = face if is_offered else first_face
            keeper.strikes[count] = 1 - is_offered
            count += 1
    return count


@jit_inlined
def _candidate_value(position, tables, workspace, keeper, weights, seat, n):
    """Return the value of a candidate, in squares."""
    placement = np.int64(keeper.placements[n])
    spot, orientation = divmod(placement, SPOT_STRIDE)
    around = corner_points_around(workspace, tables, spot)
    value = np.float64(tables.sizes[orientation])
    value += weights[WEIGHT_POINTS] * count_bits(around & tables.corner_points[orientation])
    value -= weights[WEIGHT_RARE] * tables.logarithms[keeper.shape_placements[tables.shapes[orientation]]]
    value -= weights[WEIGHT_STRIKE] * keeper.strikes[n]
    colour = held_colour(position, seat)
    store_planes_after(position, tables, keeper, seat, placement)
    free = keeper.planes[0]
    strikes = tables.strikes - position.boards[seat, BOARD_STRIKES] - keeper.strikes[n]
    # `alive` is the probability to be still in, `before` the number of seats that choose a die first.
    alive, fade, before = 1.0, 1.0, keeper.next_round[1]
    for later in range(1, len(COLOUR_NAMES) + 1):
        fitting = store_fitting_orientations(free, keeper.allowed[colour - later & 3], keeper)
        if fitting == 0:  # BD-8: the seat will be out when this colour comes
            return value
        orientations = keeper.fitting_orientations
        kinds = count_bits(orientations[0]) + count_bits(orientations[1]) + count_bits(orientations[2])
        value += alive * fade * weights[WEIGHT_MOBILITY] * tables.logarithms[fitting]
        value += alive * fade * weights[WEIGHT_VARIETY] * tables.logarithms[kinds]
        fade *= weights[WEIGHT_FADE]
        dice = keeper.next_round[0] - before
        before = keeper.next_round[0] - 1 if before == 0 else before - 1
        size, stuck, largest = _expected_offer(tables, orientations, dice)
        value += alive * weights[WEIGHT_GAIN] * size
        if strikes > 0:
            value += alive * stuck * (weights[WEIGHT_GAIN] * largest - weights[WEIGHT_FORCED])
        else:
            alive *= 1.0 - stuck
    return value + alive * weights[WEIGHT_FUTURE]


@jit_inlined
def store_planes_after(position, tables, keeper, seat, placement):
    """Write to `keeper.planes` and to `keeper.allowed` of the colour held what they are after a placement."""
    colour = held_colour(position, seat)
    free, joined, apart = keeper.planes[0], keeper.planes[1], keeper.planes[2]
    copy_array(position.planes[seat, PLANE_FREE], free)
    copy_array(position.planes[seat, PLANE_JOINED + colour], joined)
    copy_array(position.planes[seat, PLANE_APART + colour], apart)
    if position.boards[seat, BOARD_COLOURS] >> colour & 1 == 0:  # BD-4
        joined[:] = 0
    update_planes(tables, free, joined, apart, placement)
    allowed = keeper.allowed[colour]
    for i in range(tables.words):
        allowed[i] = joined[i] & apart[i]


@jit_inlined
def store_fitting_orientations(free, allowed, keeper):
    """Write to `keeper.fitting_orientations` those that fit somewhere; return how many placements fit."""
    fitting_words, fitting = keeper.fitting_words, keeper.fitting_orientations
    fitting_words[:] = 0
    total = np.uint32(0)
    for vector in range(len(free) // VECTOR_WORDS):
        some = fitting_words[vector % SPOT_WORDS]
        for i in range(VECTOR_WORDS):
            both = np.uint32(free[VECTOR_WORDS * vector + i] & allowed[VECTOR_WORDS * vector + i])
            some[i] |= both
            total = np.uint32(total + count_bits(both))
    flat = fitting_words.reshape(SPOT_WORDS * VECTOR_WORDS)
    fitting[:] = 0
    for i in range(VECTOR_WORDS):
        for k in range(SPOT_WORDS):
            fitting[k] |= flat[SPOT_WORDS * i + k]
    return np.int64(total)


@jit_inlined
def _expected_offer(tables, orientations, dice):
    """Return three values on what `dice` dice will offer of these orientations.

    They are the expected size of the largest shape, where no shape counts as 0; the probability that the
    dice offer no shape; and the size of the largest shape in any row, which a strike opens.
    """
    size, stuck, largest = 0.0, 1.0, 0
    faces = 0  # a bit for each row that has a shape of at least `squares` squares
    for squares in range(LONGEST_SHAPE, 0, -1):
        for face in range(FACE_COUNT):
            offered = tables.offered_by_size[face, squares]
            if (
                (offered[0] & orientations[0])
                | (offered[1] & orientations[1])
                | (offered[2] & orientations[2])
            ):
                faces |= 1 << face
                largest = max(largest, squares)
        stuck = tables.miss_chances[count_bits(faces), dice]
        size += 1.0 - stuck
    return size, stuck, largest


@jit_inlined
def best_candidate(values, count):
    """Return the candidate with the highest value, the first of equal ones, or -1."""
    best = -1
    for n in range(count):
        if best < 0 or values[n] > values[best]:
            best = n
    return best


@jit_inlined
def candidate_placement(keeper, n):
    """Return face, strike and placement of a candidate; the placement is -1 if the candidate places nothing."""
    if n < 0:
        return 0, 0, -1
    return np.int64(keeper.faces[n]), np.int64(keeper.strikes[n]), np.int64(keeper.placements[n])


# Places of the parameters; the weights of `keeper` follow them
ROLLOUT_PLAYOUTS, ROLLOUT_CANDIDATES, ROLLOUT_TRUST = range(3)
ROLLOUT_WEIGHTS: Final = ROLLOUT_TRUST + 1

_UNFILLED_PER_STRIKE: Final = 1 / 64
"""A used strike counts as this part of an unfilled square: it decides only between equal results (BD-13)."""


@jit_internal
def choose_rollout(position, tables, workspace, seat, settings, luck):
    """Return the candidate that does best in playouts, in `workspace.keeper`, or -1.

    `settings` are the parameters of `rollout`; `luck` is (seed, block, key, round, index) of the first draw.
    """
    weights = settings[ROLLOUT_WEIGHTS:]
    count = value_candidates(position, tables, workspace.decision, workspace.keeper, weights, seat)
    count = _choose_candidates(tables, workspace, count, np.int64(settings[ROLLOUT_CANDIDATES]))
    if count == 0:
        return -1
    workspace.values[:] = 0.0
    game = (position, tables, workspace, seat, settings[ROLLOUT_TRUST], fork_seed(*luck))
    playouts = np.int64(settings[ROLLOUT_PLAYOUTS])
    return halve_candidates(_play_candidate, game, workspace.candidates, workspace.values, count, playouts)


@jit_inlined
def _choose_candidates(tables, workspace, count, wanted):
    """Choose `wanted` candidates with the highest values, the best first; return how many there are.

    Of equal shapes with equal values only the first is chosen: nearly always they are mirror images.
    """
    keeper, chosen, worths = workspace.keeper, workspace.candidates, workspace.values
    values, placements, shapes = keeper.values, keeper.placements, tables.shapes
    chosen_count = 0
    while chosen_count < wanted:
        best = _best_candidate_left(values, count)
        if best < 0:
            break
        value, shape = values[best], shapes[placements[best] % SPOT_STRIDE]
        for n in range(best, count):
            if values[n] == value and shapes[placements[n] % SPOT_STRIDE] == shape:
                values[n] = -np.inf
        chosen[chosen_count], worths[chosen_count] = best, value
        chosen_count += 1
    for n in range(chosen_count):
        values[chosen[n]] = worths[n]
    return chosen_count


@jit_inlined
def _best_candidate_left(values, count):
    """Return the candidate with the highest value above minus infinity, the first of equal ones; -1 if none is left."""
    best = -1
    for n in range(count):
        if values[n] > -np.inf and (best < 0 or values[n] > values[best]):
            best = n
    return best


@jit_internal
def _play_candidate(game, candidate, value, first, end):
    """Add the results of the playouts from `first` to `end` - 1 to a candidate's value, for `halve_candidates`.

    A result is minus the unfilled squares at the end, plus a share of what `keeper` thinks of the candidate: the greedy
    player of the playouts takes too little care of the colours.
    """
    position, tables, workspace, seat, trust, seed = game
    keeper, after = workspace.keeper, workspace.after
    copy_board(position, after, seat)
    draw_placement(after, tables, seat, np.int64(keeper.placements[candidate]))
    after.boards[seat, BOARD_STRIKES] += keeper.strikes[candidate]
    for playout in range(first, end):
        copy_board(after, workspace.imagined, seat)
        value -= play_playout(tables, workspace, seat, seed, np.uint64(playout))
    return value + (end - first) * trust * keeper.values[candidate]


@jit_inlined
def copy_board(source, target, seat):
    """Copy one board of a position to another, and the turn."""
    copy_array(source.planes[seat], target.planes[seat])
    copy_array(source.filled[seat], target.filled[seat])
    copy_array(source.boards[seat], target.boards[seat])
    copy_array(source.turn, target.turn)


@jit_internal
def play_playout(tables, workspace, seat, seed, block):
    """Play one board of `workspace.imagined` to its end by `greedy`; return its unfilled squares and strikes, in squares.

    The seat starts in the next round; `workspace.keeper.next_round` holds the order.
    """
    position, decision, next_round = workspace.imagined, workspace.decision, workspace.keeper.next_round
    turn = position.turn
    before = next_round[1]
    key = counter_key(np.uint64(PURPOSE_STRATEGY), np.uint64(seat + 1))
    position.takers[:] = -1
    while True:
        turn[TURN_ROUND] += 1
        round_ = np.uint64(turn[TURN_ROUND])
        dice = next_round[0] - before
        before = next_round[0] - 1 if before == 0 else before - 1
        turn[TURN_ROLL] = roll_dice(tables, dice, seed, block, round_)
        store_fitting(position, seat, decision.fitting)
        bits = random_word(seed, block, key, round_, np.uint64(0))
        _, strike, placement = choose_greedy(position, tables, decision, seat, bits)
        if placement < 0:
            strikes = np.float64(position.boards[seat, BOARD_STRIKES])
            return np.float64(position.boards[seat, BOARD_UNFILLED]) + strikes * _UNFILLED_PER_STRIKE
        draw_placement(position, tables, seat, placement)
        position.boards[seat, BOARD_STRIKES] += strike
