"""Charts as Plotly figures, for pages and for notebooks. Only this module knows Plotly: import it where a figure is drawn.

Traces, shapes and annotations are collected as the values that Plotly reads and become a figure in one step. Plotly's methods
that add to a figure validate it each time and take ten times as long.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go
import plotly.io as pio

from pipelines.report.charts import Bins, Chart, Histogram, Scales, ScoreSeries
from pipelines.report.show import chart_plan
from pipelines.report.show.plan_charts import plan_chart
from pipelines.viewer.palette import CHOSEN_LOOK, OTHER_LOOK

if TYPE_CHECKING:
    from pipelines.report.show.chart_plan import Axis, Label, Panel, Plan, Series

_HEADING: dict[str, Any] = {"size": chart_plan.HEADING_PX, "family": chart_plan.HEAD_FONT, "weight": 600}

_KEPT_MARKS: dict[str, Any] = {part: {"marker": {"opacity": 1}} for part in ("selected", "unselected")}
"""A chosen mark does not fade the others."""


def build_figure(chart: Chart, *, is_clickable: bool = False) -> go.Figure:
    """Return a chart as a Plotly figure, without panels if there is nothing to draw.

    A clickable histogram has an invisible bar for each bin. Its custom data are the lowest and the highest score of the bin;
    its hover text lists all strategies. The custom data of a mark on an interval are the names of its line and of its row.
    """
    plan = plan_chart(chart)
    if plan is None:
        return go.Figure()
    places = _PanelPlaces(plan)
    traces = [trace for row, panel in enumerate(plan.panels, start=1) for trace in _draw_panel(panel, row)]
    if is_clickable and isinstance(chart, Histogram) and plan.bins:
        for trace in traces:
            if trace.get("fill") == "tozeroy":
                trace |= {"hoverinfo": "skip", "hovertemplate": None, "hovertext": None}
        for row, panel_series in enumerate(chart.panels, start=1):
            traces.append(_clickable_bars(panel_series, plan.bins) | _name_axes(row))
    for trace in traces:
        if is_clickable:
            trace.update(_KEPT_MARKS)
        else:
            trace.pop("customdata", None)
    _name_in_legend(plan, traces)
    return go.Figure(
        data=traces,
        layout={
            "template": chart_plan.PLOTLY_TEMPLATE,
            "height": places.height,
            "margin": places.margin,
            "showlegend": bool(plan.legend),
            # The legend stands below the panels, where Plotly gives it as many lines as it needs.
            "legend": {
                "orientation": "h",
                "x": 0,
                "xanchor": "left",
                "y": places.legend_top,
                "yanchor": "top",
            },
            **_draw_axes(plan, places),
            "annotations": list(_list_annotations(plan, places)),
            "shapes": list(_list_shapes(plan)),
        },
    )


def build_scales(scales: Scales) -> go.Figure:
    """Return numbers on scales as a Plotly figure: dots with their intervals, and a stroke for each of the others."""
    rows = scales.rows
    placed = [(row, row.place) for row in rows if row.place]
    strokes = [(row.label, place, words) for row in rows for place, words in row.others]
    symbol, colours = "line-ns-open", (OTHER_LOOK.colour, CHOSEN_LOOK.colour)
    others = {
        "name": "another ruleset",
        "x": [place for _, place, _ in strokes],
        "y": [title for title, _, _ in strokes],
        "hovertext": [words for _, _, words in strokes],
        "marker": {"symbol": symbol, "size": 12, "color": colours[0]},
    }
    dots = {
        "name": "this ruleset",
        "x": [place.estimate for _, place in placed],
        "y": [row.label for row, _ in placed],
        "hovertext": [row.text for row, _ in placed],
        "marker": {"size": 10, "color": colours[1]},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [place.high - place.estimate for _, place in placed],
            "arrayminus": [place.estimate - place.low for _, place in placed],
            "width": 0,
        },
    }
    common = {"type": "scatter", "mode": "markers", "hoverinfo": "text"}
    # of the longest line beside a scale, in a figure as narrow as a page of paper
    room = 0.1 + 0.035 * max(len(line) for row in rows for end in row.ends for line in end.split(", "))
    hidden = {"showgrid": False, "zeroline": False, "showticklabels": False, "range": [-room, 1 + room]}
    return go.Figure(
        data=[common | others, common | dots],
        layout={
            "template": chart_plan.PLOTLY_TEMPLATE,
            "height": 34 * len(rows) + 60,
            "margin": {"l": 10, "r": 10, "t": 0, "b": 50},
            "xaxis": hidden,
            "yaxis": {
                "tickvals": [row.label for row in rows],
                "ticktext": [f"<b>{_escape(row.label)}</b><br>{_escape(row.text)}" for row in rows],
                "autorange": "reversed",
                "automargin": True,
                "showgrid": False,
            },
            "showlegend": bool(strokes),
            "legend": {"orientation": "h", "x": 0, "y": 0, "yanchor": "top"},
            "shapes": [
                {"type": "line", "x0": row.mark.at, "x1": row.mark.at, "y0": number - 0.5, "y1": number + 0.5}
                | {"line": {"dash": "dash", "width": 1.5, "color": chart_plan.MARK_COLOUR}}
                for number, row in enumerate(rows)
                if row.mark
            ],
            "annotations": [
                {
                    "text": "<br>".join(map(_escape, row.ends[end].split(", "))),
                    "align": ("right", "left")[end],
                    "showarrow": False,
                    "x": (-0.02, 1.02)[end],
                    "y": row.label,
                    "xanchor": ("right", "left")[end],
                }
                for row in rows
                for end in (0, 1)
            ],
        },
    )


def keep_look(figure: go.Figure, *, is_dark: bool = False) -> go.Figure:
    """Return a figure that keeps its look under any template of Plotly, with the one that a person has set, white or dark without one."""
    look = dict(chart_plan.PLOTLY_TEMPLATE["layout"])
    layout = figure.layout.to_plotly_json()
    defaults = look.pop("annotationdefaults")
    annotations = [defaults | annotation for annotation in layout.get("annotations", ())]
    for annotation in annotations:
        annotation["font"] = annotation.get("font", {}) | {"family": chart_plan.TEXT_FONT}
    axes = {
        name: look[name[:5]] | axis for name, axis in layout.items() if name.startswith(("xaxis", "yaxis"))
    }
    chosen = pio.templates.default
    template = ("plotly_dark" if is_dark else "plotly_white") if chosen == "plotly" else chosen
    return go.Figure(figure.data, look | layout | axes | {"annotations": annotations, "template": template})


class _PanelPlaces:
    """Where the panels of a figure stand. Everything is counted in pixels, so that texts have the room of their lines."""

    def __init__(self, plan: Plan) -> None:
        top, tops = 0, []
        for number, panel in enumerate(plan.panels):
            has_title = number == 0 and plan.upright is not None and bool(plan.upright.title)
            top += chart_plan.LINE_PX * (len(panel.heading) + has_title) + plan.top_px
            tops.append(top)
            top += panel.height + chart_plan.PANEL_GAP_PX
        panels_px = top - chart_plan.PANEL_GAP_PX
        below = chart_plan.TICKS_PX + chart_plan.LINE_PX + plan.across.below_px
        self._panels_px = panels_px
        self.bottom = panels_px + below - chart_plan.LINE_PX
        lines = _count_legend_lines(plan)
        legend_px = chart_plan.LINE_PX * lines + 6 if lines else 0
        self.height = panels_px + below + legend_px + 4
        self.margin = {
            "l": plan.room,
            "r": chart_plan.RIGHT_PX,
            "t": 0,
            "b": below + legend_px + 4,
            "autoexpand": False,
            "pad": 0,
        }
        self.legend_top = -below / panels_px
        self.tops = tops
        self.domains = [
            (1 - (top + panel.height) / panels_px, 1 - top / panels_px)
            for top, panel in zip(tops, plan.panels, strict=True)
        ]

    def share(self, y: float) -> float:
        """Return where a height in pixels below the top stands, as Plotly counts, from 0 at the bottom to 1."""
        return 1 - y / self._panels_px


def _count_legend_lines(plan: Plan) -> int:
    """Return the lines of the legend in a narrow window, because the real width is not known."""
    lines, filled = 0, math.inf
    for series in plan.legend:
        width = 54 + chart_plan.LETTER_PX * len(series.name)
        if filled + width > chart_plan.NARROW_PANEL_PX:
            lines, filled = lines + 1, 0.0
        filled += width
    return lines


def _draw_axes(plan: Plan, places: _PanelPlaces) -> dict[str, dict[str, Any]]:
    axes: dict[str, dict[str, Any]] = {}
    across = plan.across
    for row, (panel, domain) in enumerate(zip(plan.panels, places.domains, strict=True), start=1):
        is_last = row == len(plan.panels)
        upright = plan.find_upright(panel)
        axes[_name_axis("xaxis", row)] = {
            "anchor": _name_axis("y", row),
            "range": [math.log10(at) if across.is_logarithmic else at for at in across[:2]],
            **({"type": "log"} if across.is_logarithmic else {}),
            **_list_ticks(across),
            "showticklabels": is_last,
            "showgrid": upright is None,  # rows are far from their names
            "showline": True,
            "linecolor": chart_plan.MARK_COLOUR,
            **({"tickangle": -35} if across.is_tilted else {"tickangle": 0}),
        }
        axes[_name_axis("yaxis", row)] = {
            "anchor": _name_axis("x", row),
            "domain": domain,
            **(
                {"range": upright[:2], **_list_ticks(upright)}
                if upright
                else {"range": [panel.height, 0], "showticklabels": False, "showgrid": False}
            ),
        }
    return axes


def _list_ticks(axis: Axis) -> dict[str, Any]:
    return {
        "tickmode": "array",
        "tickvals": [tick.at for tick in axis.ticks],
        "ticktext": [_escape(tick.words).replace("\n", "<br>") for tick in axis.ticks],
    }


def _draw_panel(panel: Panel, row: int) -> Iterator[dict[str, Any]]:
    """Yield the traces of a panel: bands first, so that no area hides a line."""
    for draw in (_draw_bars, _draw_band, _draw_line, _draw_points):
        for series in panel.series:
            for trace in draw(series):
                yield {**trace, **_name_axes(row), "name": _escape(series.name), "legendgroup": _key(series)}


def _draw_bars(series: Series) -> Iterator[dict[str, Any]]:
    if series.bars:
        yield {
            "type": "bar",
            "orientation": "h",
            "base": [bar.ends[0] for bar in series.bars],
            "x": [bar.ends[1] - bar.ends[0] for bar in series.bars],
            "y": [bar.y for bar in series.bars],
            "width": chart_plan.BAR_PX,
            "marker": {"color": series.look.colour},
            "hoverinfo": "skip",
        }


def _draw_band(series: Series) -> Iterator[dict[str, Any]]:
    if series.band is None:
        return
    edge = {
        "type": "scatter",
        "x": series.band.x,
        "mode": "lines",
        "line": {"width": 0, "shape": "hv" if series.band.is_stepped else "linear"},
        "hoverinfo": "skip",
    }
    yield {**edge, "y": series.band.high}
    yield {**edge, "y": series.band.low, "fill": "tonexty", "fillcolor": _fade(series.look.colour)}


def _draw_line(series: Series) -> Iterator[dict[str, Any]]:
    if series.path is None:
        return
    has_marks = bool(series.points)  # a line has a point at each of its marks, so both are one trace
    yield {
        "type": "scatter",
        "x": series.path.x,
        "y": series.path.y,
        "mode": "lines+markers" if has_marks else "lines",
        "line": {
            "shape": "hv" if series.path.is_stepped else "linear",
            "width": chart_plan.LINE_WIDTH,
            "color": series.look.colour,
            "dash": chart_plan.find_plotly_dash(series.look),
        },
        **({"fill": "tozeroy", "fillcolor": _fade(series.look.colour)} if series.path.is_filled else {}),
        **(_mark_options(series) if has_marks else {}),
        **_hover_options(series.path.words),
    }


def _draw_points(series: Series) -> Iterator[dict[str, Any]]:
    if series.box:
        lower, q1, median, q3, upper = series.box.quantiles
        yield {
            "type": "box",
            "orientation": "h",
            "y": [series.box.y],
            "lowerfence": [lower],
            "q1": [q1],
            "median": [median],
            "q3": [q3],
            "upperfence": [upper],
            "width": chart_plan.BOX_PX,
            "line": {"color": series.look.colour, "width": chart_plan.LINE_WIDTH},
            "fillcolor": _fade(series.look.colour),
            "whiskerwidth": 0,
            "hoverinfo": "x",
        }
    if not series.points or series.path:
        return
    yield {
        "type": "bar" if series.bar_width else "scatter",
        "x": [point.x for point in series.points],
        "y": [point.y for point in series.points],
        **(
            {"width": series.bar_width, "marker": {"color": series.look.colour}}
            if series.bar_width
            else {"mode": "markers", "cliponaxis": False}
        ),
        **_mark_options(series),
        **_hover_options([point.words for point in series.points]),
        **({"customdata": [point.key for point in series.points]} if series.points[0].key else {}),
    }


def _mark_options(series: Series) -> dict[str, Any]:
    """Return the marks and the intervals of the points of a series."""
    options: dict[str, Any] = {}
    if not series.bar_width:
        sizes = {point.size for point in series.points}
        size = [point.size for point in series.points] if len(sizes) > 1 else max(sizes)
        options["marker"] = {
            "size": chart_plan.MEAN_MARK_PX if series.symbol else size,
            "opacity": 1,  # Plotly fades marks of several sizes
            "color": series.look.colour,
            "symbol": series.symbol or series.look.symbol,
            "line": {
                "width": chart_plan.RING_WIDTH
                if (series.symbol or series.look.symbol) == "circle-open"
                else 0
            },
        }
    if any(point.ends for point in series.points):
        spans = [
            (point.ends[0], at, point.ends[1]) if point.ends else (math.nan, math.nan, math.nan)
            for point in series.points
            for at in (point.x if series.lies_across else point.y,)
        ]
        options["error_x" if series.lies_across else "error_y"] = {
            "type": "data",
            "array": [high - at for _, at, high in spans],
            "arrayminus": [at - low for low, at, _ in spans],
            "color": chart_plan.MARK_COLOUR if series.bar_width else series.look.colour,
            "thickness": chart_plan.INTERVAL_WIDTH if series.lies_across else chart_plan.LINE_WIDTH,
            "width": 0 if series.lies_across else chart_plan.CAP_PX,
        }
    return options


def _hover_options(words: Sequence[str]) -> dict[str, Any]:
    if not words:
        return {"hoverinfo": "skip"}
    return {"hovertext": [_escape(line) for line in words], "hovertemplate": "%{hovertext}"}


def _clickable_bars(series: Sequence[ScoreSeries], bins: Bins) -> dict[str, Any]:
    """Return an invisible bar for every bin, to hover over and to click: its scores, then the share and the n of each line."""
    counts = [bins.count_scores(curve).tolist() for curve in series]
    shares = [bins.shares(curve).tolist() for curve in series]
    scores = "%{customdata[0]}" + (" to %{customdata[1]}" if bins.width > 1 else "")
    lines = [
        f"{_escape(curve.name)}: %{{customdata[{2 * at + 2}]:.1f}} %, n = %{{customdata[{2 * at + 3}]:,}}"
        for at, curve in enumerate(series)
    ]
    numbers_of_bins = [
        [
            value
            for share, count in zip(shares, counts, strict=True)
            for value in (round(100 * share[at], 1), count[at])
        ]
        for at in range(len(bins.names))
    ]
    ends = pairwise(bins.edges.tolist())
    return {
        "type": "bar",
        "x": bins.middles,
        "y": [round(max(0.02, *(share[at] for share in shares)), 4) for at in range(len(numbers_of_bins))],
        "width": bins.width,
        "customdata": [
            [low, high - 1, *numbers] for (low, high), numbers in zip(ends, numbers_of_bins, strict=True)
        ],
        "hovertemplate": f"<b>{scores}</b><br>{'<br>'.join(lines)}<br>choose it to list the games<extra></extra>",
        "marker": {"color": "rgba(128,128,128,0.004)", "line": {"width": 0}},
    }


def _name_in_legend(plan: Plan, traces: list[dict[str, Any]]) -> None:
    """Have the legend name each line once: at the first of its traces that has its line or its marks."""
    unnamed = {_key(series) for series in plan.legend}
    for trace in traces:
        is_visible = trace.get("line", {}).get("width") != 0
        trace["showlegend"] = is_visible and trace.get("legendgroup") in unnamed
        if trace["showlegend"]:
            unnamed.remove(trace["legendgroup"])


def _key(series: Series) -> str:
    """Return what the legend takes for one line: a strategy of a pinned run has another look."""
    return f"{_escape(series.name)} {series.look.colour} {series.look.dash}"


def _list_annotations(plan: Plan, places: _PanelPlaces) -> Iterator[dict[str, Any]]:
    """Yield the texts: titles of axes, headings, names of rows, labels of lines, and names of marks."""
    yield {
        **_write_text(plan.across.title),
        "opacity": chart_plan.FAINT_OPACITY,
        "x": 0.5,
        "xanchor": "center",
        "xref": "paper",
        "y": places.share(places.bottom + chart_plan.LINE_PX / 2),
        "yref": "paper",
    }
    for row, (panel, top) in enumerate(zip(plan.panels, places.tops, strict=True), start=1):
        x, y = _name_axis("x", row), _name_axis("y", row)
        lines = [_write_text(line, _HEADING) for line in panel.heading]
        if row == 1 and plan.upright and plan.upright.title:
            lines.append({**_write_text(plan.upright.title), "opacity": chart_plan.FAINT_OPACITY})
        for number, line in enumerate(reversed(lines)):
            above = places.share(top - plan.top_px - chart_plan.LINE_PX * (number + 0.5))
            yield {**line, "x": 0, "xref": "paper", "xshift": -plan.room, "y": above, "yref": "paper"}
        for text in panel.rows:
            font = {"weight": 600} if text.is_name else None
            yield {
                **_write_text(text.text, font),
                "x": text.share,
                "xshift": text.shift,
                "xref": f"{x} domain",
                "y": text.y + chart_plan.LINE_PX / 2,
                "yref": y,
            }
        yield from (
            _write_label(label, x, y, is_logarithmic=plan.across.is_logarithmic) for label in panel.labels
        )
        if plan.mark and plan.mark.name:
            share = plan.across.share(plan.mark.at)
            yield {
                **_write_text(plan.mark.name),
                "x": plan.mark.at,
                "xanchor": "left" if share < 0.15 else "right" if share > 0.85 else "center",
                "xref": x,
                "y": 1,
                "yanchor": "bottom",
                "yref": f"{y} domain",
            }
        if plan.level and plan.level.name:
            name = _write_text(plan.level.name)
            yield {**name, "x": 0, "xref": f"{x} domain", "y": plan.level.at, "yanchor": "bottom", "yref": y}


def _write_text(text: str, font: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a text on one line; the template has the defaults of all texts."""
    return {"text": _escape(text), **({"font": font} if font else {})}


