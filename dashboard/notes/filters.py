"""The search field and the filters of the page Notes, which its address holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import streamlit as st

from pipelines.notes.note import NOTE_KINDS
from pipelines.notes.store import NoteFilter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.notes.note import NoteKind
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
    """Show the filters in one row and return what they choose."""
    with st.container(horizontal=True, vertical_alignment="center", key="note-filters"):
        words = st.text_input(
            "Search",
            key="words",
            bind="query-params",
            placeholder="Search in titles, texts, tags and collections",
            label_visibility="collapsed",
        )
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="note-choices"):
            wanted = _show_choices(store)
    return replace(wanted, words=words)


def _show_choices(store: NoteStore) -> NoteFilter:
    """Show the choices; those of tags and of collections only if there are any."""
    kinds = st.multiselect(
        "Kinds",
        NOTE_KINDS,
        format_func=format_kind,
        key="kinds",
        bind="query-params",
        placeholder="All kinds",
        label_visibility="collapsed",
        width=FILTER_WIDTH_PX,
        select_all=False,
    )
    tags, collections = list(store.labels("tag")), list(store.labels("collection"))
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
    only_favourites = st.toggle("Favourites", key="favourites", bind="query-params")
    return NoteFilter(
        kinds=tuple(kinds), tags=tuple(chosen_tags), collection=collection, only_favourites=only_favourites
    )


def clear_note_filters() -> None:
    """Set all filters back, in a callback: every note fits."""
    for key, value in _UNFILTERED.items():
        st.session_state[key] = value


def format_kind(kind: NoteKind) -> str:
    """Return what people call a kind of note: a ply is a move to them."""
    names: dict[NoteKind, str] = {"ply": "move", "hand": "game by hand"}
    return names.get(kind, kind)
