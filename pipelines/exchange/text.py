"""The log format: games as text in notation, as a person at a table writes them down and as `reroll export` does.

    reroll log 2
    ruleset bloxx-2p
    player 1  Anna
    player 2  Ben

    round 1
    dice > I3 P5        # the rest of the line is a remark
    1 > A:c1,c2o,c3
    B:d1,d2,e1o

    scores 12 9

Every ply is a line in notation. The round and who acts (`dice >`, or a player and `>`) are optional; the rules check them,
as they check the scores at the end. A forced ply may be left out. A file may hold several games, each with its first line.

Players, rounds, blocks and rotations count from 1.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from engine.actions import CHANCE
from engine.errors import InvalidError
from engine.game import GameFormat
from engine.transcript import Transcript, TranscriptLine

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

LOG_VERSION: Final = 2
LOG_HEADER: Final = "reroll log"
MAX_SEATS: Final = 8

_ACTOR_PATTERN: Final = re.compile(r"(dice|[0-9]{1,2})\s*>\s*(.*)")
_NUMBERS_PATTERN: Final = re.compile(r"-?[0-9]{1,7}(\s+-?[0-9]{1,7})*")
_HEAD_WORDS: Final = ("ruleset", "title", "block", "rotation")


def write_log(ruleset: Ruleset, game: Transcript) -> str:
    """Return a game as a log, with the number of options and the score of every ply as a remark where they are known."""
    lines = [f"{LOG_HEADER} {LOG_VERSION}", f"ruleset {ruleset.name}"]
    lines += [f"title {_single_line(game.title)}"] * bool(game.title)
    for word, number in (("block", game.block), ("rotation", game.rotation)):
        lines += [] if number is None else [f"{word} {number + 1}"]
    lines += [f"player {number}  {_single_line(name)}" for number, name in enumerate(game.seats, start=1)]
    last: int | None = None
    for line in game.lines:
        round_, seat = line.claims.get("round"), line.claims.get("seat")
        if round_ is not None and round_ != last:
            lines += ["", f"round {round_ + 1}"]
            last = round_
        actor = "" if seat is None else "dice > " if seat == CHANCE else f"{seat + 1} > "
        remark = "" if line.claims.get("options") is None else f"  # {_format_remark(line)}"
        lines.append(f"{actor}{_single_line(line.notation)}{remark}")
    if game.scores is not None:
        lines += ["", f"scores {' '.join(map(str, game.scores))}"]
    return "\n".join([*lines, ""])


def _single_line(text: str) -> str:
    """Return a text without line ends and `#`, which have a meaning in a log."""
    return " ".join(text.replace("#", " ").split())


def _format_remark(line: TranscriptLine) -> str:
    options, score = line.claims["options"], line.claims.get("score")
    return f"{options} option{'s' * (options != 1)}, score {score}"


def read_log(text: str) -> list[Transcript]:
    """Return the games of a log; raise InvalidError, with the line, for text that is not a log."""
    readers: list[_LogReader] = []
    for number, whole in enumerate(text.splitlines(), start=1):
        line = whole.partition("#")[0].strip()
        if not line:
            continue
        try:
            if line.startswith(LOG_HEADER) or not readers:
                readers.append(_start_reader(number, line))
            else:
                readers[-1].take_line(f"line {number}", line)
        except InvalidError as error:
            raise InvalidError(f"line {number}: {error}") from None
    if not readers:
        raise InvalidError(f"the file has no games: a log begins with '{LOG_HEADER} {LOG_VERSION}'")
    return [reader.build_transcript() for reader in readers]


def _start_reader(number: int, line: str) -> _LogReader:
    if line.split() != [*LOG_HEADER.split(), str(LOG_VERSION)]:
        raise InvalidError(f"a log begins with '{LOG_HEADER} {LOG_VERSION}', not {line[:40]!r}")
    return _LogReader(number)


class _LogReader:
    """Collects the lines of one game."""

    def __init__(self, begins: int) -> None:
        """`begins` is the number of its first line."""
        self._begins = begins
        self._head: dict[str, str] = {}
        self._seats: dict[int, str] = {}
        self._lines: list[TranscriptLine] = []
        self._round: int | None = None
        self._scores: tuple[int, ...] | None = None

    def take_line(self, place: str, line: str) -> None:
        """Add a line that is neither empty nor a remark; `place` names it in errors."""
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if self._scores is not None:
            raise InvalidError(f"only the next game may follow the scores, not {line[:40]!r}")
        if word == "round":
            self._round = self._parse_number("round", rest)
        elif word == "scores":
            if not _NUMBERS_PATTERN.fullmatch(rest):
                raise InvalidError(f"scores: expected one number per seat, not {rest[:40]!r}")
            self._scores = tuple(map(int, rest.split()))
        elif word in {*_HEAD_WORDS, "player"}:
            self._take_head_line(word, rest)
        else:
            self._lines.append(self._parse_ply(place, line))

    def _take_head_line(self, word: str, rest: str) -> None:
        if self._lines:
            raise InvalidError(f"the line {word} must stand before the first ply")
        if word == "player":
            number, _, name = rest.partition(" ")
            if self._parse_number(word, number) != len(self._seats) or len(self._seats) >= MAX_SEATS:
                raise InvalidError(f"players must be in the order of play, from 1, at most {MAX_SEATS}")
            self._seats[len(self._seats)] = name.strip()
        elif word in self._head:
            raise InvalidError(f"the line {word} occurs twice")
        else:
            self._head[word] = rest

    def _parse_ply(self, place: str, line: str) -> TranscriptLine:
        claims: dict[str, int | None] = {} if self._round is None else {"round": self._round}
        if match := _ACTOR_PATTERN.fullmatch(line):
            claims["seat"] = CHANCE if match[1] == "dice" else self._parse_number("player", match[1])
            line = match[2]
        return TranscriptLine(place, line, claims)

    def build_transcript(self) -> Transcript:
        """Return the game; raise InvalidError if its head lacks the ruleset or the seats."""
        for word, value in (("ruleset", self._head.get("ruleset")), ("player", self._seats)):
            if not value:
                raise InvalidError(f"line {self._begins}: the game that begins here has no line '{word} ...'")
        block, rotation = (
            self._parse_number(word, self._head[word]) if word in self._head else None
            for word in ("block", "rotation")
        )
        return Transcript(
            ruleset=self._head["ruleset"],
            seats=tuple(self._seats.values()),
            lines=tuple(self._lines),
            title=self._head.get("title", ""),
            block=block,
            rotation=rotation,
            scores=self._scores,
        )

    def _parse_number(self, what: str, text: str) -> int:
        """Return a number as the rules count, from 0."""
        if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
            raise InvalidError(f"{what}: expected a number from 1, not {text[:40]!r}")
        return int(text) - 1


TEXT_FORMAT: Final = GameFormat("txt", "a log in notation, for people", write_log, read_log)
