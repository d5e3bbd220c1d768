"""The address of a page, which says what the page shows: a game of a run (`?run=…&game=…`) and its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.widgets import number_fields
from dashboard.widgets.markdown import escape_markdown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.runs.library import Run


def set_address(**address: str) -> None:
    """Replace the query of the address, from which the page is drawn.

    For buttons: a link to the current page would redraw it without changing the address in the browser.
    """
    st.query_params.from_dict(address)


def read_addressed_game(runs: Mapping[str, Run], otherwise: Run, what: str = "run") -> tuple[Run, int]:
    """Return the run and the game number in the address; the first game of `otherwise` if the address names none.

    Shows a warning if the run or the game does not exist; `what` is the word for a run in it.
    """
    name = st.query_params.get("run", otherwise.name)
    if name not in runs:
        st.warning(escape_markdown(f"There is no {what} named {name}. Showing the newest one."))
        return otherwise, 0
    text, run = st.query_params.get("game", "0"), runs[name]
    game = number_fields.parse_whole_number(text)
    if game is not None and game < run.summary.games:
        return run, game
    st.warning(
        escape_markdown(
            f"Run {name} has no game {text}, only games 0 to {run.summary.games - 1}. Showing game 0."
        )
    )
    return run, 0
