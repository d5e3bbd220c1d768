"""What the compiled Spexxx looks up: a ruleset's board, the hands of dice and the recipe of a solved turn, as arrays.

*Squares* are numbered from 0, by ascending cell index, without the places that are none. A *spot* is the place of a
square in a frame that is widened by two columns and five rows, so that no step off the board needs a test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from engine.games.spexxx.dice import FIRST_THROW, HAND_PLUS_DIE, HANDS, hand_number, legal_keeps
from engine.games.spexxx.ruleset import iter_cells
from engine.games.spexxx.turn import THROW_SCALE, keep_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from engine.games.spexxx.ruleset import SpexxxRuleset

BOARD_MARGIN: Final = 2
"""Empty columns left of the board and rows below it; those to the right are the next row's."""
NO_BLOCK: Final = -64
"""Count of cubes where no block is or none can count any more: it never reaches eight."""
OFF_BOARD: Final = -1
"""What stands on a spot that is no square. A free square is 0, a cube the number of its seat + 1."""
LANES: Final = 8
"""Games that are played side by side: as many 64-bit numbers as the widest vector instructions take."""
CACHE_LINE_BYTES: Final = 64
CHANCE_SCALE: Final = 1024
"""A chance of one, as a whole number."""
RECIPE_OPERANDS: Final = 4
"""Rows that one step of a recipe compares."""


class Tables(NamedTuple):
    """A ruleset as compiled code sees it."""

    throws: int
    line_bonus: int
    block_bonus: int
    cells: NDArray[np.int32]
    """(squares,) Cell index."""
    spots: NDArray[np.uint16]
    """(squares,)"""
    square_at: NDArray[np.uint16]
    """(spots,) The square on a spot; without meaning where there is none."""
    points: NDArray[np.int32]
    """(spots,)"""
    steps: NDArray[np.uint64]
    """(4,) SP-8: from a spot to the next, across, up, and on both diagonals."""
    corners: NDArray[np.uint64]
    """(9,) SP-12: from a spot down to the lowest-left spots of the blocks that hold it, lowest first."""
    blocks: NDArray[np.intp]
    """(blocks,) Lowest-left spots of the blocks of nine squares."""
    inside: NDArray[np.uint64]
    """(9,) From the lowest-left spot of a block up to its spots."""
    around: NDArray[np.uint64]
    """(25,) From the lowest-left spot of a block to those of the blocks that share a square; negative ones wrap."""
    lines: NDArray[np.uint16]
    """(squares, 12, 4) Lines of three through a square: the other two spots, and the squares on them."""
    line_points: NDArray[np.int32]
    """(squares, 12) Points of all three squares; 0 and a line of spot 0 where there is no further line."""
    chances: NDArray[np.int32]
    """(spots,) Chance to be able to fill this square in a turn that aims at nothing else, in 1 / CHANCE."""
    matches: NDArray[np.uint64]
    """(252, words) SP-5 to SP-7: the set of squares that a throw matches."""
    plus: NDArray[np.uint16]
    """(210, 6) The hand with one more die."""
    sizes: NDArray[np.uint8]
    """(462,) Dice in a hand."""
    ways: NDArray[np.int64]
    """(210,) 6 ** dice: brings sums over fewer dice to the scale of five."""
    keeps: NDArray[np.uint16]
    """(252, 31) SP-2: the hands that may be kept of a throw, ascending."""
    keep_counts: NDArray[np.uint8]
    """(252,)"""
    rows: int
    """Rows of values: of all squares, a row of zeros, what is needed in between, and of all throws."""
    stopping: NDArray[np.uint16]
    """Recipe from the values of squares to those of throws.

    A recipe is (steps, 1 + OPERANDS): a row becomes the greatest of some others. Rows are named by their first number.
    """
    adding: NDArray[np.uint16]
    """(210, 1 + 6) From the hands with one more die to a hand, largest hands first: a row becomes the sum."""
    raising: NDArray[np.uint16]
    """Recipe from the values of keeps to the best that can be kept of these dice; some rows more in between."""
    answering: NDArray[np.uint16]
    """Recipe from there to the throws, which are rows of the sums."""


