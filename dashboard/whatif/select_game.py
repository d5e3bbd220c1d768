"""The choice of the run and the game of a what-if question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.widgets.labels import add_run_labels
from pipelines.report import wording

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.runs.library import Run


def ask_which_game(runs: Mapping[str, Run], run: Run, game: int) -> None:
    """Ask for the run and the game; the choice changes the address."""
    titles = {name: f"{wording.format_run_title(one.summary)} · {name}" for name, one in runs.items()}
    which, number = st.columns([5, 1])
    which.selectbox(
        "Run",
        list(runs),
        index=list(runs).index(run.name),
        key=f"whatif-run-{run.name}",
        format_func=add_run_labels(titles, runs.values()).__getitem__,
        on_change=lambda: st.query_params.from_dict({"run": st.session_state[f"whatif-run-{run.name}"]}),
    )
    key = f"whatif-game-{run.name}-{game}"
    number.number_input(
        "Game",
        0,
        run.summary.games - 1,
        game,
        key=key,
        on_change=lambda: st.query_params.from_dict({"run": run.name, "game": str(st.session_state[key])}),
    )
