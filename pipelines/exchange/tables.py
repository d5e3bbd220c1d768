"""A run as a folder with one file per table, for programs that cannot open DuckDB files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from engine.errors import unknown_name_error

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from pipelines.runs.run import Run

TABLE_FORMATS: Final = ("parquet", "csv")
EXPORTED_TABLES: Final = ("run", "rulesets", "strategies", "games", "seats", "parts", "plies", "actions")
"""The tables with the data of the run; the other tables are sums over these."""
ROWS_PER_BATCH: Final = 250_000

_TABLE_QUERIES: Final = {
    ("csv", "actions"): "SELECT * REPLACE (array_to_string(cells, ' ') AS cells) FROM actions",
}
"""CSV has no lists, so squares are separated by spaces."""


def write_tables(run: Run, folder: Path, chosen: str) -> None:
    """Write the tables of a run into a folder; raise InvalidError for an unknown format.

    The rows have the order of the run file. They are written in batches, so a large run takes no more memory than a
    small one.
    """
    if chosen not in TABLE_FORMATS:
        raise unknown_name_error("format of tables", chosen, TABLE_FORMATS)
    with run.open_tables() as connection:
        for table in EXPORTED_TABLES:
            rows = connection.sql(_TABLE_QUERIES.get((chosen, table), f"FROM {table}")).to_arrow_reader(
                ROWS_PER_BATCH
            )
            _write_table(rows, folder / f"{table}.{chosen}", chosen)


def _write_table(rows: pa.RecordBatchReader, path: Path, chosen: str) -> None:
    if chosen == "csv":
        with pa_csv.CSVWriter(path, rows.schema) as writer:
            for batch in rows:
                writer.write(batch)
    else:
        with pq.ParquetWriter(path, rows.schema, compression="zstd") as writer:
            for batch in rows:
                writer.write(batch)
