"""The choice of the chart of an answer of the page SQL, which the address holds (`kind`, `x`, `y`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.sql.question import write_shown_question
from pipelines.report.sql import choose_axes, list_numeric_columns

if TYPE_CHECKING:
    from pipelines.questions.sql import SqlQuestion
    from pipelines.report.table import Table

CHART_KINDS: Final = {"": "Table", "bar": "Bars", "line": "Line", "points": "Points"}


def ask_chart(table: Table, asked: SqlQuestion) -> None:
    """Ask for another chart of an answer, if one of its columns has numbers to draw."""
    numeric = list_numeric_columns(table)
    if not numeric:
        return
    across, up = choose_axes(asked, table)
    st.session_state.update({"sql-kind": asked.chart, "sql-x": across, "sql-y": up})

    def write_address_chart() -> None:
        held = {"chart": st.session_state["sql-kind"]}
        held |= {key: st.session_state.get(f"sql-{key}", "") for key in ("x", "y")}
        write_shown_question(asked.model_copy(update=held))

    with st.container(key="sql-chart-choice", horizontal=True, vertical_alignment="center"):
        st.segmented_control(
            "Chart",
            list(CHART_KINDS),
            format_func=CHART_KINDS.__getitem__,
            key="sql-kind",
            required=True,
            on_change=write_address_chart,
            label_visibility="collapsed",
        )
        if asked.chart:
            for label, key, choices in (("Up", "sql-y", numeric), ("Across", "sql-x", list(table.columns))):
                st.selectbox(
                    label,
                    choices,
                    format_func=f"{label}: {{}}".format,
                    key=key,
                    on_change=write_address_chart,
                    label_visibility="collapsed",
                    width=150,
                )
