"""Every place of every shape in a square play area, and who is in whose way.

A placement is one shape, turned one way, in one place. Placements are numbered from 0: by the position of the
lower left corner of their bounding box (a cell index), then by shape in the order of `SHAPES`, then by
orientation. Sets are integers: of squares with a bit per cell, of placements with a bit per number. A set of
placements answers a question about all of them at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.polyomino import SHAPES, Shape, distinct_orientations

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator


class Placement(NamedTuple):
    """One shape in one place."""

    shape: str
    cells: tuple[int, ...]
    edges: tuple[int, ...]
    """Squares of the play area that share an edge with it."""
    corners: tuple[int, ...]
    """Squares of the play area that meet it corner to corner and nowhere along an edge."""
    squares: int
    """`cells` as a set."""
    at_corners: int
    """`corners` as a set."""


class PlayArea:
    """A square play area with its placements: built once for a ruleset, never changed."""

    def __init__(self, side: int, names: Collection[str]) -> None:
        """Work out the placements of the shapes with these names."""
        self.side = side
        turned = [
            _TurnedShape(name, shape, side)
            for name in SHAPES
            if name in names
            for shape in distinct_orientations(SHAPES[name])
        ]
        self.placements: tuple[Placement, ...] = tuple(
            one.placement_at(x, y)
            for y in range(side)
            for x in range(side)
            for one in turned
            if x + one.width <= side and y + one.height <= side
        )
        covering: list[list[int]] = [[] for _ in range(side * side)]
        shaped: dict[str, list[int]] = {name: [] for name in names}
        for number, placement in enumerate(self.placements):
            shaped[placement.shape].append(number)
            for cell in placement.cells:
                covering[cell].append(number)
        self.covering: tuple[int, ...] = tuple(map(make_set, covering))
        """For each square the placements that cover it."""
        self.shaped: dict[str, int] = {name: make_set(numbers) for name, numbers in shaped.items()}
        """For each shape its placements."""
        self.numbers: dict[int, int] = {
            placement.squares: number for number, placement in enumerate(self.placements)
        }
        """Placements by their set of squares."""
        self.everything = (1 << len(self.placements)) - 1
        self.in_corners = self.placements_covering((0, side - 1, side * (side - 1), side * side - 1))
        """BD-4: the placements that cover a corner square."""
        self._left = make_set(range(0, side * side, side))
        self._whole = (1 << side * side) - 1

    def placements_covering(self, cells: Iterable[int]) -> int:
        """Return the placements that cover at least one of the squares."""
        found = 0
        for cell in cells:
            found |= self.covering[cell]
        return found

    def placements_of_shapes(self, names: Iterable[str]) -> int:
        """Return the placements of some shapes."""
        found = 0
        for name in names:
            found |= self.shaped[name]
        return found

    def squares_beside(self, squares: int) -> int:
        """Return the squares that share an edge with a square of the set (and perhaps more of the set)."""
        right = self._left << self.side - 1
        return (
            (squares & ~right) << 1
            | (squares & ~self._left) >> 1
            | squares << self.side
            | squares >> self.side
        ) & self._whole


def make_set(numbers: Iterable[int]) -> int:
    """Return some numbers as a set.

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


def iter_members(numbers: int) -> Iterator[int]:
    """Yield the members of a set, ascending.

    >>> list(iter_members(0b1101))
    [0, 2, 3]
    """
    # searching a text of ones and zeros is several times faster than taking big integers apart
    text = bin(numbers)[:1:-1]
    found = text.find("1")
    while found >= 0:
        yield found
        found = text.find("1", found + 1)


class _TurnedShape:
    """A shape turned one way, with what does not depend on where it lies: there are some thousand places for all."""

    def __init__(self, name: str, shape: Shape, side: int) -> None:
        points = set(shape)
        edges = {(i + a, j + b) for i, j in points for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))} - points
        corners = {(i + a, j + b) for i, j in points for a in (1, -1) for b in (1, -1)} - points - edges
        self.width, self.height = (1 + max(point[axis] for point in points) for axis in (0, 1))
        self._name, self._side = name, side
        # Cells ascend row by row from below; so they do wherever the shape lies.
        self._cells, self._edges, self._corners = (
            sorted(near, key=lambda point: point[::-1]) for near in (points, edges, corners)
        )
        self._squares = make_set(i + side * j for i, j in points)

    def placement_at(self, x: int, y: int) -> Placement:
        """Return the placement with the lower left corner of its bounding box there."""
        side, first = self._side, x + self._side * y
        cells = tuple(first + i + side * j for i, j in self._cells)
        beside, diagonal = (
            tuple(first + i + side * j for i, j in near if 0 <= x + i < side and 0 <= y + j < side)
            for near in (self._edges, self._corners)
        )
        return Placement(self._name, cells, beside, diagonal, self._squares << first, make_set(diagonal))
