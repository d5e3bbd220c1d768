"""A sheet as data frames of pandas: the records of the typed answer, the tables of files, and what charts draw.

Frames hold numbers where people read texts: an interval is three columns, `x`, `x_low` and `x_high`, also in tables, and what stands by seat is a
column for each seat from 0, such as `scores_0`. Means, shares and points have the units of the typed answer: shares are from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from engine.errors import unknown_name_error
from pipelines.report.charts import Columns, Histogram, Intervals, Lines, Scales
from pipelines.report.estimates import IntervalText
from pipelines.report.sheet import NUMBERS
from pipelines.report.show.json import json_value, list_tables
from pipelines.statistics.rounding import MINUS_SIGN

if TYPE_CHECKING:
    from pipelines.report.sheet import Sheet

_INTERVAL: Final = {"estimate": "", "low": "_low", "high": "_high"}
"""The keys of an interval as JSON data, and what its columns add to its name."""
FIRST_FRAMES: Final = ("decisions", NUMBERS)
"""The main frame of a sheet is the first of these that it has, or else the first of all."""


def list_frames(sheet: Sheet) -> dict[str, Callable[[], pd.DataFrame]]:
    """Return what makes each frame of a sheet, by its name, the main one first.

    The names are those of the fields of the answer that are lists of records, and the keys of parts.
    """
    fields = {name: json_value(value) for name, value in sheet.fields.items()}
    frames: dict[str, Callable[[], pd.DataFrame]] = {
        name: partial(_make_frame, records) for name, records in fields.items() if _are_records(records)
    }
    for key, table in list_tables(sheet).items():
        columns = _name_ends(table.columns)
        rows = [dict(zip(columns, row, strict=True)) for row in table.rows]
        frames.setdefault(key, partial(_make_frame, rows, columns))
    for part in sheet.parts:
        if isinstance(part.content, Histogram | Intervals | Lines | Columns | Scales):
            frames.setdefault(part.key, partial(_make_frame, list(_list_chart_records(part.content))))
    first = next((name for name in FIRST_FRAMES if name in frames), None)
    return {first: frames[first], **frames} if first else frames


def make_frame(sheet: Sheet, name: str = "") -> pd.DataFrame:
    """Return a frame of a sheet, its main one without a name. Raises InvalidError, with the names, if it does not have it."""
    frames = list_frames(sheet)
    name = name or next(iter(frames), "")
    if name not in frames:
        raise unknown_name_error("table", name, frames)
    return frames[name]()


def _name_ends(columns: Sequence[str]) -> list[str]:
    """Return the columns of a table, or the keys of a record, with the names that the ends of intervals have in frames.

    >>> _name_ends(["mean", "from", "to", "score, 95 % interval"])
    ['mean', 'mean_low', 'mean_high', 'score']
    """
    names: list[str] = []
    for column in columns:
        before = names[-1] if names else ""
        low, high = f"{before}_low", f"{before.removesuffix('_low')}_high"
        ends = {"from": low, "low": low, "to": high, "high": high}
        names.append(ends.get(column, column.removesuffix(", 95 % interval")))
    return names


def _are_records(value: Any) -> bool:  # noqa: ANN401 - JSON data
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _make_frame(records: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> pd.DataFrame:
    """Return a frame with a row for each record, without lists of records within a record."""
    rows = [
        {
            name: cell
            for key, value in zip(_name_ends([*record]), record.values(), strict=True)
            for name, cell in _list_cells(key, value)
        }
        for record in records
    ]
    cell_names = dict.fromkeys(name for row in rows for name in row)
    expanded = [
        name for column in columns for name in _with_ends(column) if name in cell_names or name == column
    ]
    names = dict.fromkeys([*expanded, *cell_names])
    return pd.DataFrame(
        {
            name: _make_column([row.get(name) for row in rows], has_ends=f"{name}_low" in names)
            for name in names
        }
    )


def _with_ends(name: str) -> list[str]:
    return [f"{name}{end}" for end in _INTERVAL.values()]


def _list_cells(name: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - JSON data
    """Yield the names and the values of the columns of a value: several of an interval, of a record, and of numbers by seat."""
    if isinstance(value, dict):
        if value.keys() == _INTERVAL.keys():
            yield from ((f"{name}{end}", value[key]) for key, end in _INTERVAL.items())
        elif not all(isinstance(item, dict) for item in value.values()) and not any(
            name.removeprefix("-").isdecimal() for name in value
        ):
            for key, item in value.items():
                yield from _list_cells(f"{name}_{key}", item)
    elif isinstance(value, list):
        if not any(isinstance(item, dict | list) for item in value):
            yield from ((f"{name}_{number}", item) for number, item in enumerate(value))
    elif isinstance(value, IntervalText):
        yield from zip(_with_ends(name), value.interval or (None, None, None), strict=True)
    else:
        yield name, value.replace(MINUS_SIGN, "-") if isinstance(value, str) else value


def _make_column(values: list[Any], *, has_ends: bool) -> pd.Series[Any]:
    """Return a column; that of an estimate has no text in place of a number, such as "settled"."""
    if has_ends:
        values = [None if isinstance(value, str) else value for value in values]
    known = [value for value in values if value is not None]
    if len(known) == len(values):
        return pd.Series(values)
    if known and all(type(value) is int for value in known):
        return pd.Series(values, dtype="Int64")
    are_numbers = all(isinstance(value, int | float) for value in known)
    return pd.Series(values, dtype=float if are_numbers else None)


def _list_chart_records(chart: Histogram | Intervals | Lines | Columns | Scales) -> Iterator[dict[str, Any]]:
    """Yield what a chart draws: a record for each score of each line, for each estimate with its n, or for each scale."""
    if isinstance(chart, Scales):
        for row in chart.rows:
            yield {"measure": row.title, "place": json_value(row.place)}
        return
    if isinstance(chart, Histogram):
        for line in chart.series:
            for value, count in zip(line.scores.values, line.scores.counts, strict=True):
                yield {"panel": line.panel, "line": line.name, "value": int(value), "count": int(count)}
    else:
        for estimate in chart.estimates:
            mean = json_value(estimate.mean)
            yield {
                "panel": estimate.panel,
                "at": estimate.at,
                "line": estimate.name,
                "mean": mean,
                "n": estimate.n,
            }
