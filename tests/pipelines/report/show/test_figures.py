"""Figures of Plotly draw the given numbers at the right places."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, get_args

import pytest

from pipelines.questions.scores.question import Shape
from pipelines.report.charts import Chart, Columns, Estimate, Intervals, Mark
from pipelines.report.show.chart_plan import LABEL_PX, LETTER_PX, PART_COLOURS
from pipelines.report.show.figures import build_figure
from pipelines.report.show.html import draw_chart
from pipelines.report.show.plan_charts import plan_chart
from pipelines.statistics import Interval
from pipelines.viewer.palette import CHOSEN_LOOK
from tests.pipelines.report.show.charts import (
    EVERY_CHART,
    LOOKS,
    TWO_RULESETS,
    make_columns,
    make_course,
    make_estimate,
    make_histogram,
    make_intervals,
    make_series,
)


def figure_as_dict(chart: Chart, *, is_clickable: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = build_figure(chart, is_clickable=is_clickable).to_dict()
    return found


def list_texts(figure: dict[str, Any]) -> list[str]:
    """Return the texts of a figure without the squares of the labels."""
    return [note["text"].rpartition("</span> ")[2] for note in figure["layout"]["annotations"]]


@pytest.mark.parametrize("kind", ["histogram", "intervals", "lines", "columns"])
@pytest.mark.parametrize("shape", ["Histogram", "Quantiles"])
def test_a_lopsided_interval_shows_both_ends_in_labels_and_hover_texts(kind: str, shape: Shape) -> None:
    lopsided = Interval(2.0, 1.9, 3.4)
    series = [replace(make_series("r", "greedy", 1, 2, 3), mean=lopsided)]
    estimates = [replace(make_estimate("r", "greedy", 1, 2.0), mean=lopsided)]
    charts: dict[str, Chart] = {
        "histogram": replace(make_histogram(series), shape=shape),
        "intervals": make_intervals(estimates),
        "lines": make_course(estimates),
        "columns": make_columns(estimates),
    }
    drawn = figure_as_dict(charts[kind])
    figure = str(drawn)
    assert "2.0 (1.9 to 3.4)" in figure
    assert "±" not in figure
    if kind == "histogram":
        (bars,) = (trace["error_x"] for trace in drawn["data"] if "error_x" in trace)
        assert (bars["array"], bars["arrayminus"]) == ([pytest.approx(1.4)], [pytest.approx(0.1)])


def test_a_triangle_on_the_axis_shows_each_mean_with_its_interval() -> None:
    """The mean is that of the interval, which weights the results, and not that of the scores."""
    marks = [
        (trace["x"], trace["y"], trace["error_x"]["array"], trace["xaxis"])
        for trace in figure_as_dict(make_histogram(TWO_RULESETS))["data"]
        if trace["mode"] == "markers"
    ]
    assert marks == [([2.0], [0], [0.5], axis) for axis in ("x", "x", "x2")]


def test_the_label_of_a_line_stands_at_its_mean_and_covers_no_other_one() -> None:
    alike = [make_series("duo", name, 1, 2, 2, 3) for name in ("greedy", "random", "keeper")]
    far = replace(make_series("duo", "planner", 90, 91, 91), mean=Interval(90.6, 90.5, 90.7))
    figure = figure_as_dict(make_histogram([*alike, far]))
    assert not figure["layout"]["showlegend"]
    labels = figure["layout"]["annotations"][-4:]
    assert [label["text"].partition("</span> ")[2] for label in labels] == [
        *(f"{name}: 2.0 ± 0.5" for name in ("greedy", "random", "keeper")),
        "planner: 90.6 ± 0.1",  # it could have two decimals, but all means have the same
    ]
    assert [label["x"] for label in labels] == [2.0, 2.0, 2.0, 90.6]
    lifts = [label["yshift"] - labels[0]["yshift"] for label in labels]
    assert lifts == pytest.approx([0, 16, 32, 0])
    assert labels[3]["xanchor"] == "right"  # it stays inside the panel
    assert figure["layout"]["yaxis"]["range"][1] > max(figure["data"][0]["y"])


def test_many_lines_have_a_legend_instead_of_labels() -> None:
    figure = figure_as_dict(EVERY_CHART["many lines"])
    assert figure["layout"]["showlegend"]
    assert sum(trace["showlegend"] for trace in figure["data"]) == 6
    assert not any("±" in text for text in list_texts(figure))


def test_all_figures_have_one_look() -> None:
    for chart in EVERY_CHART.values():
        figure = figure_as_dict(chart)
        template = figure["layout"]["template"]["layout"]
        assert "Source Sans" in template["font"]["family"]
        assert "color" not in template["font"]  # text follows the light or dark page
        assert template["xaxis"]["fixedrange"], "without tools nobody could undo a zoom"


def test_a_panel_for_every_ruleset_over_one_axis() -> None:
    layout = figure_as_dict(make_histogram(TWO_RULESETS))["layout"]
    texts = [note["text"] for note in layout["annotations"]]
    assert texts.count("score in points") == texts.count("share of results") == 1
    assert {"bloxx-2p", "greedy n = 3 · random n = 2", "bloxx-3p · n = 1"} <= set(texts)
    assert layout["xaxis"]["range"] == layout["xaxis2"]["range"]
    assert (layout["xaxis"]["showticklabels"], layout["xaxis2"]["showticklabels"]) == (False, True)
    upper, lower = layout["yaxis"]["domain"], layout["yaxis2"]["domain"]
    assert (upper[1] <= 1, lower[0]) == (True, pytest.approx(0))
    assert upper[0] > lower[1]


def test_heights_can_be_compared_between_panels() -> None:
    """All panels of histograms, of means by seat and of means by round have the same scale."""
    estimates = [make_estimate(ruleset, "greedy", place, place) for ruleset in ("r", "s") for place in (1, 2)]
    for chart in (make_histogram(TWO_RULESETS), make_columns(estimates), make_course(estimates)):
        layout = figure_as_dict(chart)["layout"]
        axes = layout["yaxis"], layout["yaxis2"]
        high, low = (
            (axis["domain"][1] - axis["domain"][0]) / (axis["range"][1] - axis["range"][0]) for axis in axes
        )
        assert low == pytest.approx(high)


def test_panels_of_histograms_are_no_higher_than_their_outlines_and_labels() -> None:
    """Blank bands stood above the outlines of a panel whose shares are small."""
    plan = plan_chart(make_histogram(TWO_RULESETS))
    assert plan
    assert plan.upright
    for panel in plan.panels:
        upright = plan.find_upright(panel)
        assert upright
        tops = [label.lift + LABEL_PX for label in panel.labels]
        shares = [height for series in panel.series if series.path for height in series.path.y]
        highest = max([*tops, 1.06 * upright.share(max(shares)) * panel.height])
        assert panel.height == pytest.approx(highest, abs=1.01)
        assert all(tick.words and tick.at < upright.high for tick in upright.ticks)
        assert upright.ticks, "each panel has the numbers of its heights"


def test_panels_of_rows_have_one_scale_in_both_drawers() -> None:
    """Bars of two panels with axes of their own looked equally long, however much one strategy lost."""
    rows = [
        Estimate(f"row {at}", panel, panel, Interval(middle, middle - 1, middle + 1), 9, CHOSEN_LOOK)
        for panel, middles in (("few", (1, 3)), ("many", (40, 60)))
        for at, middle in enumerate(middles)
    ]
    chart = Intervals(rows, "points", "Means", starts_at_zero=True)
    layout = figure_as_dict(chart)["layout"]
    axes = layout["xaxis"], layout["xaxis2"]
    assert axes[0]["range"] == axes[1]["range"]
    assert axes[0]["range"][0] <= 0
    assert axes[0]["range"][1] >= 61
    assert [axis["showticklabels"] for axis in axes] == [False, True]
    drawing = draw_chart(chart)
    assert all(drawing.count(f">{tick}</text>") == 1 for tick in axes[0]["ticktext"])


def test_parts_of_an_estimate_are_bars_beside_each_other_in_both_drawers() -> None:
    estimate = Estimate("slips", "", "greedy", Interval(6, 5, 7), 9, CHOSEN_LOOK, parts=(1, 2, 3))
    names = ("small", "middling", "bad")
    chart = Intervals([estimate], "points", "Means", starts_at_zero=True, part_names=names)
    traces = figure_as_dict(chart)["data"]
    bars = [trace for trace in traces if trace["type"] == "bar"]
    assert [(bar["base"], bar["x"]) for bar in bars] == [([0], [1]), ([1], [2]), ([3], [3])]
    assert [trace["name"] for trace in traces if trace["showlegend"]] == list(names)
    legend = draw_chart(chart).split('class="legend')[1]
    assert [colour in legend for colour in PART_COLOURS] == [True] * 3
    lightness = [int(colour[1:3], 16) for colour in ("#FDFDFD", *PART_COLOURS, "#1A1A1A")]
    assert all(a - b >= 32 for a, b in pairwise(lightness)), (
        "they can be told apart, and seen on light and on dark paper"
    )


def test_an_interval_much_wider_than_most_does_not_set_the_scale_and_says_that_it_goes_on() -> None:
    rows = [("greedy", Interval(4, 3, 5)), ("noisy", Interval(6, 5, 7)), ("planner", Interval(3, 0, 27))]
    estimates = [Estimate(name, "", name, mean, 40, LOOKS["greedy"]) for name, mean in rows]
    plan = plan_chart(Intervals(estimates, "slips of 100 decisions", "Slips", starts_at_zero=True))
    assert plan
    assert 7 < plan.across.high < 8, "the marks and the other intervals have the room"
    assert plan.across.title == "slips of 100 decisions (\u25b8 the interval goes on)"
    *_, points, arrows = plan.panels[0].series
    assert [*(points.points[0].ends or ())] == [0, plan.across.high]
    assert [(arrow.x, arrow.y) for arrow in arrows.points] == [(plan.across.high, points.points[0].y)]
    assert arrows.symbol == "triangle-right"
    assert "3 (0 to 27)" in plan.words
    beside = plan_chart(
        Intervals(
            [*estimates, Estimate("random", "", "random", Interval(30, 28, 33), 40, LOOKS["random"])],
            "slips",
            "Slips",
        )
    )
    assert beside
    assert beside.across.high > 33, "the whole interval has room where it crushes nothing"
    assert beside.across.title == "slips"


def test_small_differences_have_a_tight_axis() -> None:
    means = [make_estimate("r", "greedy", place, 40 + place / 10) for place in (1, 2)]
    for chart in (make_columns(means), make_course(means)):
        low, high = figure_as_dict(chart)["layout"]["yaxis"]["range"]
        assert 38 < low < 39.1
        assert 41.2 < high < 42
    counts = Columns(means, "player", "games", "Games", stands_on_zero=True)
    assert figure_as_dict(counts)["layout"]["yaxis"]["range"][0] == 0, "bars begin at zero"


def test_only_an_axis_with_an_order_joins_its_points() -> None:
    seats = [make_estimate("r", "greedy", place, place) for place in (1, 2)]
    parts = [make_estimate("r", "greedy", place, 1) for place in ("Gaps", "Rows")]
    for chart in (make_columns(seats), make_columns(parts), replace(make_course(parts), intervals="bars")):
        assert {trace["mode"] for trace in figure_as_dict(chart)["data"]} == {"markers"}
    joined = figure_as_dict(replace(make_course(seats), intervals="bars"))
    assert {trace["mode"] for trace in joined["data"]} == {"lines+markers"}


def test_the_legend_names_each_strategy_once() -> None:
    found = figure_as_dict(replace(make_histogram(TWO_RULESETS), shape="Cumulative"))["data"]
    assert [trace["name"] for trace in found if trace["showlegend"]] == ["greedy", "random"]


def test_the_hover_text_of_a_bin_lists_all_strategies_and_a_click_gets_its_scores() -> None:
    bars = [
        one
        for one in figure_as_dict(make_histogram(TWO_RULESETS), is_clickable=True)["data"]
        if one["type"] == "bar"
    ]
    assert [len(one["customdata"]) for one in bars] == [4, 4]
    assert "greedy: %{customdata[2]:.1f} %, n = %{customdata[3]:,}<br>random: %{customdata[4]" in str(
        bars[0]["hovertemplate"]
    )
    assert bars[0]["customdata"][2] == [2, 2, 66.7, 2, 0.0, 0]


def test_boxes_show_quantiles_and_the_mean_with_its_interval() -> None:
    chart = replace(make_histogram([make_series("bloxx-2p", "greedy", *range(101))]), shape="Quantiles")
    box, mean = figure_as_dict(chart)["data"]
    assert [box[key][0] for key in ("lowerfence", "q1", "median", "q3", "upperfence")] == [5, 25, 50, 75, 95]
    assert mean["x"] == [2]
    assert mean["error_x"]["array"] == [0.5]


def test_a_mark_and_a_range_go_through_all_panels() -> None:
    chart = replace(make_histogram(TWO_RULESETS), mark=Mark(2, "<here>"), shaded=(1, 3))
    figure = figure_as_dict(chart)
    assert [(one["type"], one["xref"], one["x0"], one["x1"]) for one in figure["layout"]["shapes"]] == [
        ("rect", "x", 0.5, 3.5),
        ("line", "x", 2, 2),
        ("rect", "x2", 0.5, 3.5),
        ("line", "x2", 2, 2),
    ]
    assert list_texts(figure).count("&lt;here>") == 2


@pytest.mark.parametrize(("at", "anchor"), [(0, "left"), (100, "right"), (50, "center")])
def test_the_name_of_a_mark_stays_inside_the_panel(at: int, anchor: str) -> None:
    for shape in get_args(Shape):
        chart = replace(
            make_histogram([make_series("r", "a", *range(101))]), mark=Mark(at, "here"), shape=shape
        )
        notes = figure_as_dict(chart)["layout"]["annotations"]
        assert [note["xanchor"] for note in notes if note["text"] == "here"] == [anchor]


def test_means_stand_at_their_places_with_their_intervals() -> None:
    found = [
        make_estimate("r", "greedy", "Gaps", 1),
        make_estimate("r", "random", "Gaps", 2),
        make_estimate("s", "greedy", "Gaps", 3),
    ]
    figure = figure_as_dict(make_intervals(found, has_legend=True))
    lines = figure["data"]
    assert [(one["x"], one["xaxis"], one["error_x"]["array"]) for one in lines] == [
        ([1], "x", [1]),
        ([2], "x", [1]),
        ([3], "x2", [1]),
    ]
    assert lines[0]["y"] < lines[1]["y"], "one below the other, so that none hides the other"
    assert [one["showlegend"] for one in lines] == [True, True, False], "each name once"
    assert [one["marker"]["symbol"] for one in lines] == ["circle", "circle-open", "circle"]
    seats = figure_as_dict(make_columns([make_estimate("r", "all", seat, seat + 1) for seat in range(3)]))
    assert seats["data"][0]["x"] == [0, 1, 2]
    assert seats["data"][0]["y"] == [1, 2, 3]
    assert seats["layout"]["xaxis"]["ticktext"] == ["0", "1", "2"]
    beside = figure_as_dict(make_columns([make_estimate("r", name, 1, 2) for name in ("greedy", "random")]))
    assert [one["x"] for one in beside["data"]] == [[0.96], [1.04]]
    band = figure_as_dict(make_course([make_estimate("r", "all", round_, 5) for round_ in range(2)]))["data"]
    assert [one["y"] for one in band] == [[6, 6], [4, 4], [5, 5]]


def test_rows_need_no_legend_beside_their_names() -> None:
    beside = [make_estimate("r", name, name, 1) for name in ("greedy", "random")]
    assert not figure_as_dict(make_intervals(beside))["layout"]["showlegend"]


def test_the_mark_of_rows_crosses_no_name() -> None:
    layout = figure_as_dict(EVERY_CHART["intervals"])["layout"]
    names = [note["y"] for note in layout["annotations"] if note.get("yref") == "y" and "−" in note["text"]]
    assert len(names) == 2
    spans = [(shape["y0"], shape["y1"]) for shape in layout["shapes"]]
    assert not any(top < name < bottom for name in names for top, bottom in spans)


@pytest.mark.parametrize("name", ["a", "planner:candidates=4,depth=3", 80 * "a"])
def test_a_name_above_a_row_stays_inside_a_phone(name: str) -> None:
    chart = replace(make_histogram([make_series("bloxx-2p", name, 1, 2)]), shape="Quantiles")
    texts = [note["text"] for note in figure_as_dict(chart)["layout"]["annotations"]]
    assert "".join(text for text in texts if text.strip("a") == "" or text == name) == name
    assert max(map(len, texts)) * LETTER_PX < 300


def test_names_are_escaped() -> None:
    strange = [make_series("<b>r</b>", "<i>s</i>", 1)]
    estimates = [make_estimate("<b>r</b>", "<i>s</i>", "<i>part</i>", 1)]
    for figure in (
        figure_as_dict(make_histogram(strange), is_clickable=True),
        figure_as_dict(replace(make_histogram(strange), shape="Quantiles")),
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
    labels = figure["layout"]["annotations"][-3:]
    assert [label["text"].partition("</span> ")[2] for label in labels] == ["a", "b", "far"]
    assert [(label["x"], label["xanchor"]) for label in labels] == [(2, "right"), (2, "right"), (1, "right")]
    assert 0 < labels[2]["yshift"] <= labels[0]["yshift"] < labels[1]["yshift"] <= 30  # above both lines
    assert not figure["layout"]["showlegend"]


def test_long_names_of_two_places_are_wrapped_and_neither_tilted_nor_cut() -> None:
    names = ("BLOXX! (shapes must rest on shapes)", "BLOXX!")
    figure = figure_as_dict(make_columns([make_estimate("r", "greedy", name, 2.0) for name in names]))
    axis = figure["layout"]["xaxis"]
    assert axis["tickangle"] == 0
    assert list(axis["ticktext"]) == ["BLOXX! (shapes must rest<br>on shapes)", "BLOXX!"]
    many = figure_as_dict(
        make_columns([make_estimate("r", "greedy", f"{names[0]} {n}", 2.0) for n in range(9)])
    )
    assert many["layout"]["xaxis"]["tickangle"] == -35
