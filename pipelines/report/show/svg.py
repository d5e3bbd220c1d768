"""Charts as SVG: for studies, for notebooks, and as pictures in the documentation.

A chart fills the width of its column: marks stand at percentages of it and texts keep their size, so the same file can be
read on a phone and on paper. Colour is never the only sign: lines have dashes and dots have shapes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from markupsafe import Markup

from pipelines.report.charts import Calibration, Chart, Columns, Histogram, Intervals, Lines, Mark
from pipelines.report.charts.estimates import list_ends, list_places
from pipelines.report.charts.histogram import QUANTILES, find_band, find_bins, write_means
from pipelines.report.charts.scales import Scales
from pipelines.report.charts.series import group_estimates
from pipelines.report.charts.ticks import enclosing_ticks, format_tick, round_ticks
from pipelines.report.estimates import format_interval
from pipelines.report.render import read_template, render_template
from pipelines.report.wording import format_count, hide_folders
from pipelines.viewer.chart_look import FILL_OPACITY, LINE_WIDTH
from pipelines.viewer.palette import OTHER_LOOK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.report.charts import Estimate, ScoreSeries
    from pipelines.viewer.palette import SeriesLook

_DASHES: Final = {
    "solid": "none",
    "dash": "7 4",
    "dot": "2 3",
    "dashdot": "7 3 2 3",
    "longdash": "12 4",
    "longdashdot": "12 3 2 3",
}
"""Lengths of the dashes and gaps of the line styles of a `SeriesLook`, in pixels."""
_SHAPES: Final = {
    "circle": "M5 0A5 5 0 1 1 -5 0A5 5 0 1 1 5 0Z",
    "circle-open": "M5 0A5 5 0 1 1 -5 0A5 5 0 1 1 5 0Z",
    "square": "M-4.5 -4.5H4.5V4.5H-4.5Z",
    "diamond": "M0 -6L6 0L0 6L-6 0Z",
    "triangle-up": "M0 -6L5.5 4.5H-5.5Z",
    "cross": "M-1.8 -5.5H1.8V-1.8H5.5V1.8H1.8V5.5H-1.8V1.8H-5.5V-1.8H-1.8Z",
    "x": "M-5 -3L-3 -5L0 -2L3 -5L5 -3L2 0L5 3L3 5L0 2L-3 5L-5 3L-2 0Z",
}
"""Paths of the symbols of a `SeriesLook` around (0, 0), in pixels."""
_MEAN_SHAPE: Final = "M0 -9L5 0H-5Z"
AXIS_CHARACTERS: Final = 100
"""Characters that the names below a chart may have together."""
SHADE_OPACITY: Final = 0.18
"""Opacity of an emphasized range."""


class _Tick(NamedTuple):
    at: float
    """Per cent of the width or the height."""
    words: str


class _Path(NamedTuple):
    """A line through corners in per cent of the width and the height, whose area may be filled."""

    look: SeriesLook
    corners: Sequence[tuple[float, float]]
    opacity: float = 0.0
    is_outlined: bool = True

    @property
    def points(self) -> str:
        """The corners in a plane of 1000 by 100 units."""
        return " ".join(f"{10 * x:.1f},{y:.2f}" for x, y in self.corners)


class _Dot(NamedTuple):
    """A mark, with its interval as an upright line, at per cents of the width and the height."""

    x: float
    y: float
    colour: str
    shape: str
    words: str = ""
    low: float = math.nan
    high: float = math.nan


class _Scale(NamedTuple):
    """Turns numbers into per cent of the width; of the height, which grows downwards, from `low` at 100 to `high` at 0."""

    low: float
    high: float
    is_logarithmic: bool = False

    def x(self, value: float) -> float:
        low, high, at = (
            map(math.log, (self.low, self.high, value)) if self.is_logarithmic else (*self[:2], value)
        )
        return round(100 * (at - low) / (high - low), 2) + 0.0

    def y(self, value: float) -> float:
        return round(100 - self.x(value), 2) + 0.0


@dataclass
class _Plane:
    """The area between the axes."""

    heading: str
    words: str
    rows: list[_Tick]
    columns: list[_Tick]
    paths: list[_Path] = field(default_factory=list)
    dots: list[_Dot] = field(default_factory=list)
    marks: list[tuple[float | None, float | None, str]] = field(default_factory=list)
    """Dashed lines across or upright, with their names."""


def draw_chart(chart: Chart | Scales) -> Markup:
    """Return a chart as HTML with inline SVG, which `chart_style` styles; empty if there is nothing to draw.

    Estimates that are not known are left out.
    """
    if isinstance(chart, Scales):
        return draw_scales(chart)
    if isinstance(chart, Intervals):
        return _render("intervals.html", **_plan_rows(chart))
    if isinstance(chart, Histogram):
        return _draw_histogram(chart)
    lines = chart.as_lines if isinstance(chart, Calibration) else chart
    lines = replace(lines, estimates=[one for one in lines.estimates if math.isfinite(one.mean.estimate)])
    if not lines.estimates:
        return Markup()
    named = dict.fromkeys((one.name, one.look) for one in lines.estimates)
    return _render(
        "planes.html",
        planes=_plan_estimates(lines),
        legend=[_legend_line(name, look) for name, look in named if len(named) > 1],
        across=chart.across,
        upright=chart.upright,
    )


def _draw_histogram(chart: Histogram) -> Markup:
    if not chart.series:
        return Markup()
    if chart.shape == "Quantiles":
        return _render("intervals.html", **_plan_boxes(chart))
    titles = {"across": chart.axis, "upright": ""}
    if chart.shape == "Histogram":
        wide = f", in bins of {width}" if (width := find_bins(chart.series).width) > 1 else ""
        has_means = chart.has_means and any(one.mean for one in chart.series)
        titles["across"] += f"{wide}{'; ▲ marks a mean' if has_means else ''}"
    return _render("planes.html", planes=_plan_shares(chart), legend=_list_legend(chart), **titles)


def draw_scales(chart: Scales, *, has_inline_styles: bool = False) -> Markup:
    """Return scales as HTML with inline SVG; for pages, which take SVG out of HTML, with styles, which files forbid."""
    return _render("scales.html", title=chart.title, rows=chart.rows, has_inline_styles=has_inline_styles)


def draw_curve(chart: Histogram) -> Markup:
    """Draw small outlines of distributions without axes, and below them the mean of each as text."""
    (plane,) = _plan_shares(chart)
    return _render("curve.html", paths=plane.paths, legend=_list_legend(chart, with_counts=False))


def draw_thumbnail(chart: Histogram | Intervals) -> str:
    """Return the marks of a chart without its texts as an SVG file, which fills its frame; empty if there are none.

    Of several panels the first one is drawn.
    """
    if isinstance(chart, Intervals) or chart.shape == "Quantiles":
        plan = _plan_boxes(chart) if isinstance(chart, Histogram) else _plan_rows(chart)
        return _render("thumbnail.svg", paths=[], opacity=FILL_OPACITY, **plan) if plan["rows"] else ""
    paths = _plan_shares(chart)[0].paths if chart.series else []
    return _render("thumbnail.svg", paths=paths, rows=[], mark=None) if paths else ""


def draw_picture(charts: Sequence[Lines], title: str) -> str:
    """Return charts below each other as an SVG file, readable on light and on dark pages and at the width of a phone."""
    panels = [(chart, plane) for chart in charts for plane in _plan_estimates(chart)]
    return f"{_render('picture.svg', title=title, panels=panels, style=chart_style())}\n"


def chart_style() -> str:
    """Return the style sheet of charts in HTML, with which they look like the text around them."""
    return read_template("pipelines.report.show", "charts.css")


def _plan_shares(chart: Histogram) -> list[_Plane]:
    """Return the shares of each bin or up to each score, a plane for each panel."""
    return _plan_cumulative_shares(chart) if chart.shape == "Cumulative" else _plan_bins(chart)


def _plan_bins(chart: Histogram) -> list[_Plane]:
    """Return the outlines of the shares of each bin; a step of an outline is a bin."""
    bins = find_bins(chart.series)
    shares = {id(one): bins.shares(one) for one in chart.series}
    means = _write_means(chart)
    upright = _Scale(0, max(float(column.max()) for column in shares.values()) * 1.06)
    low, high = int(bins.edges[0]), int(bins.edges[-1])
    across = _Scale(low, high)
    # A bin of width 1 stands around its score; a wider one begins at its first score.
    shift = 0.5 if bins.width == 1 else 0.0
    planes = []
    for panel in chart.panels:
        plane = _Plane(
            *_describe_panel(chart, panel, means),
            [_Tick(upright.y(at), f"{100 * at:g} %") for at in round_ticks(0, upright.high, 4) if at],
            [
                _Tick(across.x(tick + shift), format_tick(tick))
                for tick in round_ticks(low, high - (bins.width == 1), 7)
                if tick == int(tick)
            ],
        )
        for one in panel:
            column = [upright.y(share) for share in shares[id(one)].tolist()]
            steps = [
                (across.x(int(bins.edges[edge])), y)
                for number, y in enumerate(column)
                for edge in (number, number + 1)
            ]
            plane.paths.append(_Path(one.look, [(0, 100), *steps, (100, 100)], FILL_OPACITY))
            if chart.has_means and one.mean:
                words = f"{hide_folders(one.name)}: mean {means[id(one)]}"
                place = across.x(one.mean.estimate + shift)
                plane.dots.append(_Dot(place, 100, one.look.colour, _MEAN_SHAPE, words))
        if chart.shaded:
            first, last = across.x(chart.shaded[0]), across.x(chart.shaded[1] + 1)
            corners = [(first, 100.0), (first, 0.0), (last, 0.0), (last, 100.0)]
            plane.paths.append(_Path(OTHER_LOOK, corners, SHADE_OPACITY))
        if chart.mark:
            plane.marks.append((across.x(chart.mark.at + shift), None, chart.mark.name))
        planes.append(plane)
    return planes


def _plan_cumulative_shares(chart: Histogram) -> list[_Plane]:
    """Return the share of the results up to each score, with the band that contains the whole true curve with 95 %."""
    means, upright = _write_means(chart), _Scale(0, 1)
    low, high = (
        int(extreme(one.scores.quantile(at) for one in chart.series)) for extreme, at in ((min, 0), (max, 1))
    )
    across = _Scale(low, max(high, low + 1))
    planes = []
    for panel in chart.panels:
        plane = _Plane(
            *_describe_panel(chart, panel, means),
            [_Tick(upright.y(at / 4), f"{25 * at} %") for at in range(1, 5)],
            [
                _Tick(across.x(tick), format_tick(tick))
                for tick in round_ticks(low, high, 7)
                if tick == int(tick)
            ],
        )
        for one in panel:
            places = [across.x(value) for value in one.scores.values.tolist()]
            curve, bottom, top = (
                _list_steps(places, [upright.y(share) for share in shares.tolist()])
                for shares in (one.scores.shares_up_to, *find_band(one))
            )
            plane.paths.append(_Path(one.look, [*top, *reversed(bottom)], FILL_OPACITY, is_outlined=False))
            plane.paths.append(_Path(one.look, [(places[0], 100.0), *curve]))
        if chart.mark:
            plane.marks.append((across.x(chart.mark.at), None, chart.mark.name))
        planes.append(plane)
    return planes


def _list_steps(places: Sequence[float], heights: Sequence[float]) -> list[tuple[float, float]]:
    """Return the corners of a line that keeps each height up to the next place; the last one up to the right end."""
    return [(x, y) for at, y in enumerate(heights) for x in (places[at], (*places, 100.0)[at + 1])]


def _describe_panel(chart: Histogram, panel: Sequence[ScoreSeries], means: dict[int, str]) -> tuple[str, str]:
    """Return the heading of a panel, which is empty if it is the only one, and its content in words."""
    words = "; ".join(
        f"{hide_folders(one.name)}, {_describe_series(chart, one, means[id(one)])}" for one in panel
    )
    return panel[0].panel_name if len(chart.panels) > 1 else "", f"{chart.title}: {words}."


def _plan_estimates(chart: Lines | Columns) -> list[_Plane]:
    """Return the estimates of each panel at their places; all panels have the same scale."""
    groups = group_estimates(chart.estimates)
    places = list_places([line for lines in groups for line in lines])
    mark = chart.mark if isinstance(chart, Lines) else Mark(0) if chart.stands_on_zero else None
    ends = [*list_ends(chart.estimates), *(mark[:1] if mark else ())]
    rows = enclosing_ticks(min(ends), max(ends), 4)
    across, upright = _scale_places(chart, places), _Scale(rows[0], rows[-1])
    is_named = _has_named_places(chart, places)
    shown = _thin_names(places) if is_named or across.is_logarithmic else round_ticks(*across[:2], 7)
    planes = []
    for lines in groups:
        words = (f"{one.name}, {_describe_estimate(chart, one)}" for line in lines for one in line)
        plane = _Plane(
            lines[0][0].panel_name,
            f"{chart.title}: {'; '.join(words)}.",
            [_Tick(upright.y(at), format_tick(at)) for at in rows],
            [_Tick(across.x(places.index(at) if is_named else float(at)), format_tick(at)) for at in shown],
        )
        for number, line in enumerate(lines):
            beside = 0.08 * (number - (len(lines) - 1) / 2)
            dots = [
                _Dot(
                    across.x(places.index(one.at) + beside if is_named else float(one.at)),
                    upright.y(one.mean.estimate),
                    one.look.colour,
                    _SHAPES[one.look.symbol],
                    _describe_estimate(chart, one),
                    upright.y(one.mean.low),
                    upright.y(one.mean.high),
                )
                for one in line
            ]
            plane.dots += dots
            if isinstance(chart, Columns) and chart.stands_on_zero:
                plane.paths += [_Path(line[0].look, [(x, upright.y(0)), (x, y)]) for x, y, *_ in dots]
            elif isinstance(chart, Columns) or chart.is_joined:
                plane.paths.append(_Path(line[0].look, [(x, y) for x, y, *_ in dots]))
        if mark:
            plane.marks.append((None, upright.y(mark.at), mark.name))
        planes.append(plane)
    return planes


def _scale_places(chart: Lines | Columns, places: Sequence[str | float]) -> _Scale:
    """Return the scale of numbers, or of the indices of columns."""
    if isinstance(chart, Columns) or _has_named_places(chart, places):
        return _Scale(-0.5, len(places) - 0.5)
    least, most = min(map(float, places)), max(map(float, places))
    if chart.is_logarithmic:
        return _Scale(least / 1.3, most * 1.3, is_logarithmic=True)
    return _Scale(least, most if most > least else least + 1)


def _has_named_places(chart: Lines | Columns, places: Sequence[str | float]) -> bool:
    """Return whether places stand beside each other, as columns do, and not at their numbers."""
    return isinstance(chart, Columns) or any(isinstance(at, str) for at in places)


def _thin_names(places: Sequence[str | float]) -> Sequence[str | float]:
    """Return every place, or every second and so on, so that their names do not cover each other."""
    room = max(len(str(at)) for at in places) * len(places) / AXIS_CHARACTERS
    return places[:: max(1, math.ceil(room))]


def _plan_rows(chart: Intervals) -> dict[str, Any]:
    """Return the rows of a chart with an estimate in each, and the axis below them."""
    known = [one for one in chart.estimates if all(map(math.isfinite, one.mean))]
    ends = [end for one in known for end in one.mean] + ([chart.mark.at] if chart.mark else [0.0])
    span = (max(ends) - min(ends)) or 1.0
    scale = _Scale(min(ends) - span / 16, max(ends) + span / 16)
    return {
        "title": chart.title,
        "axis": chart.axis,
        "mark": scale.x(chart.mark.at) if chart.mark else None,
        "rows": [
            {
                "name": hide_folders(_name_row(chart, one)),
                "words": format_interval(one.mean, signed=chart.mark is not None),
                "look": one.look,
                "shape": _SHAPES[one.look.symbol],
                "at": [scale.x(end) for end in one.mean],
                "box": None,
            }
            for one in known
        ],
        "ticks": [_Tick(scale.x(tick), format_tick(tick)) for tick in round_ticks(*scale[:2], 5)],
    }


def _plan_boxes(chart: Histogram) -> dict[str, Any]:
    """Return a row for each series: its 5, 25, 50, 75 and 95 % quantiles, and its mean on its interval."""
    quantiles = {id(one): [one.scores.quantile(share) for share in QUANTILES] for one in chart.series}
    ends = [end for own in quantiles.values() for end in own] + ([chart.mark.at] if chart.mark else [])
    span = (max(ends) - min(ends)) or 1.0
    scale, means = _Scale(min(ends) - span / 16, max(ends) + span / 16), _write_means(chart)
    return {
        "title": chart.title,
        "axis": chart.axis,
        "mark": scale.x(chart.mark.at) if chart.mark else None,
        "rows": [
            {
                "name": hide_folders(
                    one.name if len(chart.panels) == 1 else f"{one.panel_name} · {one.name}"
                ),
                "words": _describe_series(chart, one, means[id(one)]),
                "look": one.look,
                "shape": _SHAPES["diamond"],
                "at": [scale.x(end) for end in one.mean or (one.scores.mean,) * 3],
                "box": [scale.x(end) for end in quantiles[id(one)]],
            }
            for panel in chart.panels
            for one in panel
        ],
        "ticks": [_Tick(scale.x(tick), format_tick(tick)) for tick in round_ticks(*scale[:2], 5)],
    }


def _name_row(chart: Intervals, one: Estimate) -> str:
    """Return the place of an estimate, with its panel and its strategy where several have one."""
    panels = {other.panel_name for other in chart.estimates}
    return " · ".join(
        [
            str(one.at),
            *([one.panel_name] if len(panels) > 1 else []),
            *([one.name] if chart.has_legend else []),
        ]
    )


def _write_means(chart: Histogram) -> dict[int, str]:
    """Return the mean of every series with its interval, by the `id` of the series."""
    return {id(one): text for one, text in zip(chart.series, write_means(chart), strict=True)}


def _describe_series(chart: Histogram, one: ScoreSeries, mean: str) -> str:
    return f"{format_count(one.scores.n, chart.unit)}, mean {mean}"


def _describe_estimate(chart: Lines | Columns, one: Estimate) -> str:
    """Return an estimate with its place, its interval and its n."""
    counted = f", {format_count(one.n, chart.unit)}" if one.n else ""
    return f"{chart.across} {format_tick(one.at)}: {format_interval(one.mean)}{counted}"


def _list_legend(chart: Histogram, *, with_counts: bool = True) -> list[dict[str, object]]:
    """Return the lines of the legend of distributions, with their panels, their numbers and their means."""
    means = _write_means(chart)
    return [
        _legend_line(
            f"{one.panel_name}, {one.name}" if len(chart.panels) > 1 else one.name,
            one.look,
            _describe_series(chart, one, means[id(one)]) if with_counts else means[id(one)],
        )
        for panel in chart.panels
        for one in panel
    ]


def _legend_line(name: str, look: SeriesLook, words: str = "") -> dict[str, object]:
    return {"name": hide_folders(name), "look": look, "words": words}


def find_dash(look: SeriesLook) -> str:
    """Return the lengths of the dashes and gaps of a line."""
    return _DASHES[look.dash]


def _render(name: str, **values: object) -> Markup:
    return render_template("pipelines.report.show", name, dash=find_dash, line_width=LINE_WIDTH, **values)
