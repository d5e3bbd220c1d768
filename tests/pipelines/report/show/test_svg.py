"""Charts as SVG show the numbers that they are made from."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    find_bins,
    list_panel_words,
    make_distribution,
    write_line_label,
)
from pipelines.report.show.chart_plan import FILL_OPACITY, LETTER_PX, LINE_WIDTH, find_dash, round_ticks
from pipelines.report.show.html import draw_chart, draw_picture, draw_thumbnail
from pipelines.report.show.plan_charts import plan_chart
from pipelines.statistics import Interval
from pipelines.viewer.palette import CHOSEN_LOOK, OTHER_LOOK, SeriesLook, assign_looks


def make_series(name: str, *scores: int, panel: str = "duo", mean: Interval | None = None) -> ScoreSeries:
    return ScoreSeries(panel, name, make_distribution(scores), len(scores), mean, CHOSEN_LOOK)


def draw_scores(*series: ScoreSeries) -> str:
    return str(draw_chart(Histogram(series, "score in points", "Scores")))


def outline_corners(drawing: str) -> list[tuple[float, float]]:
    (text,) = re.findall(r'<polyline points="([^"]*)"', drawing)
    corners = [tuple(map(float, corner.split(","))) for corner in text.split()]
    return [(x, y) for x, y in corners]


def test_the_heights_of_a_histogram_are_the_shares_of_the_results() -> None:
    drawing = draw_scores(make_series("greedy", 3, 4, 4, 6))
    corners = outline_corners(drawing)
    heights = [100 - y for _, y in corners[3::2]]
    assert [round(height / heights[1], 3) for height in heights[:4]] == [0.5, 1.0, 0.0, 0.5]
    assert (corners[0], corners[-1]) == ((0, 100), (1000, 100))
    assert "4 results, mean not enough games" in drawing
    assert f'fill-opacity="{FILL_OPACITY}"' in drawing
    assert f'stroke-width="{LINE_WIDTH}"' in drawing


def test_an_interval_lies_where_its_axis_says() -> None:
    estimate = Estimate("a − b", "duo", "a", Interval(4, 2, 6), 10, CHOSEN_LOOK)
    drawing = draw_chart(Intervals([estimate], "points", "Difference", mark=Mark(0)))
    ticks = {
        float(words): float(at)
        for at, words in re.findall(r'<svg x="([\d.]+)%" y="100%"[^>]*><text [^>]*>([\d.]+)</text>', drawing)
    }
    (ends,) = re.findall(r'<line x1="([\d.]+)%" x2="([\d.]+)%"[^>]*stroke-width="3.0"', drawing)
    (middle,) = re.findall(r'<svg x="([\d.]+)%" y="[\d.]+%" overflow="visible">\s*<path', drawing)
    assert (float(ends[0]), float(middle), float(ends[1])) == pytest.approx(
        (ticks[2], ticks[4], ticks[6]), abs=0.02
    )
    (zero,) = re.findall(r'class="chart-level zone" x1="([\d.]+)%"', drawing)
    assert float(zero) == pytest.approx(ticks[0], abs=0.02)
    assert "+4.0 (2.0 to 6.0)" in drawing


def test_series_differ_without_colour() -> None:
    series = [
        ScoreSeries("duo", name, make_distribution([1, 2]), 2, None, look)
        for name, look in (("a", CHOSEN_LOOK), ("b", OTHER_LOOK), ("c", SeriesLook("#8A63D2", "dashdot")))
    ]
    found = re.findall(r'<polyline[^>]*stroke-dasharray="([^"]*)"', draw_scores(*series))
    assert found == ["none", "2 3", "7 3 2 3"]
    looks = assign_looks(["greedy", "mcts", "noisy", "planner", "random"]).values()
    assert len({look.symbol for look in looks}) == len({find_dash(look) for look in looks}) == len(looks)


def test_what_is_not_known_is_left_out() -> None:
    unknown = Estimate("x", "duo", "x", Interval(1, -math.inf, math.inf), 10, CHOSEN_LOOK)
    for estimates in ([unknown], []):
        assert not draw_chart(Intervals(estimates, "points", "Difference")).strip()
    assert not draw_scores()
    assert not draw_chart(Lines([], "round", "points", "Course"))
    one = draw_chart(Intervals([Estimate("x", "", "x", Interval(0, 0, 0), 9, CHOSEN_LOOK)], "points", "None"))
    assert "0 (all equal)" in one
    assert "polyline" in draw_scores(make_series("one", 5))


def test_a_hostile_name_stays_text_in_a_chart() -> None:
    hostile = '"><script>alert(1)</script>'
    estimate = Estimate(1, hostile, hostile, Interval(1, 0, 2), 10, CHOSEN_LOOK)
    point = CalibrationPoint(10, Interval(12, 9, 15), 100, 20)
    charts: list[Chart] = [
        Histogram([make_series(hostile, 1, panel=hostile), make_series("b", 1)], hostile, hostile, hostile),
        Intervals([estimate], hostile, hostile),
        Lines([estimate], hostile, hostile, hostile, mark=Mark(0, hostile)),
        Calibration([CalibrationLine(hostile, [point], CHOSEN_LOOK)], hostile),
    ]
    for chart in charts:
        assert "<script" not in draw_chart(chart)
        assert "alert(1)" in draw_chart(chart)
    assert "<script" not in draw_picture([chart for chart in charts if isinstance(chart, Lines)], hostile)
    for chart in charts:
        if isinstance(chart, Histogram):
            thumbnail = draw_thumbnail(chart)
            assert re.search("<polyline ", thumbnail)
            assert "script" not in thumbnail, "it has no texts"


def test_the_numbers_of_axes_are_round_and_lie_in_their_range() -> None:
    for low, high in ((-7.3, 42.1), (0, 0.23), (1000, 1001), (-3e6, 12), (5, 5)):
        for most in (4, 7):
            ticks = round_ticks(low, high, most)
            assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)
            assert len(ticks) <= most + 1


def test_a_picture_has_its_title_its_caption_and_its_fonts() -> None:
    chart = Histogram([make_series("greedy", 3, 4, 4, 6)], "score in points", "Scores")
    picture = draw_picture(
        [chart], "A title that is so long that a picture shows it in two lines. " * 2, "Four results."
    )
    assert len(re.findall(r'<text class="chart-title"', picture)) == 2
    assert re.search(r'<text class="chart-caption"[^>]*>Four results.</text>', picture)
    assert picture.count("data:font/woff2;base64,") == 2
    assert "prefers-color-scheme" not in picture, "it is read on paper and on slides"
    height = float(re.search(r'height="([\d.]+)"', picture).group(1))  # type: ignore[union-attr]
    assert max(float(y) for y in re.findall(r'<text [^>]*y="([\d.]+)"', picture)) < height
    on_pages = draw_picture([chart], "Title", is_for_pages=True)
    assert "woff2" not in on_pages
    assert "prefers-color-scheme: dark" in on_pages
    assert draw_picture([Histogram([], "score in points", "Scores")], "Title") == ""


def test_a_bin_is_named_by_its_scores() -> None:
    narrow, wide = find_bins([make_series("a", 3, 5)]), find_bins([make_series("a", 0, 79)])
    assert (narrow.names, narrow.middles) == (["3", "4", "5"], [3, 4, 5])
    assert (wide.names[:2], wide.middles[:2], wide.width) == (["0 to 1", "2 to 3"], [0.5, 2.5], 2)


def test_the_means_of_a_chart_have_the_same_decimals() -> None:
    means = [Interval(44.62, 44.16, 45.08), Interval(45.7, 43.7, 47.7)]
    series = [make_series(name, 40, 50, mean=mean) for name, mean in zip("ab", means, strict=True)]
    shown = re.findall(r"mean ([^<]+ to [^<]+\))</", draw_scores(*series))
    assert shown == ["44.6 (44.2 to 45.1)", "45.7 (43.7 to 47.7)"], "at the marks"


def test_the_label_of_a_line_has_its_mean() -> None:
    series = make_series("a", 1, 2, mean=Interval(-1.5, -1.6, -1.4))
    assert write_line_label(series, None, 15) == "a: −1.50 ± 0.10"
    assert write_line_label(series, None, 14) == "a:\n−1.50 ± 0.10"
    assert write_line_label(make_series("a", 1, 2), None, 15) == "a: 1.5"


@pytest.mark.parametrize("panel_px", [330, 215])
def test_a_label_stands_above_the_lines_in_its_place_and_beside_other_labels(panel_px: int) -> None:
    before = make_series("as played", *range(-30, 0), *[-20] * 6, mean=Interval(-16.7, -18.4, -14.8))
    after = make_series("with the change", *range(5, 32), *[28] * 6, mean=Interval(21.7, 20.1, 23.1))
    plan = plan_chart(Histogram([before, after], "score", "Scores", mark=Mark(0, "no change")), panel_px)
    assert plan
    assert plan.upright
    (panel,) = plan.panels
    boxes = []
    for label in panel.labels:
        lines = label.text.split("\n")
        width = max(map(len, lines)) * 6.2 / panel_px
        left = plan.across.share(label.x) - {"left": 0, "center": width / 2, "right": width}[label.anchor]
        boxes.append((left, left + width, label.lift, label.lift + 15 * len(lines)))
        assert left > -0.05
        assert left + width < 1.05
        assert label.lift + 15 * len(lines) < panel.height + 2
        for series in panel.series:
            for x, y in zip(series.path.x, series.path.y, strict=True) if series.path else ():
                if left < plan.across.share(x) < left + width:
                    assert plan.upright.share(y) * panel.height <= label.lift + 1
    (left, right, low, high), (other_left, other_right, other_low, other_high) = boxes
    assert right <= other_left or other_right <= left or high <= other_low or other_high <= low


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.tuples(st.integers(-55, 69), st.floats(-5, 5)), min_size=2, max_size=4),
    st.sampled_from([215, 330]),
)
def test_no_name_of_a_line_lies_on_an_outline(lines: list[tuple[int, float]], panel_px: int) -> None:
    all_series = [
        make_series(
            f"ruleset {at}", -55, 69, *[peak] * 5, mean=Interval(peak + off, peak + off - 1, peak + off + 1)
        )
        for at, (peak, off) in enumerate(lines)
    ]
    plan = plan_chart(Histogram(all_series, "score", "Scores"), panel_px)
    assert plan
    assert plan.upright
    (panel,) = plan.panels
    for label in panel.labels:
        width = LETTER_PX * max(map(len, label.text.split("\n"))) / panel_px
        left = plan.across.share(label.x) - {"left": 0, "center": width / 2, "right": width}[label.anchor]
        for path in [series.path for series in panel.series if series.path]:
            shares = [plan.across.share(x) for x in path.x]
            under = [
                y
                for y, (start, end) in zip(path.y, pairwise(shares), strict=False)
                if start < left + width and left < end
            ]
            assert plan.upright.share(max(under)) * panel.height <= label.lift + 1


@pytest.mark.parametrize("mean", [-30.0, -3.0, 5.0, 30.0])
def test_the_line_of_a_mark_runs_beside_the_label_of_a_mean_near_it(mean: float) -> None:
    series = make_series("change in score", *range(-300, 301, 7), mean=Interval(mean, mean - 10, mean + 9))
    plan = plan_chart(Histogram([series], "change", "Change", mark=Mark(0, "no change")))
    assert plan
    ((label,),) = (panel.labels for panel in plan.panels)
    assert label.anchor == ("right" if mean < 0 else "left")


def test_a_line_without_a_name_is_described_by_its_places() -> None:
    points = [Estimate(at, "", "", Interval(at, at, at), 0, CHOSEN_LOOK) for at in (14, 15)]
    plan = plan_chart(Columns(points, "rounds", "games", "Games by rounds", stands_on_zero=True))
    assert plan
    assert plan.words.startswith("Games by rounds: rounds 14: 14")


def test_an_axis_reaches_its_mark_unless_the_mark_is_far_away() -> None:
    series = make_series("change", *range(20, 51))
    near, far = (plan_chart(Histogram([series], "change", "Change", mark=Mark(at))) for at in (0, -100))
    assert near
    assert near.mark
    assert near.across.low <= 0
    assert near.across.low < near.panels[0].series[0].path.x[0]  # type: ignore[union-attr]
    assert far
    assert far.mark is None
    assert far.across.low > 0


def test_an_axis_of_scores_is_labelled_to_its_end() -> None:
    plan = plan_chart(Histogram([make_series("greedy", *range(-60, 60))], "final score", "Scores"))
    assert plan
    assert (plan.across.ticks[0].at, plan.across.ticks[-1].at, plan.across.high) == (-60, 60, 60)


@pytest.mark.parametrize(
    ("panel", "words"),
    [
        ([make_series("greedy", 1, 2), make_series("random", 0, 1)], ["duo", "n = 2 each"]),
        ([make_series("greedy", 1, 2, panel="duo · greedy")], ["duo · greedy", "n = 2"]),
        ([make_series("greedy", 1, 2)], ["duo", "greedy n = 2"]),
        (
            [make_series(name, *range(n)) for name, n in (("a", 5), ("b", 3), ("c", 5), ("d", 3))],
            ["duo", "a, c n = 5 each", "b, d n = 3 each"],
        ),
    ],
)
def test_a_heading_repeats_no_name_and_no_number(panel: list[ScoreSeries], words: list[str]) -> None:
    assert list_panel_words(panel) == words


@pytest.mark.parametrize("heights", [(10.0, 8.0, 2.0), (2.0, 8.0, 10.0), (10.0, 2.0, 2.0), (5.0, 9.0, 5.0)])
def test_no_line_strikes_through_the_name_at_its_end(heights: tuple[float, ...]) -> None:
    """A name stands above all lines along its whole length, also where its own line falls to its end, and within the panel."""
    names = {"planner": 0.0, "greedy": -0.8, "random": -6.0}
    chart = Lines(
        [
            Estimate(place, "", name, Interval(y + lower, y + lower - 0.1, y + lower + 0.1), 9, OTHER_LOOK)
            for name, lower in names.items()
            for place, y in enumerate(heights)
        ],
        "gap penalty",
        "points",
        "Scores",
        has_points=True,
    )
    plan = plan_chart(chart)
    assert plan is not None
    assert plan.upright
    (panel,) = plan.panels
    assert {label.text for label in panel.labels} == {*names}
    for label in panel.labels:
        low = plan.upright.share(label.y) * panel.height + label.lift
        right = plan.across.share(label.x)
        shares = np.linspace(right - 7 * len(label.text) / 330, right, 20)
        places = plan.across.low + shares * (plan.across.high - plan.across.low)
        assert low + 15 <= panel.height + 1
        for series in panel.series:
            assert series.path
            heights_px = [
                plan.upright.share(y) * panel.height
                for y in np.interp(places, series.path.x, series.path.y).tolist()
            ]
            assert all(height <= low or height >= low + 15 for height in heights_px)
