"""Write what a page shows by default into its address, without a new entry in the history of the browser.

`st.query_params` would add an entry, and the Back button would lead to the same page once more.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.address import read_query
from dashboard.widgets.components import script_renderer
from pipelines.questions.game import game_address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_SEEN_GAME_SLOT: Final = "seen-game"


def read_seen_game() -> tuple[str, int] | None:
    """Return the run and the number of the game that a visitor has seen last; None if it is the first one."""
    seen: tuple[str, int] | None = st.session_state.get(_SEEN_GAME_SLOT)
    return seen


def write_address_defaults(page: str, defaults: Mapping[str, Sequence[str]]) -> None:
    """Write these values into the address of the page `page`, each only if the address does not hold its key."""
    # The browser runs the script again whenever the data change, so they hold the address as the server knows it.
    script_renderer(Path(__file__).with_name("defaults.js"))(
        key="address-defaults",
        data={
            "page": page,
            "defaults": {key: list(values) for key, values in defaults.items()},
            "held": read_query(),
        },
        height="content",
    )


def write_game_defaults(page: str, run: str, game: int) -> None:
    """Write the game that a page shows into its address where the address names no run or no game, and remember it."""
    st.session_state[_SEEN_GAME_SLOT] = (run, game)
    write_address_defaults(page, game_address(run, game))
