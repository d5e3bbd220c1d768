"""The choice of a run and of one of its games."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.widgets.markdown import escape_markdown
from pipelines.report import wording

if TYPE_CHECKING:
    from pipelines.runs.library import Run


def ask_which_game(
    runs: Mapping[str, Run], run: Run, game: int, open_game: Callable[[str, int], None]
) -> None:
    """Show the open game and its run, and ask for another one; `open_game` gets the name of its run and its number."""
    titles = {
        name: f"{wording.format_run_title(known_run.summary)} · {name}" for name, known_run in runs.items()
    }
    last = run.summary.games - 1
    run_key, game_key = "replay-run", "replay-game"
    st.session_state[run_key], st.session_state[game_key] = run.name, game + 1
    with st.popover(
        escape_markdown(f"Game {game + 1:,} of {last + 1:,} · {wording.format_run_title(run.summary)}"),
        key="replay-which",
        width="stretch",
        wrap=False,
    ):
        st.selectbox(
            "Run",
            list(runs),
            key=run_key,
            format_func=titles.__getitem__,
            on_change=lambda: open_game(st.session_state[run_key], 0),
        )
        st.number_input(
            f"Game, 1 to {last + 1:,}",
            min_value=1,
            max_value=last + 1,
            step=1,
            key=game_key,
            on_change=lambda: open_game(run.name, min(max(0, st.session_state[game_key] - 1), last)),
        )
