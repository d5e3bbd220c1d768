"""Load the script that draws charts before the first chart is shown. Running it takes most of the time of that chart.

The address of the script is not documented; it is that of Streamlit 1.67. Without such a file nothing is loaded in advance.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import streamlit as st

from dashboard.widgets.components import script_renderer

SCRIPT: Final = Path(__file__).with_name("preload.js")
PAGES_WITH_CHARTS: Final = frozenset({"scores", "strategies"})
"""Pages that show a chart as soon as they are open, by the last part of their address."""


def preload_charts(*, is_urgent: bool) -> None:
    """Have the browser load the script: at once for a page that shows a chart, or else when it has nothing to do."""
    if name := find_chart_script():
        with st.container(key="chart-preload"):
            data = {"script": name, "isUrgent": is_urgent}
            script_renderer(SCRIPT)(key="chart-preload-script", data=data, height="content")


@cache
def find_chart_script() -> str:
    """Return the name of the script of Streamlit that draws Plotly's charts; empty if there is not exactly one."""
    scripts = list(Path(st.__file__).parent.glob("static/static/js/PlotlyChart.*.js"))
    return scripts[0].name if len(scripts) == 1 else ""
