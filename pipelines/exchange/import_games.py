"""Import of games from files: they are read, replayed by the rules from beginning to end, and sealed as a run.

The files may come from anybody: the rules check every ply, and the results are computed anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.errors import GameError, InvalidError
from engine.file_limits import decode_text, read_regular_file
from engine.games import start_state
from engine.transcript import Transcript, play_transcript
from pipelines.design.design import MAX_BLOCK_SEATINGS, MAX_LINEUP_STRATEGIES, Design, read_ruleset
from pipelines.design.designs import ImportDesign
from pipelines.design.limits import MAX_TITLE_CHARACTERS, choose_title
from pipelines.design.titles import format_ruleset
from pipelines.exchange import find_format, game_formats
from pipelines.report.wording import format_count
from pipelines.runs.names import run_name_from_text
from pipelines.simulate.shard_tables import PlayedGame
from pipelines.simulate.shards import seal_finished_games
from pipelines.simulate.simulate import ProgressClock

if TYPE_CHECKING:
    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset
    from pipelines.runs.run import Run
    from pipelines.simulate.simulate import ProgressCallback

MAX_FILE_BYTES: Final = 8 << 20
"""The longest games take a few hundred kB."""
MAX_GAMES: Final = 100_000
GAMES_PER_SHARD: Final = 500
MAX_NAME_CHARACTERS: Final = 80
"""Characters of a player's name. The names of strategies with all their parameters fit."""


class GameHead(NamedTuple):
    """What the import has to know of every game before it replays the first one."""

    path: Path
    number: int
    """Number of the game in its file, from 0."""
    ruleset: str
    sha256: str
    seats: tuple[str, ...]
    block: int | None
    rotation: int | None


class ImportPlan(NamedTuple):
    """The design of an import, and where its games are."""

    design: Design
    heads: list[GameHead]
    """One for each game, in the order of the games of the run."""
    notes: list[str]
    """Remarks on what the import ignores in the files."""


def plan_import(
    paths: Sequence[Path], catalogue: Catalogue, *, ruleset: str | None = None, title: str | None = None
) -> ImportPlan:
    """Read the games of files and folders and plan the run that they become. Nothing is replayed yet.

    `ruleset` names the ruleset of all games; without it, the files name theirs. Raises InvalidError, with file and line,
    for a file that cannot be read, and for games that do not fit into one run.
    """
    given_ruleset = catalogue.find_ruleset(ruleset) if ruleset else None
    rules: Ruleset | None = given_ruleset
    heads: list[GameHead] = []
    notes: list[str] = []
    first_title = ""
    for path in _find_files(paths, notes):
        for number, game in enumerate(_read_games(path)):
            game_rules = given_ruleset or _find_ruleset(game, catalogue, path)
            rules = rules or game_rules
            first_title = first_title or game.title
            names = tuple(_clean_name(name) for name in game.seats)
            heads.append(
                GameHead(path, number, game_rules.name, game_rules.sha256, names, game.block, game.rotation)
            )
            notes += [f"{path}: {note}" for note in game.notes]
            if len(heads) > MAX_GAMES:
                raise InvalidError(f"{path}: an import takes at most {MAX_GAMES} games")
    if rules is None:
        raise InvalidError(f"{paths[0]}: the file has no games")
    _check_games_fit(heads)
    lineup, seatings, ordered = _arrange_seatings(heads)
    source = paths[0].name
    run_title = choose_title(
        _clean_line(title, len(title)) if title else _clean_line(first_title, MAX_TITLE_CHARACTERS),
        f"{format_ruleset(rules)}, from {source}",
    )
    design = ImportDesign(
        title=run_title,
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
    plan: ImportPlan, target: Path, *, free_name: bool = True, progress: ProgressCallback | None = None
) -> Run:
    """Replay the games of a plan by the rules and return the run at `target`; with `free_name`, at the next free name.

    Raises a GameError, with file and line, for the first ply that breaks a rule; no file is left behind then.
    """
    design = plan.design
    clock = ProgressClock(design.games, 0, progress)

    def iter_games() -> Iterator[PlayedGame]:
        for number, head in enumerate(plan.heads):
            yield _play_game(design, head, *divmod(number, design.rotations))
            clock.advance(1)

    return seal_finished_games(design, iter_games(), target, free_name=free_name)


def read_actions(plan: ImportPlan) -> Iterator[list[int]]:
    """Yield the actions of each game of a plan; raise a GameError, with file and line, for a ply that breaks a rule."""
    for number, head in enumerate(plan.heads):
        game = _play_game(plan.design, head, *divmod(number, plan.design.rotations))
        yield [ply.action for ply in game.plies]


