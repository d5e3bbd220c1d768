"""What the compiled Spexxx looks up: a ruleset's board, the hands of dice, and how a turn is solved, as arrays.

A *cell* is a place of the grid as in the rules. *Squares* are the cells that belong to the board, numbered from 0 in
ascending order. A *spot* is the place of a square in a grid with a margin of two columns and five rows, wide enough
that no step off the board needs a test. Hands and throws are numbered as in `engine.games.spexxx.dice`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from engine.games.spexxx.dice import FIRST_THROW, HAND_PLUS_DIE, HANDS, hand_number, legal_keeps
from engine.games.spexxx.ruleset import SpexxxRuleset, iter_cells
from engine.games.spexxx.turn import THROW_SCALE, keep_values

if TYPE_CHECKING:
    from numpy.typing import NDArray


BOARD_MARGIN: Final = 2
"""Empty columns left of the board and empty rows below it. The columns right of it are those of the next row."""
NO_BLOCK: Final = -64
"""Count of cubes where there is no block, or where it cannot count any more. Added cubes never raise it to eight."""
OFF_BOARD: Final = -1
"""Content of a spot outside the board. A free square is 0, a cube is the number of its seat + 1."""
LANES: Final = 8
"""Games that are played side by side: the widest vector instructions take eight 64-bit numbers."""
CACHE_LINE_BYTES: Final = 64
CHANCE_SCALE: Final = 1024
"""A chance is an integer, in 1 / CHANCE_SCALE."""
RECIPE_OPERANDS: Final = 4
"""Rows that one step of a recipe compares."""


class Tables(NamedTuple):
    """One ruleset.

    A *recipe* computes rows of LANES numbers from others. It is (steps, 1 + RECIPE_OPERANDS): in each step the first row
    becomes the greatest of the others. A row is named by the index of its first number.
    """

    throws: int
    line_bonus: int
    block_bonus: int
    cells: NDArray[np.int32]
    """(squares,)"""
    spots: NDArray[np.uint16]
    """(squares,)"""
    square_at: NDArray[np.uint16]
    """(spots,) square on a spot; without meaning in the margin."""
    points: NDArray[np.int32]
    """(spots,)"""
    steps: NDArray[np.uint64]
    """(4,) from a spot to the next one: across, up, and on both diagonals (SP-8)."""
    corners: NDArray[np.uint64]
    """(9,) from a spot down to the lowest-left spots of the blocks that hold it, lowest first (SP-12)."""
    blocks: NDArray[np.intp]
    """(blocks,) lowest-left spots of the blocks of nine squares."""
    inside: NDArray[np.uint64]
    """(9,) from the lowest-left spot of a block up to its spots."""
    around: NDArray[np.uint64]
    """(25,) from the lowest-left spot of a block to those of the blocks that share a square; negative ones wrap."""
    lines: NDArray[np.uint16]
    """(squares, 12, 4) lines of three through a square: the other two spots, and the squares on them."""
    line_points: NDArray[np.int32]
    """(squares, 12) points of all three squares. Where there is no further line, it is 0 and so are the spots."""
    chances: NDArray[np.int32]
    """(spots,) chance to be able to fill the square in a turn that aims at nothing else, in 1 / CHANCE_SCALE."""
    matches: NDArray[np.uint64]
    """(252, words) set of the squares that a throw matches (SP-5 to SP-7)."""
    hand_plus_die: NDArray[np.uint16]
    """(210, 6) the hand with one more die."""
    sizes: NDArray[np.uint8]
    """(462,) dice in a hand."""
    ways: NDArray[np.int64]
    """(210,) 6 ** dice: brings sums over the dice still to be thrown to the scale of five dice."""
    keeps: NDArray[np.uint16]
    """(252, 31) hands that may be kept of a throw, ascending (SP-2)."""
    keep_counts: NDArray[np.uint8]
    """(252,) number of such hands."""
    rows: int
    """Rows of values: those of all squares, a row of zeros, those needed in between, and those of all throws."""
    stop_recipe: NDArray[np.uint16]
    """From the values of squares to those of throws after which the seat places a cube."""
    sum_recipe: NDArray[np.uint16]
    """(210, 1 + 6) from the hands with one more die to a hand, largest hands first: a row becomes the sum of others."""
    keep_recipe: NDArray[np.uint16]
    """From the values of keeps to the best keep of these dice or fewer; it has further rows in between."""
    throw_recipe: NDArray[np.uint16]
    """From the rows of `keep_recipe` to the best keep of each throw, in the rows of the sums."""


def make_tables(ruleset: SpexxxRuleset) -> Tables:
    """Return the tables of a ruleset."""
    cells = list(iter_cells(ruleset.squares))
    squares = {cell: square for square, cell in enumerate(cells)}
    stride = ruleset.columns + BOARD_MARGIN
    spots = np.array([spot_of_cell(ruleset, cell) for cell in cells], dtype=np.uint16)
    size = stride * (ruleset.rows + 2 * BOARD_MARGIN + 1)
    square_at, points = np.zeros(size, dtype=np.uint16), np.zeros(size, dtype=np.int32)
    square_at[spots] = range(len(cells))
    points[spots] = [ruleset.points[cell] for cell in cells]
    chances = np.zeros(size, dtype=np.int32)
    chances[spots] = _square_chances(ruleset, cells)
    lines, line_points = _lines_of_three(ruleset, squares)
    matches = [[squares[cell] for cell in iter_cells(match)] for match in ruleset.matching_squares]
    blocks = {block for at in ruleset.blocks for block in at}
    stop_steps, rows = _make_stop_recipe(matches, len(cells))
    keep_steps, throw_steps = _make_keep_recipes()
    keeps = [legal_keeps(throw) for throw in range(FIRST_THROW, len(HANDS))]
    inside = np.array([x + stride * y for y in range(3) for x in range(3)])
    return Tables(
        throws=ruleset.options.throws,
        line_bonus=ruleset.options.line_bonus,
        block_bonus=ruleset.options.block_bonus,
        cells=np.array(cells, dtype=np.int32),
        spots=spots,
        square_at=square_at,
        points=points,
        steps=np.array([1, stride, stride + 1, stride - 1], dtype=np.uint64),
        corners=inside[::-1].astype(np.uint64),
        blocks=np.array(
            sorted(spot_of_cell(ruleset, next(iter_cells(block))) for block in blocks), dtype=np.intp
        ),
        inside=inside.astype(np.uint64),
        around=np.array([x + stride * y for y in range(-2, 3) for x in range(-2, 3)]).astype(np.uint64),
        lines=lines,
        line_points=line_points,
        chances=chances,
        matches=np.array([square_words(match, len(cells)) for match in matches], dtype=np.uint64),
        hand_plus_die=np.array(HAND_PLUS_DIE, dtype=np.uint16),
        sizes=np.array([len(hand) for hand in HANDS], dtype=np.uint8),
        ways=np.array([6 ** len(hand) for hand in HANDS[:FIRST_THROW]], dtype=np.int64),
        keeps=np.array([(hands * 31)[:31] for hands in keeps], dtype=np.uint16),
        keep_counts=np.array([len(hands) for hands in keeps], dtype=np.uint8),
        rows=rows,
        stop_recipe=_make_recipe(stop_steps),
        sum_recipe=_make_recipe([[hand, *HAND_PLUS_DIE[hand]] for hand in reversed(range(FIRST_THROW))]),
        keep_recipe=_make_recipe(keep_steps),
        throw_recipe=_make_recipe(throw_steps),
    )


def _square_chances(ruleset: SpexxxRuleset, cells: list[int]) -> list[int]:
    """Return the chance of every square, in 1 / CHANCE_SCALE, for the best keeps (SP-2 to SP-7)."""
    throws = ruleset.options.throws
    chance_of_matches: dict[tuple[int, ...], int] = {}
    chances = []
    for cell in cells:
        matches = tuple(match >> cell & 1 for match in ruleset.matching_squares)
        if matches not in chance_of_matches:
            ways = int(keep_values(np.array(matches), throws)[-1][0])
            chance_of_matches[matches] = round(ways * CHANCE_SCALE / THROW_SCALE**throws)
        chances.append(chance_of_matches[matches])
    return chances


def _make_recipe(steps: list[list[int]]) -> NDArray[np.uint16]:
    """Return steps on numbers of rows as steps on the indices of their first numbers."""
    return np.array(steps, dtype=np.uint16) * np.uint16(LANES)


def aligned_zeros(shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
    """Return zeros that begin at a cache line. A row of LANES then lies in one line, and loads in half the time."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + CACHE_LINE_BYTES, dtype=np.uint8)
    first = -memory.ctypes.data % CACHE_LINE_BYTES
    return memory[first : first + size].view(dtype).reshape(shape)


