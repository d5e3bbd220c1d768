"""A game as somebody wrote it down: nothing in it is believed until the rules have played it again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine.actions import CHANCE
from engine.errors import GameError, IllegalError, InvalidError
from engine.notation import COLUMN_LETTERS
from engine.play import Ply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.state import State

MAX_PLIES: Final = 65_535
"""As many as a run file can number."""

_SQUARE_PATTERN: Final = re.compile(r"([a-x])([1-9][0-9]?)o?")


@dataclass(frozen=True)
class TranscriptLine:
    """One ply in writing."""

    place: str
    """Where it stands, such as `line 17`."""
    notation: str
    claims: Mapping[str, int | None] = field(default_factory=dict)
    """What the file says of the ply besides: any of round, seat, options and score."""


@dataclass(frozen=True)
class Transcript:
    """A game in writing. What a format has no room for stays as it is here."""

    ruleset: str
    """Its name."""
    seats: tuple[str, ...]
    """Who sat where, in the order of play."""
    lines: tuple[TranscriptLine, ...]
    title: str = ""
    block: int | None = None
    """Place in the run it comes from, if it comes from one."""
    rotation: int | None = None
    scores: tuple[int, ...] | None = None
    """The final scores that the file claims."""
    document: Mapping[str, Any] | None = None
    """The whole ruleset, if the file holds it."""
    notes: tuple[str, ...] = ()
    """What was read over, in words for the person who asked."""


class PlayedTranscript(NamedTuple):
    """A transcript that the rules have played."""

    end: State
    plies: list[Ply]


def play_transcript(start: State, transcript: Transcript) -> PlayedTranscript:
    """Play a transcript by the rules; raise a GameError that names the place of the first line that does not fit.

    A decision that has one legal action only may be left out of the transcript: nobody at a table writes it down.
    """
    state, plies, ruleset = start, list[Ply](), start.ruleset
    if len(transcript.lines) > MAX_PLIES:
        raise InvalidError(f"a game has {MAX_PLIES} plies at most, not {len(transcript.lines)}")
    if len(transcript.seats) != ruleset.players:
        raise InvalidError(f"{ruleset.name} has {ruleset.players} seats, not {len(transcript.seats)}")
    for line in transcript.lines:
        try:
            action = ruleset.read_action(tidy_notation(line.notation))
            state = _play_forced_plies(state, action, line, plies)
            state = _play_action(state, action, plies)
            _check_claims(plies[-1], line)
        except GameError as error:
            raise type(error)(f"{line.place}: {error}") from None
    while _is_forced(state):
        state = _play_action(state, state.actions[0], plies)
    if not state.is_over:
        where = f"after {transcript.lines[-1].place} " if transcript.lines else ""
        raise InvalidError(
            f"{where}the game is not over: in round {state.round} {_format_seat(state.seat)} has {len(state.actions)} actions"
        )
    if transcript.scores is not None and transcript.scores != state.scores:
        raise InvalidError(
            f"the file has the scores {_format_scores(transcript.scores)}, by the rules they are {_format_scores(state.scores)}"
        )
    return PlayedTranscript(state, plies)


def tidy_notation(notation: str) -> str:
    """Put squares and dice into the order in which notation has them, whatever order a person wrote.

    >>> tidy_notation("b: d2, c1o,c2"), tidy_notation("6 1 3"), tidy_notation("I3  P5"), tidy_notation("k7")
    ('b:c1o,c2,d2', '1 3 6', 'I3 P5', 'k7')
    """
    words = notation.split()
    if words and all(word.isdecimal() for word in words):
        return " ".join(sorted(words, key=int))
    head, colon, listed = notation.rpartition(":")
    squares = [_SQUARE_PATTERN.fullmatch(text.strip()) for text in listed.split(",")]
    found = [square for square in squares if square]
    if len(found) < len(squares):
        return " ".join(words)
    found.sort(key=lambda square: (int(square[2]), COLUMN_LETTERS.index(square[1])))
    return f"{head.strip()}{colon}{','.join(square[0] for square in found)}"


def _play_forced_plies(state: State, action: int, line: TranscriptLine, plies: list[Ply]) -> State:
    """Play what had to be played before a line, if that was left out; raise IllegalError if the line does not fit."""
    seat = line.claims.get("seat", state.seat)
    while (action not in state.actions or seat != state.seat) and _is_forced(state):
        state = _play_action(state, state.actions[0], plies)
        seat = line.claims.get("seat", state.seat)
    if state.is_over:
        raise IllegalError("the game was over before")
    if seat != state.seat:
        raise IllegalError(
            f"in round {state.round} {_format_seat(state.seat)} is due, not {_format_seat(seat)}"
        )
    return state


def _play_action(state: State, action: int, plies: list[Ply]) -> State:
    """Play one action and note its ply."""
    after = state.play(action)
    if state.seat == CHANCE:
        plies.append(Ply(state.round, CHANCE, action, None, None))
    else:
        plies.append(Ply(state.round, state.seat, action, len(state.actions), after.score(state.seat)))
    return after


def _is_forced(state: State) -> bool:
    """Say whether a seat has one action only. A die that can fall in one way only is no decision."""
    return not state.is_over and state.seat != CHANCE and len(state.actions) == 1


def _check_claims(ply: Ply, line: TranscriptLine) -> None:
    for name, claimed in line.claims.items():
        found = getattr(ply, name)
        if claimed != found:
            raise InvalidError(f"{name}: the file has {claimed}, by the rules it is {found}")


def _format_seat(seat: int | None) -> str:
    return "chance" if seat == CHANCE else f"seat {seat}"


def _format_scores(scores: tuple[int, ...]) -> str:
    return " ".join(map(str, scores))
