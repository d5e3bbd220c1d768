"""The chart of an answer of the page SQL, and the choice of another one, which the address holds (`kind`, `x`, `y`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.sql import answers
from dashboard.sql.question import TYPED_KEY, write_shown_question
from dashboard.widgets import charts
from dashboard.widgets.form_address import show_address_problems
from dashboard.widgets.markdown import escape_markdown
from pipelines.questions.address import describe_unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from pipelines.questions.sql.question import SqlQuestion

CHART_KINDS: Final = {"": "Table", "bar": "Bars", "line": "Line", "points": "Points"}


def show_chart(table: pd.DataFrame, asked: SqlQuestion, words: Mapping[str, str]) -> None:
    """Show the chart of an answer, and the choice of another one; `words` are titles of axes by the columns that they show."""
    numeric = answers.numeric_columns(table)
    if not numeric:
        return
    columns = list(table.columns)
    is_typed = asked.sql == st.session_state.get(TYPED_KEY)  # the chart is then that of the query before
    named = [
        (name, known) for name, known in ((asked.x, columns), (asked.y, numeric)) if name and not is_typed
    ]
    show_address_problems(
        [
            describe_unknown("column", name, "in the answer to draw")
            for name, known in named
            if name not in known
        ]
    )
    across = asked.x if asked.x in columns else columns[0]
    up = asked.y if asked.y in numeric else numeric[-1]
    if asked.chart:
        charts.show_chart(answers.build_chart(table, asked.chart, across, up, words), "sql-chart")
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
            for label, key, choices in (("Up", "sql-y", numeric), ("Across", "sql-x", columns)):
                st.selectbox(
                    label,
                    choices,
                    format_func=f"{label}: {{}}".format,
                    key=key,
                    on_change=write_address_chart,
                    label_visibility="collapsed",
                    width=150,
                )
    if asked.chart and (bars := answers.describe_bars(asked.sql, table, up)):
        st.caption(escape_markdown(bars))
    if asked.chart and len(table) > answers.MAX_MARKS:
        st.caption(f"The chart shows the first {answers.MAX_MARKS:,} rows.")
