"""A logged game as one HTML page, drawn by `pipelines.viewer`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.viewer.replay.page import replay_page

if TYPE_CHECKING:
    from pipelines.runs.run import Run

HTML_SUFFIX: Final = "html"


def game_page(run: Run, game_id: int) -> str:
    """Return a logged game as a self-contained HTML page; raise a GameError if it cannot be replayed."""
    return replay_page(run.scene(game_id), f"{run.summary.title}: game {game_id + 1}")
