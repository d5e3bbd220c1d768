"""Plackett-Luce ratings: one strength for each strategy from the rankings of games for any number of seats.

A game is won with probability strength / sum of all strengths, the rest play on for second place, and so on (Luce 1959,
Plackett 1975). Tied seats count as the average over the orders they could have ended in. Only ratios of strengths are
determined; logarithms are therefore given with mean zero.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import permutations, product
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pipelines.statistics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pipelines.statistics.distributions import Floats, Integers

PRIOR_GAMES: Final = 0.5
"""Games, half won and half lost, that each strategy is taken to have played against one of mean strength.

Without them a strategy that always wins has no finite rating. Half a game moves the others by less than their error.
"""

UNSEEN_LOST_BLOCKS: Final = -math.log(0.025)
"""Blocks lost that could be expected where none was seen: 97.5 % of such series would show one (the rule of three)."""

ELO_PER_LOG_STRENGTH: Final = 400 / math.log(10)
"""Points of a 400-log10 scale for each unit of log-strength: 400 points are odds of ten to one."""

MAX_NEWTON_STEPS: Final = 200
"""Newton's method takes about ten, more where one strategy is far ahead."""


class Rankings(NamedTuple):
    """How games ended."""

    strategies: Integers
    """Shape (games, seats): positions in a list of names, -1 for an empty seat."""
    ranks: Integers
    """Shape (games, seats): 1 for the best, equal for ties; only their order counts."""
    blocks: Integers
    """Shape (games,): which block a game belongs to."""


@dataclass(frozen=True)
class Rating:
    """How strong one strategy is among those rated."""

    strategy: str
    log_strength: Interval
    """Natural logarithm, mean 0 over the strategies. An end is infinite where the games set no limit."""
    elo: Interval
    """The same in points: 400 points are odds of ten to one between two strategies."""
    is_separated: bool
    """Some others were never, not even through third ones, ahead of this strategy, or it of them.

    No finite rating fits such games best (Ford 1957; Hunter 2004): the estimate leans on the prior.
    """


class _StrictOrders(NamedTuple):
    """All strict orders that occurred, best first, padded with -1, and how often in each block."""

    strategies: Integers  # (orders, seats)
    weights: Floats  # (blocks, orders)


def plackett_luce(
    names: Sequence[str], games: Rankings, *, seed: int, level: float = 0.95, resamples: int = 500
) -> list[Rating]:
    """Rate strategies from the ranks of games; in the order of `names`.

    Intervals are percentiles over whole blocks drawn again. A strategy that was always ahead has no upper limit, one that
    was always behind no lower one; its other limit is the rating with as many lost (won) blocks added as could have gone
    unseen. Raises ValueError for fewer than two strategies or blocks, and for strategies that never met: nothing says how
    they compare.
    """
    if games.strategies.ndim != 2 or games.strategies.shape != games.ranks.shape:
        raise ValueError("Give a strategy and a rank for each game and seat.")
    if len(names) < 2 or len(np.unique(games.blocks)) < 2:
        raise ValueError("Ratings need at least two strategies and two blocks.")
    ahead = _ahead_counts(len(names), games)
    _check_connected(names, ahead)
    orders = _expand_ties(games)
    played, count = orders.weights.sum(axis=0)[None], len(orders.weights)
    rng = np.random.default_rng(seed)
    times = rng.multinomial(count, np.full(count, 1 / count), size=resamples)
    centre = _fit_log_strengths(orders.strategies, played, len(names))[0]
    drawn = _fit_log_strengths(orders.strategies, times @ orders.weights, len(names))
    # Percentiles may miss an estimate that the prior holds back in every resample.
    lows = np.minimum(np.quantile(drawn, (1 - level) / 2, axis=0), centre)
    highs = np.maximum(np.quantile(drawn, (1 + level) / 2, axis=0), centre)
    reaches = _reachability_matrix(ahead)
    no_upper, no_lower = ~np.all(reaches, axis=0), ~np.all(reaches, axis=1)
    for code in np.nonzero(no_upper | no_lower)[0].tolist():
        unseen = np.array(
            [_move_strategy(order, code, to_front=no_lower[code]) for order in orders.strategies]
        )
        weights = np.hstack([played, played * (UNSEEN_LOST_BLOCKS / count)])
        limit = _fit_log_strengths(np.vstack([orders.strategies, unseen]), weights, len(names))[0, code]
        lows[code] = -math.inf if no_lower[code] else min(lows[code], limit)
        highs[code] = math.inf if no_upper[code] else max(highs[code], limit)
    found = []
    for code, name in enumerate(names):
        log_strength = Interval(float(centre[code]), float(lows[code]), float(highs[code]))
        elo = Interval(*(ELO_PER_LOG_STRENGTH * value for value in log_strength))
        found.append(Rating(name, log_strength, elo, bool(no_upper[code] or no_lower[code])))
    return found


def _ahead_counts(count: int, games: Rankings) -> Floats:
    """How often each strategy (row) ended before each other one, ties half: shape (strategies, strategies)."""
    strategies, ranks = games.strategies, games.ranks
    ahead = np.zeros((count, count))
    for one, other in permutations(range(strategies.shape[1]), 2):
        both = (strategies[:, one] >= 0) & (strategies[:, other] >= 0)
        better = (ranks[:, one] < ranks[:, other]) + (ranks[:, one] == ranks[:, other]) / 2
        np.add.at(ahead, (strategies[both, one], strategies[both, other]), better[both])
    np.fill_diagonal(ahead, 0)
    return ahead


