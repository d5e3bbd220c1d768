"""Cells of tables: shapes of pieces are drawings."""

from __future__ import annotations

import re

import pytest

from pipelines.report.openings import draw_shape
from pipelines.report.show.html import draw_cell


@pytest.mark.parametrize(
    "cells", [(0,), (0, 1, 2, 3), (0, 10, 20, 21), (1, 10, 11, 12, 21), (0, 2, 10, 11, 12)]
)
def test_a_shape_is_a_drawing_of_its_squares_each_of_one_size(cells: tuple[int, ...]) -> None:
    drawn = draw_cell(draw_shape(cells, columns=10))
    squares = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)h", drawn)}
    top = max(cells) // 10
    assert squares == {(cell % 10, top - cell // 10) for cell in cells}
    size = [
        int(number)
        for number in re.findall(r'viewBox="0 0 (\d+) (\d+)" width="(\d+)" height="(\d+)"', drawn)[0]
    ]
    assert size[2] / size[0] == size[3] / size[1]
    assert size[:2] == [max(x for x, _ in squares) + 1, max(y for _, y in squares) + 1]


@pytest.mark.parametrize(
    ("text", "html"),
    [("█ or 2", "█ or 2"), (" ", " "), ("", ""), ("<b>", "&lt;b&gt;"), ("█\nx", "<pre>█\nx</pre>")],
)
def test_other_texts_stay_as_they_are(text: str, html: str) -> None:
    assert draw_cell(text) == html
