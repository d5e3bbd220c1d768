"""Commands and queries on a page, as text to copy."""

from __future__ import annotations

from html import escape
from typing import Final

import streamlit as st

VERBATIM_STYLE: Final = """<style>
.verbatim { margin: 0; padding: 0.6rem 0.8rem; border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 0.85rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; user-select: all;
  color: inherit; background: color-mix(in srgb, currentColor 7%, transparent); }
</style>"""


def show_verbatim(text: str) -> None:
    """Show a text to copy; a click selects all of it."""
    st.html(f'{VERBATIM_STYLE}<pre class="verbatim">{escape(text)}</pre>')