def _check_connected(names: Sequence[str], ahead: Floats) -> None:
    reached, new = {0}, [0]
    while new:
        code = new.pop()
        met = set(np.nonzero(ahead[code] + ahead[:, code])[0].tolist()) - reached
        reached |= met
        new.extend(met)
    apart = [name for code, name in enumerate(names) if code not in reached]
    if apart:
        raise ValueError(
            f"{', '.join(apart)} never met {names[0]}, not even through others: play them together."
        )


def _reachability_matrix(ahead: Floats) -> NDArray[np.bool_]:
    """Whether a strategy (row) was ahead of another one (column), or of one that reaches it."""
    reaches = (ahead > 0) | np.eye(len(ahead), dtype=bool)
    for through in range(len(ahead)):
        reaches |= reaches[:, through, None] & reaches[through]
    return reaches


def _expand_ties(games: Rankings) -> _StrictOrders:
    """Turn ranks into strict orders: a tie becomes all its orders, each with an equal part of the weight."""
    strategies, ranks = games.strategies, games.ranks
    patterns, which = np.unique(np.hstack([strategies, ranks]), axis=0, return_inverse=True)
    seats = strategies.shape[1]
    places: dict[tuple[int, ...], int] = {}
    parts: list[dict[int, float]] = []
    for pattern in patterns.tolist():
        shares: dict[int, float] = defaultdict(float)
        orders = list(_list_strict_orders(pattern[:seats], pattern[seats:]))
        for order in orders:
            shares[places.setdefault(order, len(places))] += 1 / len(orders)
        parts.append(shares)
    spread = np.zeros((len(patterns), len(places)))
    for row, shares in enumerate(parts):
        spread[row, list(shares)] = list(shares.values())
    codes, blocks = np.unique(games.blocks, return_inverse=True)
    counts = np.zeros((len(codes), len(patterns)))
    np.add.at(counts, (blocks, which.ravel()), 1)
    padded = [order + (-1,) * (seats - len(order)) for order in places]
    return _StrictOrders(np.array(padded, dtype=np.int64), counts @ spread)


def _list_strict_orders(strategies: list[int], ranks: list[int]) -> list[tuple[int, ...]]:
    tied: dict[int, list[int]] = defaultdict(list)
    for strategy, rank in zip(strategies, ranks, strict=True):
        if strategy >= 0:
            tied[rank].append(strategy)
    groups = [list(permutations(tied[rank])) for rank in sorted(tied)]
    return [tuple(code for group in chosen for code in group) for chosen in product(*groups)]


def _move_strategy(order: Integers, code: int, *, to_front: bool) -> Integers:
    """The same order but with this strategy first, or last of those that are no padding."""
    own, others, empty = order[order == code], order[(order != code) & (order >= 0)], order[order < 0]
    return np.concatenate([own, others, empty] if to_front else [others, own, empty])


def _fit_log_strengths(orders: Integers, weights: Floats, count: int) -> Floats:
    """Log-strengths, shape (samples, strategies), that maximise the penalised likelihood, by Newton's method.

    `weights` has shape (samples, orders). The function is strictly concave, so what is found is the only maximum.
    """
    present = np.eye(count)[np.maximum(orders, 0)] * (orders >= 0)[..., None]  # (orders, seats, strategies)
    wins = weights @ present.sum(axis=1)
    logs = np.zeros((len(weights), count))
    for _ in range(MAX_NEWTON_STEPS):
        strengths = np.exp(logs)
        gradient = wins.copy()
        hessian = np.zeros((len(weights), count, count))
        for seat in range(orders.shape[1]):
            left = present[:, seat:].sum(axis=1)  # who is still to be placed, (orders, strategies)
            total = strengths @ left.T
            shared = np.divide(
                weights, total, out=np.zeros_like(total), where=(orders[:, seat] >= 0) & (total > 0)
            )
            gradient -= strengths * (shared @ left)
            pairs = np.einsum(
                "so,oi,oj->sij", shared / np.where(total > 0, total, 1), left, left, optimize=True
            )
            hessian += strengths[:, :, None] * strengths[:, None, :] * pairs
            hessian[:, range(count), range(count)] -= strengths * (shared @ left)
        chance = 1 / (1 + np.exp(-logs))
        gradient += PRIOR_GAMES * (0.5 - chance)
        hessian[:, range(count), range(count)] -= PRIOR_GAMES * chance * (1 - chance)
        step = np.linalg.solve(-hessian, gradient[..., None])[..., 0]
        # A long step can overshoot where strengths are far apart; short ones converge all the same.
        longest = np.abs(step).max(axis=1, keepdims=True)
        logs += step / np.maximum(longest, 1)
        if float(longest.max()) < 1e-9:
            break
    else:
        raise ArithmeticError(f"The ratings did not settle in {MAX_NEWTON_STEPS} steps.")
    return np.asarray(logs - logs.mean(axis=1, keepdims=True))
