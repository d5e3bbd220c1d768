"""The question of the page SQL: its query, the fields of its parameters, and the chart of the answer. The address holds them.

The field of a query has colours and completion. It is a plain text area of Streamlit; a script lays the coloured text below it
and offers names. Without the script the field works as before. A ready-made editor would stand in a frame of its own, which the
theme of the page, its keys and screen readers do not reach well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.widgets.address import is_wanted, read_page_question, write_page_question
from dashboard.widgets.components import script_renderer
from dashboard.widgets.markdown import escape_markdown
from pipelines.design.limits import MAX_VALUE_CHARACTERS
from pipelines.questions.sql import SqlQuestion
from pipelines.report.query_examples import QUERY_EXAMPLES, QueryExample, example_settings, find_example
from pipelines.report.sql import choose_axes, list_numeric_columns
from pipelines.runs.query_parameters import (
    MAX_PARAMETERS,
    PARAMETER_KINDS,
    ParameterKind,
    default_kind,
    find_parameters,
    is_number,
    known_values,
)
from pipelines.runs.schema import documented_tables

if TYPE_CHECKING:
    from pipelines.report.table import Table
    from pipelines.runs.library import Run

MAX_ADDRESS_CHARACTERS: Final = 6000
"""Maximum length of a query in the address; browsers and servers accept addresses of this length."""
TYPED_KEY: Final = "sql-typed"
"""Key of the session state that holds the query that somebody has typed last."""
_LONG_SLOT: Final = "sql-long"
"""The session state holds here a query that is too long for the address."""


def is_query_asked() -> bool:
    """Return whether somebody has asked a query, here or in the address."""
    return bool(read_page_question(SqlQuestion)[0].sql or st.session_state.get(_LONG_SLOT))


def read_shown_question(runs: Mapping[str, Run]) -> SqlQuestion:
    """Return the question that the page answers, with its query; the example has no values where no run has any."""
    question, _ = read_page_question(SqlQuestion)
    if is_query_asked():
        return question.model_copy(update={"sql": question.sql or st.session_state[_LONG_SLOT]})
    return make_example_question(QUERY_EXAMPLES[0], runs)


def make_example_question(
    example: QueryExample, runs: Mapping[str, Run], chosen: Mapping[str, str] = {}
) -> SqlQuestion:
    """Return the question of an example with its chart, over the runs that the address names, all if it names none.

    `chosen` are values of parameters that the visitor has chosen before.
    """
    known = _read_known_runs(runs)
    settings = example_settings(example.sql, [runs[name] for name in known or runs], chosen)
    question = SqlQuestion(sql=example.sql, runs=known, chart=example.kind, x=example.x, y=example.y)
    return question.with_parameters(settings, {})


def change_query(sql: str, runs: Mapping[str, Run]) -> SqlQuestion:
    """Return the question of another query without a chart, with the runs and the values of parameters that are shown."""
    question = read_shown_question(runs).model_copy(update={"sql": sql})
    names = {name.lower() for name in find_parameters(sql)}
    kinds = {name: kind for name, kind in question.parameter_kinds.items() if name.lower() in names}
    return SqlQuestion(sql=sql, runs=_read_known_runs(runs)).with_parameters(question.texts, kinds)


def _read_known_runs(runs: Mapping[str, Run]) -> tuple[str, ...]:
    return tuple(name for name in read_page_question(SqlQuestion)[0].runs if name in runs)


def write_shown_question(question: SqlQuestion) -> None:
    """Write a question into the address, so that the page answers it; the session holds a query that is too long."""
    is_long = len(question.sql) > MAX_ADDRESS_CHARACTERS
    st.session_state[_LONG_SLOT] = question.sql if is_long else ""
    write_page_question(question.model_copy(update={"sql": ""}) if is_long else question)


def is_query_wanted(question: SqlQuestion) -> bool:
    """Return whether the page answers a question by itself: an example, and what this visitor has asked."""
    typed = st.session_state.get(_LONG_SLOT)
    return question.sql == typed or find_example(question.sql) is not None or is_wanted(question)


def ask_parameters(question: SqlQuestion, runs: Sequence[Run]) -> bool:
    """Show a field for each parameter of a question over some runs; return whether it has a value for each.

    There are no fields if the query has more parameters than allowed; the answer says so.
    """
    names = find_parameters(question.sql)
    if not 0 < len(names) <= MAX_PARAMETERS:
        return True
    texts = {name.lower(): text for name, text in question.texts.items()}
    kinds = {name.lower(): kind for name, kind in question.parameter_kinds.items()}
    with st.container(border=True, key="sql-parameters"):
        for name in names:
            text = texts.get(name.lower())
            kind = kinds.get(name.lower()) or default_kind(name, text)
            _show_field(
                name, kind, text, known_values(kind, runs), lambda: _write_address_parameters(question, names)
            )
        missing = [name for name in names if st.session_state[_value_key(name)] in {None, ""}]
        if missing:
            st.caption(
                escape_markdown(
                    f"Give a value to {', '.join(f'${name}' for name in missing)}. Values never become part of the query: "
                    "DuckDB binds them."
                )
            )
        return not missing


def _show_field(
    name: str, kind: ParameterKind, text: str | None, known: list[str], write: Callable[[], None]
) -> None:
    """Show the kind and the value of a parameter; `write` brings a change into the address."""
    # Names are letters, digits and underscores; with a backslash, screen readers would read it aloud.
    label, key = f"${name}", _value_key(name)
    value: Any = text
    if kind == "number":
        value = float(text) if text is not None and is_number(text) else None
    elif kind != "text" and text not in known:
        value = None
    st.session_state[_kind_key(name)] = kind
    with st.container(key=f"sql-parameter-{name}", horizontal=True, vertical_alignment="bottom"):
        st.selectbox(f"{label} is a", PARAMETER_KINDS, key=_kind_key(name), on_change=write, width=130)
        st.session_state[key] = value or "" if kind == "text" else value
        if kind == "number":
            st.number_input(
                label, value=None, step=1.0, format="%.12g", key=key, on_change=write, placeholder="a number"
            )
        elif kind == "text":
            st.text_input(label, key=key, max_chars=MAX_VALUE_CHARACTERS, on_change=write)
        else:
            st.selectbox(label, known, index=None, key=key, on_change=write, placeholder=f"Choose a {kind}")
    if text and value is None:
        st.warning(
            escape_markdown(
                f"{text[:80]} is not a number." if kind == "number" else f"There is no {kind} {text[:80]}."
            )
        )


def _write_address_parameters(question: SqlQuestion, names: list[str]) -> None:
    """Write the fields into the address. A value stays if it fits another kind as well."""
    texts: dict[str, str] = {}
    kinds: dict[str, ParameterKind] = {}
    for name in names:
        kind, value = st.session_state[_kind_key(name)], st.session_state[_value_key(name)]
        text = f"{value:.15g}" if isinstance(value, float) else value or None
        if text is not None:
            texts[name] = text
        if kind != default_kind(name, text):
            kinds[name] = kind
    write_shown_question(question.with_parameters(texts, kinds))


def _value_key(name: str) -> str:
    return f"sql-value-{name}"


def _kind_key(name: str) -> str:
    return f"sql-kind-of-{name}"


CHART_KINDS: Final = {"": "Table", "bar": "Bars", "line": "Line", "points": "Points"}


def ask_chart(table: Table, question: SqlQuestion) -> None:
    """Ask for another chart of an answer, if one of its columns has numbers to draw."""
    numeric = list_numeric_columns(table)
    if not numeric:
        return
    across, up = choose_axes(question, table)
    st.session_state.update({"sql-kind": question.chart, "sql-x": across, "sql-y": up})

    def write_address_chart() -> None:
        fields = {"chart": st.session_state["sql-kind"]}
        fields |= {key: st.session_state.get(f"sql-{key}", "") for key in ("x", "y")}
        write_shown_question(question.model_copy(update=fields))

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
        if question.chart:
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


FOLDER: Final = Path(__file__).parent


def help_in_editor(field: str) -> None:
    """Colour the text of the text area with the key `field`, and offer the names of tables, columns and functions."""
    st.html(FOLDER / "editor.css", width="content")
    tables = {
        table.name: {
            "about": table.about,
            "columns": {column.name: [column.type.lower(), column.about] for column in table.columns},
        }
        for table in documented_tables()
    }
    data = {"field": field, "tables": tables}
    script_renderer(FOLDER / "editor.js")(key=f"editor-{field}", data=data, height="content")
