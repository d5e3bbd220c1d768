"""How the lead goes through a game: changes of the lead, drama, comebacks, and when the leader is the winner.

Standings are the scores of all seats after each round, higher the better. Games with fewer rounds than others repeat their
last row, so that one array holds many games.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pipelines.statistics.intervals import MAX_ROUNDING_ERROR, Floats, Integers, Interval, share_interval

COURSE_STEPS: Final = 20
"""A game is divided into this number of parts; the leader is read after each part."""
KNOWN_SHARE: Final = 0.9
"""The winner is known where the leader wins this share of the games."""


def standings_by_round(  # noqa: PLR0913, PLR0917 - the columns of a log
    games: Integers, rounds: Integers, seats: Integers, scores: Floats, start: Floats, final: Floats
) -> Floats:
    """Return the standings of games from the log of their decisions, shape (games, rounds, seats).

    The four columns of the log have one entry a decision, in the order of play: the place of the game in `final`, the round, the
    seat, and the score of the seat after the decision. A seat keeps its score in rounds in which it does not act; `start`, of
    shape (seats,), holds until it acts. `final`, of shape (games, seats), is the last row of every game.

    >>> log = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [3, 2, 4]])  # the columns: games, rounds, seats, scores
    >>> standings_by_round(*log, np.zeros(2), np.array([[4, 5]]))
    array([[[3., 2.],
            [4., 5.]]])
    """
    count, last = len(final), np.zeros(len(final), np.int64)
    np.maximum.at(last, games, rounds)
    table = np.full((count, int(last.max(initial=0)) + 1, len(start)), np.nan)
    table[games, rounds, seats] = scores  # the last decision of a round stays
    table[:, 0] = np.where(np.isnan(table[:, 0]), start, table[:, 0])
    for number in range(1, table.shape[1]):
        table[:, number] = np.where(np.isnan(table[:, number]), table[:, number - 1], table[:, number])
    is_over = np.arange(table.shape[1]) >= last[:, None]
    return np.where(is_over[:, :, None], final[:, None, :], table)


def count_lead_changes(standings: Floats) -> Floats:
    """Return how often another seat is alone in the first place than the one before, shape (games,).

    >>> count_lead_changes(np.array([[[1.0, 0], [1, 1], [1, 2], [3, 2]]]))
    array([2.])
    """
    is_first = _leaders(standings)
    alone = np.where(is_first.sum(axis=2) == 1, is_first.argmax(axis=2), -1)
    changes, before = np.zeros(len(alone)), alone[:, 0].copy()
    for leader in alone.T[1:]:
        changes += (leader >= 0) & (before >= 0) & (leader != before)
        before = np.where(leader >= 0, leader, before)
    return changes


def measure_drama(standings: Floats, rounds: Integers, wins: Floats) -> Floats:
    """Return how far the winner is behind while behind, shape (games,); 0 if the winner is never behind.

    It is the mean, over the rounds in which the winner is behind, of the square root of the points that are missing to the
    first place, divided by the largest distance between the first and the last seat after any round of the game (after Browne
    and Maire 2010, who take the value that a program gives to each position). `rounds`, of shape (games,), are the rounds of
    each game, and `wins`, of shape (games, seats), the shares of the win. Of several winners, the best placed one counts.

    >>> measure_drama(np.array([[[0.0, 4], [2, 3], [5, 4]]]), np.array([3]), np.array([[1.0, 0]]))
    array([0.75])
    """
    best = standings.max(axis=2)
    behind = best - np.where(wins[:, None, :] > 0, standings, -np.inf).max(axis=2)
    behind = np.where(np.arange(behind.shape[1]) < rounds[:, None], behind, 0)
    widest = (best - standings.min(axis=2)).max(axis=1, keepdims=True)
    roots = np.sqrt(np.divide(behind, widest, out=np.zeros_like(behind), where=widest > 0))
    counts = (behind > 0).sum(axis=1)
    return np.asarray(roots.sum(axis=1) / np.maximum(counts, 1), np.float64)


def won_from_behind(standings: Floats, rounds: Integers, wins: Floats) -> Floats:
    """Return the share of the win of seats that were not in the first place after half of the rounds, shape (games,).

    Half of an odd number of rounds is rounded up. The arguments are those of `measure_drama`.

    >>> won_from_behind(np.array([[[0.0, 4], [2, 3], [5, 4]]]), np.array([3]), np.array([[1.0, 0]]))
    array([1.])
    """
    middle = standings[np.arange(len(rounds)), (rounds + 1) // 2 - 1]
    return np.asarray((wins * ~_leaders(middle)).sum(axis=1).clip(0, 1), np.float64)


def won_by_leader(standings: Floats, rounds: Integers, wins: Floats) -> Floats:
    """Return the share of the win of who leads after each part of a game, shape (games, `COURSE_STEPS`).

    Where several seats lead, it is their mean. After the last part, the winner is known. The arguments are those of
    `measure_drama`.
    """
    parts = np.arange(1, COURSE_STEPS + 1)
    places = -(-parts * rounds[:, None] // COURSE_STEPS) - 1
    is_first = _leaders(standings[np.arange(len(rounds))[:, None], places])
    shares = np.asarray((wins[:, None, :] * is_first).sum(axis=2) / is_first.sum(axis=2), np.float64)
    shares[:, -1] = 1.0
    return shares.clip(0, 1)


def decided_after(shares: Floats) -> Interval | None:
    """Return after which share of a game the leader wins `KNOWN_SHARE` of the games, and goes on to; None for fewer than two.

    `shares`, of shape (blocks, `COURSE_STEPS`), are those of `won_by_leader`. The ends of the interval are the shares of the
    game after which the upper and the lower ends of the intervals of the leader's share of the win reach `KNOWN_SHARE`.

    >>> decided_after(np.tile(np.arange(1, 21) > 15, (400, 1)).astype(float))
    Interval(estimate=0.8, low=0.8, high=0.8)
    """
    intervals = [share_interval(column) for column in shares.T]
    ends = [interval for interval in intervals if interval]
    if len(ends) < COURSE_STEPS:
        return None

    def find_first(values: list[float]) -> float:
        too_low = [
            part for part, value in enumerate(values, start=1) if value < KNOWN_SHARE - MAX_ROUNDING_ERROR
        ]
        return min(COURSE_STEPS, max(too_low, default=0) + 1) / COURSE_STEPS

    return Interval(
        find_first([interval.estimate for interval in ends]),
        find_first([interval.high for interval in ends]),
        find_first([interval.low for interval in ends]),
    )


def _leaders(standings: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return which seats have the most points, the shape of the standings."""
    return np.asarray(standings == standings.max(axis=-1, keepdims=True))