def _play_game(design: Design, head: GameHead, block: int, rotation: int) -> PlayedGame:
    games = _read_games(head.path)
    if head.number >= len(games):
        raise InvalidError(f"{head.path} was changed during the import")
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


def _find_files(paths: Sequence[Path], notes: list[str]) -> list[Path]:
    """Return files and the files with games in folders, those of a folder in the order of their names.

    What else is in a folder is named in `notes`, but for hidden files. Raises InvalidError for a folder without games.
    """
    paths_found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            paths_found.append(path)
            continue
        inside = sorted(file for file in path.iterdir() if not file.name.startswith("."))
        reasons = {file: _find_reason_to_leave_out(file) for file in inside}
        with_games = [file for file, reason in reasons.items() if not reason]
        left_out = [f"{file}: left out: {reason}" for file, reason in reasons.items() if reason]
        if not with_games:
            formats = f"the folder has no files of games (.{', .'.join(game_formats())})"
            raise InvalidError(f"{path}: {formats}" + "".join(f"; {note}" for note in left_out[:1]))
        paths_found += with_games
        notes += left_out
    return paths_found


def _find_reason_to_leave_out(file: Path) -> str:
    """Return why no games are read from a file in a folder; empty if it has some."""
    if file.is_symlink():
        return "it is a link"
    if not file.is_file():
        return "it is not a regular file"
    if file.suffix[1:].lower() not in game_formats():
        return f"files of games end with .{', .'.join(game_formats())}"
    try:
        _read_games(file)
    except GameError as error:
        return str(error).removeprefix(f"{file}: ")
    return ""


def _read_games(path: Path) -> list[Transcript]:
    """Read the games of a file; raise a GameError that names file and line."""
    try:
        status = path.stat()
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    return _read_games_cached(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=2)
def _read_games_cached(path: Path, _changed: int, _size: int) -> list[Transcript]:
    """Read a file once for all its games, which are replayed one after the other."""
    try:
        raw = read_regular_file(path, MAX_FILE_BYTES)
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    try:
        return find_format(path.suffix[1:].lower()).read(decode_text(raw))
    except GameError as error:
        raise type(error)(f"{path}: {error}") from None


def _find_ruleset(game: Transcript, catalogue: Catalogue, path: Path) -> Ruleset:
    if game.document is not None:
        return read_ruleset(game.document, f"{path}: ruleset")
    try:
        return catalogue.find_ruleset(game.ruleset)
    except GameError as error:
        raise type(error)(f"{path}: {error}; name the ruleset with --ruleset") from None


def _check_games_fit(heads: list[GameHead]) -> None:
    """Raise InvalidError if the games have different rulesets or numbers of seats."""
    first = heads[0]
    for head in heads:
        if head.sha256 != first.sha256:
            raise InvalidError(
                f"{_head_location(head)}: the ruleset is {head.ruleset}, that of the first game {first.ruleset}; "
                "a run has one ruleset, so import the games one by one"
            )
        if len(head.seats) != len(first.seats):
            raise InvalidError(
                f"{_head_location(head)}: {format_count(len(head.seats), 'seat')}, the first game has {len(first.seats)}"
            )


def _arrange_seatings(
    heads: list[GameHead],
) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...], list[GameHead]]:
    """Return the line-up, the seatings, and the games in order.

    Games that were exported from one run get their blocks and rotations back; otherwise every game is a block. Raises
    InvalidError if the games have different players, or players in different seats: the statistics would confuse them.
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
                f"{_head_location(head)}: its players are {', '.join(head.seats)}, those of the first game are "
                f"{', '.join(heads[0].seats)}; a run seats its players alike, so import the games one by one"
            )
    return *_lineup_and_seatings([heads[0].seats]), heads


def _lineup_and_seatings(
    seated: list[tuple[str, ...]],
) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """Return a line-up and, for each seating, the place of every seat's player in it.

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
            f"a run takes at most {MAX_LINEUP_STRATEGIES} players and {MAX_BLOCK_SEATINGS} seatings"
        )
    return tuple(lineup), tuple(seatings)


def _clean_name(text: str) -> str:
    return _clean_line(text, MAX_NAME_CHARACTERS) or "unnamed"


def _clean_line(text: str, longest: int) -> str:
    """Return a text as one line of at most `longest` printable characters."""
    words = "".join(character if character.isprintable() else " " for character in text).split()
    return " ".join(words)[:longest].strip()
