"""What an input may come to: it is read, or refused as the docs say. And games to begin with."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.ruleset import Ruleset
    from engine.transcript import Transcript

Found = TypeVar("Found")

PROJECT_ROOT: Final = Path(__file__).parents[3]
MAX_MESSAGE_CHARACTERS: Final = 2_000
"""Characters of a message."""
MAX_GAME_ACTIONS: Final = 20_000
"""Actions of a ruleset: of a game with more of them only the first plies are played, for the time that it takes."""
FIRST_PLIES_PLAYED: Final = 8


class FuzzTarget(NamedTuple):
    """What is fuzzed."""

    once: Callable[[bytes], object]
    """Raises if the input does what it must not."""
    seeds: Sequence[bytes]
    longest: int = 4096
    """Bytes of an input."""


def read_or_refuse(read: Callable[..., Found], *given: object) -> Found | None:
    """Read something; None if it is refused as the docs say: a GameError of one or two short lines that can be printed."""
    from engine.errors import GameError
    from engine.printable import escape_control_characters

    try:
        return read(*given)
    except GameError as error:
        message = str(error)
        lines = message.split("\n")
        assert message, "a refusal says why"
        assert len(lines) <= 2, f"{len(lines)} lines"
        assert len(message) <= MAX_MESSAGE_CHARACTERS, f"{len(message)} characters"
        assert escape_control_characters(message) == message, "it would command the terminal"
        return None


def decode_input(data: bytes) -> str:
    """Take bytes for a text as a command line does: what is no UTF-8 becomes half a surrogate pair."""
    return data.decode("utf-8", "surrogateescape")


def single_line_name(text: str) -> str:
    """What a log keeps of a name."""
    return " ".join(text.replace("#", " ").split())


@cache
def shipped_rulesets() -> dict[str, Ruleset]:
    """The shipped rulesets."""
    from engine.catalogue import Catalogue

    return Catalogue().rulesets


@cache
def example_rulesets() -> dict[str, Ruleset]:
    """One ruleset of each game: the one with the fewest actions."""
    ascending = sorted(shipped_rulesets().values(), key=lambda one: one.actions_end, reverse=True)
    return {ruleset.game: ruleset for ruleset in ascending}


def play_first_plies(ruleset: Ruleset, most: int) -> list[Any]:
    """The first plies of a game that was drawn at random."""
    from engine import games
    from engine.actions import CHANCE
    from engine.luck import Luck
    from engine.play import Ply

    state, plies = games.start_state(ruleset), list[Ply]()
    while not state.is_over and len(plies) < most:
        by_chance = state.seat == CHANCE
        action = (
            state.chance_outcome(Luck(1, 0)) if by_chance else state.actions[len(plies) % len(state.actions)]
        )
        after = state.play(action)
        options, score = (None, None) if by_chance else (len(state.actions), after.score(state.seat))
        plies.append(Ply(state.round, state.seat, action, options, score))
        state = after
    return plies


@cache
def example_transcripts() -> list[tuple[Ruleset, Transcript]]:
    """The beginning of a game of each kind."""
    from engine.transcript import Transcript, TranscriptLine

    found = []
    for ruleset in example_rulesets().values():
        lines = tuple(
            TranscriptLine(
                f"ply {number}",
                ruleset.action(ply.action).notation,
                {"round": ply.round, "seat": ply.seat, "options": ply.options, "score": ply.score},
            )
            for number, ply in enumerate(play_first_plies(ruleset, 12))
        )
        seats = tuple(f"seat {seat}" for seat in range(ruleset.players))
        found.append(
            (ruleset, Transcript(ruleset.name, seats, lines, "A game", 3, 1, (0,) * ruleset.players))
        )
    return found
