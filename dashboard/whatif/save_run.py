"""Saving the continuations of an answer as a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.address import show_link
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.experiments.whatif import saved_run_design
from pipelines.questions.game.question import GameQuestion
from pipelines.report import wording
from pipelines.runs.names import check_run_name, run_path
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from pipelines.experiments.whatif import WhatIf
    from pipelines.runs.library import Run


def show_save_form(answer: WhatIf, run: Run) -> None:
    """Show the form that saves the continuations as a run, and inside it a link to the saved run."""
    fork = answer.fork
    with st.popover("Add to the library", icon=":material/library_add:"):
        st.caption("Both branches become games of a new run. Each game includes the moves before the fork.")
        name = st.text_input(
            "Name", f"whatif-{run.name}-{fork.game_id + 1}-{fork.ply + 1}"[:80], key="whatif-name"
        )
        if st.button("Add", key="whatif-save"):
            st.session_state["whatif-saved"] = _save_continuations(answer, run, name)
        saved = st.session_state.get("whatif-saved")
        if saved and saved[0] == id(answer):  # in here, because the open form would cover a message below it
            st.success(
                escape_markdown(
                    f"Added {wording.format_count(saved[2], 'game')} as {saved[1]} in your library."
                )
            )
            show_link(GameQuestion(run=saved[1], ply=fork.ply), "Replay the first game from the fork")


def _save_continuations(answer: WhatIf, run: Run, name: str) -> tuple[int, str, int] | None:
    """Save an answer under a name, or the next free name.

    Return the identity of the answer, the name of the run, and its number of games; show the error and return None if
    that fails.
    """
    target = run_path(cached.dashboard_library().runs_folder, name)
    try:
        check_run_name(name)
        with st.spinner(f"Playing {2 * answer.n:,} games again to save them …"):
            saved = simulate_run(saved_run_design(answer, run.name, name), target, workers=1)
    except GameError as error:
        st.error(escape_markdown(str(error)))
        return None
    except OSError as error:
        st.error(f"{error.filename or target}: {error.strerror}")
        return None
    return id(answer), saved.name, saved.summary.games
