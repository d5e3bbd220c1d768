"""The texts of the replay: JavaScript in the order in which it stands on a page, and style sheets."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

_PARTS: Final = (
    "scene.js",
    "review.js",
    "draw.js",
    "theme.js",
    "boards.js",
    "seats.js",
    "moment.js",
    "verdict.js",
    "course.js",
    "ledger.js",
    "plies.js",
    "controls.js",
    "stage.js",
    "player.js",
    "address.js",
    "replay.js",
)
_DRAWING: Final = ("scene.js", "draw.js", "theme.js", "boards.js")
_SHEETS: Final = ("replay.css", "seats.css", "boards.css", "panels.css", "review.css", "small.css")


@cache
def script(host: str) -> str:
    """Return the whole script for a place: `streamlit` (the replay as a module), `page`, or `printed` (no replay)."""
    return "\n".join(_text(name) for name in (*_PARTS, f"{host}.js"))


@cache
def style(host: str) -> str:
    """Return the whole style sheet for the same place."""
    own = (f"{host}.css",) if host in {"page", "printed"} else ()
    return "\n".join(_text(name) for name in (*_SHEETS, *own))


@cache
def drawing() -> tuple[str, str]:
    """Return the script that reads scenes and draws boards, and the style sheet of boards: for a single position."""
    return "\n".join(map(_text, _DRAWING)), "\n".join(map(_text, ("replay.css", "boards.css")))


def _text(name: str) -> str:
    # Line ends as in the repository, whatever a checkout made of them: hashes are taken of these texts.
    return files(__package__).joinpath(name).read_bytes().decode("utf-8").replace("\r\n", "\n")
