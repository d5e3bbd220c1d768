"""What a sheet of BLOXX! is worth, compiled: the planner, which also looks at every next roll.

A placement is worth the points that it brings now and what it does to the prospects of the sheet: numbers above the
columns, steps and wells between them, coloured rows that can still be completed. All of it is the sum of terms of one
column, of two or three neighbours, or of one row, so a placement is valued by the few terms that it changes. The words
of the functions of `kernel_rules` hold here too; worths are in points.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.bloxx.kernel.compiling import forbid_inlining, jit_internal
from engine.games.bloxx.kernel.packed_columns import count_bits, lowest_bit
from engine.games.bloxx.kernel.position import (
    TALLY_CLOSED,
    TURN_FACE_A,
    TURN_ROUND,
    TURN_SEAT,
    TURN_TAKEN_DIE,
)
from engine.games.bloxx.kernel.rules import (
    copy_position,
    count_actions_at,
    draw_placement,
    first_spot,
    legal_spots,
    placement_action,
    row_points,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from engine.games.bloxx.kernel.position import Position
    from engine.games.bloxx.kernel.tables import Tables

    Worths = NDArray[np.float64]

# places in Plan.of_all
WEIGHT_SQUARE: Final = 0
WEIGHT_HASTE: Final = 1
WEIGHT_GAP: Final = 2
WEIGHT_FADE: Final = 3
WEIGHT_RACE: Final = 4
WEIGHT_STUCK: Final = 5

UNDRAWABLE_WORTH: Final = -1e9
"""Worth of a face that cannot be drawn."""


class PlannerTables(NamedTuple):
    """The weights of a planner, as tables of one sheet."""

    numbers: Worths
    """(column, height) what the numbers above are worth."""
    steps: Worths
    """(difference,) what two neighbours of different height cost."""
    wells: Worths
    """(depth,) what a column between higher ones costs."""
    rows: Worths
    """(missing squares,) share of its points that a coloured row without a gap is worth."""
    of_all: Worths
    """(6,) the other weights."""


def make_planner_tables(weights: Mapping[str, float], tables: Tables) -> PlannerTables:
    """Return the tables of some weights, by their names in weights.toml; those of no worth for other parameters."""
    weights = defaultdict(float, weights)
    numbers = np.zeros((tables.columns, tables.rows + 1))
    for square in np.flatnonzero(tables.number):
        row, column = divmod(int(square), tables.columns)
        for height in range(row + 1):
            reach = ("near", "close", "close")[row - height] if row - height < 3 else "far"
            numbers[column, height] += weights[reach] * int(tables.number[square])
    beyond = np.arange(tables.rows + 1) - 1
    missing = np.arange(tables.columns + 1)
    return PlannerTables(
        numbers=numbers,
        steps=np.where(beyond < 0, 0, weights["step"] + weights["steep"] * beyond),
        wells=np.where(beyond < 0, 0, weights["well"] + weights["deep"] * beyond),
        rows=weights["row"] + weights["progress"] * (1 - missing / tables.columns),
        of_all=np.array(
            [
                tables.blank_penalty * weights["square"],
                tables.blank_penalty * weights["haste"],
                weights["gap"] + tables.gap_penalty - tables.blank_penalty,
                weights["fade"],
                weights["race"],
                weights["stuck"],
            ]
        ),
    )


class PlannerWorkspace(NamedTuple):
    """Room for the work of one decision."""

    heights: NDArray[np.int64]
    """(columns,)"""
    sums: Worths
    """(3, columns + 1) worth of all numbers, steps and wells left of a column, costs taken off."""
    rows: Worths
    """(coloured row,) what the row is worth now; 0 if it is complete or has a gap."""
    promised: Worths
    """(coloured row,) points that it may bring, before `Plan.rows`."""
    rivals: Worths
    """(coloured row,) squares missing to the other seat that is nearest to completing it; a negative number for none."""
    scalars: Worths
    """(2,) what a square drawn is worth, and the share of the numbers' worth that is left, at this stage of the game."""
    faces: Worths
    """(2, face, 2) worth of a face on a sheet with its circle, and without."""
    actions: NDArray[np.int64]
    """(candidates,)"""
    worths: Worths
    """(candidates,)"""
    ahead: Position
    """The position after a candidate."""


