"""A game as a page in one file, drawn by the replay of the dashboard.

The dashboard rests on this package, not the other way round: as with `pipelines.service.server`, its code is looked up when it
is asked for, and everything else works where it is not installed. The replay itself loads no Streamlit.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

from engine.game import InvalidError

if TYPE_CHECKING:
    from engine.scene import Scene
    from pipelines.runs.run import Run

HTML_SUFFIX: Final = "html"
_PAGE_MODULE: Final = "pipelines.viewer.replay.page"


def scene_page(scene: Scene, title: str) -> str:
    """Return a scene as a self-contained HTML page; raise InvalidError if the dashboard is not installed."""
    try:
        found = importlib.import_module(_PAGE_MODULE)
    except ModuleNotFoundError:
        raise InvalidError(
            "the replay is not installed with this Reroll: it is part of the dashboard"
        ) from None
    text = found.html(scene, title)
    assert isinstance(text, str)  # noqa: S101 - what is looked up by its name has no type
    return text


def game_page(run: Run, game_id: int) -> str:
    """Return a logged game as a self-contained HTML page; raise a GameError if it cannot be replayed."""
    return scene_page(run.scene(game_id), f"{run.summary.title}: game {game_id}")
