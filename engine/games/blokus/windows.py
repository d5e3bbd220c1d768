"""Windows: where all orientations of all pieces may go, asked of the whole board at once.

A *spot* is a square, numbered column + stride x row, where the stride is one more than the side. A *set of squares*
is an integer with a bit per spot.

A *plane* is a set of placements, an integer too: bit spot x K + orientation, where the spot is the lower left corner
of the placement's bounding box and K is the number of orientations of all pieces together (91 of the full set).
What a placement changes for others lies in a window round it, and the window depends on the orientation alone:
moved to the spot, it changes all that is to change in one step. What sticks out of the board on the right comes to
lie in the column that is too many. What sticks out on the left begins at the end of the row below, so far right
that it sticks out there. Neither is a placement on the board, and one `&` with those that are takes it away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from re import finditer
from typing import TYPE_CHECKING, Final, NamedTuple, overload

from engine.polyomino import SHAPES, Point, Shape, distinct_orientations

if TYPE_CHECKING:
    from collections.abc import Iterable

WINDOW_REACH: Final = 5
"""Squares from a placement's spot to the farthest one that its windows change, to the left and below."""

_MAX_BITS_TO_WALK: Final = 256
"""Bits within which walking from one to the next is faster than halving."""


class Orientation(NamedTuple):
    """A piece turned one way, and its windows: planes for `Windows.move_window`, sets for `Windows.move_squares`."""

    piece: int
    shape: Shape
    hits: int
    """Placements that share a square with it."""
    edges: int
    """Placements that touch it along an edge."""
    corners: int
    """Placements that cover one of its corner points."""
    squares: int
    """Set of its squares."""
    corner_points: int
    """Set of squares that touch it at a corner and not along an edge."""


class Windows:
    """The board, the pieces and the windows of one ruleset."""

    def __init__(self, side: int, pieces: tuple[str, ...]) -> None:
        self.side: Final = side
        self.stride: Final = side + 1
        self.pieces: Final = pieces
        turned = [
            (piece, shape)
            for piece, name in enumerate(pieces)
            for shape in distinct_orientations(SHAPES[name])
        ]
        shapes = [shape for _, shape in turned]
        self.count: Final = len(turned)
        """Orientations of all pieces together: K."""
        self.span: Final = self.count * self.stride * side
        """Bits of a plane."""
        self._back: Final = WINDOW_REACH * (self.stride + 1)
        self._cover: Final = self._one_square_window(shapes)
        self.squares: Final = self._square_set((x, y) for x in range(side) for y in range(side))
        """The squares of the board."""
        self.board: Final = self._board_plane(shapes)
        """Plane of all placements on the board."""
        self.orientations: Final = tuple(self._make_orientation(piece, shape) for piece, shape in turned)
        self.without: Final = tuple(
            self._orientation_plane(o for o, (other, _) in enumerate(turned) if other != piece)
            for piece in range(len(pieces))
        )
        """For each piece the plane of all placements of the others."""
        self.by_size: Final = tuple(
            self._orientation_plane(o for o, shape in enumerate(shapes) if len(shape) == size)
            for size in sorted(set(map(len, shapes)), reverse=True)
        )
        """Planes of all placements of the pieces of one size, the largest size first."""

    def spot(self, point: Point) -> int:
        return point[0] + self.stride * point[1]

    def point(self, spot: int) -> Point:
        row, column = divmod(spot, self.stride)
        return column, row

    def placement(self, bit: int) -> tuple[int, Orientation]:
        """Return the spot and the orientation of a placement."""
        spot, orientation = divmod(bit, self.count)
        return spot, self.orientations[orientation]

    def move_window(self, window: int, spot: int) -> int:
        """Return a window's plane at a spot. What leaves the board below falls off, elsewhere it may stay."""
        bits = (spot - self._back) * self.count
        return window << bits if bits >= 0 else window >> -bits

    def move_squares(self, window: int, spot: int) -> int:
        """Return a window's set of squares at a spot."""
        bits = spot - self._back
        return window << bits if bits >= 0 else window >> -bits

    def covering_placements(self, points: Iterable[Point]) -> int:
        """Return the plane of all placements on the board that cover one of some squares."""
        return self.move_window(self._covering_window(points), 0) & self.board

    def squares_around(self, squares: int) -> int:
        """Return the squares of the board that touch one of the set at an edge or a corner, and the set itself."""
        stride, wide = self.stride, squares << 1 | squares | squares >> 1
        return (wide | wide << stride | wide >> stride) & self.squares

    def _square_set(self, points: Iterable[Point], start: int = 0) -> int:
        """Return the set of some squares, seen from a spot."""
        return sum(1 << start + self.spot(point) for point in points)

    def _orientation_plane(self, wanted: Iterable[int]) -> int:
        """Return the placements of some orientations, everywhere on the board."""
        everywhere = sum(1 << spot * self.count for spot in range(self.stride * self.side))
        return everywhere * sum(1 << orientation for orientation in wanted) & self.board

    def _board_plane(self, shapes: list[Shape]) -> int:
        """Return the placements that lie on the board with all their squares."""
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
        """Return the window of the placements that cover one square."""
        return sum(
            1 << (self._back - self.spot(point)) * self.count + orientation
            for orientation, shape in enumerate(shapes)
            for point in shape
        )

    def _covering_window(self, points: Iterable[Point]) -> int:
        """Return the window of the placements that cover one of some squares."""
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


class PlaneMembers(Sequence[int]):
    """The members of a plane, ascending, each increased by `first`: counted at once, found when asked for."""

    def __init__(self, plane: int, first: int) -> None:
        self.plane: Final = plane
        self.first: Final = first
        self._count: Final = plane.bit_count()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[int]:
        first = self.first
        return (first + found.start() for found in finditer("1", f"{self.plane:b}"[::-1]))

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int) or number < self.first:
            return False
        return self.plane >> number - self.first & 1 == 1

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[int, ...]: ...
    def __getitem__(self, index: int | slice) -> int | tuple[int, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        return self.first + _nth_set_bit(self.plane, self._count, index % self._count)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((self.plane, self.first))


def _nth_set_bit(bits: int, count: int, n: int) -> int:
    """Return the place of set bit number `n` of the `count` there are: halve the number, keep the right half."""
    place, width = 0, bits.bit_length()
    while width > _MAX_BITS_TO_WALK:
        half = width >> 1
        high = bits >> half
        below = count - high.bit_count()
        if n < below:
            bits ^= high << half
            count, width = below, half
        else:
            bits = high
            place, n, count, width = place + half, n - below, count - below, width - half
    for _ in range(n):
        bits &= bits - 1
    return place + (bits & -bits).bit_length() - 1
