"""A single board on a page, drawn by the code of the replay: a position, or a map of numbers on its squares."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypedDict

import streamlit as st

from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamlit.components.v2.types import ComponentRenderer

    from engine.scene import Scene


class HeatMap(TypedDict):
    """A number on every square. The lists have one entry a square: a1 first, row by row upwards."""

    values: Sequence[float | None]
    """None for a square without a number."""
    notes: Sequence[str]
    """The text shown at the square."""
    low: float
    high: float
    low_text: str
    """The label of the value `low` in the legend."""
    high_text: str


class HistogramLine(TypedDict):
    """The outline of a histogram."""

    name: str
    colour: str
    dash: str
    shares: list[float]
    """The share of each bin, from 0 to 1."""


class SmallHistograms(TypedDict):
    """Histograms on the same bins, drawn below a board."""

    lines: list[HistogramLine]
    low: str
    """The label of the left end."""
    high: str
    """The label of the right end."""
    alt: str
    """The same in words, for screen readers."""


def show_board(  # noqa: PLR0913 - the parts of a picture, all keywords
    scene: Scene | None,
    *,
    key: str,
    label: str = "",
    size: int = 200,
    heat: HeatMap | None = None,
    curves: SmallHistograms | None = None,
) -> None:
    """Show the first board of a scene after its last step.

    The board is at most `size` pixels high. `label` is the beginning of its description for screen readers.
    """
    _board_renderer()(
        key=key,
        data={"scene": scene, "label": label, "size": size, "heat": heat, "curves": curves},
        height="content",
    )


def last_position(scene: Scene, which: int = 0) -> Scene:
    """Return the part of a scene that draws one of its boards after the last step.

    The steps stay separate, because squares that are painted in one step are drawn as one piece.
    """
    steps = []
    for step in scene["steps"]:
        paint = [[0, *square[1:]] for square in step["paint"] if square[0] == which]
        if paint:
            steps.append({"ply": step["ply"], "paint": paint})
    return {**scene, "boards": [scene["boards"][which]], "trays": [], "steps": steps}  # type: ignore[typeddict-item]  # the renderer reads no other keys of a step


@cache
def _board_renderer() -> ComponentRenderer:
    return st.components.v2.component(
        "reroll_board", css=assets.replay_style("board"), js=assets.replay_script("board")
    )
