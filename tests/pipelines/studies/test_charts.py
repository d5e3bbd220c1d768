"""The charts of a study show the numbers that they are made from."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from pipelines.statistics import Interval
from pipelines.statistics.block_sums import BlockSum, block_sums_mean
from pipelines.statistics.distributions import Distribution
from pipelines.studies.charts import Estimate, ScoreSeries, draw_histogram, draw_intervals
from pipelines.viewer.palette import SeriesLook

LOOK, OTHER_LOOK = SeriesLook("#1F83C2", "solid"), SeriesLook("#D55E00", "dash")


def test_the_heights_of_a_histogram_are_the_shares_of_the_results() -> None:
    distribution = Distribution(np.array([3, 4, 6]), np.array([1, 2, 1]))
    drawing = draw_histogram([ScoreSeries("greedy", distribution, None, LOOK)], "Scores", "points")
    (text,) = re.findall(r'points="([^"]*)"', drawing)
    corners = [tuple(map(float, corner.split(","))) for corner in text.split()]
    heights = [100 - y for _, y in corners[1:-1:2]]
    assert len(heights) >= 4
    assert [round(height / heights[1], 3) for height in heights[:4]] == [0.5, 1.0, 0.0, 0.5]
    assert (corners[0], corners[-1]) == ((0, 100), (1000, 100))
    assert "4 results, mean not enough games" in drawing


def test_an_interval_lies_where_its_axis_says() -> None:
    drawing = draw_intervals([Estimate("a − b", Interval(4, 2, 6), LOOK)], "Difference", "points")
    ticks = {
        float(words): float(at)
        for at, words in re.findall(r'x="([\d.]+)%" y="17"[^>]*>([\d.]+)</text>', drawing)
    }
    low, high = (float(at) for at in re.findall(r'x1="([\d.]+)%" x2="([\d.]+)%" y1="15"', drawing)[0])
    (middle,) = re.findall(r'<svg x="([\d.]+)%" y="15"', drawing)
    assert (low, float(middle), high) == pytest.approx((ticks[2], ticks[4], ticks[6]))
    (zero,) = re.findall(r'class="chart-zero" x1="([\d.]+)%"', drawing)
    assert float(zero) == pytest.approx(ticks[0])
    assert "+4.0 (2.0 to 6.0)" in drawing


def test_two_series_differ_without_colour_and_unknown_estimates_are_left_out() -> None:
    distribution = Distribution(np.array([1, 2]), np.array([5, 5]))
    drawing = draw_histogram(
        [ScoreSeries(name, distribution, None, look) for name, look in (("a", LOOK), ("b", OTHER_LOOK))],
        "Scores",
        "points",
    )
    assert re.findall(r'<polyline[^>]*stroke-dasharray="([^"]*)"', drawing) == ["none", "7 4"]
    unknown = Estimate("x", Interval(1, -math.inf, math.inf), LOOK)
    assert "<svg" not in draw_intervals([unknown], "Difference", "points")


def test_a_hostile_name_stays_text_in_a_chart() -> None:
    hostile = '"><script>alert(1)</script>'
    drawing = draw_intervals([Estimate(hostile, Interval(1, 0, 2), LOOK)], hostile, hostile)
    assert "<script" not in drawing
    distribution = Distribution(np.array([1]), np.array([1]))
    assert "<script" not in draw_histogram([ScoreSeries(hostile, distribution, None, LOOK)], hostile, hostile)


def test_a_mean_over_blocks_of_two_sizes_weighs_every_result_equally() -> None:
    rng = np.random.default_rng(5)
    small, large = rng.normal(50, 4, (200, 1)), rng.normal(60, 4, (300, 2))
    sums = [
        BlockSum(block.shape[1], len(block), block.sum(), float((block.sum(axis=1) ** 2).sum()))
        for block in (small, large)
    ]
    mean = block_sums_mean(sums)
    assert mean
    assert mean.estimate == pytest.approx((small.sum() + large.sum()) / 800)
    # 4 points of spread: 200 blocks of one result, 300 of two, 800 results
    error = math.sqrt(200 * 16 + 300 * 2 * 16) / 800
    assert mean.half_width == pytest.approx(1.965 * error, rel=0.1)
    assert block_sums_mean(sums[:0]) is None
