"""Games from files become a run: read, played by the rules from beginning to end, sealed. Nothing in them is believed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.errors import GameError, InvalidError
from engine.games import start_state
from engine.transcript import play_transcript
from pipelines.design.design import MAX_BLOCK_SEATINGS, MAX_LINEUP_STRATEGIES, Design, read_ruleset
from pipelines.exchange import find_format, game_formats
from pipelines.runs.names import run_name_from_text
from pipelines.runs.schema import SHARD_TABLES
from pipelines.runs.seal import Sealing
from pipelines.runs.unfinished_run import begin_run
from pipelines.simulate.progress import ProgressClock
from pipelines.simulate.shard_tables import PlayedGame, ShardColumns
from pipelines.simulate.shards import write_shard

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset
    from engine.transcript import Transcript
    from pipelines.runs.run import Run
    from pipelines.simulate.progress import ProgressCallback

MAX_FILE_BYTES: Final = 8 << 20
"""Bytes: the longest games take a few hundred kB."""
MAX_GAMES: Final = 100_000
GAMES_PER_SHARD: Final = 500
MAX_NAME_CHARACTERS: Final = 80
"""Characters of who sat at a seat. Strategies with all their parameters fit."""


class GameHead(NamedTuple):
    """What has to be known of a game before any is played."""

    path: Path
    number: int
    """Which game of the file, from 0."""
    ruleset: str
    sha256: str
    seats: tuple[str, ...]
    block: int | None
    rotation: int | None


class ImportPlan(NamedTuple):
    """The run that the games of some files will be."""

    design: Design
    heads: list[GameHead]
    """In the order of the games of the run."""
    notes: list[str]
    """What was read over."""


def plan_import(
    paths: Sequence[Path], catalogue: Catalogue, *, ruleset: str | None = None, title: str | None = None
) -> ImportPlan:
    """Settle what the games of a file, several files or a folder are as a run. The rules have not seen them yet.

    `ruleset` is the name of one to play them by, whatever the files say. Raises InvalidError, with file and line, for
    what cannot be read, and if the games do not fit together.
    """
    chosen = catalogue.find_ruleset(ruleset) if ruleset else None
    rules: Ruleset | None = chosen
    heads: list[GameHead] = []
    notes: list[str] = []
    first_title = ""
    for path in _iter_files(paths):
        for number, game in enumerate(_read_games(path)):
            mine = chosen or _find_ruleset(game, catalogue, path)
            rules = rules or mine
            first_title = first_title or game.title
            names = tuple(_clean_name(name) for name in game.seats)
            heads.append(GameHead(path, number, mine.name, mine.sha256, names, game.block, game.rotation))
            notes += [f"{path}: {note}" for note in game.notes]
            if len(heads) > MAX_GAMES:
                raise InvalidError(f"{path}: more than {MAX_GAMES} games are too many for one import")
    if rules is None:
        raise InvalidError(f"{paths[0]}: there is no game in it")
    _check_games_fit(heads)
    lineup, seatings, ordered = _arrange_seatings(heads)
    source = paths[0].name
    told = (
        _clean_line(title or first_title, 200)
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
        shard_blocks=max(1, GAMES_PER_SHARD // len(seatings)),
        source=_clean_line(source, 200),
    )
    return ImportPlan(design, ordered, notes)


def play_import(
    planned: ImportPlan, target: Path, *, free_name: bool = True, progress: ProgressCallback | None = None
) -> Run:
    """Play the games of a plan by the rules and return the sealed run at `target`, or the next free name.

    Raises a GameError, with file and line, for the first ply that does not fit; then nothing is left behind.
    """
    design = planned.design
    clock = ProgressClock(design.games, 0, progress)
    partial = begin_run(target, design, free_name=free_name)
    try:
        with partial.claim(), Sealing(partial) as sealing:
            for number, blocks in enumerate(design.shards):
                columns = ShardColumns()
                for block in blocks:
                    for rotation in range(design.rotations):
                        head = planned.heads[design.game_id(block, rotation)]
                        columns.add_game(design, _play_game(design, head, block, rotation))
                        clock.advance(1)
                write_shard(partial, number, {table: columns.build_table(table) for table in SHARD_TABLES})
                sealing.take_shards()
            return sealing.finish(lambda: partial.seconds)
    except BaseException:
        if partial.folder.exists():
            partial.discard()
        raise


def _play_game(design: Design, head: GameHead, block: int, rotation: int) -> PlayedGame:
    games = _read_games(head.path)
    if head.number >= len(games):
        raise InvalidError(f"{head.path} has changed while it was read")
    try:
        end, plies = play_transcript(start_state(design.rules), games[head.number])
    except GameError as error:
        raise type(error)(f"{_head_location(head)}: {error}") from None
    return PlayedGame(block, rotation, end, plies)


def _head_location(head: GameHead) -> str:
    return f"{head.path}, game {head.number}" if head.number else str(head.path)


def run_name(path: Path) -> str:
    """Return a name for the run that a file becomes.

    >>> from pathlib import Path
    >>> run_name(Path("Friday's game (2).blksgf"))
    'friday-s-game-2'
    """
    return run_name_from_text(path.resolve().stem.lower(), "imported")


def _iter_files(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield files, those of a folder by their names."""
    for path in paths:
        if path.is_dir():
            inside = sorted(one for one in path.iterdir() if one.suffix[1:] in game_formats())
            if not inside:
                raise InvalidError(f"{path}: no files of games in it (.{', .'.join(game_formats())})")
            yield from inside
        else:
            yield path


