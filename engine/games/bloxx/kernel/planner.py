"""The strategies `planner` and `rollout` of BLOXX!, compiled.

The planner knows what a sheet is worth, and also looks at every roll of the next turn. A placement is worth the points
that it brings now and what it changes in the prospects of the sheet: numbers above the columns, steps and wells between
them, coloured rows that can still be completed. All of these are sums of terms of one column, of two or three
neighbours, or of one row. So a placement is valued by the few terms that it changes. Worths are in points.

`rollout` plays imagined games from the planner's candidates to their end and chooses what went best.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.bloxx.kernel.position import (
    TALLY_CLOSED,
    TURN_FACE_A,
    TURN_IS_OVER,
    TURN_ROUND,
    TURN_SEAT,
    TURN_TAKEN_DIE,
    Position,
    make_start_position,
)
from engine.games.bloxx.kernel.rules import (
    Placement,
    copy_position,
    count_actions_at,
    draw_placement,
    find_contacts,
    lowest_spot,
    orientations_of_face,
    placement_action,
    play_ply,
    roll_dice,
    row_points,
    score,
    store_legal_spots,
)
from engine.kernels.bits import clear_lowest_bit, count_bits, lowest_bit
from engine.kernels.compiling import forbid_inlining, jit_inlined, jit_internal
from engine.kernels.halving import halve_candidates, sort_best_first
from engine.kernels.luck import fork_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.bloxx.kernel.tables import Tables

    Worths = NDArray[np.float64]


# Places in PlannerWeights.of_all
WEIGHT_SQUARE: Final = 0
WEIGHT_HASTE: Final = 1
WEIGHT_GAP: Final = 2
WEIGHT_FADE: Final = 3
WEIGHT_RACE: Final = 4
WEIGHT_STUCK: Final = 5

TUNED_BLANK_PENALTY: Final = 1
"""The penalty of a blank square where the weights were tuned, in `weights.toml`; the weight `gap` contains it.

The penalty of other rulesets must not take its place: a gap would pay where it is greater than that of a gap, and players
would make nothing else. At 3 points for a blank square two planners score -20 with it, and 44 without (bloxx-2p, 400 blocks)."""
UNDRAWABLE_WORTH: Final = -1e9
"""Worth of a face that cannot be drawn."""
NO_RIVAL: Final = -1.0
"""In place of a rival's missing squares: no other seat can complete the row."""


class PlannerWeights(NamedTuple):
    """The weights of a planner, as tables of one sheet."""

    numbers: Worths
    """(column, height) worth of the numbers above a column of this height."""
    steps: Worths
    """(difference,) cost of a difference in height between two neighbours."""
    wells: Worths
    """(depth,) cost of a column between higher ones."""
    rows: Worths
    """(missing squares,) share of its points that a coloured row without a gap is worth."""
    of_all: Worths
    """(6,) the other weights."""


class PlannerWorkspace(NamedTuple):
    """Room for one decision of a planner. Worths are those of the sheet before the placement."""

    heights: NDArray[np.int64]
    """(columns,)"""
    numbers: Worths
    """(columns + 1,) worth of all numbers above the columns left of a column."""
    steps: Worths
    """(columns + 1,) worth of all steps between the columns from the first to a column: 0 or less."""
    wells: Worths
    """(columns + 1,) worth of all wells left of a column: 0 or less."""
    rows: Worths
    """(coloured row,) worth of the row; 0 if it is complete or has a gap."""
    promised: Worths
    """(coloured row,) points that it may bring; 0 if it is complete or has a gap."""
    rivals: Worths
    """(coloured row,) squares missing to the other seat that is nearest to completing it, or NO_RIVAL."""
    scalars: Worths
    """(2,) worth of a drawn square, and the share of the numbers' worth that is left, at this stage of the game."""
    faces: Worths
    """(2, face, 2) worth of a face in its best place, with its circle and without."""
    spots: NDArray[np.int64]
    """(groups,)"""
    actions: NDArray[np.int64]
    """(candidates,)"""
    worths: Worths
    """(candidates,)"""
    position: Position
    """The position after a candidate, or of an imagined game."""


