"""Where a colour may place a piece: clauses BK-2 to BK-5, square by square.

Read this module first. It is slow and uses nothing but sets of points, so that the rule can be read in one place.
`rules.py` finds the same placements by bit operations on the whole board (see `windows.py`), and the tests compare the
two at every ply.

A point is (column, row), both from 0; a placement is the set of the points that a piece covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from engine.polyomino import SHAPES, Point, rotations_and_reflections

Placement: TypeAlias = frozenset[Point]

EDGE_STEPS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))
CORNER_STEPS: Final = ((1, 1), (1, -1), (-1, 1), (-1, -1))


class ColourView(NamedTuple):
    """What one colour must know to place a piece."""

    side: int
    """Columns and rows of the board."""
    own: frozenset[Point]
    """The squares that the colour covers."""
    others: frozenset[Point]
    """The squares that the other colours cover."""
    starts: frozenset[Point]
    """The start squares that the first piece of the colour may cover."""
    pieces: tuple[str, ...]
    """The names of the pieces that the colour has not placed yet."""


def legal_placements(view: ColourView) -> set[Placement]:
    """Return all legal placements of a colour.

    A player at the table would do the same: take every unplaced piece (BK-4), turn it in every way, try it on every
    square, and check the rules.
    """
    return {
        placement
        for piece in view.pieces
        for placement in place_everywhere(piece, view.side)
        if is_legal(placement, view)
    }


def place_everywhere(piece: str, side: int) -> Iterator[Placement]:
    """Yield every way to put a piece on an empty board: rotated, reflected, and moved to every square."""
    for image in rotations_and_reflections(SHAPES[piece]):
        for column in range(side):
            for row in range(side):
                placement = frozenset((x + column, y + row) for x, y in image)
                if all(x < side and y < side for x, y in placement):
                    yield placement


def is_legal(placement: Placement, view: ColourView) -> bool:
    """Return whether a placement on the board obeys the rules of touching and overlapping."""
    overlaps = placement & (view.own | view.others)
    if overlaps:  # BK-5: a piece lies on empty squares only
        return False
    if not view.own:  # BK-2, BK-3: the first piece covers a start square
        return bool(placement & view.starts)
    touches_edge = placement & points_beside(view.own, EDGE_STEPS)
    touches_corner = placement & points_beside(view.own, CORNER_STEPS)
    return bool(touches_corner) and not touches_edge  # BK-4: corner to corner, and never edge to edge


def points_beside(points: Iterable[Point], steps: Iterable[Point]) -> set[Point]:
    """Return the points that are one of the steps away from one of some points."""
    return {(x + dx, y + dy) for x, y in points for dx, dy in steps}
