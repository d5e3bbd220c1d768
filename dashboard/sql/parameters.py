"""The fields for the parameters of a query, such as `$n`. The address holds their values and kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.sql.question import write_shown_question
from dashboard.widgets.markdown import escape_markdown
from pipelines.design.limits import MAX_VALUE_CHARACTERS
from pipelines.runs.query_parameters import (
    MAX_PARAMETERS,
    PARAMETER_KINDS,
    default_kind,
    find_parameters,
    is_number,
    known_values,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipelines.questions.sql import SqlQuestion
    from pipelines.runs.library import Run
    from pipelines.runs.query_parameters import ParameterKind


def ask_parameters(asked: SqlQuestion, runs: Sequence[Run]) -> bool:
    """Show a field for each parameter of a question over some runs; return whether it has a value for each.

    There are no fields for more parameters than a query may have, of which its answer says so.
    """
    names = find_parameters(asked.sql)
    if not 0 < len(names) <= MAX_PARAMETERS:
        return True
    texts = {name.lower(): text for name, text in asked.texts.items()}
    kinds = {name.lower(): kind for name, kind in asked.parameter_kinds.items()}
    with st.container(border=True, key="sql-parameters"):
        for name in names:
            text = texts.get(name.lower())
            kind = kinds.get(name.lower()) or default_kind(name, text)
            _show_field(
                name, kind, text, known_values(kind, runs), lambda: _write_address_parameters(asked, names)
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
                label,
                value=None,
                step=1.0,
                format="%.12g",
                key=key,
                on_change=write,
                placeholder="a number",
            )
        elif kind == "text":
            st.text_input(label, key=key, max_chars=MAX_VALUE_CHARACTERS, on_change=write)
        else:
            st.selectbox(label, known, index=None, key=key, on_change=write, placeholder=f"Choose a {kind}")
    if text and value is None:
        st.warning(
            escape_markdown(
                f"{text[:80]} is no number." if kind == "number" else f"There is no {kind} {text[:80]}."
            )
        )


def _write_address_parameters(asked: SqlQuestion, names: list[str]) -> None:
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
    write_shown_question(asked.with_parameters(texts, kinds))


def _value_key(name: str) -> str:
    return f"sql-value-{name}"


def _kind_key(name: str) -> str:
    return f"sql-kind-of-{name}"
