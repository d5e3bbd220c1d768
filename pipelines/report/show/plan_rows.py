"""Make the plan of a chart of rows: estimates on their intervals, and the texts above marks."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from pipelines.report import charts
from pipelines.report.estimates import format_intervals
from pipelines.report.show.chart_plan import (
    CHOSEN_MARK_PX,
    LETTER_PX,
    LINE_PX,
    NARROW_PANEL_PX,
    PART_COLOURS,
    Axis,
    Bar,
    Panel,
    Plan,
    Point,
    RowText,
    Series,
    Tick,
    format_tick,
    round_ticks,
    widen_ends,
)
from pipelines.report.wording import format_count, hide_folders
from pipelines.viewer.palette import SeriesLook

MAX_ROW_CHARACTERS: Final = 44
"""Characters of a line above a row: a phone of 390 pixels has room for them. A longer one is broken."""
ROW_MARK_PX: Final = 16
"""Height of a mark on its interval, below the name of its row."""
ROW_GAP_PX: Final = 8
ROUGH_FACTOR: Final = 3
"""How many times as wide as most others an interval is that does not set the scale."""
MAX_STRETCH: Final = 2
"""How many times as long an axis may be for the sake of such intervals."""
GOES_ON: Final = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE} the interval goes on"


def plan_intervals(chart: charts.Intervals) -> Plan | None:
    """Return a row for each place, and in it a mark for each strategy. A mark that is alone has its numbers beside its name."""
    known = [estimate for estimate in chart.estimates if all(map(math.isfinite, estimate.mean))]
    if not known:
        return None
    marked = chart.mark[:1] if chart.mark else [0.0] * chart.starts_at_zero
    low, high = _find_scale(known, marked)
    goes_on = (
        f" ({GOES_ON})" if any(low > point.mean.low or point.mean.high > high for point in known) else ""
    )
    ticks = [Tick(at, format_tick(at)) for at in round_ticks(low, high, 7)]
    axis = Axis(low, high, ticks, f"{chart.axis}{goes_on}")
    plan = Plan(chart.title, [], axis, None, chart.has_legend or bool(chart.part_names), chart.mark)
    numbers = format_intervals([estimate.mean for estimate in known], signed=chart.mark is not None)
    words = dict(zip(map(id, known), numbers, strict=True))
    texts = {
        id(estimate): f"{words[id(estimate)]}{f', n = {estimate.n:,}' if chart.has_counts else ''}"
        for estimate in known
    }
    is_beside = fit_beside((format_tick(estimate.at), texts[id(estimate)]) for estimate in known)
    for lines in charts.group_estimates(known):
        estimates = [point for line in lines for point in line]
        described = (_describe_row(chart, estimate, words[id(estimate)]) for estimate in estimates)
        panel = Panel(write_heading([lines[0][0].panel]), f"{chart.title}: {'; '.join(described)}.", 0)
        heights: dict[int, float] = {}
        for place in charts.list_places(lines):
            beside = [estimate for estimate in estimates if estimate.at == place]
            text = texts[id(beside[0])] if len(beside) == 1 else ""
            share = axis.share(beside[0].mean.estimate)
            add_row_texts(panel, format_tick(place), text, share, is_beside=is_beside)
            for number, estimate in enumerate(beside):
                heights[id(estimate)] = panel.height + ROW_MARK_PX * (number + 0.5)
            bottom = panel.height + ROW_MARK_PX * len(beside)
            panel.zones.append((panel.height, bottom))
            panel.height = bottom + ROW_GAP_PX
        panel.series = _draw_parts(chart, heights, estimates) + [
            Series(
                hide_folders(line[0].name),
                line[0].look,
                points=[
                    Point(
                        point.mean.estimate,
                        heights[id(point)],
                        _describe_row(chart, point, words[id(point)]),
                        (max(low, point.mean.low), min(high, point.mean.high)),
                        (point.name, format_tick(point.at)),
                        *([CHOSEN_MARK_PX] * point.is_chosen),
                    )
                    for point in line
                ],
                lies_across=True,
                is_named=chart.has_legend,
            )
            for line in lines
        ]
        panel.series += [arrows for line in lines for arrows in _draw_arrows(line, axis, heights)]
        plan.panels.append(panel)
    return plan


def _find_scale(estimates: Sequence[charts.Estimate], marked: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the axis: those of all intervals, unless a few that are much wider than most would crush all others."""
    widths = sorted(estimate.mean.high - estimate.mean.low for estimate in estimates)
    limit = ROUGH_FACTOR * widths[(len(widths) - 1) // 2]
    exact = [estimate for estimate in estimates if estimate.mean.high - estimate.mean.low <= limit]
    every = [*charts.list_ends(estimates), *marked]
    some = [*charts.list_ends(exact), *(estimate.mean.estimate for estimate in estimates), *marked]
    span = max(some) - min(some)
    return widen_ends(some if 0 < MAX_STRETCH * span < max(every) - min(every) else every)


def _draw_arrows(line: Sequence[charts.Estimate], axis: Axis, heights: dict[int, float]) -> Iterator[Series]:
    """Yield arrows at the ends of the axis for the intervals of a line that go on there."""
    sides = (("triangle-left", axis.low, -1), ("triangle-right", axis.high, 1))
    for symbol, end, sign in sides:
        beyond = [
            point for point in line if sign * (point.mean.high if sign > 0 else point.mean.low) > sign * end
        ]
        points = [Point(end, heights[id(point)], GOES_ON) for point in beyond]
        if points:
            yield Series(
                hide_folders(line[0].name), line[0].look, points=points, symbol=symbol, is_named=False
            )


def _draw_parts(
    chart: charts.Intervals, heights: dict[int, float], estimates: Sequence[charts.Estimate]
) -> list[Series]:
    """Return the bars of each part of some estimates, in greys so that marks and intervals are seen on them."""
    series = []
    for at, (name, colour) in enumerate(zip(chart.part_names, PART_COLOURS, strict=False)):
        bars = [Bar(heights[id(row)], (sum(row.parts[:at]), sum(row.parts[: at + 1]))) for row in estimates]
        series.append(Series(name, SeriesLook(colour, "solid"), bars=bars))
    return series


def _describe_row(chart: charts.Intervals, estimate: charts.Estimate, words: str) -> str:
    """Return an estimate with its row, its line and its n."""
    name = f", {hide_folders(estimate.name)}" if chart.has_legend else ""
    count = f", {format_count(estimate.n, chart.unit)}" if estimate.n else ""
    return f"{hide_folders(format_tick(estimate.at))}{name}: {words}{count}"


def write_heading(words: Sequence[str]) -> list[str]:
    """Return the lines of the heading of a panel, whose name comes first; a panel without a name has none."""
    return charts.wrap_words(hide_folders(words)) if words[0] else []


def add_row_texts(panel: Panel, name: str, words: str, share: float, *, is_beside: bool) -> None:
    """Write a name and numbers above the next mark of a panel, in one line or two. The mark stands at a share of the width.

    The numbers stand above the middle of their mark, or as near to it as the name before them and the end of the line allow.
    """
    line = ""
    for line in textwrap.wrap(hide_folders(name), MAX_ROW_CHARACTERS) or [""]:
        panel.rows.append(RowText(line, panel.height, is_name=True))
        panel.height += LINE_PX
    if words and not is_beside:
        panel.height += LINE_PX
    if words:
        before = LETTER_PX * (len(line) + 2) if is_beside else 0.0
        width = LETTER_PX * len(words)
        first = (before + width / 2) / NARROW_PANEL_PX
        last = max(first, 1 - width / 2 / NARROW_PANEL_PX)
        # Shares of a mark at the ends, and where the middle of the numbers can stand above it also on the narrowest page.
        shift = np.interp(share, (0, first, last, 1), (before, -width / 2, -width / 2, -width))
        panel.rows.append(RowText(words, panel.height - LINE_PX, round(share, 4), round(float(shift), 1)))


def fit_beside(texts: Iterable[tuple[str, str]]) -> bool:
    """Return whether a phone has room for each name and its numbers in one line."""
    return all(len(name) + len(words) < MAX_ROW_CHARACTERS for name, words in texts)
