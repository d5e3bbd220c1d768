"""The sheet of a query: its values as a table, its chart, and links to replays."""

from __future__ import annotations

import io
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from dashboard.widgets.tables import make_frame
from pipelines.questions.measured import Basis
from pipelines.questions.sql import SqlAnswer, SqlQuestion
from pipelines.report.show.figures import build_figure
from pipelines.report.show.html import draw_chart
from pipelines.report.show.plan_charts import plan_chart
from pipelines.report.sql import (
    MAX_ROWS_SHOWN,
    build_chart,
    choose_axes,
    compose_sql,
    describe_bars,
    list_numeric_columns,
    tabulate_answer,
)
from pipelines.runs.query import Answer
from pipelines.viewer.palette import assign_strategy_looks

if TYPE_CHECKING:
    from collections.abc import Mapping


def make_answer(columns: Mapping[str, Any], **asked: Any) -> SqlAnswer:  # noqa: ANN401 - fields of a question
    """Return the answer of a query with these values by column, over the run `a b`."""
    rows = list(zip(*columns.values(), strict=True))
    found = Answer(tuple(columns), rows, is_cut=False)
    return SqlAnswer(SqlQuestion(sql="FROM run", **asked), found, {}, Basis(runs=("a b",)))


def test_a_chart_shows_the_interval_of_a_number_and_joins_only_marks_of_one_group() -> None:
    columns = {
        "who": ["a", "b", "a"],
        "at": [1, 2, 3],
        "mean": [4.0, 5.0, 6.0],
        "mean_half": [0.5, None, 0.7],
    }
    table = tabulate_answer(make_answer(columns))
    assert describe_bars("SELECT 1", table, "at") == ""
    assert describe_bars("SELECT 1", table, "mean") == "The bars show mean ± mean_half."
    assert describe_bars("SELECT half_width(x)", table, "mean") == "The bars are 95 % intervals."
    figure = build_figure(build_chart(table, "line", "at", "mean"))
    assert [list(line.x) for line in figure.data if line.error_y.array] == [[1, 3]]
    bars = next(line.error_y.array for line in figure.data if line.error_y.array)
    assert list(bars) == pytest.approx([0.5, 0.7])
    assert all(line.error_y.array is None or math.isnan(line.error_y.array[0]) for line in figure.data[1:2])


@pytest.mark.parametrize("kind", ["bar", "line", "points"])
@pytest.mark.parametrize(
    ("across", "up", "steps"),
    [
        ([0, 1], [41.5, 38.2], (1, None)),
        ([0.0, 1.0, 3.0], [2, 0, 1], (1, 1)),
        ([0, 0.5], [100, 104], (None, 1)),
        ([10, 400], [1, 12], (None, None)),
        (["a", "b"], [1, None], (None, 1)),
    ],
)
def test_whole_numbers_near_each_other_have_no_fractions_between_them(
    kind: str, across: list[Any], up: list[float | None], steps: tuple[int | None, int | None]
) -> None:
    chart = build_chart(tabulate_answer(make_answer({"seat": across, "n": up})), kind, "seat", "n")
    layout = build_figure(chart).layout
    is_high = kind == "bar" and max(filter(None, up)) >= 6  # bars begin at zero
    for axis, step in ((layout.xaxis, steps[0]), (layout.yaxis, None if is_high else steps[1])):
        assert step is None or not [words for words in axis.ticktext if "." in words]
    assert draw_chart(chart)  # a drawing has places for words, too, and leaves unknown numbers out


def test_names_below_a_drawing_do_not_cover_each_other() -> None:
    names = [f"a long name {number}" for number in range(40)]
    drawing = draw_chart(
        build_chart(tabulate_answer(make_answer({"who": names, "n": [1] * 40})), "bar", "who", "n")
    )
    shown = [name for name in names if f">{name}</text>" in drawing]
    assert shown[0] == names[0]
    assert len(shown) <= len(names) / 2
    assert all(name in drawing for name in names), "each has its words for people who do not see it"


def test_a_query_draws_its_mean_and_not_the_number_of_games_behind_it() -> None:
    columns = {"strategy": ["greedy", "random"], "mean": [38.0, -23.1], "n": [360, 180]}
    axes = {
        names: choose_axes(SqlQuestion(sql="SELECT 1", **asked), tabulate_answer(make_answer(table)))
        for names, table, asked in (
            ("mean", columns, {}),
            ("asked", columns, {"y": "n"}),
            ("whole", {"seat": [0, 1], "wins": [3, 4]}, {}),
        )
    }
    assert axes == {"mean": ("strategy", "mean"), "asked": ("strategy", "n"), "whole": ("seat", "wins")}


def test_long_names_below_a_drawing_are_wrapped() -> None:
    names = [f"rollout (256 playouts, {count} candidates)" for count in (8, 16, 18)]
    answer = make_answer({"who": names, "n": [1] * 3})
    chart = build_chart(tabulate_answer(answer), "bar", "who", "n")
    plan = plan_chart(chart)
    assert plan
    words = [tick.words for tick in plan.across.ticks]
    assert words == [f"rollout (256\nplayouts, {count}\ncandidates)" for count in (8, 16, 18)]


def test_long_names_of_many_marks_are_not_cut_alike() -> None:
    names = [f"rollout (256 playouts, {count} candidates)" for count in range(10, 30)]
    answer = make_answer({"who": names, "n": [1] * len(names)})
    plan = plan_chart(build_chart(tabulate_answer(answer), "bar", "who", "n"))
    assert plan
    words = [tick.words for tick in plan.across.ticks]
    shown = [word for word in words if word]
    assert len(set(shown)) == len(shown) >= len(names) / 2
    assert shown[0] == "rollo…10 candidat…"


