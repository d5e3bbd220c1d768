"""All placements of all shapes in a square play area, and which of them overlap or touch each other.

A placement is one orientation of a shape in one place. Placements are numbered from 0: by the lower left corner of their
bounding box (a cell index), then by shape in the order of `SHAPES`, then by orientation.

Sets are integers. A set of squares has one bit per cell, a set of placements one bit per placement number. So one bit
operation tests all placements at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.polyomino import SHAPES, Shape, distinct_orientations

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


class Placement(NamedTuple):
    """One orientation of a shape in one place."""

    shape: str
    cells: tuple[int, ...]
    edges: tuple[int, ...]
    """Cells of the play area that share an edge with it."""
    corners: tuple[int, ...]
    """Cells of the play area that touch it at a corner and not along an edge."""
    squares: int
    """`cells` as a set."""
    at_corners: int
    """`corners` as a set."""


class PlayArea:
    """A square play area with its placements. It is built once for a ruleset and never changes."""

    def __init__(self, side: int, names: Collection[str]) -> None:
        """Compute the placements of the shapes with these names; `side` is the number of squares along an edge."""
        self.side = side
        orientations = [
            _OrientedShape(name, shape, side)
            for name in SHAPES
            if name in names
            for shape in distinct_orientations(SHAPES[name])
        ]
        self.placements: tuple[Placement, ...] = tuple(
            orientation.placement_at(x, y)
            for y in range(side)
            for x in range(side)
            for orientation in orientations
            if x + orientation.width <= side and y + orientation.height <= side
        )
        covering: list[list[int]] = [[] for _ in range(side * side)]
        shaped: dict[str, list[int]] = {name: [] for name in names}
        for number, placement in enumerate(self.placements):
            shaped[placement.shape].append(number)
            for cell in placement.cells:
                covering[cell].append(number)
        self.covering: tuple[int, ...] = tuple(map(make_set, covering))
        """For each square: the set of placements that cover it."""
        self.shaped: dict[str, int] = {name: make_set(numbers) for name, numbers in shaped.items()}
        """For each shape: the set of its placements."""
        self.numbers: dict[int, int] = {
            placement.squares: number for number, placement in enumerate(self.placements)
        }
        """The number of each placement, by its set of squares."""
        self.everything = (1 << len(self.placements)) - 1
        self.in_corners = self.placements_covering((0, side - 1, side * (side - 1), side * side - 1))
        """BD-4: set of the placements that cover a corner square."""
        self._left = make_set(range(0, side * side, side))
        self._whole = (1 << side * side) - 1

    def placements_covering(self, cells: Iterable[int]) -> int:
        """Return the set of placements that cover at least one of the cells."""
        placements = 0
        for cell in cells:
            placements |= self.covering[cell]
        return placements

    def placements_of_shapes(self, names: Iterable[str]) -> int:
        """Return the set of placements of the shapes with these names."""
        placements = 0
        for name in names:
            placements |= self.shaped[name]
        return placements

    def squares_beside(self, squares: int) -> int:
        """Return the squares that share an edge with a square of the set. The result may contain squares of the set."""
        right = self._left << self.side - 1
        return (
            (squares & ~right) << 1
            | (squares & ~self._left) >> 1
            | squares << self.side
            | squares >> self.side
        ) & self._whole


def make_set(numbers: Iterable[int]) -> int:
    """Return the set of some numbers.

    >>> bin(make_set([0, 2, 3]))
    '0b1101'
    """
    bits = bytearray()
    for number in numbers:
        byte = number >> 3
        if byte >= len(bits):
            bits.extend(bytes(byte + 1 - len(bits)))
        bits[byte] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")


class _OrientedShape:
    """One orientation of a shape, with everything that is the same for all of its placements."""

    def __init__(self, name: str, shape: Shape, side: int) -> None:
        points = set(shape)
        edges = {(i + a, j + b) for i, j in points for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))} - points
        corners = {(i + a, j + b) for i, j in points for a in (1, -1) for b in (1, -1)} - points - edges
        self.width, self.height = (1 + max(point[axis] for point in points) for axis in (0, 1))
        self._name, self._side = name, side
        # sorted row by row from below, so that the cells of every placement ascend
        self._cells, self._edges, self._corners = (
            sorted(near, key=lambda point: point[::-1]) for near in (points, edges, corners)
        )
        self._squares = make_set(i + side * j for i, j in points)

    def placement_at(self, x: int, y: int) -> Placement:
        """Return the placement whose bounding box has its lower left corner at column x and row y."""
        side, first = self._side, x + self._side * y
        cells = tuple(first + i + side * j for i, j in self._cells)
        beside, diagonal = (
            tuple(first + i + side * j for i, j in near if 0 <= x + i < side and 0 <= y + j < side)
            for near in (self._edges, self._corners)
        )
        return Placement(self._name, cells, beside, diagonal, self._squares << first, make_set(diagonal))
