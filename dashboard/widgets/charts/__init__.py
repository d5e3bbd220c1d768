"""Charts on pages: Streamlit shows the Plotly figures of `pipelines.report.show.figures`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.components import script_renderer
from pipelines.report.show.figures import build_figure

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.report.charts import Chart

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
