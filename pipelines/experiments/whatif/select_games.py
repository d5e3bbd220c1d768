"""Select games of a run and a place in each: the positions for a what-if question about many games."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.actions import CHANCE
from engine.errors import GameError, InvalidError
from pipelines.experiments.whatif.fork import NONE_ALLOWED, AllowedStrategies, Change, Fork, fork_logged_game
from pipelines.statistics import MIN_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.runs.run import Run

GAMES_SYNTAX: Final = "all, lost:SEAT, won:SEAT, or a number"
PLACES_SYNTAX: Final = "a ply (negative: from the end), round:R, or last-roll"

_LOST_OR_WON_PATTERN: Final = re.compile(r"(?P<how>lost|won):(?P<seat>[0-9]{1,2})")
_ROUND_PATTERN: Final = re.compile(r"round:(?P<round>[0-9]{1,5})")


class ForkedGames(NamedTuple):
    """The forks of the selected games."""

    forks: list[Fork]
    skipped: dict[int, str]
    """The reason why a game could not be forked, by number of the game."""


def select_logged_games(run: Run, which: str, most: int) -> list[int]:
    """Return the numbers of at most `most` logged games of a run: whole blocks, spread evenly over all that match.

    Games of one block share their luck, so intervals count blocks. If whole blocks would be fewer than `MIN_BLOCKS`, some
    games of each of more blocks are taken, in turn, so that every seating occurs equally often. `which` has the syntax of `GAMES_SYNTAX`; a shared first rank counts as won. Raises InvalidError for other text and if
    no game matches.
    """
    if which.isdecimal() and len(which) <= 20:  # longer numbers do not fit into a column
        return [run.game(int(which)).game_id]
    matched = _LOST_OR_WON_PATTERN.fullmatch(which)
    if not matched and which != "all":
        raise InvalidError(f"games: expected {GAMES_SYNTAX}, not {which!r}")
    seat = int(matched["seat"]) if matched else 0
    ranks = {"lost": "rank > 1", "won": "rank = 1"}[matched["how"]] if matched else "true"
    with run.open_tables() as connection:
        rows = connection.execute(
            f"SELECT block, game_id FROM games JOIN seats USING (game_id) WHERE logged AND seat = ? AND {ranks} "  # noqa: S608 - `ranks` is one of three constants
            "ORDER BY game_id",
            [seat],
        ).fetchall()
    if not rows:
        raise InvalidError(f"run {run.name} has no logged game that matches {which!r}")
    blocks: dict[int, list[int]] = {}
    for block, game_id in rows:
        blocks.setdefault(int(block), []).append(int(game_id))
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
    try:
        return int(where)
    except ValueError:
        matched = _ROUND_PATTERN.fullmatch(where)
    if not matched and where != "last-roll":
        raise InvalidError(f"ply: expected {PLACES_SYNTAX}, not {where!r}") from None
    condition = "round = ?" if matched else "seat = ?"
    order = "min" if matched else "max"
    with run.open_tables() as connection:
        ply = connection.execute(
            f"SELECT {order}(ply) FROM plies WHERE game_id = ? AND {condition}",  # noqa: S608 - both parts are constants
            [game_id, int(matched["round"]) if matched else CHANCE],
        ).fetchall()[0][0]
    if ply is None:
        raise InvalidError(f"game {game_id} has no {'round ' + matched['round'] if matched else 'roll'}")
    return int(ply)


def fork_selected_games(  # noqa: PLR0913, PLR0917 - which games, where, and what is different
    run: Run, which: str, where: str, change: Change, most: int, allowed: AllowedStrategies = NONE_ALLOWED
) -> ForkedGames:
    """Fork the selected games at a place; raise InvalidError if none of them can be forked."""
    skipped: dict[int, str] = {}
    forks = list(iter_forks(run, select_logged_games(run, which, most), where, change, skipped, allowed))
    if not forks:
        raise InvalidError(next(iter(skipped.values())))
    return ForkedGames(forks, skipped)


def iter_forks(  # noqa: PLR0913, PLR0917 - as above
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
