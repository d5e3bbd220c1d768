"""The Streamlit components of the pages: those that show a game or its printed parts, and scripts beside their modules.

The hosts of the viewer receive a whole scene; the browser steps through it. The boards of pages ask at routes of the server, which Streamlit has only if `dashboard.served_app` started it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

import streamlit as st

from pipelines.questions.game import PANEL_KEY
from pipelines.questions.whatif import WhatifQuestion
from pipelines.report.show.html import sheet_style
from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

    from engine.scene import Die, Scene
    from pipelines.runs.game_queries import FinishCloseness, ScoreStanding


class PlaceInRun(NamedTuple):
    """What is known of a game in its run: how it compares with the others, which the replay says at its end, and comments."""

    standings: Sequence[ScoreStanding]
    """Compares the final score of every seat with other games."""
    closeness: FinishCloseness | None = None
    """Compares the margin."""
    has_next: bool = False
    """Whether the run has a next game."""
    comments: Mapping[int, str] | None = None
    """What notes say on moves, by ply."""


class Opening(NamedTuple):
    """What a replay does when it is opened."""

    plays: bool = False
    """It plays, unless the visitor wants no motion."""
    follows: int = 0
    """If it grows, a replay that is open already goes where the address leads."""
    question: str = ""
    """The query of the what-if question of the address, which it asks at once."""
    lesson: Mapping[str, Any] | None = None
    """The lesson that it asks, by `write_lesson_document`, with its `title` and its `text`, and `hasNext` if its collection has a next one."""


FIRST_POSITION: Final = Opening()


def show_replay(  # noqa: PLR0913 - all keywords
    scene: Scene,
    *,
    key: str,
    review: dict[str, Any] | None = None,
    is_reviewed: bool | None = None,
    place: PlaceInRun | None = None,
    opening: Opening = FIRST_POSITION,
    on_command: Callable[[str], None] | None = None,
) -> None:
    """Show a game on a Streamlit page.

    Use the same `key` for every game that is shown at this place. The component reads and writes
    the ply in the address; do not write it to `st.query_params`.

    `review` is the result of `pipelines.experiments.review.build_review_document`.
    `is_reviewed` says whether the component writes `review=1` to the address or removes it; None leaves the address unchanged.

    With `on_command` the replay also asks What if and for the best moves; the function is called with `open` for the next
    game, with `lesson` for the next lesson and with `review`.
    """

    def take_command() -> None:
        command = (st.session_state.get(key) or {}).get("command")
        if on_command and isinstance(command, str):
            on_command(command)

    data = {
        "scene": scene,
        "review": review,
        "comments": place and place.comments,
        "isReviewed": is_reviewed,
        "play": "play",
        "standings": place and [stand._asdict() for stand in place.standings],
        "closeness": place and place.closeness and place.closeness._asdict(),
        "hasNext": place is not None and place.has_next,
        "takesCommands": on_command is not None,
        "plays": opening.plays,
        "follows": opening.follows,
        "board": find_board_address() if on_command else None,
        "question": opening.question,
        "lesson": opening.lesson,
        "questionKeys": sorted({*WhatifQuestion.marks, PANEL_KEY}),
    }
    viewer_renderer("streamlit")(key=key, on_command_change=take_command, data=data, height="content")


def show_printed_components(
    scene: Scene, dice: Sequence[Die], *, key: str, on_square: Callable[[int, int], None] | None = None
) -> None:
    """Show the printed parts of a game: the boards and trays of a scene without plies, and the faces of the dice.

    Boards that all seats have alike, and trays, are shown once. `on_square` is called with the column and the row of a square
    that the visitor clicks, both from 0 at the lower left corner.
    """
    first = scene["boards"][0]
    boards = [board for board in scene["boards"] if board["seat"] is None or board is first]
    trays = scene["trays"]
    if len(trays) > 1 and all(tray["pieces"] == trays[0]["pieces"] for tray in trays):
        name = "Of each colour" if first["seat"] is None else trays[0]["name"]
        trays = [{**trays[0], "name": name, "seat": None}]
    still: Scene = {**scene, "boards": boards, "trays": trays, "steps": []}

    def take_square() -> None:
        square = (st.session_state.get(key) or {}).get("square")
        if on_square and isinstance(square, list) and [type(place) for place in square] == [int, int]:
            on_square(*square)

    viewer_renderer("printed")(
        key=key,
        on_square_change=take_square,
        data={"scene": still, "dice": list(dice), "isEditable": on_square is not None},
        height="content",
    )


@cache
def script_renderer(script: Path, style: Path | None = None) -> ComponentRenderer:
    """Return the component of a script, with a style of its own."""
    css = style.read_text(encoding="utf-8") if style else None
    return st.components.v2.component(f"reroll_{script.stem}", css=css, js=script.read_text(encoding="utf-8"))


@cache
def viewer_renderer(host: str) -> ComponentRenderer:
    """Return the component whose script is the module `host` of `pipelines.viewer.replay`."""
    style = assets.replay_style(host, sheet_style() if host == "streamlit" else "")
    return st.components.v2.component(f"reroll_{host}", css=style, js=assets.replay_script(host))


class BoardRoutes:
    """The routes of this process."""

    base_path: ClassVar[str | None] = None
    """The path below which they are, such as `/games` or the empty one; None without routes."""


def find_board_address() -> str | None:
    """Return the path below which the routes are; without routes, say so on the page and return None."""
    if BoardRoutes.base_path is None:
        st.info("This board answers no questions: start the dashboard with `reroll dashboard`.")
    return BoardRoutes.base_path
