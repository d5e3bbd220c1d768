"""The Streamlit component that shows the position of a what-if question, on whose board another move can be chosen."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import streamlit as st

from engine import games
from pipelines.experiments.whatif.panel_documents import alternatives_document
from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.components.v2.types import ComponentRenderer

    from dashboard.whatif.question import ForkPlace

POSITION_KEY = "whatif-position"


def show_position(place: ForkPlace, chosen: str | None, on_choose: Callable[[str], None]) -> None:
    """Show the position before a move, and the move that was played.

    With a `chosen` move, another one can be chosen on the board: `on_choose` then gets its notation.
    """

    def pass_choice() -> None:
        on_choose(str(st.session_state[POSITION_KEY]["action"])[:200])

    _position_renderer()(
        key=POSITION_KEY,
        on_action_change=pass_choice,
        data=position_document(place, chosen),
        height="content",
    )


def position_document(place: ForkPlace, chosen: str | None) -> dict[str, Any]:
    """Return what the component draws: the game up to the move that was played, and the legal moves in its place."""
    scene = games.find_game(place.ruleset.game).scene(place.ruleset, [*place.before, place.action])
    scene["ranks"] = []
    scene["strategies"] = place.seated
    look = None if chosen is None else alternatives_document(place.state, scene)
    return {"scene": scene, "look": look, "chosen": chosen}


@cache
def _position_renderer() -> ComponentRenderer:
    return st.components.v2.component(
        "reroll_position", css=assets.replay_style("position"), js=assets.replay_script("position")
    )
