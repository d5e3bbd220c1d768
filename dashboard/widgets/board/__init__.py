"""One board on a page, drawn by the code of the replay: a position, or a map of numbers on its squares."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, TypedDict

import streamlit as st

from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamlit.components.v2.types import ComponentRenderer

    from engine.scene import Scene


class HeatMap(TypedDict):
    """A number on every square. Lists have one entry a square, a1 first, row by row upwards."""

    values: Sequence[float | None]
    """None where there is nothing to say."""
    notes: Sequence[str]
    """What to read at the square."""
    low: float
    high: float
    low_text: str
    high_text: str


class HistogramLine(TypedDict):
    """A small histogram: the share of each bin."""

    name: str
    colour: str
    dash: str
    shares: list[float]


class SmallHistograms(TypedDict):
    """Small histograms on the same bins."""

    lines: list[HistogramLine]
    low: str
    """What the left end stands for."""
    high: str
    alt: str
    """All of it in words."""


def show_board(  # noqa: PLR0913 - the parts of a picture, all named
    scene: Scene | None,
    *,
    key: str,
    label: str = "",
    size: int = 200,
    heat: HeatMap | None = None,
    curves: SmallHistograms | None = None,
) -> None:
    """Show the first board of a scene after its last step, at most `size` pixels high; `label` opens its description."""
    _board_renderer()(
        key=key,
        data={"scene": scene, "label": label, "size": size, "heat": heat, "curves": curves},
        height="content",
    )


def last_position(scene: Scene, which: int = 0) -> Scene:
    """Return as much of a scene as it takes to draw how one of its boards looks at the end.

    Paints stay apart by step, as squares painted together are drawn as one piece.
    """
    steps = []
    for step in scene["steps"]:
        paint = [[0, *square[1:]] for square in step["paint"] if square[0] == which]
        if paint:
            steps.append({"ply": step["ply"], "paint": paint})
    return {**scene, "boards": [scene["boards"][which]], "trays": [], "steps": steps}  # type: ignore[typeddict-item]  # the renderer takes what there is


@cache
def _board_renderer() -> ComponentRenderer:
    script, style = assets.board_assets()
    own = {
        name: files(__package__).joinpath(name).read_text(encoding="utf-8")
        for name in ("board.js", "board.css")
    }
    return st.components.v2.component(
        "reroll_board", css=f"{style}\n{own['board.css']}", js=f"{script}\n{own['board.js']}"
    )
