"""Clauses on a change with its interval: what somebody scores or wins more, or that this is not clear."""

from __future__ import annotations

from pipelines.statistics.intervals import Interval
from pipelines.statistics.rounding import format_interval_numbers, split_sign


def write_score_change(who: str, difference: Interval, more: str = "") -> str:
    """Return what `who` scores more or fewer, with the interval; `more` stands behind the interval in the brackets.

    >>> write_score_change("greedy", Interval(-6.1, -7.0, -5.2), "; 800 games")
    'greedy scores 6.1 points fewer (95 % interval 5.2 to 7.0; 800 games)'
    >>> write_score_change("greedy", Interval(0.1, -1.0, 1.2))
    'the score of greedy does not clearly change (95 % interval -1.0 to 1.2)'
    """
    sign, (points, low, high) = split_sign(difference)
    interval = f"(95 % interval {low} to {high}{more})"
    if sign == 0:
        return f"the score of {who} does not clearly change {interval}"
    unit = "point" if points == "1" else "points"
    return f"{who} scores {points} {unit} {'more' if sign > 0 else 'fewer'} {interval}"


def write_win_change(who: str, difference: Interval) -> str:
    """Return how many of 100 games `who` wins more or fewer, given the change of a share of wins.

    >>> write_win_change("it", Interval(0.03, 0.01, 0.05))
    'it wins 3 of 100 games more (1 to 5)'
    >>> write_win_change("it", Interval(0.01, -0.02, 0.04))
    'how often it wins does not clearly change (-2 to 4 of 100 games)'
    """
    percent = Interval(*(100 * share for share in difference))
    sign, (games, low, high) = split_sign(percent, parts=2)
    if sign == 0:
        _, low, high = format_interval_numbers(percent, parts=2)
        return f"how often {who} wins does not clearly change ({low} to {high} of 100 games)"
    return f"{who} wins {games} of 100 games {'more' if sign > 0 else 'fewer'} ({low} to {high})"


def write_length_change(difference: Interval) -> str:
    """Return by how many rounds games are longer or shorter.

    >>> write_length_change(Interval(-7.64, -7.84, -7.43))
    'games are 7.64 rounds shorter (7.43 to 7.84)'
    """
    sign, (count, low, high) = split_sign(difference)
    if sign == 0:
        return f"the length of games does not clearly change ({low} to {high} rounds)"
    return f"games are {count} rounds {'longer' if sign > 0 else 'shorter'} ({low} to {high})"
