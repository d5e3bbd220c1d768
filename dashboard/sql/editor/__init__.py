"""Colours and completion in the field of a query.

The field is a plain text area of Streamlit; a script lays the coloured text below it and offers names. Without the script the
field works as before. A ready-made editor would stand in a frame of its own, which the theme of the page, its keys and
screen readers do not reach well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st

from dashboard.widgets.components import script_renderer
from pipelines.runs.schema import documented_tables

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
