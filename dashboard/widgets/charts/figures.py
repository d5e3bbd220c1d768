"""Build the Plotly figure of a chart, and show it on a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.charts.calibration import draw_calibration
from dashboard.widgets.charts.distributions import draw_histogram
from dashboard.widgets.charts.means import draw_columns, draw_intervals, draw_lines
from dashboard.widgets.components import script_renderer
from pipelines.report.charts import Calibration, Chart, Columns, Histogram, Intervals

if TYPE_CHECKING:
    from collections.abc import Callable

    import plotly.graph_objects as go

TAP_SCRIPT: Final = Path(__file__).with_name("tap.js")


def show_chart(
    chart: Chart,
    key: str,
    *,
    height: int | None = None,
    on_click: Callable[[], None] | None = None,
) -> None:
    """Show a chart under its key; `height` is in pixels, by default by the number of panels.

    With `on_click` the bins of a histogram can be clicked: the state of the key then holds the points of the bin.
    """
    figure = build_figure(chart, is_clickable=on_click is not None)
    if height:
        figure.update_layout(height=height)
    if on_click:
        st.plotly_chart(figure, key=key, alt=chart.title, on_select=on_click, selection_mode="points")
        with st.container(key="chart-tap"):
            script_renderer(TAP_SCRIPT)(key=f"{key}-tap", height="content")
    else:
        st.plotly_chart(figure, key=key, alt=chart.title)


def build_figure(chart: Chart, *, is_clickable: bool = False) -> go.Figure:
    """Return a chart as a Plotly figure."""
    if isinstance(chart, Histogram):
        drawn = draw_histogram(chart, is_clickable=is_clickable)
    elif isinstance(chart, Intervals):
        drawn = draw_intervals(chart)
    elif isinstance(chart, Columns):
        drawn = draw_columns(chart)
    else:
        drawn = draw_calibration(chart) if isinstance(chart, Calibration) else draw_lines(chart)
    return drawn.build_figure()