def make_planner_workspace(tables: Tables, ahead: Position, candidates: int) -> PlannerWorkspace:
    """Return a desk for so many candidates."""
    coloured = len(tables.coloured_at)
    return PlannerWorkspace(
        heights=np.zeros(tables.columns, np.int64),
        sums=np.zeros((3, tables.columns + 1)),
        rows=np.zeros(coloured),
        promised=np.zeros(coloured),
        rivals=np.zeros(coloured),
        scalars=np.zeros(2),
        faces=np.zeros((2, max(tables.faces), 2)),
        actions=np.zeros(candidates, np.int64),
        worths=np.zeros(candidates),
        ahead=ahead,
    )


@jit_internal
def rank_placements_ahead(at, tables, plan, desk, candidates):
    """Put the best placements on the desk, the best first, each with the mean worth of the best answer to every roll.

    Of equal ones the earlier action comes first. Returns how many there are and the number of legal actions.
    """
    forbid_inlining()
    store_rivals(at, tables, plan, desk)
    found, total = rank_placements(at, tables, plan, desk, candidates)
    if found > 1:
        seat = at.turn[TURN_SEAT]
        for n in range(found):
            desk.worths[n] += worth_ahead(at, tables, plan, desk, seat, desk.actions[n])
        sort_candidates(desk, found)
    return found, total


@jit_internal
def store_rivals(at, tables, plan, desk):
    """Note on the desk how far the other seats are: in their sheets and in each coloured row."""
    forbid_inlining()
    seat = at.turn[TURN_SEAT]
    closed = 0
    for other in range(tables.players):
        if other != seat:
            closed += at.tally[other, TALLY_CLOSED]
    full = closed / np.float64((tables.players - 1) * tables.squares)
    desk.scalars[0] = plan.of_all[WEIGHT_SQUARE] + plan.of_all[WEIGHT_HASTE] * full
    desk.scalars[1] = 1.0 - plan.of_all[WEIGHT_FADE] * full
    for n in range(len(tables.coloured_at)):
        row = tables.coloured_at[n]
        desk.rivals[n] = -1.0
        for other in range(tables.players):
            if other != seat and at.completed[n, other] < 0 and is_row_open(at, other, row):
                missing = np.float64(count_bits(at.missing[other, row]))
                if desk.rivals[n] < 0.0 or missing < desk.rivals[n]:
                    desk.rivals[n] = missing


@jit_internal
def is_row_open(at, seat, row):
    """Say whether a row of a sheet has no gap (BX-13)."""
    missing = at.missing[seat, row]
    while missing:
        if at.heights[seat, lowest_bit(missing)] > row:
            return False
        missing &= missing - 1
    return True


@jit_internal
def store_sheet_terms(at, tables, plan, desk, seat):
    """Put on the desk all terms of a sheet as it is."""
    forbid_inlining()
    heights, sums = desk.heights, desk.sums
    columns = tables.columns
    for c in range(columns):
        heights[c] = at.heights[seat, c]
    for c in range(columns):
        sums[0, c + 1] = sums[0, c] + plan.numbers[c, heights[c]]
        sums[2, c + 1] = sums[2, c] - well_cost(plan, heights, c, columns)
    for c in range(columns - 1):
        sums[1, c + 1] = sums[1, c] - plan.steps[abs(heights[c] - heights[c + 1])]
    sums[1, columns] = sums[1, columns - 1]
    for n in range(len(tables.coloured_at)):
        row = tables.coloured_at[n]
        desk.rows[n] = 0.0
        desk.promised[n] = 0.0
        missing = at.missing[seat, row]
        if missing and is_row_open(at, seat, row):
            desk.promised[n] = np.float64(row_points(at, tables, n))
            desk.rows[n] = row_worth(tables, plan, desk, n, count_bits(missing))


