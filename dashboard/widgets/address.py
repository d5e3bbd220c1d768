"""The address says what a page is about: which game of which run (`?run=…&game=…`), and whatever else it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets import number_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.runs.library import Run


def set_address(**address: str) -> None:
    """Put this into the address, from which the page is drawn.

    For buttons: a link to the very page it is on draws that anew, but leaves the address in the browser as it was.
    """
    st.query_params.from_dict(address)


def read_addressed_game(runs: Mapping[str, Run], otherwise: Run, what: str = "run") -> tuple[Run, int]:
    """Return the run and the game that the address asks for: the first game of `otherwise` if it does not say.

    What is not there is told on the page; `what` is what the runs are called.
    """
    name = st.query_params.get("run", otherwise.name)
    if name not in runs:
        st.warning(cached.escape_markdown(f"There is no {what} {name} here; this is the newest one."))
        return otherwise, 0
    text, run = st.query_params.get("game", "0"), runs[name]
    game = number_fields.parse_whole_number(text)
    if game is not None and game < run.summary.games:
        return run, game
    st.warning(cached.escape_markdown(f"Run {name} has games 0 to {run.summary.games - 1}, no game {text}."))
    return run, 0
