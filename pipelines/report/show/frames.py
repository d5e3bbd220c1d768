"""A sheet as data frames of pandas: the records of the typed answer, the tables of files, and what charts draw.

Frames hold numbers where people read texts: an interval is three columns, `x`, `x_low` and `x_high`, also in tables, and what stands by seat is a
column for each seat from 0, such as `scores_0`. Means, shares and points have the units of the typed answer: shares are from 0 to 1,
also where tables have wins of 100; the frame of a chart has the unit of its axis. Names of columns have no spaces.
"""

from __future__ import annotations

import re
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
_SHARE_UNITS: Final = {"wins of 100": "win share", "%": "share"}
"""Units of 100 that records name, and what they are from 0 to 1."""
_SHARE_WORDS: Final = (
    ("wins of 100 games", "win share"),
    ("wins of 100", "win share"),
    (", of 100", ", share"),
)
_IS_STRATEGY: Final = re.compile(r"(strategy|strategies_\d+|a|b|style|line)\Z")
_IS_NAME: Final = frozenset({"ruleset", "run", "part", "panel"})
FIRST_FRAMES: Final = ("decisions", NUMBERS)
"""The main frame of a sheet is the first of these that it has, or else the first of all."""


def list_frames(sheet: Sheet) -> dict[str, Callable[[], pd.DataFrame]]:
    """Return what makes each frame of a sheet, by its name, the main one first.

    The names are those of the fields of the answer that are lists of records, and the keys of parts.
    """
    fields = {name: json_value(value) for name, value in sheet.fields.items()}
    records_by_name = {name: records for name, records in fields.items() if _are_records(records)}
    frames: dict[str, Callable[[], pd.DataFrame]] = {
        name: partial(_make_frame, records) for name, records in records_by_name.items()
    }
    for records in records_by_name.values():
        for key in records[0]:
            if any(_are_counts(record.get(key)) for record in records):
                frames.setdefault(key, partial(_make_frame, list(_list_counts(records, key))))
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
    """Return the columns of a table, or the keys of a record, with the names that they have in frames.

    >>> _name_ends(["mean", "from", "to", "wins of 100, 95 % interval"])
    ['mean', 'mean_low', 'mean_high', 'win_share']
    """
    names: list[str] = []
    for column in columns:
        before = names[-1] if names else ""
        low, high = f"{before}_low", f"{before.removesuffix('_low')}_high"
        ends = {"from": low, "low": low, "to": high, "high": high}
        name = ends.get(column, column.strip().removesuffix(", 95 % interval").removesuffix(" (95 %)"))
        for words, share in _SHARE_WORDS:
            name = name.replace(words, share)
        name = re.sub(r"[\s,]+", "_", name)
        names.append(f"{name}_2" if name in names else name)  # a side against itself
    return names


def _are_records(value: Any) -> bool:  # noqa: ANN401 - JSON data
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _are_counts(value: Any) -> bool:  # noqa: ANN401 - JSON data
    """Return whether a value says how often there was each whole number, as a distribution does."""
    return isinstance(value, dict) and bool(value) and all(re.fullmatch(r"-?\d+", key) for key in value)


def _list_counts(records: Sequence[Mapping[str, Any]], key: str) -> Iterator[dict[str, Any]]:
    """Yield a record for each value of the distributions that some records have under a key, with what names these records."""
    for record in records:
        names = {name: value for name, value in record.items() if name == "seat" or isinstance(value, str)}
        for value, count in (record.get(key) or {}).items():
            yield {**names, "value": int(value), "count": count}


def _make_frame(records: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> pd.DataFrame:
    """Return a frame with a row for each record, without lists of records within a record."""
    rows = [
        {
            name: cell
            for (key, value), column in zip(record.items(), _name_ends([*record]), strict=True)
            for name, cell in _list_cells(column, _in_shares(value, f"{key} {record.get('unit', '')}"))
        }
        for record in map(_join_interval, records)
    ]
    for row in rows:
        row.update({"unit": _SHARE_UNITS[row["unit"]]} if row.get("unit") in _SHARE_UNITS else {})
    cell_names = dict.fromkeys(name for row in rows for name in row)
    expanded = [
        name for column in columns for name in _with_ends(column) if name in cell_names or name == column
    ]
    names = dict.fromkeys([*expanded, *cell_names])
    cells = {name: [row.get(name) for row in rows] for name in names}
    frame = pd.DataFrame(
        {name: _make_column(values, has_ends=f"{name}_low" in names) for name, values in cells.items()}
    )
    return _set_categories(frame)


def _join_interval(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record in which the interval of its mean is the mean."""
    if "mean" not in record or "interval" not in record:
        return record
    rest = {name: value for name, value in record.items() if name != "interval"}
    return {**rest, "mean": record["interval"] or {**dict.fromkeys(_INTERVAL), "estimate": record["mean"]}}


def _in_shares(value: Any, words: str) -> Any:  # noqa: ANN401 - JSON data
    """Return a number that counts of 100, as its name or its unit says, as a share. Texts of intervals know their shares."""
    is_of_100 = words.endswith(" %") or " of 100" in words
    return value / 100 if is_of_100 and isinstance(value, float) else value


def _set_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with the names of strategies and the like as categoricals; all columns of strategies have the same categories."""
    texts = [str(name) for name in frame if pd.api.types.is_string_dtype(frame[name])]
    strategies = [name for name in texts if _IS_STRATEGY.match(name)]
    known = dict.fromkeys(value for name in strategies for value in frame[name].dropna())
    kinds: dict[str, Any] = dict.fromkeys(strategies, pd.CategoricalDtype([*known]))
    kinds |= {name: "category" for name in texts if name in _IS_NAME}
    return frame.astype(kinds)


def _with_ends(name: str) -> list[str]:
    return [f"{name}{end}" for end in _INTERVAL.values()]


def _list_cells(name: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - JSON data
    """Yield the names and the values of the columns of a value: several of an interval, of a record, and of numbers by seat."""
    if isinstance(value, dict):
        if value.keys() == _INTERVAL.keys():
            yield from ((f"{name}{end}", value[key]) for key, end in _INTERVAL.items())
        elif not all(isinstance(item, dict) for item in value.values()) and not _are_counts(value):
            for key, item in value.items():
                yield from _list_cells(name if key == "interval" else f"{name}_{key}", item)
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