@jit_internal
def well_cost(plan, heights, c, columns):
    """Return what the depth of a column between its neighbours costs; the edges of the sheet are walls."""
    if c == 0:
        lower = heights[1]
    elif c == columns - 1:
        lower = heights[c - 1]
    else:
        lower = min(heights[c - 1], heights[c + 1])
    depth = lower - heights[c]
    return plan.wells[depth] if depth > 0 else 0.0


@jit_internal
def row_worth(tables, plan, desk, n, missing):
    """Return what an open coloured row is worth, the less the nearer another seat is to completing it first (BX-14)."""
    points = desk.promised[n]
    if desk.rivals[n] >= 0.0:
        lead = missing / (missing + desk.rivals[n])
        points -= plan.of_all[WEIGHT_RACE] * lead * max(points - tables.row_later, 0.0)
    return plan.rows[missing] * points


@jit_internal
def rank_placements(at, tables, plan, desk, candidates):
    """Put the best placements of the acting seat on the desk, the best first; of equal ones the earlier.

    A placement with different places of its circle counts once, with the largest number under it. Returns how many
    were found and the number of legal actions.
    """
    forbid_inlining()
    turn = at.turn
    seat = turn[TURN_SEAT]
    store_sheet_terms(at, tables, plan, desk, seat)
    found = 0
    total = 0
    for die in range(2):
        face = turn[TURN_FACE_A + die]
        crossed = die == turn[TURN_TAKEN_DIE]
        for o in range(tables.of_face[die, face], tables.of_face[die, face + 1]):
            for group in range(tables.groups):
                spots = legal_spots(at, tables, seat, o, group)
                total += count_bits(spots) * count_actions_at(tables, o, crossed)
                while spots:
                    x, y = first_spot(tables, group, spots)
                    spots &= spots - 1
                    worth = placement_worth(at, tables, plan, desk, seat, o, x, y)
                    square = x + tables.columns * y
                    mark = 0
                    if not crossed:
                        mark, number = best_mark(tables, o, square)
                        worth += number
                    if found == candidates and worth <= desk.worths[found - 1]:
                        continue
                    n = found if found < candidates else found - 1
                    found = n + 1
                    while n > 0 and desk.worths[n - 1] < worth:
                        desk.worths[n] = desk.worths[n - 1]
                        desk.actions[n] = desk.actions[n - 1]
                        n -= 1
                    desk.worths[n] = worth
                    desk.actions[n] = placement_action(tables, o, square, mark, crossed)
    if total == 0:
        desk.actions[0] = tables.forfeit
        desk.worths[0] = 0.0
        return 1, 1
    return found, total


@jit_internal
def best_mark(tables, o, square):
    """Return the place of the circle with the largest number under it, and that number."""
    best = 0
    most = np.int64(-1)
    for mark in range(tables.marks[o]):
        number = np.int64(tables.number[square + tables.mark_square[o, mark]])
        if number > most:
            best, most = mark, number
    return best, np.float64(most)


@jit_internal
def placement_worth(at, tables, plan, desk, seat, o, x, y):
    """Return what an orientation at a place is worth without its circle: points now and change of the sheet's terms."""
    heights, sums = desk.heights, desk.sums
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
        change += plan.numbers[c, height]
    change = desk.scalars[1] * (change - (sums[0, x + width] - sums[0, x]))
    first, last = max(x - 1, 0), min(x + width, columns - 1)
    for c in range(first, last):
        change -= plan.steps[abs(heights[c] - heights[c + 1])]
    change -= sums[1, last] - sums[1, first]
    for c in range(first, last + 1):
        change -= well_cost(plan, heights, c, columns)
    change -= sums[2, last + 1] - sums[2, first]
    for j in range(width):
        heights[x + j] = at.heights[seat, x + j]
    gaps = raised - squares
    change += desk.scalars[0] * squares - plan.of_all[WEIGHT_GAP] * gaps
    return change + rows_worth_change(at, tables, plan, desk, seat, o, x, y, gaps)


