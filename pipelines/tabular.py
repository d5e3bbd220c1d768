"""A table of a run, or an answer to a query, in one call: as Arrow or pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.query import check
from pipelines.run import schema_columns

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa


def arrow(connection: duckdb.DuckDBPyConnection, what: str) -> pa.Table:
    """Return a table of the schema, or what one query says; raise InvalidError for anything else.

    The connection is closed afterwards. There is no limit: who asks for all plies gets them.
    """
    with connection:
        if what not in schema_columns():
            check(connection, what)
            return connection.sql(what).to_arrow_table()
        return connection.table(what).to_arrow_table()


def pandas(connection: duckdb.DuckDBPyConnection, what: str) -> pd.DataFrame:
    """Return the same as a frame."""
    frame: pd.DataFrame = arrow(connection, what).to_pandas()
    return frame
