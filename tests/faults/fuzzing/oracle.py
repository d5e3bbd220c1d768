"""What targets share: the check that an input is read or refused properly, and example games for first inputs."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.ruleset import Ruleset
    from engine.transcript import Transcript

Result = TypeVar("Result")

PROJECT_ROOT: Final = Path(__file__).parents[3]
MAX_MESSAGE_CHARACTERS: Final = 2_000
"""Most characters of an error message."""
MAX_GAME_ACTIONS: Final = 20_000
"""Actions of a ruleset. With more of them only the first plies of a game are played, because games are slow."""
FIRST_PLIES_PLAYED: Final = 8


class FuzzTarget(NamedTuple):
    """A reader of untrusted texts, ready to be fuzzed."""

    once: Callable[[bytes], object]
    """Runs the reader on an input; raises if the reader misbehaves."""
    seeds: Sequence[bytes]
    """The first inputs."""
    longest: int = 4096
    """Most bytes of an input."""


def read_or_refuse(read: Callable[..., Result], *arguments: object) -> Result | None:
    """Return the result of `read`, or None if it refuses the input with a GameError.

    The message must have one or two short, printable lines.
    """
    from engine.errors import GameError
    from engine.wording import escape_control_characters

    try:
        return read(*arguments)
    except GameError as error:
        message = str(error)
        lines = message.split("\n")
        assert message, "the message is empty"
        assert len(lines) <= 2, f"{len(lines)} lines"
        assert len(message) <= MAX_MESSAGE_CHARACTERS, f"{len(message)} characters"
        assert escape_control_characters(message) == message, "the message has control characters"
        return None


def decode_input(data: bytes) -> str:
    """Decode bytes as Python decodes a command line: bytes that are not UTF-8 become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def single_line_name(text: str) -> str:
    """Return a name as a text log stores it."""
    return " ".join(text.replace("#", " ").split())


@cache
def shipped_rulesets() -> dict[str, Ruleset]:
    """Return the shipped rulesets by name."""
    from engine.catalogue import Catalogue

    return Catalogue().rulesets


@cache
def example_rulesets() -> dict[str, Ruleset]:
    """Return the ruleset of each game that has the fewest actions, by game."""
    descending = sorted(shipped_rulesets().values(), key=lambda ruleset: ruleset.actions_end, reverse=True)
    return {ruleset.game: ruleset for ruleset in descending}


def play_first_plies(ruleset: Ruleset, most: int) -> list[Any]:
    """Return up to `most` plies of a game in which seats choose legal actions by the number of the ply."""
    from engine import games
    from engine.actions import CHANCE
    from engine.luck import Luck
    from engine.play import Ply

    state, plies = games.start_state(ruleset), list[Ply]()
    while not state.is_over and len(plies) < most:
        is_chance = state.seat == CHANCE
        action = (
            state.chance_outcome(Luck(1, 0)) if is_chance else state.actions[len(plies) % len(state.actions)]
        )
        after = state.play(action)
        options, score = (None, None) if is_chance else (len(state.actions), after.score(state.seat))
        plies.append(Ply(state.round, state.seat, action, options, score))
        state = after
    return plies


@cache
def example_transcripts() -> list[tuple[Ruleset, Transcript]]:
    """Return the beginning of a game of each ruleset of `example_rulesets`."""
    from engine.transcript import Transcript, TranscriptLine

    examples = []
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
        examples.append(
            (ruleset, Transcript(ruleset.name, seats, lines, "A game", 3, 1, (0,) * ruleset.players))
        )
    return examples
