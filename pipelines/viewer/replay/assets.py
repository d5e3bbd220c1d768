"""The texts of the replay: JavaScript in the order in which it stands on a page, and style sheets."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

_SCRIPT_FILES: Final = (
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
_BOARD_SCRIPT_FILES: Final = ("scene.js", "draw.js", "theme.js", "boards.js")
_STYLE_FILES: Final = ("replay.css", "seats.css", "boards.css", "panels.css", "review.css", "small.css")


@cache
def replay_script(host: str) -> str:
    """Return the whole script for a place: `streamlit` (the replay as a module), `page`, or `printed` (no replay)."""
    return "\n".join(_read_asset(name) for name in (*_SCRIPT_FILES, f"{host}.js"))


@cache
def replay_style(host: str) -> str:
    """Return the whole style sheet for the same place."""
    own = (f"{host}.css",) if host in {"page", "printed"} else ()
    return "\n".join(_read_asset(name) for name in (*_STYLE_FILES, *own))


@cache
def board_assets() -> tuple[str, str]:
    """Return the script that reads scenes and draws boards, and the style sheet of boards: for a single position."""
    return "\n".join(map(_read_asset, _BOARD_SCRIPT_FILES)), "\n".join(
        map(_read_asset, ("replay.css", "boards.css"))
    )


def _read_asset(name: str) -> str:
    # Line ends as in the repository, whatever a checkout made of them: hashes are taken of these texts.
    return files(__package__).joinpath(name).read_bytes().decode("utf-8").replace("\r\n", "\n")
