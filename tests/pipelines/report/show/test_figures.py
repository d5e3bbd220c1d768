"""Charts draw the given numbers at the right places."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, get_args

import pytest

from pipelines.questions.scores.question import Shape
from pipelines.report.charts import (
    Calibration,
    CalibrationLine,
    CalibrationPoint,
    Chart,
    Columns,
    Estimate,
    Histogram,
    Intervals,
    Lines,
    Mark,
    ScoreSeries,
    make_distribution,
)
from pipelines.report.show.figure_panels import LETTER_WIDTH_PX, longest_number_texts
from pipelines.report.show.figures import build_figure
from pipelines.report.show.svg import draw_chart
from pipelines.statistics import Interval
from pipelines.viewer.palette import SeriesLook

LOOK = SeriesLook("#1F83C2", "dot")


def make_series(place: str, name: str, *scores: int) -> ScoreSeries:
    found = make_distribution(scores)
    return ScoreSeries(place, name, found, blocks=len(scores), mean=Interval(2.0, 1.5, 2.5), look=LOOK)


def make_estimate(ruleset: str, strategy: str, at: str | int, mean: float) -> Estimate:
    return Estimate(at, ruleset, strategy, Interval(mean, mean - 1, mean + 1), 10, LOOK)


TWO_RULESETS = [
    make_series("bloxx-2p", "greedy", 1, 2, 2),
    make_series("bloxx-2p", "random", 0, 1),
    make_series("bloxx-3p", "greedy", 3),
]


def make_histogram(all_series: list[ScoreSeries]) -> Histogram:
    return Histogram(all_series, "score in points", "Scores")


def make_intervals(estimates: list[Estimate], *, has_legend: bool = False) -> Intervals:
    return Intervals(estimates, "points", "Means", has_legend=has_legend)


def make_columns(estimates: list[Estimate]) -> Columns:
    return Columns(estimates, "player", "mean score in points", "Means by player")


def make_course(estimates: list[Estimate]) -> Lines:
    return Lines(estimates, "round", "mean score in points", "Means by round")


def figure_as_dict(chart: Chart, shape: Shape = "Histogram", *, is_clickable: bool = False) -> dict[str, Any]:
    chart = replace(chart, shape=shape) if isinstance(chart, Histogram) else chart
    found: dict[str, Any] = build_figure(chart, is_clickable=is_clickable).to_dict()
    return found


POINT = CalibrationPoint(12.5, Interval(14.0, 9.0, 19.0), 1100, 220)
EVERY_CHART: dict[str, Chart] = {
    "histogram": make_histogram(TWO_RULESETS),
    "intervals": make_intervals([make_estimate("r", name, name, 5) for name in ("greedy", "random")]),
    "lines": make_course([make_estimate("r", "greedy", place, 5) for place in (1, 2)]),
    "columns": make_columns([make_estimate("r", name, 1, 5) for name in ("greedy", "random")]),
    "calibration": Calibration([CalibrationLine("games of greedy", [POINT], LOOK)], "Predictions"),
}


NUMBERS: dict[str, tuple[list[str], list[str]]] = {
    "histogram": (
        ["greedy n = 3", "random n = 2", "n = 1", "mean 2.0 ± 0.5"],
        ["3 results", "2 results", "1 result,"],
    ),
    "intervals": (["'customdata': [['5.0 ± 1.0', 10]]", "'x': [5]"], ["5.0 (4.0 to 6.0)"]),
    "lines": (
        ["'customdata': [['5.0 ± 1.0', 10], ['5.0 ± 1.0', 10]]", "'y': [5, 5]"],
        ["round 2: 5.0 (4.0 to 6.0), 10 results"],
    ),
    "columns": (
        ["'customdata': [['5.0 ± 1.0', 10]]", "'y': [5]"],
        ["player 1: 5.0 (4.0 to 6.0), 10 results"],
    ),
    "calibration": (
        ["'customdata': [[1100, 220]]", "'y': [14.0]"],
        ["14 (9 to 19), 1,100 predictions"],
    ),
}
"""For each type: what a page shows of n, of means and of intervals, and what a study shows of them."""


@pytest.mark.parametrize("kind", ["histogram", "intervals", "lines", "columns"])
@pytest.mark.parametrize("shape", ["Histogram", "Quantiles"])
def test_a_lopsided_interval_shows_both_ends_in_labels_and_hover_texts(kind: str, shape: Shape) -> None:
    lopsided = Interval(2.0, 1.9, 3.4)
    series = [replace(make_series("r", "greedy", 1, 2, 3), mean=lopsided)]
    estimates = [replace(make_estimate("r", "greedy", 1, 2.0), mean=lopsided)]
    charts: dict[str, Chart] = {
        "histogram": make_histogram(series),
        "intervals": make_intervals(estimates),
        "lines": make_course(estimates),
        "columns": make_columns(estimates),
    }
    drawn = figure_as_dict(charts[kind], shape)
    figure = str(drawn)
    assert "2.0 (1.9 to 3.4)" in figure
    assert "±" not in figure
    if kind == "histogram":
        (bars,) = (trace["error_x"] for trace in drawn["data"] if "error_x" in trace)
        assert (bars["array"], bars["arrayminus"]) == ([pytest.approx(1.4)], [pytest.approx(0.1)])


@pytest.mark.parametrize("kind", EVERY_CHART)
def test_both_drawers_show_the_same_numbers(kind: str) -> None:
    """n, means and intervals of a value, and its axes with their units, are in the figure of a page and in the SVG."""
    chart = EVERY_CHART[kind]
    figure, drawing = str(figure_as_dict(chart)), str(draw_chart(chart))
    axes = [chart.axis] if isinstance(chart, Histogram | Intervals) else [chart.across, chart.upright]
    for shown, numbers in zip((figure, drawing), NUMBERS[kind], strict=True):
        for words in [*axes, *numbers, "greedy"]:
            assert words in shown
    assert chart.title in drawing


def test_both_drawers_draw_the_same_bins() -> None:
    """The steps of the outlines are equally high, up to the scale, and are counted alike."""
    chart = make_histogram(TWO_RULESETS)
    outlines = re.findall(r'<polyline points="([^"]*)"', draw_chart(chart))
    traces = [trace for trace in figure_as_dict(chart)["data"] if trace["mode"] == "lines"]
    counts = [[count for _, count, _ in trace["customdata"][1:-1]] for trace in traces]
    assert counts == [[0, 1, 2, 0], [1, 1, 0, 0], [0, 0, 0, 1]]
    for outline, of_bins in zip(outlines, counts, strict=True):
        heights = [100 - float(corner.split(",")[1]) for corner in outline.split()[1:-1:2]]
        assert heights == pytest.approx([100 / 1.06 * count / sum(of_bins) for count in of_bins], abs=0.01)


def test_both_drawers_mark_the_same_values() -> None:
    scores = replace(make_histogram(TWO_RULESETS), mark=Mark(2, "here"), shaded=(1, 3))
    course = replace(
        make_course([make_estimate("r", "greedy", place, 5) for place in (1, 2)]), mark=Mark(5, "here")
    )
    for chart, shapes in ((scores, 4), (course, 1)):
        assert len(figure_as_dict(chart)["layout"]["shapes"]) == shapes
        assert "here" in str(figure_as_dict(chart)["layout"])
        assert ">here</text>" in draw_chart(chart)
    assert draw_chart(scores).count('fill-opacity="0.18"') == 2


def test_bins_are_the_same_in_all_panels_and_hold_the_shares() -> None:
    found = [
        trace for trace in figure_as_dict(make_histogram(TWO_RULESETS))["data"] if trace["mode"] == "lines"
    ]
    assert [trace["y"] for trace in found] == [
        [0, 0, pytest.approx(1 / 3), pytest.approx(2 / 3), 0, 0],
        [0, 0.5, 0.5, 0, 0, 0],
        [0, 0, 0, 0, 1, 0],
    ]
    assert all(trace["x"] == [-0.5, -0.5, 0.5, 1.5, 2.5, 3.5] for trace in found)


def test_a_tick_on_the_axis_shows_each_mean_with_its_interval() -> None:
    """The mean is that of the interval, which weights the results, and not that of the scores."""
    ticks = [
        (trace["x"], trace["y"], trace["error_x"]["array"], trace["xaxis"])
        for trace in figure_as_dict(make_histogram(TWO_RULESETS))["data"]
        if trace["mode"] == "markers"
    ]
    assert ticks == [
        ([2.0], [0], [0.5], "x"),
        ([2.0], [0], [0.5], "x"),
        ([2.0], [0], [0.5], "x2"),
    ]


def test_lines_are_named_where_they_are_highest_and_no_label_covers_another() -> None:
    alike = [make_series("duo", name, 1, 2, 2, 3) for name in ("greedy", "random", "keeper")]
    far = replace(make_series("duo", "planner", 90, 91, 91), mean=Interval(2.02, 1.92, 2.12))
    figure = figure_as_dict(make_histogram([*alike, far]))
    assert not any(trace["showlegend"] for trace in figure["data"])
    _, *labels = figure["layout"]["annotations"]
    assert [label["text"].partition("</span> ")[2] for label in labels] == [
        *(f"{name}: 2.0 ± 0.5" for name in ("greedy", "random", "keeper")),
        "planner: 2.0 ± 0.1",  # it could have two decimals, but all means have the same
    ]
    assert [label["yshift"] for label in labels] == [0, 16, 32, 0]
    assert labels[3]["xanchor"] == "right"  # it stays inside the panel
    assert figure["layout"]["yaxis"]["range"][1] > max(figure["data"][0]["y"])


def test_many_lines_have_a_legend_instead_of_labels() -> None:
    many = [make_series("duo", f"strategy-{number}", 1, 2) for number in range(6)]
    figure = figure_as_dict(make_histogram(many))
    assert len(figure["layout"]["annotations"]) == 1
    assert sum(trace["showlegend"] for trace in figure["data"]) == 6


def test_all_charts_have_one_look() -> None:
    for chart in (
        make_histogram(TWO_RULESETS),
        Columns([make_estimate("", "", "a", 1)], "name", "number", "Numbers", stands_on_zero=True),
        make_columns([make_estimate("r", "greedy", 0, 1)]),
    ):
        template = figure_as_dict(chart)["layout"]["template"]["layout"]
        assert template["yaxis"]["griddash"] == "dot"
        assert "Source Sans" in template["font"]["family"]
        assert "color" not in template["font"]  # text follows the light or dark page


def test_a_panel_for_every_ruleset_over_one_axis() -> None:
    layout = figure_as_dict(make_histogram(TWO_RULESETS))["layout"]
    assert [note["text"] for note in layout["annotations"]][:2] == [
        "bloxx-2p · greedy n = 3<br>random n = 2",
        "bloxx-3p · n = 1",
    ]
    assert layout["xaxis"]["matches"] == "x2"
    assert "title" not in layout["xaxis"]
    assert layout["xaxis2"]["title"]["text"] == "score in points"
    upper, lower = layout["yaxis"]["domain"], layout["yaxis2"]["domain"]
    assert (upper[1], lower[0]) == (1, pytest.approx(0))
    assert upper[0] > lower[1]


def test_heights_can_be_compared_between_panels() -> None:
    """All panels of histograms, of means by seat and of means by round have the same scale."""
    estimates = [make_estimate(ruleset, "greedy", place, place) for ruleset in ("r", "s") for place in (1, 2)]
    for chart, title in (
        (make_histogram(TWO_RULESETS), "share of results"),
        (make_columns(estimates), "mean score in points"),
        (make_course(estimates), "mean score in points"),
    ):
        layout = figure_as_dict(chart)["layout"]
        assert layout["yaxis2"]["matches"] == "y"
        assert layout["yaxis"]["title"]["text"] == title


def test_the_legend_names_each_strategy_once() -> None:
    found = figure_as_dict(make_histogram(TWO_RULESETS), "Cumulative")["data"]
    named = [(trace["name"], trace["showlegend"]) for trace in found if trace.get("name")]
    assert named == [("greedy", True), ("random", True), ("greedy", False)]


def test_the_hover_text_of_a_bin_lists_all_strategies() -> None:
    bars = [
        one
        for one in figure_as_dict(make_histogram(TWO_RULESETS), is_clickable=True)["data"]
        if one["type"] == "bar"
    ]
    assert [len(one["customdata"]) for one in bars] == [4, 4]
    assert "greedy: 66.7% (2 results)<br>random: 0.0% (0 results)" in bars[0]["text"][2]


def test_boxes_show_quantiles_and_the_mean_with_its_interval() -> None:
    box, mean = figure_as_dict(make_histogram([make_series("bloxx-2p", "greedy", *range(101))]), "Quantiles")[
        "data"
    ]
    assert [box[key][0] for key in ("lowerfence", "q1", "median", "q3", "upperfence")] == [5, 25, 50, 75, 95]
    assert mean["x"] == [2]
    assert mean["error_x"]["array"] == [0.5]


def test_a_mark_and_a_range_go_through_all_panels() -> None:
    layout = figure_as_dict(replace(make_histogram(TWO_RULESETS), mark=Mark(2, "<here>"), shaded=(1, 3)))[
        "layout"
    ]
    assert [(one["type"], one["xref"], one["x0"], one["x1"]) for one in layout["shapes"]] == [
        ("rect", "x", 0.5, 3.5),
        ("rect", "x2", 0.5, 3.5),
        ("line", "x", 2, 2),
        ("line", "x2", 2, 2),
    ]
    assert [note["text"] for note in layout["annotations"]][-2:] == ["&lt;here>", "&lt;here>"]


@pytest.mark.parametrize(("at", "anchor"), [(0, "left"), (3, "right")])
def test_the_name_of_a_mark_is_on_the_side_with_more_room(at: int, anchor: str) -> None:
    for shape in get_args(Shape):
        chart = replace(make_histogram(TWO_RULESETS), mark=Mark(at, "here"))
        assert figure_as_dict(chart, shape)["layout"]["annotations"][-1]["xanchor"] == anchor


def test_means_stand_at_their_places_with_their_intervals() -> None:
    found = [
        make_estimate("r", "greedy", "Gaps", 1),
        make_estimate("r", "random", "Gaps", 2),
        make_estimate("s", "greedy", "Gaps", 3),
    ]
    figure = figure_as_dict(make_intervals(found, has_legend=True))
    lines = figure["data"]
    # Two strategies in a row stand one below the other, so that none hides the other; one alone stands in the middle.
    assert [(one["x"], one["y"], one["xaxis"], one["error_x"]["array"]) for one in lines] == [
        ([1], [-0.08], "x", [1]),
        ([2], [0.08], "x", [1]),
        ([3], [0], "x2", [1]),
    ]
    assert [figure["layout"][axis]["ticktext"] for axis in ("yaxis", "yaxis2")] == [["Gaps"], ["Gaps"]]
    assert [one["showlegend"] for one in lines] == [True, True, False], "each name once"
    assert {one["marker"]["symbol"] for one in lines} == {"diamond"}, "as the dotted line of the same look"
    seats = figure_as_dict(make_columns([make_estimate("r", "all", seat, seat + 1) for seat in range(3)]))
    assert seats["data"][0]["x"] == [0, 1, 2]
    assert seats["data"][0]["y"] == [1, 2, 3]
    assert seats["layout"]["xaxis"]["dtick"] == 1
    beside = figure_as_dict(make_columns([make_estimate("r", name, 1, 2) for name in ("greedy", "random")]))
    assert [one["x"] for one in beside["data"]] == [[0.975], [1.025]]
    band = figure_as_dict(make_course([make_estimate("r", "all", round_, 5) for round_ in range(2)]))["data"]
    assert [one["y"] for one in band] == [[6, 6], [4, 4], [5, 5]]


def test_dots_need_no_legend_beside_their_names() -> None:
    beside = [make_estimate("r", name, name, 1) for name in ("greedy", "random")]
    assert not any(one["showlegend"] for one in figure_as_dict(make_intervals(beside))["data"])


def test_rows_of_dots_leave_room_for_the_name_of_a_mark() -> None:
    found = [
        *(make_estimate("r", "greedy", at, 1) for at in ("Gaps", "Rows", "Blanks")),
        make_estimate("s", "greedy", "Gaps", 1),
    ]
    layout = figure_as_dict(replace(make_intervals(found), mark=Mark(0, "equal")))["layout"]
    assert [layout[axis]["range"] for axis in ("yaxis", "yaxis2")] == [[2.5, -0.5], [0.5, -0.5]]


@pytest.mark.parametrize("name", ["a", "planner:candidates=4,depth=3"])
def test_names_beside_a_panel_have_room(name: str) -> None:
    layout = figure_as_dict(make_histogram([make_series("bloxx-2p", name, 1, 2)]), "Quantiles")["layout"]
    assert layout["margin"]["l"] > LETTER_WIDTH_PX * len(name)
    assert not layout["yaxis"]["automargin"]


def test_very_long_names_leave_room_for_the_panel() -> None:
    layout = figure_as_dict(make_histogram([make_series("bloxx-2p", 80 * "a", 1, 2)]), "Quantiles")["layout"]
    assert layout["margin"]["l"] < 100
    assert layout["yaxis"]["automargin"]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0, 120], ["0", "120"]),
        ([-0.42, 0.6], ["-0.4", "0.6"]),
        ([0.001, 0.004], ["0.001", "0.004"]),
        ([5, 5], ["5", "5"]),
        ([float("inf"), float("nan")], []),
        ([], []),
    ],
)
def test_the_longest_numbers_of_an_axis(values: list[float], texts: list[str]) -> None:
    assert longest_number_texts(values) == texts


def test_names_are_escaped() -> None:
    strange = [make_series("<b>r</b>", "<i>s</i>", 1)]
    estimates = [make_estimate("<b>r</b>", "<i>s</i>", "<i>part</i>", 1)]
    for figure in (
        figure_as_dict(make_histogram(strange), is_clickable=True),
        figure_as_dict(make_histogram(strange), "Quantiles"),
        figure_as_dict(Intervals(estimates, "<i>points</i>", "<i>means</i>")),
    ):
        said = str(figure)
        assert "<b>r" not in said
        assert "<i>" not in said


def test_the_lines_of_a_course_are_named_at_their_ends() -> None:
    near = [
        make_estimate("r", name, place, mean + place)
        for name, mean in (("a", 5), ("b", 5.1))
        for place in (1, 2)
    ]
    figure = figure_as_dict(make_course([*near, make_estimate("r", "far", 1, 90)]))
    _, *labels = figure["layout"]["annotations"]
    assert [label["text"].partition("</span> ")[2] for label in labels] == ["a", "b", "far"]
    assert [(label["x"], label["xanchor"]) for label in labels] == [(2, "right"), (2, "right"), (1, "right")]
    assert labels[2]["yshift"] == 0 < labels[0]["yshift"] < labels[1]["yshift"] <= 16  # above both lines
    assert not any(trace.get("showlegend") for trace in figure["data"])