class Planner(NamedTuple):
    """A planner while it decides."""

    weights: PlannerWeights
    workspace: PlannerWorkspace


def make_planner_weights(weights: Mapping[str, float], tables: Tables) -> PlannerWeights:
    """Return the weights named as in weights.toml as tables; weights that are missing are 0."""
    weights = defaultdict(float, weights)
    numbers = np.zeros((tables.columns, tables.rows + 1))
    for square in np.flatnonzero(tables.number):
        row, column = divmod(int(square), tables.columns)
        for height in range(row + 1):
            reach = ("near", "close", "close")[row - height] if row - height < 3 else "far"
            numbers[column, height] += weights[reach] * int(tables.number[square])
    beyond = np.arange(tables.rows + 1) - 1
    missing = np.arange(tables.columns + 1)
    return PlannerWeights(
        numbers=numbers,
        steps=np.where(beyond < 0, 0, weights["step"] + weights["steep"] * beyond),
        wells=np.where(beyond < 0, 0, weights["well"] + weights["deep"] * beyond),
        rows=weights["row"] + weights["progress"] * (1 - missing / tables.columns),
        of_all=np.array(
            [
                tables.blank_penalty * weights["square"],
                tables.blank_penalty * weights["haste"],
                weights["gap"] + tables.gap_penalty - TUNED_BLANK_PENALTY,
                weights["fade"],
                weights["race"],
                weights["stuck"],
            ]
        ),
    )


def make_planner_workspace(tables: Tables, candidates: int) -> PlannerWorkspace:
    """Return room for this number of candidates."""
    coloured = len(tables.coloured_at)
    return PlannerWorkspace(
        heights=np.zeros(tables.columns, np.int64),
        numbers=np.zeros(tables.columns + 1),
        steps=np.zeros(tables.columns + 1),
        wells=np.zeros(tables.columns + 1),
        rows=np.zeros(coloured),
        promised=np.zeros(coloured),
        rivals=np.zeros(coloured),
        scalars=np.zeros(2),
        faces=np.zeros((2, max(tables.faces), 2)),
        spots=np.zeros(tables.groups, np.int64),
        actions=np.zeros(candidates, np.int64),
        worths=np.zeros(candidates),
        position=make_start_position(tables),
    )


@jit_internal
def rank_placements_ahead(position, tables, planner, candidates):
    """Find the best placements, each with the mean worth of the best answer to every next roll; the best first.

    Writes actions and worths to the workspace, equal ones in the order of their actions; returns how many there are
    and the number of legal actions.
    """
    forbid_inlining()
    store_rivals(position, tables, planner)
    count, total = rank_placements(position, tables, planner, candidates)
    if count > 1:
        seat = position.turn[TURN_SEAT]
        actions, worths = planner.workspace.actions, planner.workspace.worths
        for n in range(count):
            worths[n] += worth_ahead(position, tables, planner, seat, actions[n])
        sort_best_first(actions, worths, count)
    return count, total


@jit_internal
def store_rivals(position, tables, planner):
    """Write to the workspace how far the other seats are, in their sheets and in each coloured row."""
    forbid_inlining()
    weights, workspace = planner
    seat = position.turn[TURN_SEAT]
    closed = 0
    for other in range(tables.players):
        if other != seat:
            closed += position.tally[other, TALLY_CLOSED]
    full = closed / np.float64((tables.players - 1) * tables.squares)
    workspace.scalars[0] = weights.of_all[WEIGHT_SQUARE] + weights.of_all[WEIGHT_HASTE] * full
    workspace.scalars[1] = 1.0 - weights.of_all[WEIGHT_FADE] * full
    for n in range(len(tables.coloured_at)):
        row = tables.coloured_at[n]
        workspace.rivals[n] = NO_RIVAL
        for other in range(tables.players):
            if other != seat and position.completed[n, other] < 0 and is_row_open(position, other, row):
                missing = np.float64(count_bits(position.missing[other, row]))
                if workspace.rivals[n] < 0.0 or missing < workspace.rivals[n]:
                    workspace.rivals[n] = missing