@jit_internal
def rows_worth_change(at, tables, plan, desk, seat, o, x, y, gaps):
    """Return how the worth of the coloured rows changes: with squares drawn there, when complete, or with a gap."""
    change = 0.0
    top = y + np.int64(tables.height[o])
    for n in range(len(tables.coloured_at)):
        row = np.int64(tables.coloured_at[n])
        if desk.promised[n] == 0.0 or row >= top:
            continue
        drawn = 0
        if row >= y:
            drawn = tables.across[o, row - y] << x
        if gaps > 0 and spoils_row(tables, desk, o, x, y, row, drawn):
            change -= desk.rows[n]
        elif drawn:
            missing = count_bits(at.missing[seat, row] & ~drawn)
            worth = row_worth(tables, plan, desk, n, missing) if missing else desk.promised[n]
            change += worth - desk.rows[n]
    return change


@jit_internal
def spoils_row(tables, desk, o, x, y, row, drawn):
    """Say whether an orientation leaves a gap in a row (BX-10)."""
    for j in range(tables.width[o]):
        if desk.heights[x + j] <= row and y + np.int64(tables.top[o, j]) > row and not drawn >> (x + j) & 1:
            return True
    return False


@jit_internal
def worth_ahead(at, tables, plan, desk, seat, action):
    """Return the mean over the rolls of the next turn of what the seat's best placement will be worth.

    What the others do until then is left out; when one of them chooses first, it takes either die as often.
    """
    forbid_inlining()
    ahead = desk.ahead
    copy_position(at, ahead)
    draw_placement(ahead, tables, seat, action - tables.forfeit - 1)
    ahead.turn[TURN_ROUND] += 1
    store_sheet_terms(ahead, tables, plan, desk, seat)
    for die in range(2):
        for face in range(tables.faces[die]):
            value_face(ahead, tables, plan, desk, seat, die, face)
    is_active = ahead.turn[TURN_ROUND] % tables.players == seat
    stuck = -plan.of_all[WEIGHT_STUCK]
    total = 0.0
    for a in range(tables.faces[0]):
        a_circled, a_crossed = desk.faces[0, a, 0], desk.faces[0, a, 1]
        for b in range(tables.faces[1]):
            b_circled, b_crossed = desk.faces[1, b, 0], desk.faces[1, b, 1]
            if a_circled == UNDRAWABLE_WORTH and b_circled == UNDRAWABLE_WORTH:
                total += stuck
            elif is_active:
                total += max(a_circled, b_circled)
            else:
                total += 0.5 * (max(a_circled, b_crossed) + max(a_crossed, b_circled))
    return total / np.float64(tables.faces[0] * tables.faces[1])


@jit_internal
def value_face(at, tables, plan, desk, seat, die, face):
    """Put on the desk what a face is worth in its best place, with its circle and without."""
    forbid_inlining()
    circled = crossed = UNDRAWABLE_WORTH
    for o in range(tables.of_face[die, face], tables.of_face[die, face + 1]):
        for group in range(tables.groups):
            spots = legal_spots(at, tables, seat, o, group)
            while spots:
                x, y = first_spot(tables, group, spots)
                spots &= spots - 1
                worth = placement_worth(at, tables, plan, desk, seat, o, x, y)
                crossed = max(crossed, worth)
                _, number = best_mark(tables, o, x + tables.columns * y)
                circled = max(circled, worth + number)
    desk.faces[die, face, 0], desk.faces[die, face, 1] = circled, crossed


@jit_internal
def sort_candidates(desk, found):
    """Order the candidates by their worth, the best first, equal ones as they were."""
    for i in range(1, found):
        worth, action = desk.worths[i], desk.actions[i]
        n = i
        while n > 0 and desk.worths[n - 1] < worth:
            desk.worths[n] = desk.worths[n - 1]
            desk.actions[n] = desk.actions[n - 1]
            n -= 1
        desk.worths[n], desk.actions[n] = worth, action
