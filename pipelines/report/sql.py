"""What the answer of a query looks like: its sheet with the table and the chart of its rows."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from engine.wording import capitalise
from pipelines.design.short_names import short_names
from pipelines.questions.address import describe_unknown, write_problem
from pipelines.questions.game import write_replay_link
from pipelines.report.charts import Columns, Estimate, Lines
from pipelines.report.query_examples import find_example
from pipelines.report.sheet import Fact, FindLooks, Part, Sheet
from pipelines.report.table import Table, is_number
from pipelines.report.wording import format_count
from pipelines.statistics import Interval
from pipelines.viewer.palette import assign_looks, seat_looks

if TYPE_CHECKING:
    from pipelines.questions.sql import SqlAnswer, SqlQuestion

MAX_ROWS_SHOWN: Final = 50
"""A sheet shows at most this number of rows; the files contain all."""
MAX_CELL_CHARACTERS: Final = 200
MAX_MARKS: Final = 2000
"""Number of rows that a chart draws."""
MAX_CHART_GROUPS: Final = 6
"""Groups on one chart; more colours cannot be distinguished."""
INT64_LIMIT: Final = 2**63
MAX_DECIMALS: Final = 6
MAX_PLAIN_NUMBER: Final = 1e12
"""Larger numbers are not written with decimals."""


def compose_sql(answer: SqlAnswer, find_looks: FindLooks) -> Sheet:
    """Return the sheet of the rows that a query returned."""
    question, table = answer.question, tabulate_answer(answer)
    example = find_example(question.sql)
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return Sheet(
        kind="question",
        title="A question in SQL",
        verdict=example.write_headline(rows) if example and rows and not answer.answer.is_cut else "",
        basis=_describe_basis(answer),
        warnings=(
            *map(write_problem, answer.basis.left_out),
            *(find_axis_problems(question, table) if rows else ()),
        ),
        parts=tuple(_list_parts(answer, table, example.words if example else {}, find_looks)),
        facts=(
            Fact("Question", question.sql),
            *(Fact(f"${name}", str(value)) for name, value in answer.parameters.items()),
        ),
        commands=(question.command,),
        fields={"rows": rows, "is_cut": answer.answer.is_cut, "parameters": dict(answer.parameters)},
    )


def _describe_basis(answer: SqlAnswer) -> str:
    """Return which runs were asked with which values, and how many rows there are."""
    count = format_count(len(answer.answer.rows), "row")
    values = ", ".join(f"${name} = {value}" for name, value in answer.parameters.items())
    start = f"Asked over {format_count(len(answer.basis.runs), 'run')}{f' with {values}' if values else ''}"
    if answer.answer.is_cut:
        return (
            f"{start}. The first {count}; the answer has more, which neither the table nor its files contain."
        )
    return f"{start}: {count}." if answer.answer.rows else f"{start}. The answer is empty."


def _list_parts(
    answer: SqlAnswer, table: Table, words: Mapping[str, str], find_looks: FindLooks
) -> Iterator[Part]:
    """Yield the chart that the question asks for, if a column has numbers, and the rows."""
    question = answer.question
    if question.chart and list_numeric_columns(table):
        across, up = choose_axes(question, table)
        marks = f"The chart shows the first {MAX_MARKS:,} rows." if len(table.rows) > MAX_MARKS else ""
        bars = describe_bars(question.sql, table, up)
        chart = build_chart(table, question.chart, across, up, words, find_looks)
        yield Part("chart", chart, caption=" ".join(filter(None, (bars, marks))))
    rows = tuple(tuple(map(_shorten_cell, row)) for row in table.rows[:MAX_ROWS_SHOWN])
    first = table._replace(rows=rows, links=table.links[:MAX_ROWS_SHOWN])
    is_part = len(table.rows) > len(rows)
    cut = f"The first {len(rows)} of {format_count(len(table.rows), 'row')}. " if is_part else ""
    has_intervals = any(describe_bars(question.sql, table, name) for name in table.columns)
    words_of_numbers = "" if has_intervals else "A query says nothing of the uncertainty of its numbers."
    yield Part("answer", first, caption=f"{cut}{words_of_numbers}".strip(), numbers=table)


def _shorten_cell(value: Any) -> Any:  # noqa: ANN401 - a value of DuckDB
    """Return a text that is too long for a page without its end."""
    is_long = isinstance(value, str) and len(value) > MAX_CELL_CHARACTERS
    return f"{value[: MAX_CELL_CHARACTERS - 1]}…" if is_long else value


def tabulate_answer(answer: SqlAnswer) -> Table:
    """Return all rows of an answer, with unique names of columns, and values that a chart and a file can hold.

    Rows that name a game of one of the runs that were asked lead to its replay.
    """
    names: list[str] = []
    for column in answer.answer.columns:
        earlier = sum(name == column or name.startswith(f"{column} (") for name in names)
        names.append(f"{column} ({earlier + 1})" if earlier else column)
    values = [_simplify_values(column) for column in zip(*answer.answer.rows, strict=True)]
    rows = tuple(zip(*values, strict=True))
    formats = dict(zip(names, map(_choose_format, values), strict=False))
    table = Table("Answer", tuple(names), rows, formats={name: how for name, how in formats.items() if how})
    return table._replace(links=list_replay_links(table, answer.basis.runs))


def _simplify_values(values: Sequence[Any]) -> list[Any]:
    """Convert the decimals of a column to floats, and integers of more than 64 bits and records to text."""
    if any(isinstance(value, int) and abs(value) >= INT64_LIMIT for value in values) or any(
        type(value) in {dict, tuple} for value in values
    ):
        return [None if value is None else str(value) for value in values]
    return [float(value) if isinstance(value, Decimal) else value for value in values]


def _choose_format(values: Sequence[Any]) -> str:
    """Return the format of the numbers of a column; empty for other values, and for numbers that decimals do not suit.

    All fractions of a column have as many decimals: the largest number has at least 4 significant digits and the smallest at least
    2, but none has more than `MAX_DECIMALS` decimals, or more than the numbers themselves have.
    """
    if not _has_numbers(values):
        return ""
    if not any(isinstance(value, float) for value in values):
        return "d"
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    if not sizes or max(sizes) >= MAX_PLAIN_NUMBER:
        return ""
    digits = (3 - math.floor(math.log10(max(sizes))), 1 - math.floor(math.log10(min(sizes))))
    needed = max(
        max(0, -int(Decimal(repr(float(size)).removesuffix(".0")).as_tuple().exponent)) for size in sizes
    )
    decimals = min(max(0, *digits), needed)
    return f".{decimals}f" if decimals <= MAX_DECIMALS else ""


def _has_numbers(values: Sequence[Any]) -> bool:
    """Return whether a column holds numbers, besides missing values."""
    present = [value for value in values if value is not None]
    return bool(present) and all(map(is_number, present))


def list_numeric_columns(table: Table) -> list[str]:
    """Return the names of the columns that hold numbers."""
    return [name for name in table.columns if _has_numbers(table.list_values(name))]


def choose_axes(question: SqlQuestion, table: Table) -> tuple[str, str]:
    """Return the columns that stand across and up: by default the first one, and the first one with fractions, such as a mean.

    Without fractions the last column with numbers stands up; there is at least one.
    """
    numeric = list_numeric_columns(table)
    across = question.x if question.x in table.columns else table.columns[0]
    with_fractions = (
        name
        for name in numeric
        if name != across and any(isinstance(value, float) for value in table.list_values(name))
    )
    return across, question.y if question.y in numeric else next(with_fractions, numeric[-1])


def find_axis_problems(question: SqlQuestion, table: Table) -> list[str]:
    """Return a sentence on each column that a question wants to draw and that the answer does not have."""
    known = ((question.x, table.columns), (question.y, list_numeric_columns(table)))
    return [
        describe_unknown("column", name, "in the answer to draw")
        for name, columns in known
        if name and name not in columns
    ]


def forget_unknown_axes(question: SqlQuestion, table: Table) -> SqlQuestion:
    """Return a question without the columns to draw that the answer does not have."""
    axes = {"x": question.x if question.x in table.columns else ""}
    return question.model_copy(
        update={**axes, "y": question.y if question.y in list_numeric_columns(table) else ""}
    )


def build_chart(  # noqa: PLR0913, PLR0917 - a chart with its columns and words
    table: Table,
    kind: str,
    across: str,
    up: str,
    words: Mapping[str, str] = MappingProxyType({}),
    find_looks: FindLooks = assign_looks,
) -> Lines | Columns:
    """Return the chart of the first rows of a table: the numbers of one column over the values of another one.

    `kind` is `bar`, `line` or `points`. Strategies have their short names, and the looks that they have everywhere. `words` are
    titles of axes by the columns that they show.
    """
    first = table._replace(rows=table.rows[:MAX_MARKS])
    rows = _shorten_strategies(first)
    groups = _list_groups(rows, across, up, kind)
    looks = dict(zip(dict.fromkeys(groups), seat_looks(len(groups)).values(), strict=False))
    if "strategy" in table.columns and groups == list(map(str, rows.list_values("strategy"))):
        names = list(map(str, first.list_values("strategy")))
        strategy_looks = find_looks(dict.fromkeys(names))
        looks |= {
            group: strategy_looks[name]
            for group, name in zip(groups, names, strict=True)
            if name in strategy_looks
        }
    estimates = []
    columns = (rows.list_values(across), rows.list_values(up), groups, _list_halves(rows, up))
    for at, y, group, half in zip(*columns, strict=True):
        if at is None or (isinstance(at, float) and math.isnan(at)):
            continue
        number = math.nan if y is None else float(y)
        ends = (math.nan, math.nan) if half is None else (number - half, number + half)
        place = at if isinstance(at, int | float) else str(at)
        estimates.append(Estimate(place, "", group, Interval(number, *ends), 0, looks[group]))
    across, up = (words.get(name, name) for name in (across, up))
    title = capitalise(f"{up} by {across}")
    if kind == "bar":
        return Columns(estimates, across, up, title, stands_on_zero=True)
    return Lines(estimates, across, up, title, intervals="bars", is_joined=kind == "line")


def _shorten_strategies(table: Table) -> Table:
    """Return a table in which the column of strategies, if there is one, has their short names."""
    if "strategy" not in table.columns or _has_numbers(table.list_values("strategy")):
        return table
    place = table.columns.index("strategy")
    names = short_names(str(row[place]) for row in table.rows if row[place] is not None)
    rows = ((*row[:place], names.get(str(row[place]), row[place]), *row[place + 1 :]) for row in table.rows)
    return table._replace(rows=tuple(rows))


def _list_groups(table: Table, across: str, up: str, kind: str) -> list[str]:
    """Return the group of every row; empty texts if there are no groups.

    The groups are the values of the text column with the fewest values, if those are at most `MAX_CHART_GROUPS`. Rows of
    different values of `across` have groups only on a line chart, which would join them.
    """
    places = list(map(str, table.list_values(across)))
    if kind == "line" or len(set(places)) < len(places):
        others = [name for name in table.columns if name not in {across, up}]
        texts = [
            list(map(str, values)) for values in map(table.list_values, others) if not _has_numbers(values)
        ]
        if few := [values for values in texts if 1 < len(set(values)) <= MAX_CHART_GROUPS]:
            return min(few, key=lambda values: len(set(values)))
    return places if across == "strategy" and kind == "points" else [""] * len(places)


def _list_halves(table: Table, up: str) -> list[float | None]:
    """Return the halves of the intervals of a column, which are the column `<name>_half`, if there is one."""
    name = f"{up}_half"
    if name not in list_numeric_columns(table):
        return [None] * len(table.rows)
    return [None if value is None or math.isnan(value) else float(value) for value in table.list_values(name)]


def describe_bars(sql: str, table: Table, up: str) -> str:
    """Return what the bars around the numbers of a column of an answer are; empty if it has no bars."""
    if f"{up}_half" not in list_numeric_columns(table):
        return ""
    return (
        "The bars are 95 % intervals." if "half_width(" in sql.lower() else f"The bars show {up} ± {up}_half."
    )


def list_replay_links(table: Table, runs: Collection[str]) -> tuple[str, ...]:
    """Return the link to the replay of each row that names a game of one of the runs, and a ply if there is one.

    Columns that are called `run`, `game_id` and `ply` count. Empty if no row leads to a replay.
    """
    if not {"run", "game_id"} <= set(table.columns):
        return ()
    plies = table.list_values("ply") if "ply" in table.columns else [None] * len(table.rows)
    links = tuple(
        write_replay_link(run, int(number), int(ply) if _is_index(ply) else None)
        if run in runs and _is_index(number)
        else ""
        for run, number, ply in zip(
            table.list_values("run"), table.list_values("game_id"), plies, strict=True
        )
    )
    return links if any(links) else ()


def _is_index(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number from 0 on."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
