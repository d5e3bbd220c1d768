"""Data frames can be computed with: integers have a sign and do not wrap, texts that repeat are categoricals, lists are lists of Arrow."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pytest

from engine.errors import InvalidError
from pipelines.notebook.api import Library
from pipelines.runs.schema import schema_columns
from pipelines.runs.tables import make_computable

if TYPE_CHECKING:
    from pipelines.notebook.played import Run


@pytest.mark.parametrize("table", schema_columns())
def test_no_integer_of_a_frame_is_unsigned_or_short(run: Run, table: str) -> None:
    for source in (run, Library(run.path.parent.parent)):
        frame = source.pandas(table)
        stored = source.arrow(table)
        assert frame.columns.tolist() == stored.column_names
        assert len(frame) == stored.num_rows
        for name, dtype in frame.dtypes.items():
            if pd.api.types.is_integer_dtype(dtype):
                assert pd.api.types.is_signed_integer_dtype(dtype), name
                assert str(dtype).lower().removesuffix("[pyarrow]") in {"int32", "int64"}, name
        for name in stored.column_names:
            is_known = frame[name].notna()
            values = frame[name][is_known].tolist()
            assert values == [value for value in stored[name].to_pylist() if value is not None], name


def test_differences_and_products_do_not_wrap(run: Run) -> None:
    assert (run.pandas("games")["rounds"] - 30).max() < 0
    seats = run.pandas("seats")
    assert (seats["rank"].diff().dropna().abs() < 10).all()
    assert (seats["seat"] * 100).max() == 100
    assert set(seats["strategy"].cat.categories) == {"greedy", "random"}


def test_sums_are_integers_and_decimals_are_numbers(run: Run) -> None:
    frame = run.pandas(
        "SELECT sum(score) AS total, 1.5::DECIMAL(4, 1) AS fraction, 10::HUGEINT ** 30 AS huge, "
        "18446744073709551615::UBIGINT AS seed FROM seats"
    )
    assert [str(dtype) for dtype in frame.dtypes] == ["int64", "float64", "float64", "uint64"]
    assert frame["total"].item() == run.pandas("seats")["score"].sum()
    assert frame["seed"].item() == (1 << 64) - 1


def test_integers_beyond_64_bits_become_fractions() -> None:
    table = pa.table({"huge": pa.array([Decimal(10**30)], pa.decimal128(38, 0))})
    assert make_computable(table)["huge"].to_pylist() == [1e30]


def test_lists_stay_lists_that_can_be_exploded(run: Run) -> None:
    log = run.pandas("log")
    cells = log.loc[log["kind"] == "place", "cells"]
    assert cells.list.len().min() > 0
    assert (cells.explode() - 100).max() < 0


def test_a_table_that_does_not_exist_names_the_nearest(run: Run) -> None:
    with pytest.raises(InvalidError, match="unknown table 'seat'; did you mean seats"):
        run.pandas("seat")
