"""Read the numbers of the page Scores, and those that they must equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.dashboard.reading import open_menu, read_tables

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from pipelines.runs.library import Library
    from tests.dashboard.reading import CellValue


def read_numbers(at: AppTest) -> list[dict[str, CellValue]]:
    """Return the rows of the table behind the word Details."""
    return read_tables(open_menu(at, "details-scores"))[-1]


def query_rows(library: Library, query: str) -> list[tuple[object, ...]]:
    """Return the rows of a query over the run `three`."""
    with library.run("three").connect() as con:
        return con.execute(query).fetchall()
