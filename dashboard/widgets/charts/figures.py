"""Build the Plotly figure of a chart, and show it on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.widgets.charts.calibration import draw_calibration
from dashboard.widgets.charts.distributions import draw_histogram
from dashboard.widgets.charts.means import draw_columns, draw_intervals, draw_lines
from pipelines.report.charts import Calibration, Chart, Columns, Histogram, Intervals

if TYPE_CHECKING:
    from collections.abc import Callable

    import plotly.graph_objects as go

    from dashboard.widgets.charts.panels import Panels


def show_chart(
    chart: Chart, key: str, *, height: int | None = None, on_click: Callable[[], None] | None = None
) -> None:
    """Show a chart under its key; `height` is in pixels, by default by the number of panels.

    With `on_click` the bins of a histogram can be clicked: the state of the key then holds the points of the bin.
    """
    figure = build_figure(chart, is_clickable=on_click is not None)
    if height:
        figure.update_layout(height=height)
    if on_click:
        st.plotly_chart(figure, key=key, alt=chart.title, on_select=on_click, selection_mode="points")
    else:
        st.plotly_chart(figure, key=key, alt=chart.title)


def build_figure(chart: Chart, *, is_clickable: bool = False) -> go.Figure:
    """Return a chart as a Plotly figure."""
    return _draw_panels(chart, is_clickable=is_clickable).build_figure()


def _draw_panels(chart: Chart, *, is_clickable: bool) -> Panels:
    if isinstance(chart, Histogram):
        return draw_histogram(chart, is_clickable=is_clickable)
    if isinstance(chart, Intervals):
        return draw_intervals(chart)
    if isinstance(chart, Columns):
        return draw_columns(chart)
    return draw_calibration(chart) if isinstance(chart, Calibration) else draw_lines(chart)
