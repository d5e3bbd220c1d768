"""The boards at the end of a game as a picture, for readers of a notebook that take its replay out."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from pipelines.report.show.html import render_template

if TYPE_CHECKING:
    from engine.scene import Scene

_COLOUR_LINES: Final = re.compile(r"^ *\.c[ -].*\}$", re.MULTILINE)


def draw_final_boards(scene: Scene) -> str:
    """Return the boards of a game after its last ply as an SVG file, which is dark on dark pages."""
    painted: list[dict[int, str]] = [{} for _ in scene["boards"]]
    for step in scene["steps"]:
        for board, square, mark in step["paint"]:
            painted[int(board)][int(square)] = str(mark)
    theme = files("pipelines.viewer.replay").joinpath("theme.css").read_text(encoding="utf-8")
    return str(
        render_template(
            "pipelines.notebook",
            "boards.svg",
            scene=scene,
            painted=painted,
            scores=scene["steps"][-1]["scores"] if scene["steps"] else scene["start_scores"],
            colours="".join(_COLOUR_LINES.findall(theme)),
        )
    )
