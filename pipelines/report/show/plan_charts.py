"""Make the plan of a chart: what each type shows, and where. All panels of a chart have the same scales."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile, zip_longest
from typing import Final

from pipelines.report import charts
from pipelines.report.estimates import format_interval, format_intervals, share_decimals
from pipelines.report.show.chart_plan import (
    LABEL_PX,
    LABEL_SHARE,
    LABEL_SHARE_BESIDE_MARK,
    LETTER_PX,
    LINE_PX,
    NARROW_PANEL_PX,
    SCALING_ROUNDS,
    TILTED_CHARACTERS,
    Axis,
    Band,
    Box,
    Label,
    Panel,
    Path,
    Plan,
    Point,
    Series,
    Size,
    Tick,
    crop_panels,
    format_tick,
    place_end_labels,
    place_outline_labels,
    round_ticks,
    widen_ends,
)
from pipelines.report.show.plan_rows import (
    ROW_GAP_PX,
    add_row_texts,
    fit_beside,
    plan_intervals,
    write_heading,
)
from pipelines.report.wording import format_count, hide_folders

MAX_LABELS: Final = 5
"""Lines of a panel that have labels; with more lines the labels would hide them, and there is a legend."""
MAX_MARKED_POINTS: Final = 60
"""Points of a line that have marks; more would hide the line."""
MAX_NAMED_PLACES: Final = 12
"""Numbers below columns; with more columns only round numbers stand there."""
MAX_NAME_LINES: Final = 3
"""Lines of a name below an axis; names that need more are tilted."""
TILTED_NAME_PX: Final = 18
"""Room that a tilted name takes along the axis."""
ROW_BOX_PX: Final = 22
"""Height of a box, with the space around it."""
ROW_SHARE: Final = 0.7
"""The share of a column that the marks of its strategies take."""
MAX_OFFSET: Final = 0.08
"""The largest distance between the marks of two strategies, in columns."""


def plan_chart(chart: charts.Chart, panel_px: int = NARROW_PANEL_PX) -> Plan | None:
    """Return what is drawn of a chart; None if there is nothing to draw. Estimates that are not known are left out.

    Labels of histograms have room in panels of `panel_px` and wider ones.
    """
    if isinstance(chart, charts.Histogram) and chart.shape == "Histogram":
        return _plan_bins(chart, panel_px) if chart.series else None
    if isinstance(chart, charts.Histogram):
        plans = {"Cumulative": _plan_cumulative_shares, "Quantiles": _plan_boxes}
        return plans[chart.shape](chart) if chart.series else None
    if isinstance(chart, charts.Intervals):
        return plan_intervals(chart)
    if isinstance(chart, charts.Columns):
        return _plan_columns(chart)
    return _plan_calibration(chart) if isinstance(chart, charts.Calibration) else _plan_lines(chart)


def _panel_height(panels: int) -> int:
    return 230 if panels == 1 else 150 if panels < 4 else 110


def _plan_bins(chart: charts.Histogram, panel_px: int) -> Plan:
    """Return the outlines of the shares of each bin, all on the same bins.

    The label of a line stands at its mean. A panel without a name has a legend with the numbers of results.
    """
    bins, panels = charts.find_bins(chart.series), chart.panels
    has_heads = bool(panels[0][0].panel)
    height = _panel_height(len(panels)) + (LINE_PX * max(map(len, panels)) if has_heads else 0)
    is_labelled = has_heads and max(map(len, panels)) <= MAX_LABELS
    decimals = share_decimals([series.mean for series in chart.series])
    labels: Sequence[Sequence[Label]] = [()] * len(panels)
    highest = max(float(bins.shares(series).max()) for series in chart.series)
    top = 1.06 * highest
    edges = [float(edge) - 0.5 for edge in (bins.edges[0], *bins.edges)]
    whole_end = edges[-1] + (0.5 if bins.width > 1 else 0)  # where a tick names it
    plan = _plan_distributions(chart, edges[0], whole_end, height)
    if is_labelled:
        share = LABEL_SHARE_BESIDE_MARK if plan.mark else LABEL_SHARE
        max_characters = int(share * panel_px / LETTER_PX)
        texts = [
            [hide_folders(charts.write_line_label(curve, decimals, max_characters)) for curve in panel]
            for panel in panels
        ]
        size = Size(panel_px, height)
        labels, top = place_outline_labels(panels, texts, bins, plan.across, size, plan.mark)
    plan.bins, plan.has_legend = bins, not is_labelled
    shares = [Tick(at, f"{100 * at:g} %") for at in round_ticks(0, highest, 4) if at]
    plan.upright = Axis(0, top, shares, f"share of {chart.unit}s")
    if bins.width > 1:
        plan.across = plan.across._replace(title=f"{chart.axis}, in bins of {bins.width}")
    for panel, drawn, placed in zip(panels, plan.panels, labels, strict=True):
        name_lines = charts.list_panel_words(panel, name_lines=not is_labelled)
        drawn.heading = write_heading(name_lines)
        drawn.labels = placed
        for curve in panel:
            name = curve.name if has_heads else f"{curve.name} n = {curve.scores.n:,}"
            drawn.series.append(
                Series(hide_folders(name), curve.look, path=_outline(curve, bins, edges, chart))
            )
        if chart.has_means:
            drawn.series += [_mark_mean(chart, curve) for curve in panel]
    if len(panels) > 1:
        crop_panels(plan, panels, bins, height / top)
    return plan


def _outline(
    series: charts.ScoreSeries, bins: charts.Bins, edges: list[float], chart: charts.Histogram
) -> Path:
    shares = bins.shares(series).tolist()
    words = [
        f"{name}: {100 * share:.1f} % ({format_count(count, chart.unit)})"
        for name, share, count in zip(bins.names, shares, bins.count_scores(series).tolist(), strict=True)
    ]
    heights = [0.0, *(round(share, 6) for share in shares), 0.0]
    return Path(edges, heights, [words[0], *words, words[-1]], is_stepped=True, is_filled=True)


def _mark_mean(chart: charts.Histogram, series: charts.ScoreSeries) -> Series:
    """Return a triangle on the axis at the mean of a series, with its interval."""
    mean, ends = (series.mean.estimate, series.mean[1:]) if series.mean else (series.scores.mean, None)
    words = f"{hide_folders(series.name)}: mean {_write_means(chart)[id(series)]}"
    point = Point(mean, 0, words, ends)
    return Series(
        series.name, series.look, points=[point], symbol="triangle-up", lies_across=True, is_named=False
    )


def _plan_cumulative_shares(chart: charts.Histogram) -> Plan:
    """Return the share of the results up to each score, with a band that contains the whole true curve with 95 %."""
    low = min(float(series.scores.values[0]) for series in chart.series)
    high = max(float(series.scores.values[-1]) for series in chart.series)
    plan = _plan_distributions(chart, low - 0.5, high + 0.5, _panel_height(len(chart.panels)))
    plan.upright = Axis(0, 1.02, [Tick(at / 4, f"{25 * at} %") for at in range(5)], "share up to this score")
    plan.has_legend = max(map(len, chart.panels)) > 1
    for panel, drawn in zip(chart.panels, plan.panels, strict=True):
        for series in panel:
            x = [*series.scores.values.tolist(), plan.across.high]
            curve, bottom, top = (
                [round(share, 4) for share in (*shares.tolist(), float(shares[-1]))]
                for shares in (series.scores.shares_up_to, *charts.find_band(series))
            )
            words = [
                f"{100 * share:.1f} %: {format_tick(at)} or less" for at, share in zip(x, curve, strict=True)
            ]
            drawn.series.append(
                Series(
                    hide_folders(series.name),
                    series.look,
                    path=Path([x[0], *x], [0.0, *curve], [words[0], *words], is_stepped=True),
                    band=Band(x, bottom, top, is_stepped=True),
                )
            )
    return plan


def _plan_boxes(chart: charts.Histogram) -> Plan:
    """Return a row for each series: its 5, 25, 50, 75 and 95 % quantiles, and its mean on its interval."""
    quantiles = {
        id(series): [series.scores.quantile(share) for share in charts.QUANTILES] for series in chart.series
    }
    ends = [end for row in quantiles.values() for end in row] + ([chart.mark.at] if chart.mark else [])
    plan = _plan_distributions(chart, *widen_ends(ends), 0)
    plan.upright = None
    plan.across = plan.across._replace(
        ticks=[Tick(at, format_tick(at)) for at in round_ticks(*plan.across[:2], 5)]
    )
    means = _write_means(chart)
    texts = {
        id(series): f"{format_count(series.scores.n, chart.unit)}, mean {means[id(series)]}"
        for series in chart.series
    }
    is_beside = fit_beside((series.name, texts[id(series)]) for series in chart.series)
    for panel, drawn in zip(chart.panels, plan.panels, strict=True):
        drawn.heading = write_heading([panel[0].panel])
        for curve in panel:
            estimate, *bounds = curve.mean or (curve.scores.mean,)
            share = plan.across.share(estimate)
            add_row_texts(drawn, curve.name, texts[id(curve)], share, is_beside=is_beside)
            middle = drawn.height + ROW_BOX_PX / 2
            mean = Point(
                estimate, middle, f"mean {means[id(curve)]}", (bounds[0], bounds[1]) if bounds else None
            )
            drawn.series.append(
                Series(
                    hide_folders(curve.name),
                    curve.look,
                    box=Box(middle, quantiles[id(curve)]),
                    points=[mean],
                    symbol="diamond",
                    lies_across=True,
                )
            )
            drawn.zones.append((drawn.height, drawn.height + ROW_BOX_PX))
            drawn.height += ROW_BOX_PX + ROW_GAP_PX
    return plan


def _plan_distributions(chart: charts.Histogram, low: float, high: float, height: int) -> Plan:
    """Return the panels of distributions without their series; the numbers of the shared axis are whole.

    The axis reaches the mark. A mark so far away that it would take more than half of the axis is left out.
    """
    mark = chart.mark
    if mark:
        reach = min(low, mark.at - 0.5), max(high, mark.at + 0.5)
        if reach[1] - reach[0] <= 2 * (high - low):
            low, high = reach
        else:
            mark = None
    ticks = [Tick(at, format_tick(at)) for at in round_ticks(low, high, 7) if at.is_integer()]
    means = _write_means(chart)
    panels = [
        Panel(
            write_heading(charts.list_panel_words(panel)),
            f"{chart.title}{f', {panel[0].panel}' if len(chart.panels) > 1 else ''}: "
            + "; ".join(
                f"{hide_folders(curve.name)}, {format_count(curve.scores.n, chart.unit)}, mean {means[id(curve)]}"
                for curve in panel
            )
            + ".",
            height,
        )
        for panel in chart.panels
    ]
    shaded = (chart.shaded[0] - 0.5, chart.shaded[1] + 0.5) if chart.shaded else None
    return Plan(chart.title, panels, Axis(low, high, ticks, chart.axis), None, mark=mark, shaded=shaded)


def _plan_lines(chart: charts.Lines) -> Plan | None:
    """Return lines over numbers with their intervals: as bands with names at their ends, or as marks with a legend.

    Places that are names have no order, so their marks are never joined.
    """
    known = _list_known(chart.estimates)
    if not known:
        return None
    groups = charts.group_estimates(known)
    places = _find_places(known)
    has_order = all(isinstance(estimate.at, int | float) for estimate in known)
    has_bands = chart.intervals == "band" and has_order
    across = _scale_lines(chart, places, has_bands=has_bands and not chart.has_points)
    plan = _plan_estimates(chart, groups, across, chart.mark)
    plan.mark = chart.place_mark
    is_named_across = all(estimate.at == estimate.name for estimate in known)
    plan.has_legend = max(map(len, groups)) > 1 and not is_named_across
    for lines, panel in zip(groups, plan.panels, strict=True):
        for line in lines:
            points = _list_points(chart, line, places)
            x, y = [point.x for point in points], [point.y for point in points]
            series = Series(hide_folders(line[0].name), line[0].look)
            if has_bands or (chart.is_joined and has_order):
                series.path = Path(x, y, [point.words for point in points])
            if has_bands:
                low, high = (
                    [
                        point.mean[end] if math.isfinite(point.mean[end]) else point.mean.estimate
                        for point in line
                    ]
                    for end in (1, 2)
                )
                series.band = Band(x, low, high)
                series.points = [point._replace(ends=None) for point in points] if chart.has_points else ()
            elif len(points) <= MAX_MARKED_POINTS or not series.path:
                series.points = points
            panel.series.append(series)
    if has_bands and max(map(len, groups)) <= MAX_LABELS and plan.upright:
        plan.has_legend = False
        _name_line_ends(plan, plan.upright)
    return plan


def _name_line_ends(plan: Plan, upright: Axis) -> None:
    """Place the names at the ends of lines, and extend the upright axis until they stand within the panels."""
    for _ in range(SCALING_ROUNDS):
        plan.upright, above = upright, 0.0
        for panel in plan.panels:
            panel.labels = place_end_labels(panel.series, plan.across, upright, panel.height)
            tops = [upright.share(label.y) + (label.lift + LABEL_PX) / panel.height for label in panel.labels]
            above = max([above, *(top - 1 for top in tops)])
        if above <= 0:
            return
        upright = upright._replace(high=upright.high + above * (upright.high - upright.low))


def _scale_lines(chart: charts.Lines, places: dict[str | float, float], *, has_bands: bool) -> Axis:
    """Return the axis of the places. Marks at its ends need room, and bands need none."""
    low, high = min(places.values()), max(places.values())
    if chart.is_logarithmic:
        return Axis(low / 1.3, high * 1.3, _name_places(places), chart.across, is_logarithmic=True)
    if not all(isinstance(at, int | float) for at in places):
        return _scale_names(places, chart.across)
    if low == high:
        low, high = low - 0.5, high + 0.5
    room = 0 if has_bands else 0.03 * (high - low)
    ticks = _list_ticks(low, high, 7, is_whole=_are_whole(places.values()))
    return Axis(low - room, high + room, ticks, chart.across)


def _plan_columns(chart: charts.Columns) -> Plan | None:
    """Return bars on zero or marks, the strategies of a place beside each other. Places have no order, so nothing is joined."""
    known = _list_known(chart.estimates)
    if not known:
        return None
    groups, places = charts.group_estimates(known), _find_places(known)
    at = sorted(places.values())
    gap = min((high - low for low, high in pairwise(at)), default=1.0)
    low, high = at[0] - gap / 2, at[-1] + gap / 2
    is_numeric = all(isinstance(place, int | float) for place in places)
    if not is_numeric:
        across = _scale_names(places, chart.across)
    elif len(places) <= MAX_NAMED_PLACES:
        across = Axis(low, high, _name_places(places), chart.across)
    else:
        across = Axis(low, high, _list_ticks(low, high, 7, is_whole=_are_whole(at)), chart.across)
    plan = _plan_estimates(chart, groups, across, charts.Mark(0) if chart.stands_on_zero else chart.mark)
    plan.has_legend = max(map(len, groups)) > 1
    for lines, panel in zip(groups, plan.panels, strict=True):
        width = gap * (0.8 / len(lines) if chart.stands_on_zero else min(MAX_OFFSET, ROW_SHARE / len(lines)))
        for number, line in enumerate(lines):
            offset = round((number - (len(lines) - 1) / 2) * width, 4)
            points = [point._replace(x=point.x + offset) for point in _list_points(chart, line, places)]
            bar_width = width if chart.stands_on_zero else 0.0
            panel.series.append(
                Series(hide_folders(line[0].name), line[0].look, points=points, bar_width=bar_width)
            )
    return plan


def _plan_calibration(chart: charts.Calibration) -> Plan | None:
    """Return what happened over what was predicted; right predictions lie on the diagonal, which has no marks."""
    if not chart.lines:
        return None
    plan = _plan_lines(chart.as_lines)
    if plan:
        ticks = [Tick(at, format_tick(at)) for at in range(0, 101, 20)]
        plan.across, plan.upright = (Axis(-2, 102, ticks, title) for title in (chart.across, chart.upright))
        plan.panels[0].series[0].points = ()
    return plan


def _plan_estimates(
    chart: charts.Lines | charts.Columns,
    groups: list[list[list[charts.Estimate]]],
    across: Axis,
    level: charts.Mark | None,
) -> Plan:
    """Return the panels of estimates without their series; all have the same scale, which begins and ends close to the data."""
    ends = charts.list_ends([point for lines in groups for line in lines for point in line])
    is_counted = isinstance(chart, charts.Columns) and chart.stands_on_zero
    ends += level[:1] if level else ()
    low, high = min(ends), max(ends)
    shaded = chart.shaded
    if shaded and max(high, shaded[1]) - min(low, shaded[0]) <= 3 * (high - low):
        low, high = min(low, shaded[0]), max(high, shaded[1])
    room = (0.06 * (high - low)) or 0.5
    low, high = (low - room * (low != 0 or not is_counted), high + room * (high != 0 or not is_counted))
    ticks = _list_ticks(low, high, 5, is_whole=_are_whole(ends))
    upright = Axis(low, high, ticks, chart.upright)
    if shaded:  # what lies outside of the panel is cut off
        shaded = max(low, shaded[0]), min(high, shaded[1])
    panels = [
        Panel(
            write_heading([lines[0][0].panel]),
            f"{chart.title}: "
            + "; ".join(
                ", ".join(filter(None, (hide_folders(point.name), _describe_place(chart, point))))
                for line in lines
                for point in line
            )
            + ".",
            _panel_height(len(groups)),
        )
        for lines in groups
    ]
    return Plan(
        chart.title,
        panels,
        across,
        upright,
        level=level if (level and level.name) or not is_counted else None,
        shaded_heights=shaded if shaded and shaded[0] < shaded[1] else None,
    )


def _list_known(estimates: Iterable[charts.Estimate]) -> list[charts.Estimate]:
    return [estimate for estimate in estimates if math.isfinite(estimate.mean.estimate)]


def _find_places(estimates: Sequence[charts.Estimate]) -> dict[str | float, float]:
    """Return where each place stands: a number at itself, and the names, if there are any, beside each other."""
    places = charts.list_places([estimates])
    if all(isinstance(at, int | float) for at in places):
        return {at: float(at) for at in places}
    return {at: float(number) for number, at in enumerate(places)}


def _scale_names(places: dict[str | float, float], title: str) -> Axis:
    """Return the axis of places that stand beside each other; names have several lines, or else are tilted, and then thinned."""
    ticks = _name_places(places)
    width = int(NARROW_PANEL_PX / len(places) / LETTER_PX)
    wrapped = [textwrap.wrap(tick.words, max(1, width), break_long_words=False) for tick in ticks]
    is_tilted = any(len(rows) > MAX_NAME_LINES or max(map(len, rows), default=0) > width for rows in wrapped)
    if not is_tilted:
        ticks = [tick._replace(words="\n".join(lines)) for tick, lines in zip(ticks, wrapped, strict=True)]
    else:
        short = TILTED_CHARACTERS - 1
        step = math.ceil(len(ticks) * TILTED_NAME_PX / NARROW_PANEL_PX)
        texts = _cut_names([tick.words for tick in ticks], short)
        ticks = [tick._replace(words=text) for tick, text in zip(ticks, texts, strict=True)][::step]
    return Axis(-0.5, len(places) - 0.5, ticks, title, is_tilted=is_tilted)


def _cut_names(names: Sequence[str], length: int) -> list[str]:
    """Return names without what lies beyond a length; those that would be cut alike keep their beginning and the words from which they differ.

    >>> _cut_names(["rollout (256 playouts, 8 candidates)", "rollout (256 playouts, 16 candidates)", "random"], 16)
    ['rollo…8 candidat…', 'rollo…16 candida…', 'random']
    """

    def cut(name: str) -> str:
        alike = {other for other in names if other[:length] == name[:length]}
        rows = zip_longest(*(other.split() for other in alike))
        same = len(list(takewhile(lambda words: len(set(words)) == 1, rows))) if len(alike) > 1 else 0
        start = f"{name[: length // 3]}…" if same else ""
        return start + _cut_end(" ".join(name.split()[same:]) if same else name, length - len(start))

    return list(map(cut, names))


def _cut_end(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}…"


def _name_places(places: dict[str | float, float]) -> list[Tick]:
    return [Tick(at, hide_folders(format_tick(place))) for place, at in places.items()]


def _list_ticks(low: float, high: float, maximum: int, *, is_whole: bool) -> list[Tick]:
    """Return round numbers in a range, without fractions between whole numbers."""
    return [
        Tick(at, format_tick(at)) for at in round_ticks(low, high, maximum) if not is_whole or at.is_integer()
    ]


def _are_whole(values: Iterable[float]) -> bool:
    return all(float(value).is_integer() for value in values)


def _list_points(
    chart: charts.Lines | charts.Columns, line: Sequence[charts.Estimate], places: dict[str | float, float]
) -> list[Point]:
    return [
        Point(
            places[point.at],
            point.mean.estimate,
            _describe_place(chart, point),
            point.mean[1:] if all(map(math.isfinite, point.mean)) else None,
        )
        for point in line
    ]


def _describe_place(chart: charts.Lines | charts.Columns, estimate: charts.Estimate) -> str:
    """Return an estimate with its place, its interval and its n."""
    value = (
        format_interval(estimate.mean)
        if all(map(math.isfinite, estimate.mean))
        else format_tick(estimate.mean.estimate)
    )
    count = f", {format_count(estimate.n, chart.unit)}" if estimate.n else ""
    return f"{chart.across} {format_tick(estimate.at)}: {value}{count}"


def _write_means(chart: charts.Histogram) -> dict[int, str]:
    """Return the mean of every series with its interval, by the `id` of the series; all have the same decimals."""
    texts = format_intervals([series.mean for series in chart.series])
    return {id(curve): text for curve, text in zip(chart.series, texts, strict=True)}