def _write_label(label: Label, x: str, y: str, *, is_logarithmic: bool) -> dict[str, Any]:
    """Return the name of a line. It has the colour of all texts, which is legible on every background."""
    words = _escape(label.text).replace("\n", "<br>")
    return {
        "text": f'<span style="color:{label.look.colour}">■</span> {words}',
        "align": "left",
        "x": math.log10(label.x) if is_logarithmic else label.x,
        "xanchor": label.anchor,
        "xref": x,
        "y": label.y,
        "yanchor": "bottom",
        "yref": y,
        "yshift": label.lift,
    }


def _list_shapes(plan: Plan) -> Iterator[dict[str, Any]]:
    """Yield the shaded range and the dashed lines, through all panels."""
    dash = ",".join(f"{length}px" for length in chart_plan.MARK_DASH)
    line = {"width": 1.5, "dash": dash, "color": chart_plan.MARK_COLOUR}
    for row, panel in enumerate(plan.panels, start=1):
        x, y = _name_axis("x", row), _name_axis("y", row)
        upright = {"xref": x, "yref": f"{y} domain", "y0": 0, "y1": 1}
        across = {"xref": f"{x} domain", "x0": 0, "x1": 1, "yref": y}
        shade = {
            "type": "rect",
            "fillcolor": chart_plan.MARK_COLOUR,
            "opacity": chart_plan.SHADE_OPACITY,
            "line": {"width": 0},
        }
        if plan.shaded:
            yield {**shade, **upright, "x0": plan.shaded[0], "x1": plan.shaded[1]}
        if plan.shaded_heights:
            yield {**shade, **across, "y0": plan.shaded_heights[0], "y1": plan.shaded_heights[1]}
        for top, bottom in panel.zones if plan.mark else ():
            at = {"x0": plan.mark.at, "x1": plan.mark.at, "y0": top, "y1": bottom} if plan.mark else {}
            yield {"type": "line", "line": {**line, "dash": "solid"}, "xref": x, "yref": y, **at}
        if plan.mark and not panel.zones:
            yield {"type": "line", "line": line, **upright, "x0": plan.mark.at, "x1": plan.mark.at}
        if plan.level:
            yield {"type": "line", "line": line, **across, "y0": plan.level.at, "y1": plan.level.at}


def _name_axes(row: int) -> dict[str, str]:
    return {"xaxis": _name_axis("x", row), "yaxis": _name_axis("y", row)}


def _name_axis(kind: str, row: int) -> str:
    """Return Plotly's name of the axis of a row."""
    return kind if row == 1 else f"{kind}{row}"


def _escape(text: str) -> str:
    """Escape a name: Plotly reads some HTML in names and titles."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _fade(colour: str) -> str:
    """Return a colour, given as #RRGGBB, as that of an area."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{chart_plan.FILL_OPACITY})"
