"""Upload of a run file: a separate process checks the file before it joins the library."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.report import wording
from pipelines.runs.intake import CHECK_TIMEOUT_SECONDS, CHECKED_GAMES, MAX_UPLOAD_MEGABYTES, start_intake

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from pipelines.runs.intake import Intake
    from pipelines.runs.library import Library


def show_upload(library: Library) -> None:
    """Show the upload field for a run file."""
    st.caption(
        "A run that somebody gave you: a file that ends in .duckdb, of at most "
        f"{MAX_UPLOAD_MEGABYTES} MB. Before it joins your library, it is checked, and about {CHECKED_GAMES} of its games are "
        "replayed by the rules or played again."
    )
    # A new key makes a new, empty widget after a file has been added.
    turn = st.session_state.setdefault("upload-turn", 0)
    file = st.file_uploader(
        "Run file",
        type="duckdb",
        key=f"upload-{turn}",
        max_upload_size=MAX_UPLOAD_MEGABYTES,
        label_visibility="collapsed",
    )
    if file is not None and st.session_state.get("upload-done") != file.file_id:
        _take_in_upload(library, file)
    said = st.session_state.get("upload-said")
    if said:
        (st.success if said[0] else st.error)(said[1])


def _take_in_upload(library: Library, file: UploadedFile) -> None:
    st.session_state["upload-said"] = None
    try:
        intake = start_intake(library, file.name, file.getbuffer())
    except (GameError, OSError) as error:
        _finish_upload(file, good=False, said=escape_markdown(str(error)))
        return
    try:  # leaving the page or removing the file ends the check
        with st.status(escape_markdown(f"Checking {file.name} …"), expanded=True) as status:
            place = st.empty()
            while not intake.is_checked:
                place.caption(
                    f"{wording.format_duration(intake.seconds)} of at most {wording.format_duration(CHECK_TIMEOUT_SECONDS)}. Remove the file to stop."
                )
                time.sleep(0.2)
            fault = intake.fault
            status.update(label="Checked", state="error" if fault else "complete", expanded=False)
        if fault:
            _finish_upload(file, good=False, said=escape_markdown(f"{file.name} was not added: {fault}"))
        else:
            _keep_run(file, intake)
    finally:
        intake.discard()
    if not fault:
        st.rerun()


def _keep_run(file: UploadedFile, intake: Intake) -> None:
    said = intake.what_was_checked
    run = intake.add_to_library()
    _finish_upload(file, good=True, said=escape_markdown(f"{run.name} is in the library: {said}."))
    st.session_state["upload-turn"] += 1


def _finish_upload(file: UploadedFile, *, good: bool, said: str) -> None:
    st.session_state["upload-done"] = file.file_id
    st.session_state["upload-said"] = (good, said)