@jit_internal
def is_row_open(position, seat, row):
    """Return whether a row of a sheet has no gap (BX-13)."""
    missing = position.missing[seat, row]
    while missing:
        if position.heights[seat, lowest_bit(missing)] > row:
            return False
        missing = clear_lowest_bit(missing)
    return True


@jit_internal
def store_sheet_terms(position, tables, planner, seat):
    """Write to the workspace all terms of a sheet as it is."""
    forbid_inlining()
    weights, workspace = planner
    heights = workspace.heights
    numbers, steps, wells = workspace.numbers, workspace.steps, workspace.wells
    columns = tables.columns
    for c in range(columns):
        heights[c] = position.heights[seat, c]
    for c in range(columns):
        numbers[c + 1] = numbers[c] + weights.numbers[c, heights[c]]
        wells[c + 1] = wells[c] - well_cost(weights, heights, c, columns)
    for c in range(columns - 1):
        steps[c + 1] = steps[c] - weights.steps[abs(heights[c] - heights[c + 1])]
    steps[columns] = steps[columns - 1]
    for n in range(len(tables.coloured_at)):
        row = tables.coloured_at[n]
        workspace.rows[n] = 0.0
        workspace.promised[n] = 0.0
        missing = position.missing[seat, row]
        if missing and is_row_open(position, seat, row):
            workspace.promised[n] = np.float64(row_points(position, tables, n))
            workspace.rows[n] = row_worth(tables, planner, n, count_bits(missing))


@jit_inlined
def well_cost(weights, heights, c, columns):
    """Return the cost of the depth of a column between its neighbours; the edges of the sheet are walls."""
    if c == 0:
        lower = heights[1]
    elif c == columns - 1:
        lower = heights[c - 1]
    else:
        lower = min(heights[c - 1], heights[c + 1])
    depth = lower - heights[c]
    return weights.wells[depth] if depth > 0 else 0.0


@jit_inlined
def row_worth(tables, planner, n, missing):
    """Return the worth of open coloured row n: the nearer another seat is to completing it first, the less (BX-14)."""
    weights, workspace = planner
    points = workspace.promised[n]
    if workspace.rivals[n] >= 0.0:
        lead = missing / (missing + workspace.rivals[n])
        points -= weights.of_all[WEIGHT_RACE] * lead * max(points - tables.row_later, 0.0)
    return weights.rows[missing] * points


@jit_internal
def rank_placements(position, tables, planner, candidates):
    """Find the best placements of the acting seat, the best first; of equal ones the earlier is better.

    A placement with several places of its circle counts once, with the largest number under it. Writes actions and
    worths to the workspace; returns how many were found, `candidates` at most, and the number of legal actions. Without
    placements the only action is to forfeit.
    """
    forbid_inlining()
    actions, worths = planner.workspace.actions, planner.workspace.worths
    turn = position.turn
    seat = turn[TURN_SEAT]
    store_sheet_terms(position, tables, planner, seat)
    contacts = find_contacts(position, tables, seat)
    count = 0
    total = 0
    for die in range(2):
        crossed = die == turn[TURN_TAKEN_DIE]
        first, end = orientations_of_face(tables, contacts, die, turn[TURN_FACE_A + die])
        for o in range(first, end):
            places = store_legal_spots(contacts, tables, o, planner.workspace.spots)
            total += places * count_actions_at(tables, o, crossed)
            for group in range(tables.groups):
                spots = planner.workspace.spots[group]
                while spots:
                    x, y = lowest_spot(tables, group, spots)
                    spots = clear_lowest_bit(spots)
                    worth = placement_worth(position, tables, planner, seat, Placement(np.int64(o), x, y))
                    square = x + tables.columns * y
                    mark = 0
                    if not crossed:
                        mark, number = best_mark(tables, o, square)
                        worth += number
                    if count == candidates and worth <= worths[count - 1]:
                        continue
                    n = count if count < candidates else count - 1
                    count = n + 1
                    while n > 0 and worths[n - 1] < worth:
                        worths[n] = worths[n - 1]
                        actions[n] = actions[n - 1]
                        n -= 1
                    worths[n] = worth
                    actions[n] = placement_action(tables, o, square, mark, crossed)
    if total == 0:
        actions[0] = tables.forfeit
        worths[0] = 0.0
        return 1, 1
    return count, total


