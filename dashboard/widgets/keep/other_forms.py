"""Other forms of what a page shows, such as CSV: a page offers them while it is drawn, the menu *Give away* hands them out."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

import streamlit as st

from dashboard.widgets.markdown import escape_markdown

if TYPE_CHECKING:
    from collections.abc import Callable

_SLOT: Final = "other-forms"


class OtherForm(NamedTuple):
    """A file that a page can write."""

    what: str
    """What is in it. Forms of the same thing are offered one after another."""
    label: str
    """The name of the format."""
    write: Callable[[], str | bytes]
    """Called without a page, when somebody wants the file."""
    file: str
    mime: str


def forget_other_forms() -> None:
    """Forget what a page has offered, before it is drawn again or another page is."""
    st.session_state[_SLOT] = {}


def offer_form(form: OtherForm) -> None:
    """Offer a file; of two with the same name the later one counts."""
    st.session_state.setdefault(_SLOT, {})[form.file] = form


def show_other_forms() -> None:
    """Show a button for each file that the page has offered."""
    offered: dict[str, OtherForm] = st.session_state.get(_SLOT, {})
    for what, forms in groupby(offered.values(), key=lambda form: form.what):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(escape_markdown(what))
            for form in forms:
                st.download_button(
                    form.label, form.write, form.file, form.mime, on_click="ignore", key=f"form-{form.file}"
                )
