"""A sheet as data frames of pandas: the records of the typed answer, the tables of files, and what charts draw.

Frames hold numbers where people read texts: an interval is three columns, `x`, `x_low` and `x_high`, also in tables, what stands by seat is a
row for each seat from 0, and other lists are lists of Arrow, as in frames of runs. Means, shares and points have the units of the typed answer: shares are from 0 to 1,
also where tables have wins of 100; the frame of a chart has the unit of its axis. Names of columns have no spaces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
import pyarrow as pa

from engine.errors import InvalidError, unknown_name_error
from pipelines.report.charts import Columns, Histogram, Intervals, Lines, Scales
from pipelines.report.estimates import IntervalText
from pipelines.report.sheet import NUMBERS, Sheet
from pipelines.report.show.json import json_value, list_tables
from pipelines.statistics.rounding import MINUS_SIGN

if TYPE_CHECKING:
    from pipelines.report.table import Table

_INTERVAL: Final = {"estimate": "", "low": "_low", "high": "_high"}
"""The keys of an interval as JSON data, and what its columns add to its name."""
_UNIT_OF_100: Final = re.compile(r"% of (?P<whole>.+)|%|(?P<counted>.+) of 100")
"""A unit of records that counts of 100."""
_SHARE_WORDS: Final = (
    ("wins of 100 games", "win share"),
    ("wins of 100", "win share"),
    (", of 100", ", share"),
)
_IS_STRATEGY: Final = re.compile(r"((original_)?strategy|opponent|[ab]|line|over|verdict_better)\Z")
_IS_NAME: Final = re.compile(
    r"((best_)?notation|played|better|roll|rule(_[ab])?|ruleset|run|game|part|panel|control|at|axis|kind|unit(_of_n)?|judged(_by.*)?|measure|sort|group|meets_target)\Z"
)
_IS_TEXT: Final = frozenset({"decision", "opponent", "parameters", "strategy", "over"})
"""Columns that hold texts, also where all of them are missing."""
_IS_MISSING_IF_EMPTY: Final = frozenset({"opponent", "strategy", "of"})
_IS_LEFT_OUT: Final = re.compile(r"(best|chosen)_(points|wins)_behind.*|sides")
"""Columns that others repeat: `lost_points` and `lost_wins` of the move that was played, and the names of a pair."""
_IS_COUNT: Final = frozenset({"seat", "ply"})
"""Columns that hold integers, also where all of them are missing."""
_NAMES: Final = {
    "above": "above_mean",
    "change": "difference",
    "chosen_action": "action",
    "chosen_notation": "notation",
    "deviation": "sd",
    "is_logged": "logged",
    "mean_plies": "mean",
    "mean_rounds": "mean",
    "mean_score": "mean",
    "moves": "plies",
    "style": "strategy",
    "wins": "win_share",
}
"""The words of frames for columns of tables and for keys of records that say the same in other words."""
_COUNTED_FROM_ONE: Final = {
    "player": "seat",
    "move": "ply",
    "game": "game_id",
    "game_a": "game_id_a",
    "game_b": "game_id_b",
    **{name: name for name in ("round", "round_low", "round_high")},
}
"""The columns of tables that count as people do, by their names in frames, which count from 0 as run files do."""
_BY_SEAT: Final = {"strategies": "strategy", "scores": "score", "ranks": "rank"}
"""What games say of each of their seats, and what it is called in the frame of the seats."""
_OF_RULES: Final = {"rules": "rule", "values": "value"}
"""What is said of a rule that is turned, or of each of two rules."""
_REPEATED: Final = {
    "card": {"definitions", "ladder", "worth"},
    "effect of a rule": {"differences", "values"},
    "game": {"account", "mistakes", "sides"},
    "scores": {"groups", "lengths", "maps", "means", "moves", "table"},
    "what-if": {"players"},
}
"""By the kind of their sheet, the lists and tables whose numbers another frame has, in the words of people or with less."""
_NAMES_IN: Final[Mapping[tuple[str, str], Mapping[str, str]]] = {
    ("comparison", "controls"): {"name": "control"},
    ("comparison", "seats"): {"score": "effect"},
    ("comparison", "sides"): {"score": "mean"},
    ("openings", "values"): {"name": "first", "score": "mean"},
    ("scores", "games"): {
        "luck": "luck_points",
        "others": "opponents",
        "wins": "luck_wins",
        "wins_interval": "luck_wins_interval",
    },
    ("what-if", "seats"): {
        "n": "continuations",
        "base": "original",
        "changed": "changed",
        "score": "difference",
        "margin": "lead_difference",
        "rank": "rank_difference",
        "win_share": "win_difference",
        "base_win_share": "original_win_share",
        "changed_win_share": "changed_win_share",
    },
}
"""What records of a list are called in frames, by the kind of their sheet: `score` is the score of a seat in every other frame."""
_KEYS: Final[Mapping[str, Mapping[str, str]]] = {
    "card": {"ruleset": "ruleset"},
    "comparison": {"run": "run", "ruleset": "ruleset", "metric": "metric"},
    "effect of a rule": {"base_ruleset": "ruleset"},
    "game": {"run": "run", "game_id": "game_id"},
    "openings": {"ruleset": "ruleset", "lineup": "lineup"},
    "scores": {"run": "runs", "ruleset": "rulesets"},
    "what-if": {name: name for name in ("run", "game_id", "ply", "change")},
}
"""The first columns of all frames of a kind of sheets, which tell them from frames of another answer, and the fields or parts of the question with their values."""
FIRST_FRAMES: Final = ("decisions", NUMBERS)
"""The main frame of a sheet is the first of these that it has, or else the first of all."""


def list_frames(sheet: Sheet) -> dict[str, Callable[[], pd.DataFrame]]:
    """Return what makes each frame of a sheet, by its name, the main one first.

    The names are those of the fields of the answer that are lists of records, and the keys of parts.
    """
    kind = "scores" if sheet.kind == "run" else sheet.kind
    records_by_name = _list_records(sheet, kind)
    repeated = _REPEATED.get(kind, set())
    make_records_frame = pd.DataFrame if kind == "question" else _make_frame  # SQL names its columns itself
    frames: dict[str, Callable[[], pd.DataFrame]] = {
        name: partial(make_records_frame, records)
        for name, records in records_by_name.items()
        if name not in repeated
    }
    for records in records_by_name.values():
        for key in records[0]:
            if any(_are_counts(record.get(key)) for record in records):
                frames.setdefault(key, partial(_make_frame, list(_list_counts(records, key))))
    for key, table in list_tables(sheet).items():
        if kind == "question":
            frames[key] = partial(pd.DataFrame, [*table.rows], columns=[*table.columns])
        elif key == "matrix":
            frames[key] = partial(_make_frame, list(_list_pairs(table)))
        elif key not in repeated:
            frames.setdefault(key, partial(_make_table_frame, table))
    for part in sheet.parts:
        if isinstance(part.content, Histogram | Intervals | Lines | Columns | Scales):
            frames.setdefault(part.key, partial(_make_frame, list(_list_chart_records(part.content))))
    keys = _list_keys(sheet, kind)
    frames = {name: partial(_make_frame_with_keys, keys, make) for name, make in frames.items()}
    first = next((name for name in FIRST_FRAMES if name in frames), None)
    return {first: frames[first], **frames} if first else frames


def make_frame(sheet: Sheet, name: str = "") -> pd.DataFrame:
    """Return a frame of a sheet, its main one without a name. Raises InvalidError, with the names, if it does not have it."""
    frames = list_frames(sheet)
    name = name or next(iter(frames), "")
    if name not in frames:
        if not frames:
            raise InvalidError(f"this answer has no frame: {sheet.verdict}")
        raise unknown_name_error("table", name, frames)
    return frames[name]()


def _list_keys(sheet: Sheet, kind: str) -> dict[str, Any]:
    """Return what tells the frames of a sheet from those of another of its kind; of several runs or rulesets nothing."""
    fields = {**(json_value(sheet.fields.get("question")) or {}), **sheet.fields}
    keys: dict[str, Any] = {}
    for name, key in _KEYS.get(kind, {}).items():
        value = fields.get(key)
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
        keys |= {name: value} if isinstance(value, str | int) else {}
    return keys


def _make_frame_with_keys(keys: Mapping[str, Any], make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """Return a frame whose first columns are the keys that it does not have already."""
    frame = make()
    for name in reversed([name for name in keys if name not in frame]):
        frame.insert(0, name, keys[name])
    return frame.astype({name: "category" for name, value in keys.items() if isinstance(value, str)})


def _name_ends(columns: Sequence[str]) -> list[str]:
    """Return the columns of a table, or the keys of a record, with the names that they have in frames.

    >>> _name_ends(["mean score", "from", "to", "wins of 100, 95 % interval", "game of A", "5%"])
    ['mean', 'mean_low', 'mean_high', 'win_share', 'game_a', 'percentile_5']
    """
    names: list[str] = []
    for column in columns:
        before = names[-1] if names else ""
        low, high = f"{before}_low", f"{before.removesuffix('_low')}_high"
        ends = {"from": low, "low": low, "to": high, "high": high}
        words = column.strip().removesuffix(", 95 % interval").removesuffix(" (95 %)")
        name = ends.get(words.rpartition(" ")[2], words)
        for words, share in _SHARE_WORDS:
            name = name.replace(words, share)
        name = re.sub(r"A \N{MINUS SIGN} B in .+", "difference", name)
        name = re.sub(r"(?:of )?\b([AB])\b", lambda side: side[1].lower(), name)
        name = re.sub(r"(\d+)%", r"percentile_\1", re.sub(r"[\s,]+", "_", name))
        name = _NAMES.get(name, name)
        names.append(f"{name}_2" if name in names else name)  # a side against itself
    return names


def _make_table_frame(table: Table) -> pd.DataFrame:
    """Return the frame of a table of a file or for people; what it counts from 1 counts from 0."""
    columns = _name_ends(table.columns)
    rows = [dict(zip(columns, row, strict=True)) for row in table.rows]
    for row in rows:
        for name in _COUNTED_FROM_ONE.keys() & {*columns}:
            number = int(cell) if isinstance(cell := row[name], str) and cell.isdecimal() else cell
            row[name] = number - 1 if isinstance(number, int | float) else number
    return _make_frame(rows, columns).rename(columns=_COUNTED_FROM_ONE)


def _list_records(sheet: Sheet, kind: str) -> dict[str, list[dict[str, Any]]]:
    """Return the records of the answer by the names of their lists; what stands by seat is a record for each seat."""
    fields = {name: json_value(value) for name, value in sheet.fields.items()}
    records_by_name = {
        name: [_rename_keys(record, _NAMES_IN.get((kind, name), {})) for record in records]
        for name, records in fields.items()
        if _are_records(records)
    }
    if kind == "list of games":
        listed = [record for records in records_by_name.values() for record in records]
        records_by_name |= {"seats": seats} if (seats := _take_seats(listed)) else {}
    if rolls := records_by_name.get("rolls"):
        records_by_name["rolls"] = [row for roll in rolls for row in _list_seats(roll)]
    return records_by_name


def _take_seats(games: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Take what games say of each seat out of them, and return a record for each seat of each game."""
    rows = {}
    for game in games:
        of_seats = zip(*(game.pop(name) for name in _BY_SEAT), strict=True)
        for seat, values in enumerate(of_seats):
            place = {"run": game["run"], "game_id": game["game_id"], "seat": seat}
            rows[*place.values()] = place | dict(zip(_BY_SEAT.values(), values, strict=True))
    return list(rows.values())