@jit_inlined
def best_mark(tables, o, square):
    """Return the place of the circle with the largest number under it, and that number."""
    best = 0
    most = np.int64(-1)
    for mark in range(tables.marks[o]):
        number = np.int64(tables.number[square + tables.mark_square[o, mark]])
        if number > most:
            best, most = mark, number
    return best, np.float64(most)


@jit_inlined
def placement_worth(position, tables, planner, seat, placement):
    """Return the worth of a placement without its circle: points now, and the change of the terms of the sheet."""
    weights, workspace = planner
    o, x, y = placement
    heights = workspace.heights
    columns = tables.columns
    width = np.int64(tables.width[o])
    squares = np.int64(tables.low[o, 1])
    raised = 0
    change = 0.0
    for j in range(width):
        c = x + j
        height = y + np.int64(tables.top[o, j]) + 1
        raised += height - heights[c]
        heights[c] = height
        change += weights.numbers[c, height]
    change = workspace.scalars[1] * (change - (workspace.numbers[x + width] - workspace.numbers[x]))
    first, last = max(x - 1, 0), min(x + width, columns - 1)
    for c in range(first, last):
        change -= weights.steps[abs(heights[c] - heights[c + 1])]
    change -= workspace.steps[last] - workspace.steps[first]
    for c in range(first, last + 1):
        change -= well_cost(weights, heights, c, columns)
    change -= workspace.wells[last + 1] - workspace.wells[first]
    for j in range(width):
        heights[x + j] = position.heights[seat, x + j]
    gaps = raised - squares
    change += workspace.scalars[0] * squares - weights.of_all[WEIGHT_GAP] * gaps
    return change + rows_worth_change(position, tables, planner, seat, placement, gaps)


@jit_inlined
def rows_worth_change(position, tables, planner, seat, placement, gaps):
    """Return how a placement changes the worth of the coloured rows: by its squares in them, or by a gap."""
    workspace = planner.workspace
    o, x, y = placement
    change = 0.0
    top = y + np.int64(tables.height[o])
    for n in range(len(tables.coloured_at)):
        row = np.int64(tables.coloured_at[n])
        if workspace.promised[n] == 0.0 or row >= top:
            continue
        drawn = 0
        if row >= y:
            drawn = tables.across[o, row - y] << x
        if gaps > 0 and spoils_row(tables, workspace.heights, placement, row, drawn):
            change -= workspace.rows[n]
        elif drawn:
            missing = count_bits(position.missing[seat, row] & ~drawn)
            worth = row_worth(tables, planner, n, missing) if missing else workspace.promised[n]
            change += worth - workspace.rows[n]
    return change


@jit_inlined
def spoils_row(tables, heights, placement, row, drawn):
    """Return whether a placement, whose squares in the row are `drawn`, leaves a gap in a row (BX-10)."""
    o, x, y = placement
    for j in range(tables.width[o]):
        if heights[x + j] <= row and y + np.int64(tables.top[o, j]) > row and not drawn >> (x + j) & 1:
            return True
    return False


