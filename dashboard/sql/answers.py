"""Answers of queries as tables, and the documentation of the tables as HTML. Does not import Streamlit."""

from __future__ import annotations

import math
from decimal import Decimal
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeGuard

import pandas as pd

from pipelines.design.short_names import short_names
from pipelines.questions.game.question import write_replay_link
from pipelines.report.charts import Columns, Estimate, Lines
from pipelines.statistics import Interval
from pipelines.viewer.palette import seat_looks

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pipelines.runs.query import Answer
    from pipelines.runs.schema import DocumentedTable

MAX_CHART_GROUPS = 6
"""Groups on one chart; more colours cannot be distinguished."""
INT64_LIMIT = 2**63
MAX_DECIMALS = 6
MAX_PLAIN_NUMBER = 1e12
"""Larger numbers are not written with decimals."""
MAX_MARKS = 2000
"""Number of rows that a chart draws."""


def build_answer_table(answer: Answer) -> pd.DataFrame:
    """Return an answer as a table with unique column names and values that a chart and a file can hold."""
    names: list[str] = []
    for column in answer.columns:
        earlier = sum(name == column or name.startswith(f"{column} (") for name in names)
        names.append(f"{column} ({earlier + 1})" if earlier else column)
    table = pd.DataFrame(answer.rows, columns=pd.Index(names))
    for name in names:
        table[name] = _simplify_column(table[name])
    return table


def _simplify_column(column: pd.Series) -> pd.Series:
    """Convert decimals to floats, and integers of more than 64 bits, lists and records to text."""
    values = [value for value in column if value is not None]
    if any(isinstance(value, Decimal) for value in values):
        return column.map(lambda value: float(value) if isinstance(value, Decimal) else value)
    if any(isinstance(value, int) and abs(value) >= INT64_LIMIT for value in values):
        return column.map(lambda value: None if value is None else str(value))
    if column.dtype == object and values and all(type(value) in {dict, tuple} for value in values):
        return column.map(lambda value: None if value is None else str(value))
    return column


def choose_number_formats(table: pd.DataFrame) -> dict[str, str]:
    """Return a printf format for each column with fractions, so that all its numbers have as many decimals.

    The largest number has at least 4 significant digits and the smallest at least 2, but none has more than `MAX_DECIMALS` decimals,
    or more than the numbers themselves have. Columns with numbers for which that is too little have no format.
    """
    formats = {}
    for name in table.select_dtypes("float").columns:
        sizes = [abs(value) for value in table[name].tolist() if math.isfinite(value) and value]
        if all(size.is_integer() for size in sizes):
            continue
        digits = (3 - math.floor(math.log10(max(sizes))), 1 - math.floor(math.log10(min(sizes))))
        held = max(max(0, -int(Decimal(repr(size)).as_tuple().exponent)) for size in sizes)
        decimals = min(max(0, *digits), held)
        if decimals <= MAX_DECIMALS and max(sizes) < MAX_PLAIN_NUMBER:
            formats[str(name)] = f"%.{decimals}f"
    return formats


def numeric_columns(table: pd.DataFrame) -> list[str]:
    """Return the names of the columns that hold numbers."""
    return [
        str(name)
        for name in table.columns
        if pd.api.types.is_numeric_dtype(table[name]) and not pd.api.types.is_bool_dtype(table[name])
    ]


def group_labels(table: pd.DataFrame, across: str, up: str, kind: str = "") -> list[str]:
    """Return the group of every row; empty if there are no groups.

    The groups are the values of the text column with the fewest values, if those are at most `MAX_CHART_GROUPS`. Rows of
    different values of `across` have groups only on a line chart, which would join them.
    """
    if kind != "line" and not table[across].duplicated().any():
        return []
    texts = [
        str(name)
        for name in table.columns
        if name not in {across, up} and not pd.api.types.is_numeric_dtype(table[name])
    ]
    few = [name for name in texts if 1 < table[name].astype(str).nunique() <= MAX_CHART_GROUPS]
    if not few:
        return []
    return [str(value) for value in table[min(few, key=lambda name: table[name].astype(str).nunique())]]


