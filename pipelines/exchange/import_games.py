"""Games from files become a run: read, played by the rules from beginning to end, sealed. Nothing in them is believed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.game import GameError, InvalidError
from engine.transcript import played
from pipelines.design.design import MOST_SEATINGS, MOST_STRATEGIES, Design, read_ruleset
from pipelines.exchange import format_of, formats
from pipelines.runs.seal import Sealing
from pipelines.runs.unfinished_run import SHARD_TABLES, begin
from pipelines.simulate.shard_tables import Columns, Played
from pipelines.simulate.shards import write_shard
from pipelines.simulate.workers import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset
    from engine.transcript import Transcript
    from pipelines.runs.run import Run
    from pipelines.simulate.workers import Progress

LARGEST_FILE: Final = 8 << 20
"""Bytes: the longest games take a few hundred kB."""
MOST_GAMES: Final = 100_000
SHARD_GAMES: Final = 500
LONGEST_NAME: Final = 80
"""Characters of who sat at a seat. Strategies with all their parameters fit."""


class Head(NamedTuple):
    """What has to be known of a game before any is played."""

    path: Path
    number: int
    """Which game of the file, from 0."""
    ruleset: str
    sha256: str
    seats: tuple[str, ...]
    block: int | None
    rotation: int | None


class Plan(NamedTuple):
    """The run that the games of some files will be."""

    design: Design
    heads: list[Head]
    """In the order of the games of the run."""
    notes: list[str]
    """What was read over."""


def plan(
    paths: Sequence[Path], catalogue: Catalogue, *, ruleset: str | None = None, title: str | None = None
) -> Plan:
    """Settle what the games of a file, several files or a folder are as a run. The rules have not seen them yet.

    `ruleset` is the name of one to play them by, whatever the files say. Raises InvalidError, with file and line, for
    what cannot be read, and if the games do not fit together.
    """
    chosen = catalogue.find(ruleset) if ruleset else None
    rules: Ruleset | None = chosen
    heads: list[Head] = []
    notes: list[str] = []
    first_title = ""
    for path in _files(paths):
        for number, game in enumerate(_games(path)):
            mine = chosen or _ruleset(game, catalogue, path)
            rules = rules or mine
            first_title = first_title or game.title
            names = tuple(_name(name) for name in game.seats)
            heads.append(Head(path, number, mine.name, mine.sha256, names, game.block, game.rotation))
            notes += [f"{path}: {note}" for note in game.notes]
            if len(heads) > MOST_GAMES:
                raise InvalidError(f"{path}: more than {MOST_GAMES} games are too many for one import")
    if rules is None:
        raise InvalidError(f"{paths[0]}: there is no game in it")
    _check_fit(heads)
    lineup, seatings, ordered = _seated(heads)
    source = paths[0].name
    told = (
        _printable(title or first_title, 200)
        or f"{rules.title}, {rules.players} players, from {source}"[:200]
    )
    design = Design(
        kind="import",
        title=told,
        ruleset=rules.document,
        lineup=lineup,
        seatings=seatings,
        blocks=len(ordered) // len(seatings),
        seed=0,
        shard_blocks=max(1, SHARD_GAMES // len(seatings)),
        source=_printable(source, 200),
    )
    return Plan(design, ordered, notes)


def imported(planned: Plan, target: Path, *, free_name: bool = True, progress: Progress | None = None) -> Run:
    """Play the games of a plan by the rules and return the sealed run at `target`, or the next free name.

    Raises a GameError, with file and line, for the first ply that does not fit; then nothing is left behind.
    """
    design = planned.design
    clock = Clock(design.games, 0, progress)
    partial = begin(target, design, free_name=free_name)
    try:
        with partial.claimed(), Sealing(partial) as sealing:
            for number, blocks in enumerate(design.shards):
                columns = Columns()
                for block in blocks:
                    for rotation in range(design.rotations):
                        head = planned.heads[design.game_id(block, rotation)]
                        columns.add_game(design, _played(design, head, block, rotation))
                        clock.advance(1)
                write_shard(partial, number, {table: columns.table(table) for table in SHARD_TABLES})
                sealing.take()
            return sealing.finish(lambda: partial.seconds)
    except BaseException:
        if partial.folder.exists():
            partial.discard()
        raise


def _played(design: Design, head: Head, block: int, rotation: int) -> Played:
    games = _games(head.path)
    if head.number >= len(games):
        raise InvalidError(f"{head.path} has changed while it was read")
    try:
        end, plies = played(design.rules, games[head.number])
    except GameError as error:
        raise type(error)(f"{_where(head)}: {error}") from None
    return Played(block, rotation, end, plies)


def _where(head: Head) -> str:
    return f"{head.path}, game {head.number}" if head.number else str(head.path)


def run_name(path: Path) -> str:
    """Return a name for the run that a file becomes.

    >>> from pathlib import Path
    >>> run_name(Path("Friday's game (2).blksgf"))
    'friday-s-game-2'
    """
    words = re.findall(r"[a-z0-9]+", path.resolve().stem.lower())
    return "-".join(words)[:60].strip("-") or "imported"


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield files, those of a folder by their names."""
    for path in paths:
        if path.is_dir():
            inside = sorted(one for one in path.iterdir() if one.suffix[1:] in formats())
            if not inside:
                raise InvalidError(f"{path}: no files of games in it (.{', .'.join(formats())})")
            yield from inside
        else:
            yield path


