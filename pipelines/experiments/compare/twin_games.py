"""The games behind a cell: the two games of a block in which one strategy, then the other, had the same seat.

They begin alike, on the same luck; the first ply where they part is where the strategies thought otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine.errors import InvalidError
from pipelines.design.seatings import twin_seatings
from pipelines.experiments.compare.comparison import ensure_contest, read_run_design
from pipelines.runs.outcomes import read_outcomes

if TYPE_CHECKING:
    from pipelines.design.seatings import Pair
    from pipelines.runs.run import Run
    from pipelines.runs.unfinished_run import UnfinishedRun


class TwinGames(NamedTuple):
    """Two games of one block."""

    block: int
    seat: int
    """Where one side, then the other, sat alone."""
    game_a: int
    game_b: int
    score_a: int
    score_b: int
    difference: int
    """Of the two scores on that seat."""


class FirstDifference(NamedTuple):
    """The first ply at which two games differ."""

    ply: int
    round: int
    seat: int
    """Who acted: a seat, or -1 for chance."""
    action_a: str | None
    """In notation; None where a game was over."""
    action_b: str | None


def twin_games(source: Run | UnfinishedRun, pair: Pair, *, most: int = 100) -> list[TwinGames]:
    """Return the twin games of two sides, those with the greatest difference first.

    `pair` are places in the line-up. Raises InvalidError if the run compares nothing, or not these two.
    """
    with source.connect() as connection:
        design = ensure_contest(read_run_design(source, connection))
        outcomes = read_outcomes(connection, design)
    if not 0 <= pair[0] < pair[1] < len(design.lineup):
        raise InvalidError(f"the run compares {len(design.lineup)} strategies, and has no pair {pair}")
    places = twin_seatings(design.seatings, pair)
    a = np.stack([outcomes.scores[:, one, seat] for seat, one, _ in places], axis=1)
    b = np.stack([outcomes.scores[:, other, seat] for seat, _, other in places], axis=1)
    order = np.argsort(-np.abs(a - b), axis=None, kind="stable")[:most]
    found = []
    for row, column in zip(*np.unravel_index(order, a.shape), strict=True):
        seat, one, other = places[column]
        block = int(outcomes.blocks[row])
        scores = int(a[row, column]), int(b[row, column])
        games = design.game_id(block, one), design.game_id(block, other)
        found.append(TwinGames(block, seat, *games, *scores, scores[0] - scores[1]))
    return found


def find_first_difference(source: Run | UnfinishedRun, game_a: int, game_b: int) -> FirstDifference | None:
    """Return the first ply at which two logged games differ; None if they are one and the same game.

    Raises InvalidError if their plies were not logged.
    """
    with source.connect() as connection:
        ruleset = read_run_design(source, connection).rules
        rows: dict[int, list[tuple[Any, ...]]] = {}
        for game in (game_a, game_b):
            rows[game] = connection.execute(
                "SELECT ply, round, seat, action FROM plies WHERE game_id = ? ORDER BY ply", [game]
            ).fetchall()
            if not rows[game]:
                raise InvalidError(f"the plies of game {game} are not in run {source.name}")
    one, other = rows[game_a], rows[game_b]
    for number in range(max(len(one), len(other))):
        ply_a = one[number] if number < len(one) else None
        ply_b = other[number] if number < len(other) else None
        if ply_a != ply_b:
            ply, round_, seat, _ = ply_a or ply_b or ()
            told = [ruleset.action(found[3]).notation if found else None for found in (ply_a, ply_b)]
            return FirstDifference(ply, round_, seat, *told)
    return None
