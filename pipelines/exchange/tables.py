"""A run as a folder with one file per table, for programs that cannot open DuckDB files."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from engine.errors import unknown_name_error
from pipelines.runs.schema import run_file_tables
from pipelines.runs.tables import iter_table_batches

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pipelines.runs.run import Run
    from pipelines.runs.schema import DocumentedTable

TABLE_FORMATS: Final = ("parquet", "csv")
EXPORTED_TABLES: Final = (
    "run",
    "rulesets",
    "pieces",
    "strategies",
    "decision_times",
    "games",
    "seats",
    "parts",
    "plies",
    "actions",
    "log",
)
"""The tables with the data of the run; the other tables are sums over these."""
COLUMNS_FILE: Final = "columns"
"""The file that describes every column of the other files."""
_COLUMNS_SCHEMA: Final = pa.schema([(name, pa.string()) for name in ("table", "column", "type", "comment")])


def write_tables(run: Run, folder: Path, chosen: str) -> None:
    """Write the tables of a run into a folder, and the comments on their columns; raise InvalidError for an unknown format.

    The rows have the order of the run file. They are written in batches, so a large run takes no more memory than a
    small one. A Parquet file has the comments in its metadata too, under the keys `comment` and `column_comments`.
    """
    if chosen not in TABLE_FORMATS:
        raise unknown_name_error("format of tables", chosen, TABLE_FORMATS)
    documented = {table.name: table for table in run_file_tables() if table.name in EXPORTED_TABLES}
    with run.open_tables() as connection:
        for table in EXPORTED_TABLES:
            batches = iter_table_batches(connection, table, run.summary.games, as_text=chosen == "csv")
            _write_table(batches, folder / f"{table}.{chosen}", documented[table], chosen)
    rows = [
        {"table": name, "column": column.name, "type": column.type, "comment": column.about}
        for name in EXPORTED_TABLES
        for column in documented[name].columns
    ]
    described = pa.Table.from_pylist(rows, _COLUMNS_SCHEMA)
    if chosen == "csv":
        pa_csv.write_csv(described, folder / f"{COLUMNS_FILE}.csv")
    else:
        pq.write_table(described, folder / f"{COLUMNS_FILE}.parquet")


def _write_table(
    batches: Iterator[pa.RecordBatchReader], path: Path, documented: DocumentedTable, chosen: str
) -> None:
    first = next(batches)
    comments = {
        "comment": documented.about,
        "column_comments": json.dumps({column.name: column.about for column in documented.columns}),
    }
    schema = first.schema.with_metadata(comments)
    writer = (
        pa_csv.CSVWriter(path, schema)
        if chosen == "csv"
        else pq.ParquetWriter(path, schema, compression="zstd")
    )
    with writer:
        for reader in chain((first,), batches):
            for batch in reader:
                writer.write(batch.replace_schema_metadata(comments))
