"""Sets of squares and sets of placements as integers, and the windows that update them in one step.

A *spot* is the number of a square: column + stride x row, where the stride is the side of the board plus one. A *set of
squares* is an integer with one bit per spot.

A *plane* is a set of placements, also an integer. The bit of a placement is spot x K + orientation, where the spot is the
lower left corner of its bounding box and K is the number of orientations of all pieces together (91 for the full set).

A placement affects only placements near it: those that overlap it, touch it along an edge, or cover one of its corner
points. Each of these sets is a *window*: a plane that depends on the orientation only and is shifted to the spot, so one
bit operation updates a whole plane. A shifted window may contain placements that stick out of the board. Those on the
right lie in the additional column of a row; those on the left lie at the end of the row below, where they stick out
too. Neither kind is a placement on the board, so one `&` with the plane of the board removes both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from engine.number_sets import Members
from engine.polyomino import SHAPES, Point, Shape, distinct_orientations

WINDOW_REACH: Final = 5
"""Largest distance, in squares to the left or below, from the spot of a placement to a spot in its windows."""


class Orientation(NamedTuple):
    """One orientation of a piece, with its windows.

    `hits`, `edges` and `corners` are planes for `Windows.move_window`; `squares` and `corner_points` are sets of squares
    for `Windows.move_squares`.
    """

    piece: int
    shape: Shape
    hits: int
    """Placements that overlap it."""
    edges: int
    """Placements that touch it along an edge."""
    corners: int
    """Placements that cover one of its corner points."""
    squares: int
    """Set of its squares."""
    corner_points: int
    """Set of the squares that touch it at a corner and not along an edge."""


class Windows:
    """The board, the pieces and the windows of one ruleset."""

    def __init__(self, side: int, pieces: tuple[str, ...]) -> None:
        self.side: Final = side
        self.stride: Final = side + 1
        self.pieces: Final = pieces
        oriented_pieces = [
            (piece, shape)
            for piece, name in enumerate(pieces)
            for shape in distinct_orientations(SHAPES[name])
        ]
        shapes = [shape for _, shape in oriented_pieces]
        self.count: Final = len(oriented_pieces)
        """K: the number of orientations of all pieces together."""
        self.span: Final = self.count * self.stride * side
        """Number of bits of a plane."""
        self._back: Final = WINDOW_REACH * (self.stride + 1)
        self._cover: Final = self._one_square_window(shapes)
        self.squares: Final = self._square_set((x, y) for x in range(side) for y in range(side))
        """Set of the squares of the board."""
        self.board: Final = self._board_plane(shapes)
        """Plane of all placements on the board."""
        self.orientations: Final = tuple(
            self._make_orientation(piece, shape) for piece, shape in oriented_pieces
        )
        self.without: Final = tuple(
            self._orientation_plane(o for o, (other, _) in enumerate(oriented_pieces) if other != piece)
            for piece in range(len(pieces))
        )
        """For each piece: the plane of all placements of the other pieces."""
        self.by_size: Final = tuple(
            self._orientation_plane(o for o, shape in enumerate(shapes) if len(shape) == size)
            for size in sorted(set(map(len, shapes)), reverse=True)
        )
        """For each size of pieces, the largest first: the plane of all placements of these pieces."""

    def spot(self, point: Point) -> int:
        """Return the spot of a point (column, row)."""
        return point[0] + self.stride * point[1]

    def point(self, spot: int) -> Point:
        """Return the point (column, row) of a spot."""
        row, column = divmod(spot, self.stride)
        return column, row

    def placement(self, bit: int) -> tuple[int, Orientation]:
        """Return the spot and the orientation of the placement with this bit."""
        spot, orientation = divmod(bit, self.count)
        return spot, self.orientations[orientation]

    def move_window(self, window: int, spot: int) -> int:
        """Return a window shifted to a spot.

        The result has no placements below the board, but may have some that stick out of the board elsewhere.
        """
        bits = (spot - self._back) * self.count
        return window << bits if bits >= 0 else window >> -bits

    def move_squares(self, window: int, spot: int) -> int:
        """Return a window of squares shifted to a spot; it may contain squares outside the board, but none below it."""
        bits = spot - self._back
        return window << bits if bits >= 0 else window >> -bits

    def covering_placements(self, points: Iterable[Point]) -> int:
        """Return the plane of all placements on the board that cover at least one of the points."""
        return self.move_window(self._covering_window(points), 0) & self.board

    def squares_around(self, squares: int) -> int:
        """Return the set `squares` and the squares of the board that touch it at an edge or a corner."""
        stride, wide = self.stride, squares << 1 | squares | squares >> 1
        return (wide | wide << stride | wide >> stride) & self.squares

    def _square_set(self, points: Iterable[Point], start: int = 0) -> int:
        """Return the set of the squares at `points`, relative to the spot `start`."""
        return sum(1 << start + self.spot(point) for point in points)

    def _orientation_plane(self, orientations: Iterable[int]) -> int:
        """Return the plane of all placements of the given orientations on the board."""
        everywhere = sum(1 << spot * self.count for spot in range(self.stride * self.side))
        return everywhere * sum(1 << orientation for orientation in orientations) & self.board

    def _board_plane(self, shapes: list[Shape]) -> int:
        """Return the plane of the placements that lie completely on the board."""
        reach = [(max(x for x, _ in shape), max(y for _, y in shape)) for shape in shapes]
        corners = {
            (right, up): sum(
                1 << self.spot((x, y)) * self.count
                for y in range(self.side - up)
                for x in range(self.side - right)
            )
            for right, up in set(reach)
        }
        return sum(corners[box] << orientation for orientation, box in enumerate(reach))

    def _one_square_window(self, shapes: list[Shape]) -> int:
        """Return the window of the placements that cover the square at its spot."""
        return sum(
            1 << (self._back - self.spot(point)) * self.count + orientation
            for orientation, shape in enumerate(shapes)
            for point in shape
        )

    def _covering_window(self, points: Iterable[Point]) -> int:
        """Return the window of the placements that cover at least one of the points."""
        bits = 0
        for point in points:
            bits |= self.move_window(self._cover, self.spot(point) + self._back)
        return bits

    def _make_orientation(self, piece: int, shape: Shape) -> Orientation:
        edges = {(x + dx, y + dy) for x, y in shape for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))}
        edges -= set(shape)
        corners = {(x + dx, y + dy) for x, y in shape for dx, dy in ((1, 1), (1, -1), (-1, 1), (-1, -1))}
        corners -= edges | set(shape)
        return Orientation(
            piece,
            shape,
            hits=self._covering_window(shape),
            edges=self._covering_window(edges),
            corners=self._covering_window(corners),
            squares=self._square_set(shape, self._back),
            corner_points=self._square_set(corners, self._back),
        )


class PlaneMembers(Members):
    """The members of a plane as a sequence of action numbers: ascending, each increased by `first`."""

    __slots__ = ("first", "plane")

    def __init__(self, plane: int, first: int) -> None:
        super().__init__([(first, plane)])
        self.plane: Final = plane
        self.first: Final = first
