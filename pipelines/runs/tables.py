"""A table of a run, or the answer to a query, as an Arrow table or a pandas data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from engine.errors import InvalidError
from pipelines.runs.query_process import NOT_A_QUERY_MESSAGE, is_single_query
from pipelines.runs.schema import schema_columns

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def query_arrow(connection: duckdb.DuckDBPyConnection, what: str) -> pa.Table:
    """Return a table of the schema, or the answer to one query; raise InvalidError if `what` is neither.

    The connection is closed afterwards. There is no limit on rows, time or memory.
    """
    with connection:
        if what not in schema_columns():
            return _query_answer(connection, what)
        return connection.table(what).to_arrow_table()


def _query_answer(connection: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
    try:
        if not is_single_query(connection, sql):
            raise InvalidError(NOT_A_QUERY_MESSAGE)
        return connection.sql(sql).to_arrow_table()
    except duckdb.Error as error:
        raise InvalidError(str(error).splitlines()[0]) from None


def query_pandas(connection: duckdb.DuckDBPyConnection, what: str) -> pd.DataFrame:
    """Return the same as a data frame."""
    frame: pd.DataFrame = query_arrow(connection, what).to_pandas()
    return frame
