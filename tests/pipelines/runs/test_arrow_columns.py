"""Columns of Arrow tables that are made without pandas are those that PyArrow makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from pipelines.runs.arrow_columns import make_column, read_numbers

DICTIONARY = pa.dictionary(pa.int32(), pa.string())


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        (["greedy", "", "ä\u2028", "greedy"], pa.string()),
        ([None, "a", None], pa.string()),
        (["b", "a", "b", None], DICTIONARY),
        ([], DICTIONARY),
        ([True, False, True] * 5, pa.bool_()),
        ([1, None, -7], pa.int32()),
        ([2**64 - 1, 0], pa.uint64()),
        ([1, 2.5, None], pa.float64()),
        ([[1, 2], [], [65_535]], pa.list_(pa.uint16())),
        ([["x", "yz"], None, [""]], pa.list_(pa.string())),
        ([], pa.list_(pa.string())),
        (np.arange(12)[::3], pa.uint8()),
        (np.array([True, False]), pa.bool_()),
    ],
)
def test_a_column_is_the_one_of_pyarrow(values: Any, type_: pa.DataType) -> None:  # noqa: ANN401 - all kinds of values
    column = make_column(values, type_)
    column.validate(full=True)
    assert column.equals(pa.array(values, type_))


@pytest.mark.parametrize("values", [[], [3], [1, None, -7]])
def test_numbers_are_read_with_0_for_null(values: list[int | None]) -> None:
    expected = [value or 0 for value in values]
    column = pa.array(values, pa.int32())
    for found in (column, pa.chunked_array([column, column])):
        assert read_numbers(found).tolist() == expected * (1 if found is column else 2)
    assert read_numbers(column).dtype == np.int32
    assert read_numbers(pa.array([True, None, False])).tolist() == [1, 0, 0]


@pytest.mark.parametrize("values", [[1, 300], [-1], [2**70], np.array([256]), np.array([-1])])
def test_a_number_that_does_not_fit_is_an_error(values: Any) -> None:  # noqa: ANN401
    with pytest.raises(OverflowError):
        make_column(values, pa.uint8())
