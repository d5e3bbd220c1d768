"""Charts on pages: Streamlit shows the Plotly figures of `pipelines.report.show.figures`, with a title, a caption and *Save picture*."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import streamlit as st

from dashboard.widgets.background_work import show_fragment
from dashboard.widgets.components import script_renderer
from dashboard.widgets.markdown import escape_markdown
from pipelines.report.show.figures import build_figure
from pipelines.report.show.html import draw_picture
from pipelines.report.show.plan_charts import plan_chart
from pipelines.runs.names import run_name_from_text

if TYPE_CHECKING:
    from pipelines.report.charts import Chart

FOLDER: Final = Path(__file__).parent
CONFIG: Final = {"displayModeBar": False}


def show_chart(  # noqa: PLR0913 - passed by name
    chart: Chart,
    key: str,
    *,
    caption: str = "",
    on_click: Callable[[], None] | None = None,
    hint: str = "",
    is_first: bool = False,
) -> None:
    """Show a chart under its key, its title above and its caption below; nothing if there is nothing to draw.

    `is_first` says that no other heading stands between the title of the page and the chart.

    With `on_click` the bins of a histogram and the marks on intervals can be clicked, as the `hint` says: the state of the key then
    holds the points that were clicked.
    """
    plan = plan_chart(chart)
    if plan is None:
        return
    with st.container(key=f"chart-{key}", gap="xsmall"):
        (st.header if is_first else st.subheader)(escape_markdown(chart.title), anchor=False)
        figure = build_figure(chart, is_clickable=on_click is not None)
        options: dict[str, Any] = {"on_select": on_click, "selection_mode": "points"} if on_click else {}
        st.plotly_chart(figure, key=key, alt=plan.words, config=CONFIG, **options)
        if on_click:
            with st.container(key="chart-tap"):
                script_renderer(FOLDER / "tap.js")(key=f"{key}-tap", height="content")
        show_fragment(partial(_show_foot, chart, key, caption, hint=hint))


def _show_foot(chart: Chart, key: str, caption: str, *, hint: str) -> None:
    """Show the caption, and offer the chart as a picture, which is drawn when somebody asks for it."""
    slot = f"{key}-picture"

    def remember_kind() -> None:
        st.session_state[f"{slot}-kind"] = (st.session_state.get(slot) or {}).get("kind")

    kind = st.session_state.pop(f"{slot}-kind", None)
    data = {"name": run_name_from_text(chart.title, "chart"), "title": chart.title}
    if kind:
        data |= {"kind": str(kind), "token": str(uuid4()), "svg": draw_picture([chart], chart.title, caption)}
    with st.container(key=f"chart-foot-{key}", horizontal=True, gap="small", vertical_alignment="top"):
        st.caption(escape_markdown(f"{caption} {hint}".strip()))
        picture = script_renderer(FOLDER / "picture.js", FOLDER / "picture.css")
        picture(key=slot, data=data, on_kind_change=remember_kind, width="content", height="content")
