"""Colours and completion in the field of a query.

The field is a plain text area of Streamlit; a script lays the coloured text below it and offers names. Without the script the
field works as before. A ready-made editor would stand in a frame of its own, which the theme of the page, its keys and
screen readers do not reach well.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import streamlit as st

from pipelines.runs.schema import documented_tables

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer


def help_in_editor(field: str) -> None:
    """Colour the text of the text area with the key `field`, and offer the names of tables, columns and functions."""
    st.html(_read_asset("editor.css"), width="content")
    tables = {
        table.name: {
            "about": table.about,
            "columns": {column.name: [column.type.lower(), column.about] for column in table.columns},
        }
        for table in documented_tables()
    }
    _editor_renderer()(key=f"editor-{field}", data={"field": field, "tables": tables}, height="content")


def _read_asset(name: str) -> str:
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return f"<style>{text}</style>" if name.endswith(".css") else text


@cache
def _editor_renderer() -> ComponentRenderer:
    return st.components.v2.component("reroll_sql_editor", js=_read_asset("editor.js"))