def test_a_chart_has_the_short_names_of_strategies() -> None:
    labels = ["rollout:playouts=256,candidates=8", "noisy:sigma=2", "noisy:sigma=3", None]
    table = tabulate_answer(make_answer({"strategy": labels, "mean": [1.0, 2.0, 3.0, 4.0]}))
    figure = build_figure(build_chart(table, "points", "strategy", "mean"))
    assert list(figure.layout.xaxis.ticktext) == [
        "rollout",
        "noisy (sigma 2)",
        "noisy (sigma 3)",
    ]


def test_strategies_have_the_colours_that_they_have_on_all_pages() -> None:
    """Both dots were blue, the colour of `greedy`."""
    table = tabulate_answer(
        make_answer({"strategy": ["planner:candidates=4", "greedy"], "mean": [50.6, 38.9]})
    )
    looks = assign_strategy_looks(more=["planner:candidates=4"])
    chart = build_chart(table, "points", "strategy", "mean", find_looks=lambda _: looks)
    colours = {estimate.at: estimate.look.colour for estimate in chart.estimates}
    assert colours["greedy"] == looks["greedy"].colour
    assert colours["planner"] == looks["planner:candidates=4"].colour != colours["greedy"]
    assert not build_figure(chart).layout.showlegend  # the axis names them


def test_values_of_any_kind_become_a_table() -> None:
    found = Answer(
        ("n", "n", "big", "d", "list", "struct", "nothing"),
        [(1, "a", 2**100, Decimal("1.5"), [1, 2], {"a": 1}, None), (2, None, 1, None, [], None, None)],
        is_cut=False,
    )
    table = tabulate_answer(SqlAnswer(SqlQuestion(sql="FROM run"), found, {}, Basis()))
    assert table.columns == ("n", "n (2)", "big", "d", "list", "struct", "nothing")
    assert table.list_values("big") == [str(2**100), "1"]
    assert table.list_values("d") == [1.5, None]
    assert list_numeric_columns(table) == ["n", "d"]
    make_frame(table).to_parquet(io.BytesIO(), index=False)


def test_the_numbers_of_a_column_have_as_many_decimals() -> None:
    columns = {
        "mean": [45.2083333, 7.5, None],
        "half": [0.25, 1.5, 3.0],
        "share": [0.0123456, 0.5, 0.25],
        "count": [3.0, 4.0, None],
        "whole": [1, 2, 3],
        "tiny": [1e-9, 1.0, 2.5],
        "huge": [1e15 / 3, 1.0, 2.5],
        "empty": [float("nan")] * 3,
        "word": ["1", "2", None],
    }
    formats = {"mean": ".2f", "half": ".2f", "share": ".4f", "count": ".0f", "whole": "d"}
    assert tabulate_answer(make_answer(columns)).formats == formats


def test_names_in_data_are_text_on_charts() -> None:
    table = tabulate_answer(
        make_answer({"<i>x</i>": ["<b>x</b>", "<b>x</b>"], "who": ["<u>", "b"], "y": [1, 2]})
    )
    figure = build_figure(build_chart(table, "bar", "<i>x</i>", "y"))
    assert "<b>" not in str(figure.to_json())
    assert "<i>" not in str(figure.to_json())
    assert "<u>" not in str(figure.to_json())


@pytest.mark.parametrize(
    ("columns", "links"),
    [
        ({"run": ["a b", "gone", None], "game_id": [3, 3, 3]}, ("replay?run=a+b&game-number=4", "", "")),
        ({"run": ["a b"], "game": ["3"]}, ()),
        ({"game_id": [3]}, ()),
        ({"run": ["a b"], "game_id": [-1]}, ()),
    ],
)
def test_only_games_of_the_runs_that_were_asked_have_links(
    columns: dict[str, list[Any]], links: tuple[str, ...]
) -> None:
    assert tabulate_answer(make_answer(columns)).links == links


def test_only_an_answer_without_intervals_says_that_it_has_none() -> None:
    captions = [
        compose_sql(make_answer({"n": [1], **half}), lambda _: {}).parts[-1].caption
        for half in ({}, {"n_half": [0.5]})
    ]
    assert captions == ["A query says nothing of the uncertainty of its numbers.", ""]


def test_a_sheet_shows_the_first_rows_and_files_have_all() -> None:
    sheet = compose_sql(make_answer({"n": list(range(120)), "word": ["x" * 500] * 120}), lambda _: {})
    (part,) = sheet.parts
    assert len(sheet.tables[0].rows) == MAX_ROWS_SHOWN
    assert part.numbers
    assert len(part.numbers.rows) == 120
    assert part.caption.startswith(f"The first {MAX_ROWS_SHOWN} of 120 rows.")
    assert sheet.tables[0].rows[0][1] == f"{'x' * 199}…"
    assert part.numbers.rows[0][1] == "x" * 500
    assert sheet.basis == "Asked over 1 run: 120 rows."


def test_a_column_to_draw_that_does_not_exist_is_named() -> None:
    asked = {"chart": "bar", "x": "nope", "y": "word"}
    sheet = compose_sql(make_answer({"word": ["a", "b"], "n": [1, 2]}, **asked), lambda _: {})
    assert sheet.warnings == (
        "There is no column nope in the answer to draw.",
        "There is no column word in the answer to draw.",
    )
    (chart,) = sheet.charts
    assert chart.title == "N by word"
