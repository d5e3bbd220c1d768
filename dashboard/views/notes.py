"""The page Notes: everything that was kept, with one search over all of it. The address holds the filters."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dashboard import cached
from dashboard.notes import (
    clear_note_filters,
    offer_notes,
    show_note_filters,
    show_note_list,
    show_note_upload,
    show_removed_note,
)
from dashboard.widgets.address import invite_to_simulate
from dashboard.widgets.keep.give_away import show_notes_give_away
from pipelines.notes.note import names_by_key
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.report import wording
from pipelines.studies.study import MAX_ITEMS

NOTES_SHOWN: Final = 40

library = cached.dashboard_library()
store = NoteStore(library.folder)

st.title("Your notes")
show_removed_note(store)
runs = library.runs()
if not runs:
    invite_to_simulate()
elif not store.search(NoteFilter(), most=1).total:
    st.info(
        "Nothing is kept yet. Open a game, a comparison or a chart and press **Keep** at the top: the note leads back to "
        "exactly what the page showed."
    )
    with st.container(horizontal=True):
        st.page_link("views/replay.py", label="Open a game", icon=":material/play_circle:")
        st.page_link("views/strategies.py", label="Open a comparison", icon=":material/balance:")
        st.page_link("views/scores.py", label="Open a chart", icon=":material/bar_chart:")
    show_note_upload(store)
else:
    with st.container(key="notes-page"):
        wanted = show_note_filters(store)
        with st.container(key="notes-found"):
            is_collection = wanted == NoteFilter(collection=wanted.collection)
            found = store.search(wanted, most=MAX_ITEMS if is_collection else NOTES_SHOWN)
            hidden = found.total - len(found.notes)
            if found.notes:
                count = wording.format_count(found.total, "note")
                if hidden:
                    count += f"; the first {len(found.notes)} are shown, narrow the search to see others"
                elif is_collection and wanted.collection and found.total > 1:
                    count += ", the chapters of a study. The arrows change their order."
                st.caption(count)
            else:
                st.info("No note fits the search and the filters.")
                st.button("Show all notes", on_click=clear_note_filters)
            show_note_list(
                store, found.notes, names_by_key(runs), wanted.collection if is_collection else None
            )
            show_note_upload(store)

    offer_notes(store, wanted)
    with st.container(key="keep-row"):
        show_notes_give_away(store, wanted, found.total)
