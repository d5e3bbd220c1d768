"""Transcripts: games written down by people or other programs. They are not trusted until the rules have played them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine.actions import CHANCE, name_actor
from engine.errors import GameError, IllegalError, InvalidError
from engine.notation import COLUMN_LETTERS
from engine.play import MAX_PLIES, Ply, play_action
from engine.wording import format_count

if TYPE_CHECKING:
    from engine.state import State

_SQUARE_PATTERN: Final = re.compile(r"([a-x])([1-9][0-9]?)o?")


@dataclass(frozen=True)
class TranscriptLine:
    """One ply in notation."""

    place: str
    """Where the ply is in its file, such as `line 17`."""
    notation: str
    claims: Mapping[str, int | None] = field(default_factory=dict)
    """What the file claims about the ply: any of round, seat, options and score."""
    is_pass: bool = False
    """Whether it says only that a seat cannot act, which the rules may have played already."""


@dataclass(frozen=True)
class Transcript:
    """A game in notation. Fields that a format does not have keep their defaults."""

    ruleset: str
    """Name of the ruleset."""
    seats: tuple[str, ...]
    """Names of the players, by seat."""
    lines: tuple[TranscriptLine, ...]
    title: str = ""
    block: int | None = None
    """Block in the run that the game comes from; None if it comes from no run."""
    rotation: int | None = None
    scores: tuple[int, ...] | None = None
    """The final scores that the file claims."""
    document: Mapping[str, Any] | None = None
    """The whole ruleset as JSON data, if the file contains it."""
    notes: tuple[str, ...] = ()
    """What was ignored in the file, as sentences for the user."""


class PlayedTranscript(NamedTuple):
    """A transcript that the rules have played."""

    end: State
    plies: list[Ply]


def play_transcript(start: State, transcript: Transcript) -> PlayedTranscript:
    """Play a transcript by the rules from the start of a game.

    A decision with only one legal action may be missing in the transcript, because players at a table do not write it
    down. Raises a GameError that names the place of the first line that does not fit, or InvalidError if the number of
    seats, the end of the game or the scores do not fit.
    """
    state, plies, ruleset = start, list[Ply](), start.ruleset
    if len(transcript.lines) > MAX_PLIES:
        raise InvalidError(f"a game has at most {MAX_PLIES} plies, not {len(transcript.lines)}")
    if len(transcript.seats) != ruleset.players:
        raise InvalidError(
            f"{ruleset.name} has {format_count(ruleset.players, 'seat')}, not {len(transcript.seats)}"
        )
    for line in transcript.lines:
        try:
            action = ruleset.read_action(tidy_notation(line.notation))
            if line.is_pass:
                state = _play_pass(state, action, line, plies)
                continue
            state = _play_forced_plies(state, action, line, plies)
            state = play_action(state, action, plies)
            _check_claims(plies[-1], line)
        except GameError as error:
            raise type(error)(f"{line.place}: {error}") from None
    while _is_forced(state):
        state = play_action(state, state.actions[0], plies)
    if not state.is_over:
        where = f"after {transcript.lines[-1].place} " if transcript.lines else ""
        raise InvalidError(
            f"{where}the game is not over: in round {state.round + 1} {name_actor(state.seat)} has {len(state.actions)} actions"
        )
    if transcript.scores is not None and transcript.scores != state.scores:
        raise InvalidError(
            f"the file has the scores {_format_scores(transcript.scores)}, by the rules they are {_format_scores(state.scores)}"
        )
    return PlayedTranscript(state, plies)


def tidy_notation(notation: str) -> str:
    """Return a notation with its squares and dice in the standard order.

    >>> tidy_notation("b: d2, c1o,c2"), tidy_notation("6 1 3"), tidy_notation("I3  P5"), tidy_notation("k7")
    ('b:c1o,c2,d2', '1 3 6', 'I3 P5', 'k7')
    """
    words = notation.split()
    if words and all(word.isdecimal() for word in words):
        return " ".join(sorted(words, key=int))
    head, colon, listed = notation.rpartition(":")
    squares = [_SQUARE_PATTERN.fullmatch(text.strip()) for text in listed.split(",")]
    matches = [square for square in squares if square]
    if len(matches) < len(squares):
        return " ".join(words)
    matches.sort(key=lambda square: (int(square[2]), COLUMN_LETTERS.index(square[1])))
    return f"{head.strip()}{colon}{','.join(square[0] for square in matches)}"


def _play_pass(state: State, action: int, line: TranscriptLine, plies: list[Ply]) -> State:
    """Play a pass, unless it was played as a forced ply or the game is over; raise IllegalError if the seat can do something else."""
    while _is_forced(state) and action not in state.actions and not _was_played(action, plies):
        state = play_action(state, state.actions[0], plies)
    if state.is_over or _was_played(action, plies):
        return state
    if action not in state.actions:
        other = state.ruleset.action(state.actions[0]).notation
        count = format_count(len(state.actions), "action")
        raise IllegalError(
            f"{line.notation!r} is a pass, but {name_actor(state.seat)} has {count}, such as {other}"
        )
    return play_action(state, action, plies)


def _was_played(action: int, plies: list[Ply]) -> bool:
    return any(ply.action == action for ply in plies)


def _play_forced_plies(state: State, action: int, line: TranscriptLine, plies: list[Ply]) -> State:
    """Play forced plies until a line fits; raise IllegalError if it still does not fit."""
    seat = line.claims.get("seat", state.seat)
    while (action not in state.actions or seat != state.seat) and _is_forced(state):
        state = play_action(state, state.actions[0], plies)
        seat = line.claims.get("seat", state.seat)
    if state.is_over:
        raise IllegalError("the game was already over")
    if seat != state.seat:
        raise IllegalError(
            f"in round {state.round + 1} {name_actor(state.seat)} has to act, not {name_actor(seat)}"
        )
    return state


def _is_forced(state: State) -> bool:
    """Return whether a seat has to act and has only one action. Chance never counts."""
    return not state.is_over and state.seat != CHANCE and len(state.actions) == 1


def _check_claims(ply: Ply, line: TranscriptLine) -> None:
    for name, claimed in line.claims.items():
        actual = getattr(ply, name)
        if claimed != actual:
            has, is_ = (
                number + 1 if name == "round" and number is not None else number
                for number in (claimed, actual)
            )
            raise InvalidError(f"{name}: the file has {has}, by the rules it is {is_}")


def _format_scores(scores: tuple[int, ...]) -> str:
    return " ".join(map(str, scores))
