"""A table of a run, or an answer to a query, in one call: as Arrow or pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from engine.game import InvalidError
from pipelines.runs.query_process import REFUSED, is_question
from pipelines.runs.schema import schema_columns

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def arrow(connection: duckdb.DuckDBPyConnection, what: str) -> pa.Table:
    """Return a table of the schema, or what one query says; raise InvalidError for anything else.

    The connection is closed afterwards. There is no limit: who asks for all plies gets them.
    """
    with connection:
        if what not in schema_columns():
            return _answered(connection, what)
        return connection.table(what).to_arrow_table()


def _answered(connection: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
    try:
        if not is_question(connection, sql):
            raise InvalidError(REFUSED)
        return connection.sql(sql).to_arrow_table()
    except duckdb.Error as error:
        raise InvalidError(str(error).splitlines()[0]) from None


def pandas(connection: duckdb.DuckDBPyConnection, what: str) -> pd.DataFrame:
    """Return the same as a frame."""
    frame: pd.DataFrame = arrow(connection, what).to_pandas()
    return frame
