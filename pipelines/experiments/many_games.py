"""The same what-if question about many games of a run: which games and places, and the mean effect, with intervals that count blocks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.errors import GameError, InvalidError
from pipelines.design.short_names import short_names
from pipelines.experiments.fork import (
    NONE_ALLOWED,
    AllowedStrategies,
    Change,
    Fork,
    fork_logged_game,
    name_move,
)
from pipelines.experiments.whatif import SeatEffect, WhatIf, play_whatif
from pipelines.runs.game_queries import GamePlies, logged_games_of_seat, measure_logged_games
from pipelines.statistics.bounded_means import (
    BRANCH_LEVEL,
    SHARE_BOUNDS,
    ValueBounds,
    clustered_interval,
    narrow_difference,
)
from pipelines.statistics.planning import MIN_BLOCKS

if TYPE_CHECKING:
    from pipelines.runs.run import Run
    from pipelines.statistics import Interval


@dataclass(frozen=True)
class WhatIfPositions:
    """The same change at many positions of a run.

    A position counts once, however many continuations it has. Games of one block share their luck, so the intervals count
    blocks: the mean over positions is a ratio of two sums over blocks (`clustered_interval`).
    """

    played: tuple[WhatIf, ...]
    skipped: dict[int, str]
    """The reason why a game is left out, by number of the game."""

    @property
    def blocks(self) -> int:
        """Number of different blocks of the games."""
        return len({whatif.fork.block for whatif in self.played})

    @property
    def has_enough_blocks(self) -> bool:
        return self.blocks >= MIN_BLOCKS

    @cached_property
    def by_strategy(self) -> dict[str, WhatIfPositions]:
        """The positions of each strategy that plays the seat of the question without the change."""
        groups: dict[str, list[WhatIf]] = {}
        for whatif in self.played:
            groups.setdefault(whatif.fork.base.seating[whatif.fork.seat].label, []).append(whatif)
        return {name: WhatIfPositions(tuple(played), {}) for name, played in groups.items()}

    def mean_over_positions(
        self, value: Callable[[WhatIf], float], bounds: ValueBounds, level: float = 0.95
    ) -> Interval | None:
        """Return the mean of a value over the positions; None for fewer than two blocks.

        `bounds` are the possible values.
        """
        values = np.array([value(whatif) for whatif in self.played], dtype=np.float64)
        blocks = np.array([whatif.fork.block for whatif in self.played])
        return clustered_interval(values, blocks, bounds, level)

    @cached_property
    def score(self) -> Interval | None:
        """Mean final score of the seat, changed minus original."""
        if not self.played:
            return None
        spread = max(whatif.score_bounds.high - whatif.score_bounds.low for whatif in self.played)
        return self.mean_over_positions(
            lambda whatif: _estimate(whatif.score_difference(whatif.fork.seat)), ValueBounds(-spread, spread)
        )

    @cached_property
    def win_share(self) -> Interval | None:
        """Mean share of the win of the seat, changed minus original."""
        direct = self.mean_over_positions(
            lambda whatif: _estimate(whatif.seat_effect(whatif.fork.seat).win_share),
            SHARE_BOUNDS.minus(SHARE_BOUNDS),
        )
        was, now = self.measure_wins(BRANCH_LEVEL)
        return narrow_difference(direct, now, was)

    def measure_wins(self, level: float = 0.95) -> tuple[Interval | None, Interval | None]:
        """Return the mean share of the win of the seat on the original branch and on the changed one."""

        def measure_branch(share: Callable[[SeatEffect], Interval | None]) -> Interval | None:
            return self.mean_over_positions(
                lambda whatif: _estimate(share(whatif.seat_effect(whatif.fork.seat))), SHARE_BOUNDS, level
            )

        return measure_branch(attrgetter("base_win_share")), measure_branch(attrgetter("changed_win_share"))

    @cached_property
    def differing_share(self) -> Interval | None:
        """Share of positions at which at least one continuation differs between the branches."""
        return self.mean_over_positions(
            lambda whatif: float(whatif.differing_share.estimate > 0), SHARE_BOUNDS
        )


def _estimate(interval: Interval | None) -> float:
    """Return the estimate of a position, which has at least two continuations."""
    return interval.estimate if interval else math.nan


def play_every_fork(
    forks: Iterable[Fork], *, n: int, seed: int, stopped: Callable[[], bool] = lambda: False
) -> Iterator[WhatIf]:
    """Continue every fork `n` times and yield the results of each; every fork has its own luck.

    Play ends when `stopped` returns True. The fork that is then being played is left out.
    """
    for number, fork in enumerate(forks):
        answers = list(play_whatif(fork, n=n, seed=seed, number=number, stopped=stopped))
        if not answers or (answers[-1].n < n and not answers[-1].is_single):
            return
        yield answers[-1]


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


def name_games(which: str) -> str:
    """Return in words which games of a run are asked about.

    >>> name_games("lost:1"), name_games("all"), name_games("")
    ('the games that player 1 lost', 'all games', 'all games')
    """
    how, seat = parse_games(which or "all")
    return "all games" if how == "all" else f"the games that player {seat + 1} {how}"


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


def select_logged_games(run: Run, which: str, limit: int) -> list[int]:
    """Return the numbers of at most `limit` logged games of a run: whole blocks, spread evenly over all that match.

    Games of one block share their luck, so intervals count blocks. If whole blocks would be fewer than `MIN_BLOCKS`, some
    games of each of more blocks are taken, in turn, so that every seating occurs equally often. `which` has the syntax of `GAMES_SYNTAX`; a shared first rank counts as won. Raises InvalidError for other text and if
    no game matches.
    """
    return _spread_over_blocks(list_logged_blocks(run, which), limit)


def list_logged_blocks(run: Run, which: str = "all") -> list[list[int]]:
    """Return the numbers of the logged games of a run, by block; of copies of one block the first. Raises InvalidError as `select_logged_games`."""
    how, seat = parse_games(which)
    with run.open_tables() as connection:
        fitting = logged_games_of_seat(connection, seat, how)
    if not fitting:
        raise InvalidError(f"run {run.name} has no logged game that matches {which!r}")
    if run.repeats_one_block:
        fitting = [(block, game_id) for block, game_id in fitting if block == fitting[0][0]]
    blocks: dict[int, list[int]] = {}
    for block, game_id in fitting:
        blocks.setdefault(block, []).append(game_id)
    return list(blocks.values())


def _spread_over_blocks(blocks: Sequence[Sequence[int]], limit: int) -> list[int]:
    """Return at most `limit` games from blocks that are spread evenly.

    >>> _spread_over_blocks([[2 * block, 2 * block + 1] for block in range(100)], 40)[:6]
    [0, 1, 10, 11, 20, 21]
    >>> _spread_over_blocks([[4 * block + game for game in range(4)] for block in range(10)], 10)
    [0, 5, 10, 15, 16, 21, 26, 31, 32, 37]
    """
    total = sum(map(len, blocks))
    if total <= limit:
        return [game for block in blocks for game in block]
    number = max(limit * len(blocks) // total, min(limit, len(blocks), MIN_BLOCKS))
    chosen = [blocks[place * len(blocks) // number] for place in range(number)]
    while sum(map(len, chosen)) > limit and len(chosen) > MIN_BLOCKS:
        chosen.pop()
    if sum(map(len, chosen)) <= limit:
        return [game for block in chosen for game in block]
    each = limit // len(chosen)
    return [
        game
        for place, block in enumerate(chosen)
        for game in sorted({block[(place * each + step) % len(block)] for step in range(each)})
    ]


def find_ply(run: Run, game_id: int, where: str) -> int:
    """Return the ply of a place in a game; `where` has the syntax of `PLACES_SYNTAX`.

    Raises InvalidError for other text and if the game has no such place; a number may be that of no ply.
    """
    place = parse_place(where)
    if place[0] == "ply":
        return place[1]
    ply = _find_place(_measure_games(run, [game_id], place).get(game_id), place)
    if ply is None:
        raise InvalidError(f"game {game_id + 1} has {_name_missing_place(place)}")
    return ply


def _measure_games(run: Run, chosen: Sequence[int], place: tuple[str, int]) -> dict[int, GamePlies]:
    kind, number = place
    with run.open_tables() as connection:
        return measure_logged_games(connection, chosen, number if kind == "round" else -1)


def _find_place(game: GamePlies | None, place: tuple[str, int]) -> int | None:
    """Return the ply of a place of `parse_place` in a game; None if it has none, or if its plies are not logged."""
    kind, number = place
    if game is None:
        return None
    if kind == "ply":
        return number % game.plies if -game.plies <= number < game.plies else None
    return game.round_start if kind == "round" else game.last_roll


def _name_missing_place(place: tuple[str, int]) -> str:
    kind, number = place
    return f"no {'roll' if kind == 'last-roll' else name_move(number) if kind == 'ply' else f'round {number + 1}'}"


class ForeseenForks(NamedTuple):
    """What is known of the forks of many games before any of them is made."""

    games: int
    """Number of the games that are selected."""
    fitting: int
    """Number of the games that they are selected from."""
    skipped: dict[int, str]
    """As `iter_forks` fills it, but for games that only a fork shows to be impossible."""
    moves_left: float
    """Median number of plies behind the fork, of the games that are not skipped."""
    moves: float
    """Median number of all plies of these games."""


def foresee_forks(run: Run, which: str, where: str, limit: int, change: Change) -> ForeseenForks:
    """Return which games `iter_forks` will skip, and how late in the others the change comes. Raises InvalidError if no game matches."""
    blocks, place = list_logged_blocks(run, which), parse_place(where)
    chosen = _spread_over_blocks(blocks, limit)
    measured = _measure_games(run, chosen, place)
    skipped, forks = dict[int, str](), list[tuple[int, int]]()
    for game_id in chosen:
        game = measured[game_id]
        ply, names = _find_place(game, place), dict(enumerate(game.strategies))
        if ply is None:
            skipped[game_id] = _name_missing_place(place)
        elif change.strategies and {**names, **change.strategies} == names:
            skipped[game_id] = _tell_same_branches(change)
        else:
            forks.append((game.plies - ply, game.plies))
    left, moves = np.median(forks or [(0, 0)], axis=0).tolist()
    return ForeseenForks(len(chosen), sum(map(len, blocks)), skipped, left, moves)


def iter_forks(  # noqa: PLR0913, PLR0917 - which games, where, and what is different
    run: Run,
    chosen: Sequence[int],
    where: str,
    change: Change,
    skipped: dict[int, str],
    allowed: AllowedStrategies = NONE_ALLOWED,
) -> Iterator[Fork]:
    """Fork games one after another; add to `skipped` the reason why a game is left out.

    Games in which the change changes nothing are left out: their difference is known to be 0, and would hide that of the others.
    """
    place = parse_place(where)
    measured = _measure_games(run, chosen, place)
    for game_id in chosen:
        ply = _find_place(measured.get(game_id), place)
        if ply is None:
            skipped[game_id] = _name_missing_place(place)
            continue
        try:
            fork = fork_logged_game(run, game_id, ply, change, allowed)
        except GameError as error:
            skipped[game_id] = str(error)
            continue
        if change and fork.has_equal_branches:
            skipped[game_id] = _tell_same_branches(change)
        else:
            yield fork


def _tell_same_branches(change: Change) -> str:
    return f"{tell_what_stays(change)} anyway"


def tell_what_stays(change: Change) -> str:
    """Return in words what a change that changes nothing asks for."""
    if not change.strategies:
        return "it has this move and these rules"
    seat, name = min(change.strategies.items())
    return f"{short_names([name])[name]} plays for player {seat + 1}"
