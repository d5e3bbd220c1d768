"""Charts draw the given numbers at the right places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dashboard.widgets import charts
from dashboard.widgets.charts.chart import LETTER_WIDTH_PX, longest_number_texts, wrap_head
from pipelines.statistics import Distribution, Interval
from pipelines.viewer.palette import SeriesLook, assign_looks

LOOK = SeriesLook("#1F83C2", "dot")


def make_series(place: str, name: str, *scores: int) -> charts.ScoreSeries:
    values, counts = np.unique(np.array(scores), return_counts=True)
    found = Distribution(values.astype(np.int64), counts.astype(np.int64))
    return charts.ScoreSeries(place, name, found, blocks=len(scores), mean=Interval(2.0, 1.5, 2.5), look=LOOK)


def make_estimate(ruleset: str, strategy: str, at: str | int, mean: float) -> charts.Estimate:
    return charts.Estimate(at, ruleset, strategy, Interval(mean, mean - 1, mean + 1), 10, LOOK)


TWO_RULESETS = [
    make_series("bloxx-2p", "greedy", 1, 2, 2),
    make_series("bloxx-2p", "random", 0, 1),
    make_series("bloxx-3p", "greedy", 3),
]


def figure_as_dict(chart: charts.Chart) -> dict[str, Any]:
    found: dict[str, Any] = chart.build_figure().to_dict()
    return found


def test_bins_are_the_same_in_all_panels_and_hold_the_shares() -> None:
    found = [
        trace
        for trace in figure_as_dict(charts.draw_histograms(TWO_RULESETS))["data"]
        if trace["mode"] == "lines"
    ]
    assert [trace["y"] for trace in found] == [
        [0, 0, pytest.approx(1 / 3), pytest.approx(2 / 3), 0, 0],
        [0, 0.5, 0.5, 0, 0, 0],
        [0, 0, 0, 0, 1, 0],
    ]
    assert all(trace["x"] == [-0.5, -0.5, 0.5, 1.5, 2.5, 3.5] for trace in found)


def test_a_tick_on_the_axis_shows_each_mean_with_its_interval() -> None:
    ticks = [
        (trace["x"], trace["y"], trace["error_x"]["array"], trace["xaxis"])
        for trace in figure_as_dict(charts.draw_histograms(TWO_RULESETS))["data"]
        if trace["mode"] == "markers"
    ]
    assert ticks == [
        ([pytest.approx(5 / 3)], [0], [0.5], "x"),
        ([0.5], [0], [0.5], "x"),
        ([3], [0], [0.5], "x2"),
    ]


def test_lines_are_named_where_they_are_highest_and_no_label_covers_another() -> None:
    alike = [make_series("duo", name, 1, 2, 2, 3) for name in ("greedy", "random", "keeper")]
    far = make_series("duo", "planner", 90, 91, 91)
    figure = figure_as_dict(charts.draw_histograms([*alike, far]))
    assert not any(trace["showlegend"] for trace in figure["data"])
    _, *labels = figure["layout"]["annotations"]
    assert [label["text"].partition("</span> ")[2] for label in labels] == [
        f"{name} 2.0 ± 0.5" for name in ("greedy", "random", "keeper", "planner")
    ]
    assert [label["yshift"] for label in labels] == [0, 16, 32, 0]
    assert labels[3]["xanchor"] == "right"  # it stays inside the panel
    assert figure["layout"]["yaxis"]["range"][1] > max(figure["data"][0]["y"])


def test_many_lines_have_a_legend_instead_of_labels() -> None:
    many = [make_series("duo", f"strategy-{number}", 1, 2) for number in range(6)]
    figure = figure_as_dict(charts.draw_histograms(many))
    assert len(figure["layout"]["annotations"]) == 1
    assert sum(trace["showlegend"] for trace in figure["data"]) == 6


def test_all_charts_have_one_look() -> None:
    for chart in (
        charts.draw_histograms(TWO_RULESETS),
        charts.draw_simple_chart("bar", ["a"], [1], "name", "number"),
        charts.draw_columns([make_estimate("r", "greedy", 0, 1)], "player"),
    ):
        template = figure_as_dict(chart)["layout"]["template"]["layout"]
        assert template["yaxis"]["griddash"] == "dot"
        assert "Source Sans" in template["font"]["family"]
        assert "color" not in template["font"]  # text follows the light or dark page


@pytest.mark.parametrize(
    ("series", "head"),
    [
        ([make_series("duo", "greedy", 1, 2), make_series("duo", "random", 0, 1)], "duo · n = 2 each"),
        ([make_series("duo · greedy", "greedy", 1, 2)], "duo · greedy · n = 2"),
        ([make_series("duo", "greedy", 1, 2)], "duo · n = 2"),
        (
            [make_series("duo", name, *range(n)) for name, n in (("a", 5), ("b", 3), ("c", 5), ("d", 3))],
            "duo · a, c n = 5 each<br>b, d n = 3 each",
        ),
    ],
)
def test_a_heading_repeats_no_name_and_no_number(series: list[charts.ScoreSeries], head: str) -> None:
    note, *labels = figure_as_dict(charts.draw_histograms(series))["layout"]["annotations"]
    assert note["text"] == head
    assert len(labels) == len(series)


def test_the_lines_of_a_heading_fit_on_a_phone() -> None:
    """A phone of 390 pixels has room for 37 characters beside the axis."""
    head = wrap_head(["spexxx-2p", "builder n = 600", "greedy n = 1,004", "random n = 404"])
    assert head == "spexxx-2p · builder n = 600<br>greedy n = 1,004 · random n = 404"


def test_a_panel_for_every_ruleset_over_one_axis() -> None:
    layout = figure_as_dict(charts.draw_histograms(TWO_RULESETS))["layout"]
    assert [note["text"] for note in layout["annotations"]][:2] == [
        "bloxx-2p · greedy n = 3<br>random n = 2",
        "bloxx-3p · n = 1",
    ]
    assert layout["xaxis"]["matches"] == "x2"
    assert "title" not in layout["xaxis"]
    assert layout["xaxis2"]["title"]["text"] == "score"
    upper, lower = layout["yaxis"]["domain"], layout["yaxis2"]["domain"]
    assert (upper[1], lower[0]) == (1, pytest.approx(0))
    assert upper[0] > lower[1]


def test_heights_can_be_compared_between_panels() -> None:
    """All panels of histograms, of means by seat and of means by round have the same scale."""
    estimates = [make_estimate(ruleset, "greedy", place, place) for ruleset in ("r", "s") for place in (1, 2)]
    for chart, title in (
        (charts.draw_histograms(TWO_RULESETS), "share of results"),
        (charts.draw_columns(estimates, "seat"), "mean score"),
        (charts.draw_score_course(estimates), "mean score"),
    ):
        layout = figure_as_dict(chart)["layout"]
        assert layout["yaxis2"]["matches"] == "y"
        assert layout["yaxis"]["title"]["text"] == title


def test_the_legend_names_each_strategy_once() -> None:
    found = figure_as_dict(charts.draw_cumulative_shares(TWO_RULESETS))["data"]
    named = [(trace["name"], trace["showlegend"]) for trace in found if trace.get("name")]
    assert named == [("greedy", True), ("random", True), ("greedy", False)]


def test_the_hover_text_of_a_bin_lists_all_strategies() -> None:
    bars = [
        one
        for one in figure_as_dict(charts.draw_histograms(TWO_RULESETS, clickable=True))["data"]
        if one["type"] == "bar"
    ]
    assert [len(one["customdata"]) for one in bars] == [4, 4]
    assert "greedy: 66.7% (2 results)<br>random: 0.0% (0 results)" in bars[0]["text"][2]


def test_boxes_show_quantiles_and_the_mean_with_its_interval() -> None:
    box, mean = figure_as_dict(charts.draw_boxes([make_series("bloxx-2p", "greedy", *range(101))]))["data"]
    assert [box[key][0] for key in ("lowerfence", "q1", "median", "q3", "upperfence")] == [5, 25, 50, 75, 95]
    assert mean["x"] == [50]
    assert mean["error_x"]["array"] == [0.5]


def test_a_mark_and_a_range_go_through_all_panels() -> None:
    layout = figure_as_dict(charts.draw_histograms(TWO_RULESETS).mark_value(2, "<here>").shade_range(1, 3))[
        "layout"
    ]
    assert [(one["type"], one["xref"], one["x0"], one["x1"]) for one in layout["shapes"]] == [
        ("line", "x", 2, 2),
        ("line", "x2", 2, 2),
        ("rect", "x", 0.5, 3.5),
        ("rect", "x2", 0.5, 3.5),
    ]
    assert [note["text"] for note in layout["annotations"]][-2:] == ["&lt;here>", "&lt;here>"]


@pytest.mark.parametrize(("at", "anchor"), [(0, "left"), (3, "right")])
def test_the_name_of_a_mark_is_on_the_side_with_more_room(at: int, anchor: str) -> None:
    for chart in (charts.draw_histograms(TWO_RULESETS), charts.draw_boxes(TWO_RULESETS)):
        assert figure_as_dict(chart.mark_value(at, "here"))["layout"]["annotations"][-1]["xanchor"] == anchor


def test_means_stand_at_their_places_with_their_intervals() -> None:
    found = [
        make_estimate("r", "greedy", "Gaps", 1),
        make_estimate("r", "random", "Gaps", 2),
        make_estimate("s", "greedy", "Gaps", 3),
    ]
    figure = figure_as_dict(charts.draw_dots(found, "points", legend=True))
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
    seats = figure_as_dict(
        charts.draw_columns([make_estimate("r", "all", seat, seat + 1) for seat in range(3)], "seat")
    )
    assert seats["data"][0]["x"] == [0, 1, 2]
    assert seats["data"][0]["y"] == [1, 2, 3]
    assert seats["layout"]["xaxis"]["dtick"] == 1
    beside = figure_as_dict(
        charts.draw_columns([make_estimate("r", name, 1, 2) for name in ("greedy", "random")], "seat")
    )
    assert [one["x"] for one in beside["data"]] == [[0.975], [1.025]]
    band = figure_as_dict(
        charts.draw_score_course([make_estimate("r", "all", round_, 5) for round_ in range(2)])
    )["data"]
    assert [one["y"] for one in band] == [[6, 6], [4, 4], [5, 5]]


def test_strategies_differ_in_more_than_colour() -> None:
    found = assign_looks(["greedy", "mcts", "noisy", "planner", "random"])
    assert len({look.symbol for look in found.values()}) == len(found)


def test_dots_need_no_legend_beside_their_names() -> None:
    beside = [make_estimate("r", name, name, 1) for name in ("greedy", "random")]
    assert not any(
        one["showlegend"] for one in figure_as_dict(charts.draw_dots(beside, "rating", legend=False))["data"]
    )


def test_rows_of_dots_leave_room_for_the_name_of_a_mark() -> None:
    found = [
        *(make_estimate("r", "greedy", at, 1) for at in ("Gaps", "Rows", "Blanks")),
        make_estimate("s", "greedy", "Gaps", 1),
    ]
    layout = figure_as_dict(charts.draw_dots(found, "points", legend=True).mark_value(0, "equal"))["layout"]
    assert [layout[axis]["range"] for axis in ("yaxis", "yaxis2")] == [[2.5, -0.5], [0.5, -0.5]]


@pytest.mark.parametrize("name", ["a", "planner:candidates=4,depth=3"])
def test_names_beside_a_panel_have_room(name: str) -> None:
    layout = figure_as_dict(charts.draw_boxes([make_series("bloxx-2p", name, 1, 2)]))["layout"]
    assert layout["margin"]["l"] > LETTER_WIDTH_PX * len(name)
    assert not layout["yaxis"]["automargin"]


def test_very_long_names_leave_room_for_the_panel() -> None:
    layout = figure_as_dict(charts.draw_boxes([make_series("bloxx-2p", 80 * "a", 1, 2)]))["layout"]
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
    for chart in (
        charts.draw_histograms(strange, clickable=True),
        charts.draw_boxes(strange),
        charts.draw_dots(
            [make_estimate("<b>r</b>", "<i>s</i>", "<i>part</i>", 1)], "points of <i>s</i>", legend=True
        ),
    ):
        said = str(figure_as_dict(chart))
        assert "<b>r" not in said
        assert "<i>" not in said


def test_the_lines_of_a_course_are_named_at_their_ends() -> None:
    near = [
        make_estimate("r", name, place, mean + place)
        for name, mean in (("a", 5), ("b", 5.1))
        for place in (1, 2)
    ]
    figure = figure_as_dict(charts.draw_score_course([*near, make_estimate("r", "far", 1, 90)]))
    _, *labels = figure["layout"]["annotations"]
    assert [label["text"].partition("</span> ")[2] for label in labels] == ["a", "b", "far"]
    assert [(label["x"], label["xanchor"]) for label in labels] == [(2, "right"), (2, "right"), (1, "right")]
    assert labels[2]["yshift"] == 0 < labels[0]["yshift"] < labels[1]["yshift"] <= 16  # above both lines
    assert not any(trace.get("showlegend") for trace in figure["data"])
