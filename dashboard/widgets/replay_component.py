"""The Streamlit components that show a game or its printed parts. They receive a whole scene; the browser steps through it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, NotRequired, TypedDict

import streamlit as st

from dashboard.widgets.components import viewer_renderer
from pipelines.panel.requests import RESPONSE_SLOT, answer_request

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.scene import Die, Scene
    from pipelines.runs.game_queries import FinishCloseness, ScoreStanding
    from pipelines.runs.library import Run


REQUEST_SLOT: Final = "replay-request"
"""The session state holds a request of a replay here until it is answered."""


class PanelState(TypedDict):
    """What the page gives to the What if panel of a replay."""

    response: dict[str, Any] | None
    """What was last answered."""
    question: NotRequired[dict[str, Any] | None]
    """The result of `pipelines.panel.documents.question_document`: what the panel of a guest shows, if anything."""
    look: NotRequired[dict[str, Any]]
    """The result of `pipelines.panel.requests.look_at_ply`: what the panel of a guest offers as it opens. A request for it would
    be under way when a visitor who only passes by leaves the page, and would come between the server and the next page."""
    resumes: NotRequired[bool]
    """Whether a guest opens at the move of this game that the browser has shown last, if there is one."""


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


def show_replay(  # noqa: PLR0913 - all keywords
    scene: Scene,
    *,
    key: str,
    ply: int | None = None,
    review: dict[str, Any] | None = None,
    is_reviewed: bool | None = None,
    place: PlaceInRun | None = None,
    panel: PanelState | None = None,
) -> None:
    """Show a game on a Streamlit page.

    Use the same `key` for every game that is shown at this place. Do not write `ply` to `st.query_params`: the component
    does that.

    `ply` is where the replay opens if the address has no `?move=`, numbered as in the log; None or -1 is the position
    before the first ply. `review` is the result of `pipelines.experiments.review.build_review_document`.
    `is_reviewed` says whether the component writes `review=1` to the address or removes it; None leaves the address unchanged.

    With a `panel` the replay sends requests, which `pop_panel_request` returns; `panel` holds the last response. A panel with
    a `question` is a guest: part of a page of what-if questions, which writes the address itself and shows the panel open.
    """
    is_guest = panel is not None and "question" in panel
    viewer_renderer("streamlit")(
        key=key,
        on_request_change=lambda: _take_panel_request(key),
        data={
            "scene": scene,
            "ply": ply,
            "review": review,
            "comments": place and place.comments,
            "isReviewed": is_reviewed,
            "whatif": None if is_guest else "whatif",
            "play": "play",
            "standings": place and [stand._asdict() for stand in place.standings],
            "closeness": place and place.closeness and place.closeness._asdict(),
            "hasNext": place is not None and place.has_next,
            "panel": panel,
            "isGuest": is_guest,
        },
        height="content",
    )


def _take_panel_request(key: str) -> None:
    """Keep the request of a replay, which `pop_panel_request` returns in the same run of the script.

    There is none if the visitor has left the page before the request arrived.
    """
    st.session_state[REQUEST_SLOT] = (st.session_state.get(key) or {}).get("request")


def pop_panel_request() -> dict[str, Any]:
    """Return the request that has been taken, once; empty if there is none."""
    request = st.session_state.pop(REQUEST_SLOT, None)
    return request if isinstance(request, dict) and isinstance(request.get("id"), str) else {}


def answer_panel_request(request: dict[str, Any], run: Run, scene: Scene) -> dict[str, Any] | None:
    """Answer a request of the What if panel; return the last response, which the replay ignores if it knows it already."""
    answer_request(request, run, scene, st.session_state)
    last: dict[str, Any] | None = st.session_state.get(RESPONSE_SLOT)
    return last


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
