"""Twin games: two games of a block in which the same seat is played by one strategy, then by the other.

Twin games have the same luck and begin in the same way, so the first ply at which they differ is the first decision on
which the strategies disagree.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine import games
from engine.errors import InvalidError
from pipelines.design.designs import read_as_comparison
from pipelines.design.lineups import twin_seatings
from pipelines.runs.game_queries import read_played_actions
from pipelines.runs.outcomes import read_outcomes

if TYPE_CHECKING:
    from pipelines.design.lineups import Pair
    from pipelines.runs.run import Run
    from pipelines.runs.unfinished_run import UnfinishedRun


class TwinGames(NamedTuple):
    """Two games of one block and the scores of the seat that changed hands."""

    block: int
    seat: int
    """The seat that strategy A had in `game_a` and strategy B in `game_b`."""
    game_a: int
    game_b: int
    score_a: int
    score_b: int
    difference: int
    """`score_a` minus `score_b`."""


class FirstDifference(NamedTuple):
    """The first ply at which two games differ."""

    ply: int
    round: int
    seat: int
    """The acting seat, or -1 for chance."""
    step_a: str | None
    """What happens there in words, with the notation if the words do not tell the two apart; None if the game was over."""
    step_b: str | None


def twin_games(source: Run | UnfinishedRun, pair: Pair, *, most: int = 100) -> list[TwinGames]:
    """Return at most `most` twin games of two strategies, those with the greatest difference first.

    `pair` are indices in the line-up. Raises InvalidError if the run is no comparison or has no such pair.
    """
    with source.open_tables() as connection:
        design = read_as_comparison(source.design)
        outcomes = read_outcomes(connection, design)
    if not 0 <= pair[0] < pair[1] < len(design.lineup):
        raise InvalidError(f"the run compares {len(design.lineup)} strategies, so it has no pair {pair}")
    seatings = twin_seatings(design.seatings, pair)
    a = np.stack([outcomes.scores[:, seating_a, seat] for seat, seating_a, _ in seatings], axis=1)
    b = np.stack([outcomes.scores[:, seating_b, seat] for seat, _, seating_b in seatings], axis=1)
    order = np.argsort(-np.abs(a - b), axis=None, kind="stable")[:most]
    twins = []
    for row, column in zip(*np.unravel_index(order, a.shape), strict=True):
        seat, seating_a, seating_b = seatings[column]
        block = int(outcomes.blocks[row])
        scores = int(a[row, column]), int(b[row, column])
        games = design.game_id(block, seating_a), design.game_id(block, seating_b)
        twins.append(TwinGames(block, seat, *games, *scores, scores[0] - scores[1]))
    return twins


def find_first_difference(source: Run | UnfinishedRun, game_a: int, game_b: int) -> FirstDifference | None:
    """Return the first ply at which two logged games differ; None if all plies are equal.

    Raises InvalidError if their plies were not logged.
    """
    with source.open_tables() as connection:
        ruleset = source.design.rules
        plies = {game: read_played_actions(connection, game) for game in (game_a, game_b)}
    if not_logged := [game for game, played in plies.items() if not played]:
        raise InvalidError(f"the moves of game {not_logged[0] + 1} are not in run {source.name}")
    for rows in zip_longest(plies[game_a], plies[game_b]):
        if rows[0] != rows[1]:
            ply, round_, seat, _ = rows[0] or rows[1]
            begun = [[row[3] for row in played[: ply + 1]] for played in plies.values()]
            scenes = [games.find_game(ruleset.game).scene(ruleset, actions) for actions in begun]
            steps = [scene["steps"][-1] if row else None for scene, row in zip(scenes, rows, strict=True)]
            captions = [step and step["caption"].partition(". ")[0].rstrip(".") for step in steps]
            if captions[0] == captions[1]:
                captions = [
                    step and f"{words} ({step['notation']})"
                    for step, words in zip(steps, captions, strict=True)
                ]
            return FirstDifference(ply, round_, seat, *captions)
    return None
