"""The search field and the filters of the page Notes, which its address holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.address import read_page_question
from dashboard.widgets.form_address import show_address_problems
from pipelines.notes.note import NOTE_KINDS
from pipelines.notes.note_list import KIND_NAMES, NoteListQuestion
from pipelines.notes.store import NoteFilter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.notes.store import NoteStore


FILTER_WIDTH_PX: Final = 170
_UNFILTERED: Final[Mapping[str, object]] = {
    "words": "",
    "kinds": [],
    "tags": [],
    "collection": None,
    "favourites": False,
}
"""The values of all filters, by the key of their field, that leave out nothing."""


def show_note_filters(store: NoteStore) -> NoteFilter:
    """Show the filters in one row, and what in the address no note can have; return what they choose."""
    asked, problems = read_page_question(NoteListQuestion)
    tags, collections = list(store.labels("tag")), list(store.labels("collection"))
    show_address_problems([*problems, *asked.find_problems(tags, collections)])
    with st.container(horizontal=True, vertical_alignment="center", key="note-filters"):
        words = st.text_input(
            "Search",
            key="words",
            bind="query-params",
            placeholder="Search your notes",
            label_visibility="collapsed",
        )
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="note-choices"):
            wanted = _show_choices(tags, collections)
    return replace(wanted, words=words)


def _show_choices(tags: Sequence[str], collections: Sequence[str]) -> NoteFilter:
    """Show the choices; those of tags and of collections only if there are any."""
    kinds = st.multiselect(
        "Kinds",
        NOTE_KINDS,
        format_func=KIND_NAMES.__getitem__,
        key="kinds",
        bind="query-params",
        placeholder="All kinds",
        label_visibility="collapsed",
        width=FILTER_WIDTH_PX,
        select_all=False,
    )
    chosen_tags = (
        st.multiselect(
            "Tags",
            tags,
            key="tags",
            bind="query-params",
            placeholder="Any tags",
            label_visibility="collapsed",
            width=FILTER_WIDTH_PX,
            select_all=False,
        )
        if tags
        else []
    )
    collection = (
        st.selectbox(
            "Collection",
            collections,
            index=None,
            key="collection",
            bind="query-params",
            placeholder="All collections",
            label_visibility="collapsed",
            width=FILTER_WIDTH_PX,
        )
        if collections
        else None
    )
    only_favourites = st.toggle("★ Starred", key="favourites", bind="query-params")
    return NoteFilter(
        kinds=tuple(kinds), tags=tuple(chosen_tags), collection=collection, only_favourites=only_favourites
    )


def clear_note_filters() -> None:
    """Set all filters back, in a callback: every note fits."""
    for key, value in _UNFILTERED.items():
        st.session_state[key] = value
