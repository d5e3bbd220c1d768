"""The address of a game by hand, which holds all of it: who plays, the luck, and the moves so far.

    ?ruleset=bloxx-2p&seats=me,greedy&seed=7&moves=1a.4f     a new game
    ?run=demo&game=3&ply=17&seats=me,greedy&moves=1a          a game that goes on from a logged game, with its dice

This module does not use Streamlit.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError
from pipelines.design.design import MAX_SEED
from pipelines.design.lineup import split_strategies
from pipelines.play.hand_game import prepare_continuation, prepare_game
from pipelines.runs.names import is_file_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.ruleset import Ruleset
    from pipelines.play.hand_game import HandSetup
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run

SETUP_FIELDS: Final = ("ruleset", "run", "game", "ply", "seats", "seed")
MAX_SEATS_LENGTH: Final = 1_000


def setup_fields(address: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of an address that say which game is played, without its moves."""
    return {name: address[name] for name in SETUP_FIELDS if name in address}


def read_setup(fields: Mapping[str, str], library: Library) -> HandSetup:
    """Return the setup that an address describes. Raises a GameError, in one line, for what does not exist."""
    if len(fields.get("seats", "")) > MAX_SEATS_LENGTH:
        raise InvalidError(f"seats: expected at most {MAX_SEATS_LENGTH} characters")
    seats = split_strategies(fields.get("seats", ""))
    seed = _read_number(fields, "seed", MAX_SEED) if "seed" in fields else None
    if "run" in fields:
        run, game, ply = read_origin(fields, library)
        return prepare_continuation(run, game, ply, seats, seed)
    rulesets = library.catalogue.rulesets  # a ruleset by its name only: an address must not open files
    name = fields.get("ruleset", "")
    if name not in rulesets:
        raise InvalidError(f"there is no ruleset {name[:60]!r}")
    return prepare_game(_share_ruleset(rulesets[name]), seats, seed or 0)


def read_origin(fields: Mapping[str, str], library: Library) -> tuple[Run, int, int]:
    """Return the run, the game and the ply that a game by hand goes on from. Raises InvalidError for what does not exist."""
    name = fields.get("run", "")
    if not is_file_name(name):
        raise InvalidError(f"there is no run {name[:60]!r}")
    run = library.run(name)
    game, ply = _read_number(fields, "game", 1 << 32), _read_number(fields, "ply", 1 << 16)
    plies = run.game(game).plies
    if ply >= plies:
        raise InvalidError(
            f"game {game} of run {name} has {plies} moves, so it cannot be played on from move {ply + 1}"
        )
    return run, game, ply


def game_address(fields: Mapping[str, str], seats: Sequence[str], seed: str) -> dict[str, str]:
    """Return the address of a game before its first move. `fields` name a ruleset or a logged game."""
    known = {name: fields[name] for name in ("ruleset", "run", "game", "ply") if name in fields}
    return {**known, "seats": ",".join(seats)} | ({"seed": seed} if seed else {})


def _read_number(fields: Mapping[str, str], name: str, most: int) -> int:
    text = fields.get(name, "0")
    if not (text.isdecimal() and text.isascii() and len(text) <= 20 and int(text) <= most):
        raise InvalidError(f"{name}: expected a whole number from 0 to {most}, not {text[:40]!r}")
    return int(text)


@lru_cache(maxsize=16)
def _share_ruleset(ruleset: Ruleset) -> Ruleset:
    """Return the same object for equal rulesets: it keeps tables that take longer to compute than a move."""
    return ruleset