def _read_games(path: Path) -> list[Transcript]:
    """Read the games of a file; raise a GameError that names file and line."""
    try:
        found = path.stat()
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    return _read_games_cached(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=2)
def _read_games_cached(path: Path, _changed: int, _size: int) -> list[Transcript]:
    """Read a file once for all its games: they come one after the other."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    if len(raw) > MAX_FILE_BYTES:
        raise InvalidError(f"{path}: larger than {MAX_FILE_BYTES >> 20} MB, so no file of games")
    try:
        return find_format(path.suffix[1:]).read(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InvalidError(f"{path}: line {line}: no UTF-8 text") from None
    except GameError as error:
        raise type(error)(f"{path}: {error}") from None


def _find_ruleset(game: Transcript, catalogue: Catalogue, path: Path) -> Ruleset:
    if game.document is not None:
        return read_ruleset(game.document, f"{path}: ruleset")
    try:
        return catalogue.find_ruleset(game.ruleset)
    except GameError as error:
        raise type(error)(f"{path}: {error}; another one can be named with --ruleset") from None


def _check_games_fit(heads: list[GameHead]) -> None:
    """Raise InvalidError if the games cannot be one run."""
    first = heads[0]
    for head in heads:
        if head.sha256 != first.sha256:
            raise InvalidError(
                f"{_head_location(head)}: played by {head.ruleset}, the first game by {first.ruleset}: a run has one ruleset; "
                "import them one by one"
            )
        if len(head.seats) != len(first.seats):
            raise InvalidError(
                f"{_head_location(head)}: {len(head.seats)} seats, the first game has {len(first.seats)}"
            )


def _arrange_seatings(
    heads: list[GameHead],
) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...], list[GameHead]]:
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
        return *_lineup_and_seatings(by_rotation), ordered
    for head in heads:
        if head.seats != heads[0].seats:
            raise InvalidError(
                f"{_head_location(head)}: its seats are {', '.join(head.seats)}, those of the first game "
                f"{', '.join(heads[0].seats)}: a run seats them alike; import them one by one"
            )
    return *_lineup_and_seatings([heads[0].seats]), heads


def _lineup_and_seatings(
    seated: list[tuple[str, ...]],
) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """Return a line-up and the place in it of who sits on each seat, for each seating.

    >>> _lineup_and_seatings([("a", "a", "b"), ("a", "b", "a")])
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
    if len(lineup) > MAX_LINEUP_STRATEGIES or len(seatings) > MAX_BLOCK_SEATINGS:
        raise InvalidError(
            f"more than {MAX_LINEUP_STRATEGIES} players or {MAX_BLOCK_SEATINGS} seatings are too many for one run"
        )
    return tuple(lineup), tuple(seatings)


def _clean_name(text: str) -> str:
    return _clean_line(text, MAX_NAME_CHARACTERS) or "unnamed"


def _clean_line(text: str, longest: int) -> str:
    """Return a text in one line without characters that cannot be seen."""
    words = "".join(character if character.isprintable() else " " for character in text).split()
    return " ".join(words)[:longest].strip()