@jit_internal
def worth_ahead(position, tables, planner, seat, action):
    """Return the mean worth of the seat's best placement in the next turn, over all rolls.

    What the other seats do until then is left out. When one of them chooses first, it takes either die equally often.
    """
    forbid_inlining()
    weights, workspace = planner
    ahead, faces = workspace.position, workspace.faces
    copy_position(position, ahead)
    draw_placement(ahead, tables, seat, action)
    ahead.turn[TURN_ROUND] += 1
    store_sheet_terms(ahead, tables, planner, seat)
    for die in range(2):
        for face in range(tables.faces[die]):
            value_face(ahead, tables, planner, seat, die, face)
    is_active = ahead.turn[TURN_ROUND] % tables.players == seat
    stuck = -weights.of_all[WEIGHT_STUCK]
    total = 0.0
    for a in range(tables.faces[0]):
        a_circled, a_crossed = faces[0, a, 0], faces[0, a, 1]
        for b in range(tables.faces[1]):
            b_circled, b_crossed = faces[1, b, 0], faces[1, b, 1]
            if a_circled == UNDRAWABLE_WORTH and b_circled == UNDRAWABLE_WORTH:
                total += stuck
            elif is_active:
                total += max(a_circled, b_circled)
            else:
                total += 0.5 * (max(a_circled, b_crossed) + max(a_crossed, b_circled))
    return total / np.float64(tables.faces[0] * tables.faces[1])


@jit_internal
def value_face(position, tables, planner, seat, die, face):
    """Write to the workspace the worth of a face in its best place, with its circle and without."""
    forbid_inlining()
    circled = crossed = UNDRAWABLE_WORTH
    contacts = find_contacts(position, tables, seat)
    first, end = orientations_of_face(tables, contacts, die, face)
    for o in range(first, end):
        store_legal_spots(contacts, tables, o, planner.workspace.spots)
        for group in range(tables.groups):
            spots = planner.workspace.spots[group]
            while spots:
                x, y = lowest_spot(tables, group, spots)
                spots = clear_lowest_bit(spots)
                worth = placement_worth(position, tables, planner, seat, Placement(np.int64(o), x, y))
                crossed = max(crossed, worth)
                _, number = best_mark(tables, o, x + tables.columns * y)
                circled = max(circled, worth + number)
    planner.workspace.faces[die, face, 0], planner.workspace.faces[die, face, 1] = circled, crossed


PRIOR_PLAYOUTS: Final = 32.0
"""The planner's worth of a placement counts as much as the results of this number of playouts."""


@jit_internal
def choose_rollout(position, tables, planner, imagined, playouts, candidates, luck):
    """Return the planner's candidate with the best playouts, and the number of legal actions.

    `imagined` is the planner of the imagined games. Equal candidates stay in the planner's order.
    """
    forbid_inlining()
    count, total = rank_placements_ahead(position, tables, planner, candidates)
    actions, worths = planner.workspace.actions, planner.workspace.worths
    seed, block, key, round_, index = luck
    game = (position, tables, imagined, fork_seed(seed, block, key, round_, index))
    for n in range(count):
        worths[n] *= PRIOR_PLAYOUTS
    return halve_candidates(add_playouts, game, actions, worths, count, playouts), total


@jit_internal
def add_playouts(game, action, worth, first, end):
    """Return the worth of an action with the results of its playouts from `first` to `end` - 1 added."""
    forbid_inlining()
    position, tables, imagined, seed = game
    for playout in range(first, end):
        worth += play_playout(position, tables, imagined, action, seed, np.uint64(playout))
    return worth


@jit_internal
def play_playout(start, tables, imagined, action, seed, block):
    """Play an action and then the game to its end, every seat by the planner; return the lead of the acting seat.

    The lead is in points, over the mean of the other seats.
    """
    forbid_inlining()
    position = imagined.workspace.position
    copy_position(start, position)
    seat = position.turn[TURN_SEAT]
    while True:
        play_ply(position, tables, action)
        if position.turn[TURN_IS_OVER]:
            break
        if position.turn[TURN_FACE_A] < 0:
            action = roll_dice(position, tables, seed, block)
        else:
            store_rivals(position, tables, imagined)
            rank_placements(position, tables, imagined, 1)
            action = imagined.workspace.actions[0]
    others = 0
    for other in range(tables.players):
        if other != seat:
            others += score(position, tables, other)
    return score(position, tables, seat) - others / np.float64(tables.players - 1)
