"""Games as files: the log format as text in notation, JSON documents with the whole ruleset, and HTML pages.

The log format: games as text in notation, as a person at a table writes them down and as `reroll export` does.

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

import fcntl
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, Field, ValidationError

from engine.actions import CHANCE
from engine.errors import InvalidError
from engine.game import GameFormat
from engine.play import MAX_PLIES
from engine.transcript import Transcript, TranscriptLine
from pipelines.interrupts import remove_with_process
from pipelines.runs import game_queries
from pipelines.runs.game_queries import logged_games
from pipelines.viewer.replay.assets import replay_page

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.run import Run

_HIDDEN_PREFIX: Final = ".new-export-"


def game_transcript(run: Run, game_id: int) -> Transcript:
    """Return a logged game as a transcript; raise InvalidError if it does not exist or its plies were not logged."""
    game, seats = run.game(game_id), run.list_seats(game_id)
    run.actions(game_id)  # raises InvalidError if the plies were not logged
    with run.open_tables() as connection:
        plies = game_queries.read_log(connection, game_id)
    return Transcript(
        ruleset=game.ruleset,
        seats=tuple(seat.strategy for seat in seats),
        lines=tuple(
            TranscriptLine(
                f"move {ply.ply + 1}",
                ply.notation,
                {"round": ply.round, "seat": ply.seat, "options": ply.options, "score": ply.score},
            )
            for ply in plies
        ),
        title=run.summary.title,
        block=game.block,
        rotation=game.rotation,
        scores=tuple(seat.score for seat in seats),
    )


def game_text(run: Run, game_id: int, chosen: GameFormat) -> str:
    """Return a logged game in a format; raise InvalidError if the format cannot express it."""
    transcript = game_transcript(run, game_id)
    return chosen.write(run.ruleset(transcript.ruleset), transcript)


def logged_game_ids(run: Run) -> list[int]:
    """Return the numbers of the games whose plies were logged; raise InvalidError if they do not exist."""
    with run.open_tables() as connection:
        game_ids = logged_games(connection)
    if not game_ids:
        raise InvalidError(f"run {run.name} has no plies: it was simulated with --log {run.summary.log}")
    return game_ids


@contextmanager
def make_new_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder that gets the path `folder` at the end; raise InvalidError if that path exists.

    If the body fails or is interrupted, nothing is left behind; what a killed process has left beside `folder` is removed.
    An OSError of the body names `folder`.
    """
    check_new_file(folder)
    parent = folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    with _name_path_in_errors(folder), _lock_hidden_folder(parent) as fresh, remove_with_process(fresh):
        _remove_abandoned_folders(parent)
        try:
            fresh.chmod(0o755)
            yield fresh
            check_new_file(folder)
            fresh.rename(folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


@contextmanager
def _lock_hidden_folder(parent: Path) -> Iterator[Path]:
    """Yield a new hidden folder that is locked as long as this process lives and the context lasts."""
    while True:
        fresh = Path(tempfile.mkdtemp(prefix=_HIDDEN_PREFIX, dir=parent))
        with _locked_folder(fresh) as is_locked:
            if (
                is_locked and fresh.exists()
            ):  # else another process took it for abandoned, before it was locked
                yield fresh
                return


def _remove_abandoned_folders(parent: Path) -> None:
    """Remove the hidden folders whose processes are dead."""
    for path in parent.glob(f"{_HIDDEN_PREFIX}*"):
        with suppress(OSError), _locked_folder(path) as is_locked:
            if is_locked:
                shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _locked_folder(folder: Path) -> Iterator[bool]:
    """Lock a folder while the context lasts; yield False if another process, or this one, has it locked or removed."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        yield False
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def write_new_file(path: Path, text: str) -> None:
    """Write a new file; raise InvalidError if it exists already. If it cannot be written, no file is left behind."""
    check_new_file(path)
    with _name_path_in_errors(path), path.open("x", encoding="utf-8", newline="\n") as file:
        try:
            file.write(text)
            file.flush()
        except BaseException:
            path.unlink()
            raise


@contextmanager
def _name_path_in_errors(path: Path) -> Iterator[None]:
    """Give an OSError the name of the path that the user knows: a full disk has none, a temporary file another one."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def check_new_file(path: Path) -> None:
    """Raise InvalidError if there is something at this path already."""
    if path.exists():
        raise InvalidError(f"{path} exists already; choose another name")


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

    def _parse_number(self, subject: str, text: str) -> int:
        """Return a number as the rules count, from 0."""
        if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
            raise InvalidError(f"{subject}: expected a number from 1, not {text[:40]!r}")
        return int(text) - 1


TEXT_FORMAT: Final = GameFormat("txt", "a log in notation, for people", write_log, read_log)


DOCUMENT_VERSION: Final = 1


class _StrictModel(BaseModel, frozen=True, extra="forbid", strict=True):
    """A part of a document: immutable, without unknown keys, without type conversions."""


class PlyDocument(_StrictModel):
    """One ply. Only the notation is required; the rules check all that is given."""

    notation: Annotated[str, Field(min_length=1, max_length=400, description="The action in notation.")]
    round: Annotated[int | None, Field(description="Round, from 0.")] = None
    seat: Annotated[int | None, Field(description="The seat that acted, or -1 for chance.")] = None
    options: Annotated[int | None, Field(description="Number of legal actions; null for chance.")] = None
    score: Annotated[int | None, Field(description="Score of the acting seat after it; null for chance.")] = (
        None
    )


class GameDocument(_StrictModel):
    """A whole game."""

    format: Literal["reroll game"]
    version: Annotated[Literal[1], Field(description="Of this schema.")]
    ruleset: Annotated[dict[str, Any], Field(description="The whole ruleset, as in the table rulesets.")]
    seats: Annotated[
        tuple[Annotated[str, Field(max_length=400)], ...],
        Field(min_length=1, max_length=8, description="The players, in the order of play."),
    ]
    plies: Annotated[
        tuple[PlyDocument, ...],
        Field(
            max_length=MAX_PLIES, description="In order; a decision with one legal action may be left out."
        ),
    ]
    title: Annotated[str, Field(max_length=400)] = ""
    block: Annotated[int | None, Field(ge=0, description="Block in the run that the game comes from.")] = None
    rotation: Annotated[int | None, Field(ge=0, description="Number of the seating in that block.")] = None
    scores: Annotated[tuple[int, ...] | None, Field(description="Final scores; the rules check them.")] = None


def game_schema() -> dict[str, Any]:
    """Return the JSON Schema of a game."""
    return GameDocument.model_json_schema()


def write_document(ruleset: Ruleset, game: Transcript) -> str:
    """Return a game as JSON text: the head, then one ply per line."""
    head: dict[str, Any] = {
        "format": "reroll game",
        "version": DOCUMENT_VERSION,
        "title": game.title,
        "ruleset": ruleset.document,
        "block": game.block,
        "rotation": game.rotation,
        "seats": game.seats,
        "scores": game.scores,
    }
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items() if value is not None]
    plies = [f"  {json.dumps({'notation': line.notation, **line.claims})}" for line in game.lines]
    lines.append(' "plies": [\n' + ",\n".join(plies) + "\n ]")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read_document(text: str) -> list[Transcript]:
    """Return the game of a JSON text; raise InvalidError, with the line or the key, for an invalid document."""
    try:
        document = GameDocument.model_validate_json(text)
    except ValidationError as error:
        raise InvalidError(_format_first_error(error, text)) from None
    name = document.ruleset.get("name")
    return [
        Transcript(
            ruleset=name if isinstance(name, str) else "",
            seats=document.seats,
            lines=tuple(_transcript_line(number, ply) for number, ply in enumerate(document.plies)),
            title=document.title,
            block=document.block,
            rotation=document.rotation,
            scores=document.scores,
            document=document.ruleset,
        )
    ]


def _transcript_line(number: int, ply: PlyDocument) -> TranscriptLine:
    return TranscriptLine(
        f"plies.{number}", ply.notation, ply.model_dump(exclude={"notation"}, exclude_unset=True)
    )


def _format_first_error(error: ValidationError, text: str) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as wrong:
        return f"line {wrong.lineno}: not JSON: {wrong.msg}"
    except (ValueError, RecursionError):
        return "not JSON: nested too deep, or a number with too many digits"
    first = error.errors(include_url=False)[0]
    key = ".".join(map(str, first["loc"]))
    return f"{key or 'document'}: {first['msg'][0].lower()}{first['msg'][1:]}"


JSON_FORMAT: Final = GameFormat(
    "json", "a document for programs, with the ruleset", write_document, read_document
)


HTML_SUFFIX: Final = "html"


def game_page(run: Run, game_id: int, ply: int | None = None) -> str:
    """Return a logged game as a self-contained HTML page, opened at a ply; raise a GameError if it cannot be replayed."""
    return replay_page(run.scene(game_id), f"{run.summary.title}: game {game_id + 1}", ply=ply)
