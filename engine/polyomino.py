"""Polyominoes: their names, drawings and orientations. All games that place shapes use them."""

from __future__ import annotations

from typing import Final, TypeAlias

from engine.errors import InvalidError

Point: TypeAlias = tuple[int, int]
"""Column and row; rows are counted upwards."""
Shape: TypeAlias = tuple[Point, ...]
"""Points whose lowest column and row are 0, ascending by row, then column (the order of cell indices)."""


def normalise_points(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """Return the points moved so that the lowest column and row are 0, in the given order."""
    left, bottom = min(x for x, _ in points), min(y for _, y in points)
    return tuple((x - left, y - bottom) for x, y in points)


def make_shape(points: tuple[Point, ...]) -> Shape:
    """Return the points as a shape: normalised and in the order of cell indices."""
    return tuple(sorted(normalise_points(points), key=lambda point: (point[1], point[0])))


def rotations_and_reflections(points: tuple[Point, ...]) -> list[tuple[Point, ...]]:
    """Return the eight rotations and reflections, each normalised, with the points in the given order."""
    turned = []
    for _ in range(4):
        points = tuple((y, -x) for x, y in points)
        turned += [normalise_points(points), normalise_points(tuple((-x, y) for x, y in points))]
    return turned


def distinct_orientations(shape: Shape) -> list[Shape]:
    """Return the different orientations of a shape in a fixed order.

    >>> [len(distinct_orientations(SHAPES[name])) for name in ("I1", "I2", "L4", "X5", "F5")]
    [1, 2, 8, 1, 8]
    """
    return sorted({make_shape(image) for image in rotations_and_reflections(shape)})


def is_connected(points: tuple[Point, ...]) -> bool:
    """Return whether the squares are connected by their edges."""
    unreached = set(points)
    frontier = [unreached.pop()]
    while frontier:
        x, y = frontier.pop()
        neighbours = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & unreached
        unreached -= neighbours
        frontier += neighbours
    return not unreached


def read_drawing(drawing: str) -> dict[Point, str]:
    """Return the marks of a drawing by point. Rows are separated by `/`, the top row first; `.` is an empty square.

    Raises InvalidError if the rows have different lengths.

    >>> read_drawing("x./xo")
    {(0, 1): 'x', (0, 0): 'x', (1, 0): 'o'}
    """
    rows = drawing.split("/")
    if len({len(row) for row in rows}) > 1:
        raise InvalidError(f"drawing {drawing!r} has rows of different lengths")
    return {
        (x, len(rows) - 1 - y): mark
        for y, row in enumerate(rows)
        for x, mark in enumerate(row)
        if mark != "."
    }


def _read_shape(drawing: str) -> Shape:
    return make_shape(tuple(read_drawing(drawing)))


SHAPES: Final[dict[str, Shape]] = {
    name: _read_shape(drawing)
    for name, drawing in {
        "I1": "x",
        "I2": "xx",
        "I3": "xxx",
        "V3": "x./xx",
        "I4": "xxxx",
        "L4": "x./x./xx",
        "O4": "xx/xx",
        "S4": ".xx/xx.",
        "T4": "xxx/.x.",
        "F5": ".xx/xx./.x.",
        "I5": "xxxxx",
        "L5": "x./x./x./xx",
        "N5": ".x/.x/xx/x.",
        "P5": "xx/xx/x.",
        "T5": "xxx/.x./.x.",
        "U5": "x.x/xxx",
        "V5": "x../x../xxx",
        "W5": "x../xx./.xx",
        "X5": ".x./xxx/.x.",
        "Y5": ".x/xx/.x/.x",
        "Z5": "xx./.x./.xx",
    }.items()
}
"""The 21 free polyominoes of one to five squares, by Golomb's names."""