def make_tables(ruleset: SpexxxRuleset) -> Tables:
    """Return the tables of a ruleset."""
    cells = list(iter_cells(ruleset.squares))
    squares = {place: square for square, place in enumerate(cells)}
    stride = ruleset.columns + BOARD_MARGIN
    spots = np.array([spot_of_cell(ruleset, place) for place in cells], dtype=np.uint16)
    size = stride * (ruleset.rows + 2 * BOARD_MARGIN + 1)
    square_at, points = np.zeros(size, dtype=np.uint16), np.zeros(size, dtype=np.int32)
    square_at[spots] = range(len(cells))
    points[spots] = [ruleset.points[place] for place in cells]
    chances = np.zeros(size, dtype=np.int32)
    chances[spots] = _square_chances(ruleset, cells)
    lines, line_points = _lines_of_three(ruleset, squares)
    matches = [[squares[place] for place in iter_cells(match)] for match in ruleset.matching_squares]
    blocks = {block for at in ruleset.blocks for block in at}
    stopping, rows = _make_stop_recipe(matches, len(cells))
    raising, answering = _make_keep_recipes()
    threes = np.array([x + stride * y for y in range(3) for x in range(3)])
    return Tables(
        ruleset.options.throws,
        ruleset.options.line_bonus,
        ruleset.options.block_bonus,
        np.array(cells, dtype=np.int32),
        spots,
        square_at,
        points,
        np.array([1, stride, stride + 1, stride - 1], dtype=np.uint64),
        threes[::-1].astype(np.uint64),
        np.array(sorted(spot_of_cell(ruleset, next(iter_cells(block))) for block in blocks), dtype=np.intp),
        threes.astype(np.uint64),
        np.array([x + stride * y for y in range(-2, 3) for x in range(-2, 3)]).astype(np.uint64),
        lines,
        line_points,
        chances,
        np.array([square_words(match, len(cells)) for match in matches], dtype=np.uint64),
        np.array(HAND_PLUS_DIE, dtype=np.uint16),
        np.array([len(hand) for hand in HANDS], dtype=np.uint8),
        np.array([6 ** len(hand) for hand in HANDS[:FIRST_THROW]], dtype=np.int64),
        np.array(
            [(legal_keeps(throw) * 31)[:31] for throw in range(FIRST_THROW, len(HANDS))], dtype=np.uint16
        ),
        np.array([len(legal_keeps(throw)) for throw in range(FIRST_THROW, len(HANDS))], dtype=np.uint8),
        rows,
        _make_recipe(stopping),
        _make_recipe([[hand, *HAND_PLUS_DIE[hand]] for hand in reversed(range(FIRST_THROW))]),
        _make_recipe(raising),
        _make_recipe(answering),
    )


def _square_chances(ruleset: SpexxxRuleset, cells: list[int]) -> list[int]:
    """Return the chance of every square, in 1 / CHANCE: SP-2 to SP-7 with best keeping."""
    throws, known = ruleset.options.throws, {}
    found = []
    for place in cells:
        matched = tuple(match >> place & 1 for match in ruleset.matching_squares)
        if matched not in known:
            ways = int(keep_values(np.array(matched), throws)[-1][0])
            known[matched] = round(ways * CHANCE_SCALE / THROW_SCALE**throws)
        found.append(known[matched])
    return found


def _make_recipe(steps: list[list[int]]) -> NDArray[np.uint16]:
    """Return steps on rows as steps on the numbers that the rows begin with."""
    return np.array(steps, dtype=np.uint16) * np.uint16(LANES)


def aligned_zeros(shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
    """Return zeros that begin with a cache line: a row then lies in one, and is twice as quick to load."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(size + CACHE_LINE_BYTES, dtype=np.uint8)
    first = -room.ctypes.data % CACHE_LINE_BYTES
    return room[first : first + size].view(dtype).reshape(shape)


def spot_of_cell(ruleset: SpexxxRuleset, place: int) -> int:
    """Return the spot of a cell."""
    row, column = divmod(place, ruleset.columns)
    return column + BOARD_MARGIN + (row + BOARD_MARGIN) * (ruleset.columns + BOARD_MARGIN)


def square_words(squares: Iterable[int], of: int) -> NDArray[np.uint64]:
    """Return a set of squares as one bit each, (words,)."""
    found = np.zeros(-(-of // 64), dtype=np.uint64)
    for square in squares:
        found[square // 64] |= np.uint64(1 << square % 64)
    return found


def _lines_of_three(
    ruleset: SpexxxRuleset, squares: dict[int, int]
) -> tuple[NDArray[np.uint16], NDArray[np.int32]]:
    lines = np.zeros((len(squares), 12, 4), dtype=np.uint16)
    points = np.zeros((len(squares), 12), dtype=np.int32)
    found = [0] * len(squares)
    for three in ruleset.lines_of_three:
        for place in three:
            square = squares[place]
            one, other = (further for further in three if further != place)
            lines[square, found[square]] = (
                spot_of_cell(ruleset, one),
                spot_of_cell(ruleset, other),
                squares[one],
                squares[other],
            )
            points[square, found[square]] = sum(ruleset.points[further] for further in three)
            found[square] += 1
    return lines, points


def _make_keep_recipes() -> tuple[list[list[int]], list[list[int]]]:
    """Say how the values of keeps become the best of every hand that can be kept, and of every throw."""
    raising: list[list[int]] = []
    answering: list[list[int]] = []
    between = FIRST_THROW
    for hand, dice in enumerate(HANDS):
        fewer = sorted({hand_number(dice[:die] + dice[die + 1 :]) for die in range(len(dice))})
        if hand < FIRST_THROW:
            raising += _fold_rows(hand, [hand, *fewer])
        elif len(fewer) <= RECIPE_OPERANDS:
            answering += _fold_rows(hand, fewer)
        else:
            raising += _fold_rows(between, fewer)
            answering += _fold_rows(hand, [between])
            between += 1
    return raising, answering


def _make_stop_recipe(matches: list[list[int]], squares: int) -> tuple[list[list[int]], int]:
    """Say how the values of squares become those of throws, squares that go together taken together once."""
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
    """Fold any number of rows into one, some at a time."""
    while rows:
        some, rows = rows[:RECIPE_OPERANDS], rows[RECIPE_OPERANDS:]
        yield [row, *some, *some[:1] * (RECIPE_OPERANDS - len(some))]
        rows = [row, *rows] if rows else []