def _games(path: Path) -> list[Transcript]:
    """Read the games of a file; raise a GameError that names file and line."""
    try:
        found = path.stat()
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    return _read(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=2)
def _read(path: Path, _changed: int, _size: int) -> list[Transcript]:
    """Read a file once for all its games: they come one after the other."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    if len(raw) > LARGEST_FILE:
        raise InvalidError(f"{path}: larger than {LARGEST_FILE >> 20} MB, so no file of games")
    try:
        return format_of(path.suffix[1:]).read(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InvalidError(f"{path}: line {line}: no UTF-8 text") from None
    except GameError as error:
        raise type(error)(f"{path}: {error}") from None


def _ruleset(game: Transcript, catalogue: Catalogue, path: Path) -> Ruleset:
    if game.document is not None:
        return read_ruleset(game.document, f"{path}: ruleset")
    try:
        return catalogue.find(game.ruleset)
    except GameError as error:
        raise type(error)(f"{path}: {error}; another one can be named with --ruleset") from None


def _check_fit(heads: list[Head]) -> None:
    """Raise InvalidError if the games cannot be one run."""
    first = heads[0]
    for head in heads:
        if head.sha256 != first.sha256:
            raise InvalidError(
                f"{_where(head)}: played by {head.ruleset}, the first game by {first.ruleset}: a run has one ruleset; "
                "import them one by one"
            )
        if len(head.seats) != len(first.seats):
            raise InvalidError(
                f"{_where(head)}: {len(head.seats)} seats, the first game has {len(first.seats)}"
            )


def _seated(heads: list[Head]) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...], list[Head]]:
    """Return line-up, seatings and the games in order: as in the run they come from, or each a block of its own.

    Raises InvalidError if others sit in a later game, or elsewhere: the statistics would mix them up.
    """
    ordered = sorted(heads, key=lambda head: (head.block or 0, head.rotation or 0))
    number = 1 + max(head.rotation or 0 for head in heads)
    by_rotation = [head.seats for head in ordered[:number]]
    places = [divmod(game, number) for game in range(len(heads))]
    if [(head.block, head.rotation) for head in ordered] == places and all(
        head.seats == by_rotation[head.rotation or 0] for head in ordered
    ):
        return *_lineup(by_rotation), ordered
    for head in heads:
        if head.seats != heads[0].seats:
            raise InvalidError(
                f"{_where(head)}: its seats are {', '.join(head.seats)}, those of the first game "
                f"{', '.join(heads[0].seats)}: a run seats them alike; import them one by one"
            )
    return *_lineup([heads[0].seats]), heads


def _lineup(seated: list[tuple[str, ...]]) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """Return a line-up and the place in it of who sits on each seat, for each seating.

    >>> _lineup([("a", "a", "b"), ("a", "b", "a")])
    (('a', 'a', 'b'), ((0, 1, 2), (0, 2, 1)))
    """
    lineup = list(seated[0])
    seatings = []
    for names in seated:
        free = dict.fromkeys(range(len(lineup)))
        places = []
        for name in names:
            place = next((place for place in free if lineup[place] == name), len(lineup))
            if place == len(lineup):
                lineup.append(name)
            free.pop(place, None)
            places.append(place)
        seatings.append(tuple(places))
    if len(lineup) > MOST_STRATEGIES or len(seatings) > MOST_SEATINGS:
        raise InvalidError(
            f"more than {MOST_STRATEGIES} players or {MOST_SEATINGS} seatings are too many for one run"
        )
    return tuple(lineup), tuple(seatings)


def _name(text: str) -> str:
    return _printable(text, LONGEST_NAME) or "unnamed"


def _printable(text: str, longest: int) -> str:
    """Return a text in one line without characters that cannot be seen."""
    words = "".join(character if character.isprintable() else " " for character in text).split()
    return " ".join(words)[:longest].strip()
