"""Which game is asked about: it stands in the address."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import source, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.library import Run


def from_address(runs: Mapping[str, Run]) -> tuple[Run, int]:
    """Read which game is asked about."""
    newest = next(iter(runs.values()))
    name = st.query_params.get("run", newest.name)
    if name not in runs:
        st.warning(source.escaped(f"There is no logged run {name} here; this is the newest one."))
        return newest, 0
    text, found = st.query_params.get("game", "0"), runs[name]
    game = written.whole(text)
    if game is not None and game < found.summary.games:
        return found, game
    st.warning(source.escaped(f"Run {name} has games 0 to {found.summary.games - 1}, no game {text}."))
    return found, 0


def choose_game(runs: Mapping[str, Run], run: Run, game: int) -> None:
    """Offer other games; another game is another address."""
    which, number = st.columns([5, 1])
    which.selectbox(
        "Run",
        list(runs),
        index=list(runs).index(run.name),
        key=f"whatif-run-{run.name}",
        format_func=lambda name: f"{runs[name].summary.title} · {name}",
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