def half_intervals(table: pd.DataFrame, up: str) -> list[float | None]:
    """Return the halves of the intervals of a column, which are the column `<name>_half`; empty without that column."""
    name = f"{up}_half"
    if name not in numeric_columns(table):
        return []
    return [None if pd.isna(value) else float(value) for value in table[name]]


def describe_bars(sql: str, table: pd.DataFrame, up: str) -> str:
    """Return what the bars around the numbers of a column of an answer are; empty if there are none."""
    if not half_intervals(table, up):
        return ""
    return (
        "The bars are 95 % intervals." if "half_width(" in sql.lower() else f"The bars show {up} ± {up}_half."
    )


def build_chart(
    table: pd.DataFrame, kind: str, across: str, up: str, words: Mapping[str, str] = MappingProxyType({})
) -> Lines | Columns:
    """Return the chart of the first rows of a table: the numbers of one column over the values of another one.

    `kind` is `bar`, `line` or `points`. Strategies have their short names. `words` are titles of axes by the columns that they show.
    """
    rows = table.head(MAX_MARKS)
    if "strategy" in rows and "strategy" not in numeric_columns(rows):
        names = short_names(rows["strategy"].dropna().map(str))
        rows = rows.assign(strategy=rows["strategy"].map(lambda label: names.get(str(label), label)))
    groups = group_labels(rows, across, up, kind) or [""] * len(rows)
    looks = dict(zip(dict.fromkeys(groups), seat_looks(len(groups)).values(), strict=False))
    halves = half_intervals(rows, up) or [None] * len(rows)
    estimates = []
    for at, y, group, half in zip(rows[across].tolist(), rows[up].tolist(), groups, halves, strict=True):
        number = math.nan if pd.isna(y) else float(y)
        ends = (math.nan, math.nan) if half is None else (number - half, number + half)
        if pd.isna(at):
            continue
        place = at if isinstance(at, int | float) else str(at)
        estimates.append(Estimate(place, "", group, Interval(number, *ends), 0, looks[group]))
    across, up = (words.get(name, name) for name in (across, up))
    title = f"{up} by {across}"
    if kind == "bar":
        return Columns(estimates, across, up, title, stands_on_zero=True)
    return Lines(estimates, across, up, title, intervals="bars", is_joined=kind == "line")


def replay_addresses(table: pd.DataFrame, runs: Collection[str]) -> list[str | None]:
    """Return the address of the replay for each row that names a run and a game, and a ply if there is one.

    Columns that are called `run`, `game_id` and `ply` count; `runs` are the names of the runs of the library. Empty if the
    table has no such columns, or no row leads to a replay.
    """
    if not {"run", "game_id"} <= set(table.columns):
        return []
    plies = table["ply"].tolist() if "ply" in table.columns else [None] * len(table)
    addresses = [
        write_replay_link(run, int(number), int(ply) if _is_index(ply) else None)
        if run in runs and _is_index(number)
        else None
        for run, number, ply in zip(table["run"].tolist(), table["game_id"].tolist(), plies, strict=True)
    ]
    return addresses if any(addresses) else []


def _is_index(value: object) -> TypeGuard[float]:
    """Return whether a value is a whole number from 0 on; columns with missing values hold whole numbers as floats."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and value >= 0
        and float(value).is_integer()
    )


def write_columns_html(table: DocumentedTable) -> str:
    """Return the documentation of the columns of a table as HTML."""
    rows = "".join(
        f'<tr><th scope="row"><code>{escape(column.name)}</code></th><td>{escape(column.about)}</td>'
        f"<td>{escape(column.type.lower())}</td></tr>"
        for column in table.columns
    )
    return (
        '<div class="rulebook"><table><thead><tr><th scope="col">Column</th><th scope="col">What it holds</th>'
        f'<th scope="col">Type</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )
