"""A table of a run, or the answer to a query, as an Arrow table or a pandas data frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import duckdb

from engine.errors import InvalidError
from pipelines.runs.query_process import NOT_A_QUERY_MESSAGE, is_single_query
from pipelines.runs.schema import review_columns, schema_columns

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

ROWS_PER_BATCH: Final = 250_000
GAMES_PER_BATCH: Final = 5_000
"""Games of the view `log` that are read at a time: it sorts and joins plies, and must not take the memory of a whole run."""
_NULLABLE_TYPES: Final = {
    **{f"int{bits}": f"Int{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"UInt{bits}" for bits in (8, 16, 32, 64)},
    "bool": "boolean",
}
"""By Arrow type, the type of pandas for whole numbers and booleans with missing values."""


def iter_table_batches(
    connection: duckdb.DuckDBPyConnection, table: str, games: int, *, as_text: bool
) -> Iterator[pa.RecordBatchReader]:
    """Yield readers of the rows of a table of one run, in their order. There is at least one, so that the columns are known.

    `games` is the number of games of the run. With `as_text`, lists become texts in which the items are separated by
    spaces, because CSV has no lists.
    """
    lists = [name for name, type_ in schema_columns()[table].items() if as_text and type_.endswith("[]")]
    texts = ", ".join(f"array_to_string({name}, ' ') AS {name}" for name in lists)
    query = f"SELECT *{f' REPLACE ({texts})' if lists else ''} FROM {table}"  # noqa: S608 - names of the schema
    if table != "log":
        yield connection.sql(query).to_arrow_reader(ROWS_PER_BATCH)
        return
    for first in range(0, games, GAMES_PER_BATCH):
        ordered = (
            f"{query} WHERE game_id >= {first} AND game_id < {first + GAMES_PER_BATCH} ORDER BY game_id, ply"
        )
        yield connection.sql(ordered).to_arrow_reader(ROWS_PER_BATCH)


def query_arrow(connection: duckdb.DuckDBPyConnection, table_or_query: str) -> pa.Table:
    """Return a table of the schema, or the answer to one query; raise InvalidError if `table_or_query` is neither.

    The connection is closed afterwards. There is no limit on rows, time or memory.
    """
    with connection:
        if table_or_query not in schema_columns() | review_columns():
            return _query_answer(connection, table_or_query)
        table = connection.table(table_or_query)
        if table_or_query == "log":  # a join, whose order is undefined
            table = table.order(
                ", ".join(name for name in ("run", "game_id", "ply") if name in table.columns)
            )
        return table.to_arrow_table()


def _query_answer(connection: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
    try:
        if not is_single_query(connection, sql):
            raise InvalidError(NOT_A_QUERY_MESSAGE)
        return connection.sql(sql).to_arrow_table()
    except duckdb.Error as error:
        raise InvalidError(str(error).splitlines()[0]) from None


def query_pandas(connection: duckdb.DuckDBPyConnection, table_or_query: str) -> pd.DataFrame:
    """Return the same as a data frame of pandas. Whole numbers stay whole numbers where some are missing."""
    import pandas as pd  # noqa: PLC0415 - takes 0.4 s to import

    table = query_arrow(connection, table_or_query)
    frame: pd.DataFrame = table.to_pandas()
    for number, column in enumerate(table.columns):
        nullable = _NULLABLE_TYPES.get(str(column.type))
        if nullable and column.null_count:
            dtype = pd.api.types.pandas_dtype(nullable)
            series = column.to_pandas(types_mapper=lambda _, dtype=dtype: dtype)
            frame.isetitem(number, series.set_axis(frame.index))
    return frame


def query_polars(connection: duckdb.DuckDBPyConnection, table_or_query: str) -> pl.DataFrame:
    """Return the same as a data frame of Polars; raise InvalidError if Polars is not installed."""
    try:
        import polars as pl  # noqa: PLC0415 - an optional extra
    except ModuleNotFoundError:
        connection.close()
        raise InvalidError(
            "data frames of Polars need Polars: in a clone of Reroll, pip install '.[polars]'"
        ) from None
    frame = pl.from_arrow(query_arrow(connection, table_or_query))
    assert isinstance(frame, pl.DataFrame)  # noqa: S101 - a table becomes a frame, only an array a series
    return frame