def spot_of_cell(ruleset: SpexxxRuleset, cell: int) -> int:
    """Return the spot of a cell."""
    row, column = divmod(cell, ruleset.columns)
    return column + BOARD_MARGIN + (row + BOARD_MARGIN) * (ruleset.columns + BOARD_MARGIN)


def square_words(squares: Iterable[int], board_size: int) -> NDArray[np.uint64]:
    """Return a set of squares of a board with `board_size` squares: a bit for each square, (words,)."""
    words = np.zeros(-(-board_size // 64), dtype=np.uint64)
    for square in squares:
        words[square // 64] |= np.uint64(1 << square % 64)
    return words


def _lines_of_three(
    ruleset: SpexxxRuleset, squares: dict[int, int]
) -> tuple[NDArray[np.uint16], NDArray[np.int32]]:
    """Return `Tables.lines` and `Tables.line_points`."""
    lines = np.zeros((len(squares), 12, 4), dtype=np.uint16)
    points = np.zeros((len(squares), 12), dtype=np.int32)
    line_counts = [0] * len(squares)
    for line in ruleset.lines_of_three:
        for cell in line:
            square = squares[cell]
            first, second = (other for other in line if other != cell)
            lines[square, line_counts[square]] = (
                spot_of_cell(ruleset, first),
                spot_of_cell(ruleset, second),
                squares[first],
                squares[second],
            )
            points[square, line_counts[square]] = sum(ruleset.points[other] for other in line)
            line_counts[square] += 1
    return lines, points


def _make_keep_recipes() -> tuple[list[list[int]], list[list[int]]]:
    """Return the steps of `Tables.keep_recipe` and `Tables.throw_recipe`."""
    keep_steps: list[list[int]] = []
    throw_steps: list[list[int]] = []
    row_between = FIRST_THROW
    for hand, dice in enumerate(HANDS):
        fewer = sorted({hand_number(dice[:die] + dice[die + 1 :]) for die in range(len(dice))})
        if hand < FIRST_THROW:
            keep_steps += _fold_rows(hand, [hand, *fewer])
        elif len(fewer) <= RECIPE_OPERANDS:
            throw_steps += _fold_rows(hand, fewer)
        else:
            keep_steps += _fold_rows(row_between, fewer)
            throw_steps += _fold_rows(hand, [row_between])
            row_between += 1
    return keep_steps, throw_steps


def _make_stop_recipe(matches: list[list[int]], squares: int) -> tuple[list[list[int]], int]:
    """Return the steps of `Tables.stop_recipe`, and how many rows there are with those of squares and throws.

    Squares that the same throws match are folded into one row first.
    """
    matched_by: dict[int, list[int]] = {square: [] for square in range(squares)}
    for throw, matched in enumerate(matches):
        for square in matched:
            matched_by[square].append(throw)
    alike: dict[tuple[int, ...], list[int]] = {}
    for square, throws in matched_by.items():
        alike.setdefault(tuple(throws), []).append(square)
    recipe: list[list[int]] = []
    row = squares + 1  # after the row of zeros
    sources: dict[int, list[int]] = {throw: [] for throw in range(len(matches))}
    for together_by, together in alike.items():
        if len(together) > 1:
            recipe += _fold_rows(row, together)
            row += 1
        for throw in together_by:
            sources[throw].append(together[0] if len(together) == 1 else row - 1)
    computed: dict[tuple[int, ...], int] = {}
    for throw, rows in sources.items():
        known = computed.setdefault(tuple(rows), row + throw)
        recipe += (
            _fold_rows(row + throw, rows or [squares])
            if known == row + throw
            else _fold_rows(row + throw, [known])
        )
    return recipe, row + len(matches)


def _fold_rows(row: int, rows: list[int]) -> Iterator[list[int]]:
    """Yield the steps that fold any number of rows into one, RECIPE_OPERANDS at a time."""
    while rows:
        some, rows = rows[:RECIPE_OPERANDS], rows[RECIPE_OPERANDS:]
        yield [row, *some, *some[:1] * (RECIPE_OPERANDS - len(some))]
        rows = [row, *rows] if rows else []
