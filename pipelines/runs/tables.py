"""A table of a run, or the answer to a query, as an Arrow table or a pandas data frame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, cast

import duckdb

from engine.errors import InvalidError, unknown_name_error
from pipelines.runs.query_process import NOT_A_QUERY_MESSAGE, is_single_query
from pipelines.runs.schema import review_columns, schema_columns

if TYPE_CHECKING:
    from types import ModuleType

    import pandas as pd
    import polars as pl
    import pyarrow as pa

ROWS_PER_BATCH: Final = 250_000
GAMES_PER_BATCH: Final = 5_000
"""Games of the view `log` that are read at a time: it sorts and joins plies, and must not take the memory of a whole run."""
REPEATED_TEXTS: Final = frozenset(
    {"run", "ruleset", "game", "strategy", "part", "kind", "notation", "piece", "die"}
)
"""The columns of texts that stand in many rows: frames have them as categoricals."""


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
    return _join_tables(_iter_tables(connection, table_or_query))


def query_pandas(connection: duckdb.DuckDBPyConnection, table_or_query: str) -> pd.DataFrame:
    """Return the same as a data frame of pandas with the types of `make_computable`.

    Integers stay integers where some are missing, and lists are those of Arrow, which take a tenth of the memory of objects.
    """
    import pandas as pd  # noqa: PLC0415 - takes 0.4 s to import
    import pyarrow as pa  # noqa: PLC0415 - takes 0.1 s to import

    table = _join_tables(map(make_computable, _iter_tables(connection, table_or_query)))
    frame: pd.DataFrame = table.to_pandas(
        types_mapper=lambda kind: pd.ArrowDtype(kind) if pa.types.is_list(kind) else None
    )
    for number, column in enumerate(table.columns):
        name = {"bool": "boolean"}.get(str(column.type), str(column.type).capitalize())
        if column.null_count and name in {"boolean", "Int32", "Int64"}:
            dtype = pd.api.types.pandas_dtype(name)
            series = column.to_pandas(types_mapper=lambda _, dtype=dtype: dtype)
            frame.isetitem(number, series.set_axis(frame.index))
    return frame


def query_polars(connection: duckdb.DuckDBPyConnection, table_or_query: str) -> pl.DataFrame:
    """Return the same as a data frame of Polars; raise InvalidError if Polars is not installed."""
    try:
        pl = import_polars()
    except InvalidError:
        connection.close()
        raise
    frame = pl.from_arrow(_join_tables(map(make_computable, _iter_tables(connection, table_or_query))))
    assert isinstance(frame, pl.DataFrame)  # noqa: S101 - a table becomes a frame, only an array a series
    return frame


def import_polars() -> ModuleType:
    """Return Polars; raise InvalidError if it is not installed."""
    try:
        import polars as pl  # noqa: PLC0415 - an optional extra
    except ModuleNotFoundError:
        raise InvalidError(
            "data frames of Polars need Polars: in a clone of Reroll, pip install -e '.[polars]'"
        ) from None
    return cast("ModuleType", pl)


def make_computable(table: pa.Table) -> pa.Table:
    """Return a table with types that frames compute with; run files have the narrowest types.

    Integers have a sign and 32 or 64 bits: pandas and Polars wrap others without a word, so that 20 rounds less 21 would be 65,535.
    Sums of integers are integers and not decimals, and texts that repeat are in a dictionary.
    """
    import pyarrow as pa  # noqa: PLC0415 - as above

    for number, field in enumerate(table.schema):
        column = table.column(number)
        if field.name in REPEATED_TEXTS and pa.types.is_string(field.type):
            column = column.dictionary_encode()
        elif (kind := _find_computable_type(field.type)) != field.type:
            try:
                column = column.cast(kind)
            except pa.ArrowInvalid:  # beyond 64 bits
                column = column if pa.types.is_unsigned_integer(field.type) else column.cast(pa.float64())
        table = table.set_column(number, field.name, column)
    return table


def _find_computable_type(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa  # noqa: PLC0415 - as above

    if pa.types.is_list(kind):
        return pa.list_(_find_computable_type(kind.value_type))
    if pa.types.is_integer(kind):
        return pa.int32() if kind.bit_width < 32 or kind == pa.int32() else pa.int64()
    if pa.types.is_decimal(kind):
        return pa.float64() if kind.scale else pa.int64()
    return kind


def _join_tables(tables: Iterator[pa.Table]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415 - as above

    return pa.concat_tables(list(tables)).unify_dictionaries()


def _iter_tables(connection: duckdb.DuckDBPyConnection, table_or_query: str) -> Iterator[pa.Table]:
    """Yield a table of the schema or the answer to a query, in one piece or, if it is the view `log`, in several; then close."""
    with connection:
        if table_or_query == "log":
            yield from _iter_log(connection)
        elif table_or_query in schema_columns() | review_columns():
            yield connection.table(table_or_query).to_arrow_table()
        else:
            yield _query_answer(connection, table_or_query)


def _iter_log(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.Table]:
    """Yield the view `log`, a join without an order, in the order of runs, games and plies: some games at a time."""
    log = connection.table("log")
    by_run = "run, " if "run" in log.columns else ""
    counts = connection.sql(f"SELECT {by_run}max(game_id) + 1 FROM games GROUP BY ALL ORDER BY ALL")  # noqa: S608 - a name of the schema
    yield log.limit(0).to_arrow_table()
    for *run, games in counts.fetchall():
        for first in range(0, games or 0, GAMES_PER_BATCH):
            where = f"game_id >= {first} AND game_id < {first + GAMES_PER_BATCH}"
            part = log.filter(where)
            if run:
                part = part.filter(duckdb.ColumnExpression("run") == duckdb.ConstantExpression(run[0]))
            yield part.order("game_id, ply").to_arrow_table()


def _query_answer(connection: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
    if re.fullmatch(r"[\w-]+", sql):
        raise unknown_name_error("table", sql, schema_columns())
    try:
        if not is_single_query(connection, sql):
            raise InvalidError(NOT_A_QUERY_MESSAGE)
        return connection.sql(sql).to_arrow_table()
    except duckdb.Error as error:
        raise InvalidError(_describe_refusal(str(error))) from None


def _describe_refusal(message: str) -> str:
    r"""Return what DuckDB says of a query, with the names that it suggests and without the name of its part.

    >>> _describe_refusal('Binder Error: Referenced column "scor" not found!\nCandidate bindings: "score"\n\nLINE 1: SELECT')
    'Referenced column "scor" not found! Candidate bindings: "score"'
    """
    sentence, *more = message.splitlines()
    hints = [line for line in more if line.startswith(("Candidate", "Did you mean"))]
    return " ".join([re.sub(r"^\w+ Error: ", "", sentence), *hints[:1]])
