"""The continuations as a run of their own, for who wants to keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets import words
from engine.errors import GameError
from pipelines.experiments.whatif.saved_run import saved_run_design
from pipelines.runs.names import check_run_name, run_path
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.runs.library import Run


def show_save_form(found: WhatIf, run: Run) -> None:
    """Offer to save the continuations as a run, and say where they are."""
    fork_ = found.fork
    with st.popover("Save the continuations"):
        st.caption("Both branches become games of a new run, each with all that went before the fork.")
        name = st.text_input("Name", f"whatif-{run.name}-{fork_.game_id}-{fork_.ply}"[:80], key="whatif-name")
        if st.button("Save", key="whatif-save"):
            st.session_state["whatif-saved"] = _save_continuations(found, run, name)
    kept = st.session_state.get("whatif-saved")
    if kept and kept[0] == id(found):
        st.success(
            cached.escape_markdown(
                f"Saved {words.format_count(kept[2], 'game')} as {kept[1]}; the Library has it."
            )
        )
        st.page_link(
            "views/replay.py",
            label="Replay the first from the fork",
            query_params={"run": kept[1], "game": "0", "ply": str(fork_.ply)},
        )


def _save_continuations(found: WhatIf, run: Run, name: str) -> tuple[int, str, int] | None:
    """Save an answer under a name, or the next free one, and return which answer, the name and its games.

    None after saying what stands in the way.
    """
    target = run_path(cached.dashboard_library().runs_folder, name)
    try:
        check_run_name(name)
        with st.spinner(f"Playing {2 * found.n:,} games once more, to keep them …"):
            kept = simulate_run(saved_run_design(found, run.name, name), target, workers=1)
    except GameError as error:
        st.error(cached.escape_markdown(str(error)))
        return None
    except OSError as error:
        st.error(f"{error.filename or target}: {error.strerror}")
        return None
    return id(found), kept.name, kept.summary.games
