"""Select games of a run and a place in each: the positions for a what-if question about many games."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from engine.actions import CHANCE
from engine.errors import GameError, InvalidError
from pipelines.experiments.fork import NONE_ALLOWED, AllowedStrategies, Change, Fork, fork_logged_game
from pipelines.runs.game_queries import logged_games_of_seat
from pipelines.statistics import MIN_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.runs.run import Run

GAMES_SYNTAX: Final = "all, lost:PLAYER or won:PLAYER"
PLACES_SYNTAX: Final = "a move (from 1, or negative: from the end), round:R, or last-roll"
"""People write these texts, so players, moves and rounds count from 1 in them."""

_LOST_OR_WON_PATTERN: Final = re.compile(r"(?P<how>lost|won):(?P<player>[1-9][0-9]?)")
_ROUND_PATTERN: Final = re.compile(r"round:(?P<round>[1-9][0-9]{0,4})")
_MOVE_PATTERN: Final = re.compile(r"-?[1-9][0-9]{0,6}")


def parse_games(which: str) -> tuple[str, int]:
    """Return which games a text selects and the seat, from 0, that lost or won them. Raises InvalidError for other text.

    >>> parse_games("all"), parse_games("lost:2")
    (('all', 0), ('lost', 1))
    """
    matched = _LOST_OR_WON_PATTERN.fullmatch(which)
    if not matched and which != "all":
        raise InvalidError(f"expected {GAMES_SYNTAX}, not {which!r}")
    return (matched["how"], int(matched["player"]) - 1) if matched else ("all", 0)


def parse_place(where: str) -> tuple[str, int]:
    """Return the kind of a place in a game, `ply`, `round` or `last-roll`, and its number from 0, or negative from the end.

    >>> parse_place("3"), parse_place("-3"), parse_place("round:2"), parse_place("last-roll")
    (('ply', 2), ('ply', -3), ('round', 1), ('last-roll', 0))

    Raises InvalidError for other text.
    """
    if _MOVE_PATTERN.fullmatch(where):
        number = int(where)
        return "ply", number - (number > 0)
    matched = _ROUND_PATTERN.fullmatch(where)
    if not matched and where != "last-roll":
        raise InvalidError(f"expected {PLACES_SYNTAX}, not {where!r}")
    return ("round", int(matched["round"]) - 1) if matched else ("last-roll", 0)


def select_logged_games(run: Run, which: str, most: int) -> list[int]:
    """Return the numbers of at most `most` logged games of a run: whole blocks, spread evenly over all that match.

    Games of one block share their luck, so intervals count blocks. If whole blocks would be fewer than `MIN_BLOCKS`, some
    games of each of more blocks are taken, in turn, so that every seating occurs equally often. `which` has the syntax of `GAMES_SYNTAX`; a shared first rank counts as won. Raises InvalidError for other text and if
    no game matches.
    """
    how, seat = parse_games(which)
    with run.open_tables() as connection:
        fitting = logged_games_of_seat(connection, seat, how)
    if not fitting:
        raise InvalidError(f"run {run.name} has no logged game that matches {which!r}")
    blocks: dict[int, list[int]] = {}
    for block, game_id in fitting:
        blocks.setdefault(block, []).append(game_id)
    return _spread_over_blocks(list(blocks.values()), most)


def _spread_over_blocks(blocks: Sequence[Sequence[int]], most: int) -> list[int]:
    """Return at most `most` games from blocks that are spread evenly.

    >>> _spread_over_blocks([[2 * block, 2 * block + 1] for block in range(100)], 40)[:6]
    [0, 1, 10, 11, 20, 21]
    >>> _spread_over_blocks([[4 * block + game for game in range(4)] for block in range(10)], 10)
    [0, 5, 10, 15, 16, 21, 26, 31, 32, 37]
    """
    total = sum(map(len, blocks))
    if total <= most:
        return [game for block in blocks for game in block]
    number = max(most * len(blocks) // total, min(most, len(blocks), MIN_BLOCKS))
    chosen = [blocks[place * len(blocks) // number] for place in range(number)]
    while sum(map(len, chosen)) > most and len(chosen) > MIN_BLOCKS:
        chosen.pop()
    if sum(map(len, chosen)) <= most:
        return [game for block in chosen for game in block]
    each = most // len(chosen)
    return [
        game
        for place, block in enumerate(chosen)
        for game in sorted({block[(place * each + step) % len(block)] for step in range(each)})
    ]


def find_ply(run: Run, game_id: int, where: str) -> int:
    """Return the ply of a place in a game; `where` has the syntax of `PLACES_SYNTAX`.

    Raises InvalidError for other text and if the game has no such place.
    """
    kind, number = parse_place(where)
    if kind == "ply":
        return number
    fitting = [
        ply
        for ply, round_number, seat in run.turns(game_id)
        if (round_number == number if kind == "round" else seat == CHANCE)
    ]
    if not fitting:
        raise InvalidError(
            f"game {game_id + 1} has no {f'round {number + 1}' if kind == 'round' else 'roll'}"
        )
    return fitting[0 if kind == "round" else -1]


def iter_forks(  # noqa: PLR0913, PLR0917 - which games, where, and what is different
    run: Run,
    chosen: Sequence[int],
    where: str,
    change: Change,
    skipped: dict[int, str],
    allowed: AllowedStrategies = NONE_ALLOWED,
) -> Iterator[Fork]:
    """Fork games one after another; add to `skipped` the reason why a game could not be forked."""
    for game_id in chosen:
        try:
            yield fork_logged_game(run, game_id, find_ply(run, game_id, where), change, allowed)
        except GameError as error:
            skipped[game_id] = str(error)
