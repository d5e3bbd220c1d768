"""The JavaScript and the style sheets of the replay, joined in the order in which they stand on a page."""

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
    """Return the whole script of a host.

    The hosts are `streamlit` (a module for a Streamlit page), `page` (a page of its own) and `printed` (a module that
    draws the printed material of a game).
    """
    return "\n".join(_read_asset(name) for name in (*_SCRIPT_FILES, f"{host}.js"))


@cache
def replay_style(host: str) -> str:
    """Return the whole style sheet of a host of `replay_script`."""
    own = (f"{host}.css",) if host in {"page", "printed"} else ()
    return "\n".join(_read_asset(name) for name in (*_STYLE_FILES, *own))


@cache
def board_assets() -> tuple[str, str]:
    """Return the script and the style sheet that draw the boards of a single position."""
    return "\n".join(map(_read_asset, _BOARD_SCRIPT_FILES)), "\n".join(
        map(_read_asset, ("replay.css", "boards.css"))
    )


def _read_asset(name: str) -> str:
    # A checkout may have changed the line ends; they are normalized, because pages contain hashes of these texts.
    return files(__package__).joinpath(name).read_bytes().decode("utf-8").replace("\r\n", "\n")
