"""A game on a page: the whole scene is sent once, stepping happens in the browser. And what is printed, by itself."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamlit.components.v2.types import ComponentRenderer

    from dashboard.queries.scores import ScoreStanding
    from engine.scene import Die, Scene


def show_replay(  # noqa: PLR0913 - what a replay may show, all named
    scene: Scene,
    *,
    key: str,
    ply: int | None = None,
    height: int | None = None,
    review: dict[str, Any] | None = None,
    is_reviewed: bool | None = None,
    whatif: str | None = None,
    standings: Sequence[ScoreStanding] | None = None,
) -> None:
    """Show a game on a Streamlit page.

    `ply` is where it opens if the address has no `?ply=`, as numbered in the log (None or -1: before the first);
    `height` in pixels makes the component scroll inside, without it the boards fit the window. Keep the key when
    another game takes its place, and never write `ply` to `st.query_params`: the component owns it.

    `review` is what `dashboard.replay.review_document.build_review_document` returns; `is_reviewed` says whether the address shall ask for
    a review (None: leave the address as it is); `whatif` is the address of the page What if, beside this one;
    `standings` say, seat by seat, how the final scores stand among others.
    """
    _replay_renderer()(
        key=key,
        data={
            "scene": scene,
            "ply": ply,
            "height": height,
            "review": review,
            "isReviewed": is_reviewed,
            "whatif": whatif,
            "standings": standings and [stand._asdict() for stand in standings],
        },
        height="content" if height is None else height,
    )


def show_printed_components(scene: Scene, dice: Sequence[Die], *, key: str) -> None:
    """Show what a scene without plies has printed: one board of those that are alike, one tray, the faces of the dice."""
    first = scene["boards"][0]
    boards = [board for board in scene["boards"] if board["seat"] is None or board is first]
    same = [tray for tray in scene["trays"] if tray["pieces"] == scene["trays"][0]["pieces"]]
    trays = scene["trays"]
    if len(same) == len(trays) > 1:
        name = "Of each colour" if first["seat"] is None else trays[0]["name"]
        trays = [{**trays[0], "name": name, "seat": None}]
    still: Scene = {**scene, "boards": boards, "trays": trays, "steps": []}
    _printed_components_renderer()(key=key, data={"scene": still, "dice": list(dice)}, height="content")


@cache
def _printed_components_renderer() -> ComponentRenderer:
    import streamlit as st  # noqa: PLC0415 - as below

    return st.components.v2.component(
        "reroll_printed", css=assets.replay_style("printed"), js=assets.replay_script("printed")
    )


@cache
def _replay_renderer() -> ComponentRenderer:
    import streamlit as st  # noqa: PLC0415 - a page in a file is written without loading Streamlit

    return st.components.v2.component(
        "reroll_replay", css=assets.replay_style("streamlit"), js=assets.replay_script("streamlit")
    )