def _list_seats(roll: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a record for each seat, with the luck that a roll gave to it."""
    joined = _join_interval(roll)
    luck = {name: values for name, values in joined.items() if isinstance(values, list)}
    for seat, values in enumerate(zip(*luck.values(), strict=True)):
        yield {"ply": joined["ply"], "seat": seat, **joined, **dict(zip(luck, values, strict=True))}


def _list_pairs(matrix: Table) -> Iterator[dict[str, Any]]:
    """Yield a record for each strategy of the rows and of the columns of a matrix."""
    for strategy, *cells in matrix.rows:
        for opponent, cell in zip(matrix.columns[1:], cells, strict=True):
            if cell:
                yield {"strategy": strategy, "opponent": opponent, "difference": cell}


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
            _NAMES.get(name, name): cell
            for (key, value), column in zip(record.items(), _name_ends([*record]), strict=True)
            for name, cell in _list_cells(column, _in_shares(value, key, record.get("unit")))
            if not _IS_LEFT_OUT.fullmatch(name)
        }
        for record in map(_join_interval, records)
    ]
    for row in rows:
        row.update({"unit": _name_share(row["unit"])} if isinstance(row.get("unit"), str) else {})
    cell_names = dict.fromkeys(name for row in rows for name in row)
    expanded = [
        name for column in columns for name in _with_ends(column) if name in cell_names or name == column
    ]
    names = dict.fromkeys([*expanded, *cell_names])
    cells = {name: [row.get(name) for row in rows] for name in names}
    frame = pd.DataFrame(
        {name: _make_column(values, has_ends=f"{name}_low" in names) for name, values in cells.items()}
    )
    kinds = dict.fromkeys(_IS_TEXT & {*names}, "str") | {
        name: "Int64" for name in _IS_COUNT & {*names} if frame[name].isna().all()
    }
    return _set_categories(frame.astype(kinds))


def _join_interval(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record in which a number with an interval or a half width of its own is this interval, and a rating that is not finite is missing."""
    joined = {name: value for name, value in record.items() if not name.endswith("_halves")}
    for name in [*joined]:
        if halves := record.get(f"{name}_halves"):
            joined[name] = [
                {"estimate": value, "low": value - half, "high": value + half}
                for value, half in zip(record[name], halves, strict=True)
            ]
        if (interval := "interval" if name == "mean" else f"{name}_interval") in record:
            joined[name] = joined.pop(interval) or {**dict.fromkeys(_INTERVAL), "estimate": joined[name]}
    if joined.get("is_separated"):
        joined |= {name: {**joined[name], "estimate": None} for name in ("log_strength", "elo")}
    return joined


def _rename_keys(record: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a record with other names of some values; an interval of them has all its columns also if it is missing."""
    missing = dict.fromkeys(_INTERVAL)
    return {
        names.get(key, key): missing if value is None and key in names else value
        for key, value in record.items()
    }


def _in_shares(value: Any, name: str, unit: str | None) -> Any:  # noqa: ANN401 - JSON data
    """Return a number that counts of 100, as its name or its unit says, as a share. Texts of intervals know their shares."""
    is_of_100 = name.endswith(" %") or " of 100" in name or (unit and _UNIT_OF_100.fullmatch(unit))
    return value / 100 if is_of_100 and isinstance(value, float) else value


def _name_share(unit: str) -> str:
    """Return what a unit that counts of 100 is from 0 to 1, and any other unit as it is.

    >>> [_name_share(unit) for unit in ("wins of 100", "games of 100", "% of the rounds", "%", "points")]
    ['win share', 'share of the games', 'share of the rounds', 'share', 'points']
    """
    of_100 = _UNIT_OF_100.fullmatch(unit)
    if of_100 is None:
        return unit
    if of_100["counted"] == "wins":
        return "win share"
    whole = of_100["whole"] or (of_100["counted"] and f"the {of_100['counted']}")
    return f"share of {whole}" if whole else "share"


def _set_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with the names of strategies and the like as categoricals; all columns of strategies have the same categories."""
    texts = [str(name) for name in frame if pd.api.types.is_string_dtype(frame[name])]
    strategies = [name for name in texts if _IS_STRATEGY.match(name)]
    known = dict.fromkeys(value for name in strategies for value in frame[name].dropna())
    kinds: dict[str, Any] = dict.fromkeys(strategies, pd.CategoricalDtype([*known]))
    kinds |= {name: "category" for name in texts if _IS_NAME.match(name)}
    return frame.astype(kinds)


def _with_ends(name: str) -> list[str]:
    return [f"{name}{end}" for end in _INTERVAL.values()]


def _list_cells(name: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - JSON data
    """Yield the names and the values of the columns of a value: several of an interval, of a record, and of rules."""
    if isinstance(value, dict):
        if value.keys() == _INTERVAL.keys():
            yield from ((f"{name}{end}", value[key]) for key, end in _INTERVAL.items())
        elif not all(isinstance(item, dict) for item in value.values()) and not _are_counts(value):
            for key, item in _join_interval(value).items():
                yield from _list_cells(name if key == "interval" else f"{name}_{key}", item)
    elif isinstance(value, list) and name in _OF_RULES:
        ends = ("_a", "_b") if len(value) > 1 else ("",)
        yield from ((f"{_OF_RULES[name]}{end}", item) for end, item in zip(ends, value, strict=True))
    elif isinstance(value, list):
        if not any(isinstance(item, list | dict) for item in value):
            yield name, value
    elif isinstance(value, IntervalText):
        yield from zip(_with_ends(name), value.interval or (None, None, None), strict=True)
    else:
        text = value.replace(MINUS_SIGN, "-") if isinstance(value, str) else value
        yield name, None if text == "" and name in _IS_MISSING_IF_EMPTY else text


def _make_column(values: list[Any], *, has_ends: bool) -> pd.Series[Any]:
    """Return a column; that of an estimate has no text in place of a number, such as "settled"."""
    if has_ends:
        values = [None if isinstance(value, str) else value for value in values]
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, list) for value in known):
        lists = pa.array(values)
        if pa.types.is_integer(lists.type.value_type):
            lists = lists.cast(pa.list_(pa.int32()))  # as in frames of runs
        return pd.Series(lists, dtype=pd.ArrowDtype(lists.type))
    if len(known) == len(values):
        return pd.Series(values)
    if known and all(type(value) is int for value in known):
        return pd.Series(values, dtype="Int64")
    are_numbers = all(isinstance(value, int | float) for value in known)
    return pd.Series(values, dtype=float if are_numbers else None)


def _list_chart_records(chart: Histogram | Intervals | Lines | Columns | Scales) -> Iterator[dict[str, Any]]:
    """Yield what a chart draws, with the title of its axis: a record for each score of each line, for each estimate, or for each scale."""
    if isinstance(chart, Scales):
        for row in chart.rows:
            yield {**row.record, "place": json_value(row.place)}
        return
    if isinstance(chart, Histogram):
        for line in chart.series:
            for value, count in zip(line.scores.values, line.scores.counts, strict=True):
                yield {
                    "panel": line.panel,
                    "line": line.name,
                    "value": int(value),
                    "count": int(count),
                    "axis": chart.axis,
                }
    else:
        axis = chart.axis if isinstance(chart, Intervals) else chart.upright
        for estimate in chart.estimates:
            mean = json_value(estimate.mean)
            yield {
                "panel": estimate.panel,
                "at": estimate.at,
                "line": estimate.name,
                "mean": mean,
                "n": estimate.n,
                "axis": axis,
            }
