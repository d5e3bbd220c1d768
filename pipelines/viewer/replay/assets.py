"""The JavaScript and the style sheets of the replay, joined in the order in which they stand on a page."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Final

_SCRIPT_FILES: Final = (
    "scene.js",
    "moves.js",
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
    "finish.js",
    "controls.js",
    "stage.js",
    "player.js",
    "address.js",
    "requests.js",
    "choose.js",
    "answer.js",
    "whatif.js",
    "pair.js",
    "pair_player.js",
    "input.js",
    "replay.js",
)
_HOST_SCRIPT_FILES: Final = {"play": ("play_dice.js", "play_panel.js", "play_board.js", "play.js")}
"""The files of hosts that have more than one of their own."""
_BOARD_SCRIPT_FILES: Final = ("scene.js", "draw.js", "theme.js", "boards.js")
_STYLE_FILES: Final = (
    "replay.css",
    "seats.css",
    "boards.css",
    "panels.css",
    "review.css",
    "whatif.css",
    "answer.css",
    "pair.css",
    "finish.css",
    "small.css",
)


@cache
def replay_script(host: str) -> str:
    """Return the whole script of a host.

    The hosts are `streamlit` (a module for a Streamlit page), `page` (a page of its own), `document` (a longer page with
    any number of replays), `notebook` (a module for a widget, which contains its style sheet), `printed` (a module that
    draws the printed material of a game), `position` (a module that shows one position and the choice of another move in it)
    and `play` (a module on whose board people choose moves).
    """
    own = _HOST_SCRIPT_FILES.get(host, (f"{host}.js",))
    script = "\n".join(_read_asset(name) for name in (*_SCRIPT_FILES, *own))
    if host == "notebook":
        return f"const REPLAY_STYLE = {json.dumps(replay_style(host))};\n{script}"
    return script


@cache
def replay_style(host: str) -> str:
    """Return the whole style sheet of a host of `replay_script`."""
    own = (f"{host}.css",) if host in {"page", "document", "printed", "play", "position"} else ()
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
