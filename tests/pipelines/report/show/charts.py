"""A chart of each type and shape, for the tests of both drawers."""

from __future__ import annotations

from dataclasses import replace

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
from pipelines.statistics import Interval
from pipelines.viewer.palette import CHOSEN_LOOK, OTHER_LOOK, SeriesLook

LOOK = SeriesLook("#1F83C2", "dot")
LOOKS = {"greedy": CHOSEN_LOOK, "random": OTHER_LOOK, "pinned": SeriesLook("#8A63D2", "dashdot")}


def make_series(place: str, name: str, *scores: int) -> ScoreSeries:
    found = make_distribution(scores)
    look = LOOKS.get(name, LOOK)
    return ScoreSeries(place, name, found, blocks=len(scores), mean=Interval(2.0, 1.5, 2.5), look=look)


def make_estimate(ruleset: str, strategy: str, at: str | float, mean: float) -> Estimate:
    return Estimate(at, ruleset, strategy, Interval(mean, mean - 1, mean + 1), 10, LOOKS.get(strategy, LOOK))


def make_histogram(all_series: list[ScoreSeries]) -> Histogram:
    return Histogram(all_series, "score in points", "Scores")


def make_intervals(estimates: list[Estimate], *, has_legend: bool = False) -> Intervals:
    return Intervals(estimates, "points", "Means", has_legend=has_legend)


def make_columns(estimates: list[Estimate]) -> Columns:
    return Columns(estimates, "player", "mean score in points", "Means by player")


def make_course(estimates: list[Estimate]) -> Lines:
    return Lines(estimates, "round", "mean score in points", "Means by round")


TWO_RULESETS = [
    make_series("bloxx-2p", "greedy", 1, 2, 2),
    make_series("bloxx-2p", "random", 0, 1),
    make_series("bloxx-3p", "greedy", 3),
]
COURSE = [
    make_estimate("r", name, place, place * factor)
    for name, factor in (("greedy", 3), ("random", 1))
    for place in (1, 2, 3, 4)
]
POINTS = [CalibrationPoint(at, Interval(at + 2, at - 4, at + 7), 1100, 220) for at in (12.5, 55, 90)]
EVERY_CHART: dict[str, Chart] = {
    "histogram": replace(make_histogram(TWO_RULESETS), mark=Mark(2, "here"), shaded=(1, 3)),
    "wide bins": make_histogram([make_series("duo", "greedy", -9, 40, 90), make_series("duo", "random", 1)]),
    "many lines": make_histogram([make_series("duo", f"strategy-{number}", 1, 2) for number in range(6)]),
    "lengths": Histogram([make_series("", "greedy", 12, 14)], "rounds", "Lengths", "game", has_means=False),
    "cumulative": replace(make_histogram(TWO_RULESETS), shape="Cumulative"),
    "quantiles": replace(make_histogram(TWO_RULESETS), shape="Quantiles", mark=Mark(2, "here")),
    "intervals": replace(
        make_intervals([make_estimate("r", name, f"{name} − x", 5) for name in ("greedy", "random")]),
        mark=Mark(0, "equal"),
    ),
    "parts": make_intervals(
        [
            make_estimate(ruleset, name, part, mean)
            for ruleset in ("r", "s")
            for name in ("greedy", "random")
            for part, mean in (
                ("Gaps", -3.0),
                ("Rows with a name so long that no phone shows it in a line", 20.0),
            )
        ],
        has_legend=True,
    ),
    "course": replace(make_course(COURSE), mark=Mark(5, "even")),
    "points": replace(make_course(COURSE), intervals="bars", is_joined=False),
    "names": replace(make_course([make_estimate("r", "", name, 1) for name in ("a", "b")]), intervals="bars"),
    "logarithms": replace(make_course(COURSE), intervals="bars", is_logarithmic=True),
    "columns": make_columns([make_estimate("r", name, 1, 5) for name in ("greedy", "random")]),
    "bars": replace(
        make_columns([make_estimate("", "", f"strategy with a long name {at}", at) for at in range(1, 5)]),
        stands_on_zero=True,
    ),
    "calibration": Calibration([CalibrationLine("games of greedy", POINTS, CHOSEN_LOOK)], "Predictions"),
}
