"""A single board on a page, drawn by the code of the replay: a position, or a map of numbers on its squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

import streamlit as st

from dashboard import cached
from dashboard.widgets.components import viewer_renderer

if TYPE_CHECKING:
    from engine.scene import Scene
    from pipelines.runs.run import Run


class HeatMap(TypedDict):
    """A number on every square. The lists have one entry a square: a1 first, row by row upwards."""

    values: Sequence[float | None]
    """None for a square without a number."""
    notes: Sequence[str]
    """The text shown at the square."""
    outlined: Sequence[int]
    """Squares that stand out."""
    low: float
    high: float
    low_text: str
    """The label of the value `low` in the legend."""
    high_text: str
    low_colour: str
    high_colour: str
    """The colours of the ends; those of all maps if empty."""
    numbers: Sequence[str]
    """The values as short texts, which stand in squares that are large enough."""


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
    """The label of the left end: the lowest value."""
    high: str
    """The label of the right end: the highest value."""
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
    other_move: Sequence[int] | None = None,
) -> None:
    """Show the first board of a scene after its last step.

    The board is at most `size` pixels high. `label` is the beginning of its description for screen readers. The squares of the
    `other_move`, which may be none, have a dashed outline, and those of the last step a solid one. None outlines nothing.
    """
    viewer_renderer("board")(
        key=key,
        data={
            "scene": scene,
            "label": label,
            "size": size,
            "heat": heat,
            "curves": curves,
            "other": other_move,
        },
        height="content",
    )


def read_position(
    run: Run, game: int, ply: int | None = None, seat: int | None = None, *, is_before: bool = False
) -> Scene:
    """Return the position of a logged game after a ply, or `is_before` before it, or at its end, on the board of a seat.

    After a roll, it is the one after the move that the seat made then. Without `seat`, it is the board of the one that acted at the ply, or at the end that of a winner. Raises a GameError if the
    game was not logged or its log breaks the rules.
    """
    scene: Scene = _cached_position(*cached.file_version(run), game, ply, seat, is_before=is_before)
    return scene


@st.cache_data(max_entries=256, show_spinner=False)
def _cached_position(  # noqa: PLR0913 - the key of the cache
    path: str, changed: int, game: int, ply: int | None, seat: int | None, *, is_before: bool
) -> Scene:
    del changed  # part of the key
    scene = cached.dashboard_library().run(path).scene(game)
    steps = scene["steps"] if ply is None else scene["steps"][: ply + 1]
    if seat is not None and steps and steps[-1]["seat"] < 0:
        played = next(
            (at for at in range(len(steps), len(scene["steps"])) if scene["steps"][at]["seat"] == seat),
            len(steps) - 1,
        )
        steps = scene["steps"][: played + 1]
    if seat is None:
        is_won = ply is None and 1 in scene["ranks"]
        seat = scene["ranks"].index(1) if is_won else steps[-1]["seat"] if steps else 0
    owners = [board["seat"] for board in scene["boards"]]
    steps = steps[:-1] if is_before else steps
    return last_position({**scene, "steps": steps}, owners.index(seat) if seat in owners else 0)


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
