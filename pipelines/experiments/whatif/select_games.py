"""Which games of a run, and where in them: the positions at which the same question is asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.actions import CHANCE
from engine.errors import GameError, InvalidError
from pipelines.experiments.whatif.fork import Change, Fork, fork_from_actions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.runs.run import Run

GAMES_SYNTAX: Final = "all, lost:SEAT, won:SEAT, or a number"
PLACES_SYNTAX: Final = "a ply (negative: from the end), round:R, or last-roll"

_LOST_OR_WON_PATTERN: Final = re.compile(r"(?P<how>lost|won):(?P<seat>[0-9]{1,2})")
_ROUND_PATTERN: Final = re.compile(r"round:(?P<round>[0-9]{1,5})")


class ForkedGames(NamedTuple):
    """The forks of a filter."""

    forks: list[Fork]
    skipped: dict[int, str]
    """By game, why it could not be forked there."""


def select_logged_games(run: Run, which: str, most: int) -> list[int]:
    """Return logged games of a run, spread evenly over all that fit if they are more than `most`.

    `which`: all games, those that a seat lost (was not first in) or won (also shared), or one by its number.
    Raises InvalidError for anything else and if there is none.
    """
    if which.isdecimal() and len(which) <= 20:  # more digits than a number of anything
        return [run.game(int(which)).game_id]
    matched = _LOST_OR_WON_PATTERN.fullmatch(which)
    if not matched and which != "all":
        raise InvalidError(f"games: expected {GAMES_SYNTAX}, not {which!r}")
    seat = int(matched["seat"]) if matched else 0
    ranks = {"lost": "rank > 1", "won": "rank = 1"}[matched["how"]] if matched else "true"
    with run.connect() as connection:
        rows = connection.execute(
            f"SELECT game_id FROM games JOIN seats USING (game_id) WHERE logged AND seat = ? AND {ranks} "  # noqa: S608 - one of three texts of ours
            "ORDER BY game_id",
            [seat],
        ).fetchall()
    if not rows:
        raise InvalidError(f"run {run.name} has no logged game that fits {which!r}")
    step = max(1.0, len(rows) / most)
    return [int(rows[int(number * step)][0]) for number in range(min(most, len(rows)))]


def find_ply(run: Run, game_id: int, where: str) -> int:
    """Return the ply of a place in a game; raise InvalidError if it has no such place."""
    try:
        return int(where)
    except ValueError:
        matched = _ROUND_PATTERN.fullmatch(where)
    if not matched and where != "last-roll":
        raise InvalidError(f"ply: expected {PLACES_SYNTAX}, not {where!r}") from None
    condition = "round = ?" if matched else "seat = ?"
    order = "min" if matched else "max"
    with run.connect() as connection:
        found = connection.execute(
            f"SELECT {order}(ply) FROM plies WHERE game_id = ? AND {condition}",  # noqa: S608 - two texts of ours
            [game_id, int(matched["round"]) if matched else CHANCE],
        ).fetchall()[0][0]
    if found is None:
        raise InvalidError(f"game {game_id} has no {'round ' + matched['round'] if matched else 'roll'}")
    return int(found)


def fork_selected_games(run: Run, which: str, where: str, change: Change, most: int) -> ForkedGames:
    """Fork every game of a filter at a place; raise InvalidError if none can be."""
    skipped: dict[int, str] = {}
    found = list(iter_forks(run, select_logged_games(run, which, most), where, change, skipped))
    if not found:
        raise InvalidError(next(iter(skipped.values())))
    return ForkedGames(found, skipped)


def iter_forks(
    run: Run, chosen: Sequence[int], where: str, change: Change, skipped: dict[int, str]
) -> Iterator[Fork]:
    """Fork game after game at a place; note in `skipped`, by game, why one could not be."""
    for game_id in chosen:
        ruleset = run.ruleset(run.game(game_id).ruleset)
        seated = [seat.strategy for seat in run.seats(game_id)]
        try:
            ply = find_ply(run, game_id, where)
            yield fork_from_actions(ruleset, run.actions(game_id), seated, ply, change, game_id=game_id)
        except GameError as error:
            skipped[game_id] = str(error)
