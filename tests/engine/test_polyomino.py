"""Polyominoes: their number, their orientations, and counts of placements from the literature."""

from __future__ import annotations

import pytest

from engine.errors import InvalidError
from engine.polyomino import (
    SHAPES,
    distinct_orientations,
    is_connected,
    make_shape,
    read_drawing,
    rotations_and_reflections,
)


def test_there_are_21_free_polyominoes_of_89_squares_in_91_orientations() -> None:
    assert len(SHAPES) == 21
    assert sum(map(len, SHAPES.values())) == 89
    assert sum(len(distinct_orientations(shape)) for shape in SHAPES.values()) == 91
    assert [sum(len(shape) == size for shape in SHAPES.values()) for size in range(1, 6)] == [1, 1, 2, 5, 12]


def test_all_shapes_are_different_and_connected() -> None:
    seen = [min(distinct_orientations(shape)) for shape in SHAPES.values()]
    assert len(set(seen)) == 21
    assert all(is_connected(shape) for shape in SHAPES.values())
    assert all(int(name[1:]) == len(shape) for name, shape in SHAPES.items())


def test_placements_on_20_and_14_and_9_squares_a_side_are_as_published() -> None:
    """30,433 and 13,729 are from the literature on Blokus; 4,814 was counted by an independent prototype."""
    counts = {
        side: sum(
            (side - max(x for x, _ in shape)) * (side - max(y for _, y in shape))
            for piece in SHAPES.values()
            for shape in distinct_orientations(piece)
        )
        for side in (20, 14, 9)
    }
    assert counts == {20: 30_433, 14: 13_729, 9: 4_814}


def test_squares_that_touch_only_at_corners_are_not_connected() -> None:
    assert not is_connected(((0, 0), (1, 1)))


def test_images_keep_the_order_of_points() -> None:
    marked = rotations_and_reflections(((0, 0), (1, 0), (1, 1)))
    assert len(marked) == 8
    assert len(set(marked)) == 8
    assert {make_shape(image) for image in marked} == set(
        distinct_orientations(make_shape(((0, 0), (1, 0), (1, 1))))
    )


def test_a_drawing_with_rows_of_different_lengths_is_rejected() -> None:
    with pytest.raises(InvalidError, match="rows of different lengths"):
        read_drawing("xx/x")
