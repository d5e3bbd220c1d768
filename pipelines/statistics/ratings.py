"""Plackett-Luce ratings from the final ranks of games with any number of seats, and shares of the win from these ranks.

In this model a strategy wins a game with the probability strength / sum of the strengths of all players; the second
place is decided in the same way among the others, and so on (Luce 1959, Plackett 1975). A tie counts as the average of
all orders that are compatible with it. Only ratios of strengths are determined, so the mean of their logarithms is set
to zero.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pipelines.statistics.intervals import Floats, Integers, Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


PRIOR_GAMES: Final = 0.5
"""Prior: each strategy has also played this many games, half won and half lost, against a strategy of mean strength.

Without a prior, a strategy that always wins has no finite rating. Half a game changes the other ratings by less than
their standard error.
"""

UNSEEN_LOST_BLOCKS: Final = -math.log(0.025)
"""Expected number of lost blocks that is compatible with none observed: with this number, 97.5 % of series would
contain a lost block (the rule of three)."""

ELO_PER_LOG_STRENGTH: Final = 400 / math.log(10)
"""Elo points for each unit of log-strength: 400 points are odds of ten to one."""

MAX_NEWTON_STEPS: Final = 200
"""Newton's method takes about ten steps, and more if one strategy is far ahead."""


class Rankings(NamedTuple):
    """The final ranks of games."""

    strategies: Integers
    """Shape (games, seats): indices into a list of names, -1 for an empty seat."""
    ranks: Integers
    """Shape (games, seats): 1 for the best seat, equal for ties; only the order of ranks matters."""
    blocks: Integers
    """Shape (games,): the block of each game."""


@dataclass(frozen=True)
class Rating:
    """The strength of a strategy relative to the other rated strategies."""

    strategy: str
    log_strength: Interval
    """Natural logarithm, with mean 0 over the strategies. An end is infinite if the games do not limit it."""
    elo: Interval
    """The same on the Elo scale: 400 points are odds of ten to one between two strategies."""
    is_separated: bool
    """True if some other strategy was never ahead of this one, not even indirectly, or this one never ahead of it.

    The likelihood of such games then has no maximum (Ford 1957; Hunter 2004), and the estimate depends on the prior.
    """


class _StrictOrders(NamedTuple):
    """All strict orders that occurred, and how often each occurred in each block."""

    strategies: Integers
    """Shape (orders, seats): best first, padded with -1."""
    weights: Floats
    """Shape (blocks, orders)."""


def plackett_luce(
    names: Sequence[str], games: Rankings, *, seed: int, level: float = 0.95, resamples: int = 500
) -> list[Rating]:
    """Return the ratings of strategies from the ranks of games, in the order of `names`.

    Intervals are bootstrap percentiles; whole blocks are resampled. A strategy that was always ahead has no upper limit,
    and its lower limit is its rating after adding the number of lost blocks that could have remained unobserved. The
    reverse holds for a strategy that was always behind.

    Raises ValueError for fewer than two strategies or blocks, and for strategies that are not connected by common games.
    """
    if games.strategies.ndim != 2 or games.strategies.shape != games.ranks.shape:
        raise ValueError("Expected a strategy and a rank for each game and seat.")
    if len(names) < 2 or len(np.unique(games.blocks)) < 2:
        raise ValueError("Ratings need at least two strategies and two blocks.")
    ahead = _ahead_counts(len(names), games)
    _check_connected(names, ahead)
    orders = _expand_ties(games)
    played, count = orders.weights.sum(axis=0)[None], len(orders.weights)
    rng = np.random.default_rng(seed)
    times = rng.multinomial(count, np.full(count, 1 / count), size=resamples)
    centre = _fit_log_strengths(orders.strategies, played, len(names))[0]
    resampled = _fit_log_strengths(orders.strategies, times @ orders.weights, len(names))
    # The prior can move all resampled ratings to one side of the estimate.
    lows = np.minimum(np.quantile(resampled, (1 - level) / 2, axis=0), centre)
    highs = np.maximum(np.quantile(resampled, (1 + level) / 2, axis=0), centre)
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
    ratings = []
    for code, name in enumerate(names):
        log_strength = Interval(float(centre[code]), float(lows[code]), float(highs[code]))
        elo = Interval(*(ELO_PER_LOG_STRENGTH * value for value in log_strength))
        ratings.append(Rating(name, log_strength, elo, bool(no_upper[code] or no_lower[code])))
    return ratings


def _ahead_counts(count: int, games: Rankings) -> Floats:
    """Return how often each strategy (row) was ranked before each other one (column), where ties count half."""
    strategies, ranks = games.strategies, games.ranks
    ahead = np.zeros((count, count))
    for seat, other in permutations(range(strategies.shape[1]), 2):
        both = (strategies[:, seat] >= 0) & (strategies[:, other] >= 0)
        better = (ranks[:, seat] < ranks[:, other]) + (ranks[:, seat] == ranks[:, other]) / 2
        np.add.at(ahead, (strategies[both, seat], strategies[both, other]), better[both])
    np.fill_diagonal(ahead, 0)
    return ahead


def _check_connected(names: Sequence[str], ahead: Floats) -> None:
    """Raise ValueError unless all strategies are connected by common games, directly or through other strategies."""
    reached, new = {0}, [0]
    while new:
        code = new.pop()
        met = set(np.nonzero(ahead[code] + ahead[:, code])[0].tolist()) - reached
        reached |= met
        new.extend(met)
    apart = [name for code, name in enumerate(names) if code not in reached]
    if apart:
        raise ValueError(
            f"{', '.join(apart)} never played against {names[0]}, not even through others: add games that connect them."
        )


def _reachability_matrix(ahead: Floats) -> NDArray[np.bool_]:
    """Return whether a strategy (row) was ever ahead of another one (column), directly or through other strategies."""
    reaches = (ahead > 0) | np.eye(len(ahead), dtype=bool)
    for through in range(len(ahead)):
        reaches |= reaches[:, through, None] & reaches[through]
    return reaches


def _expand_ties(games: Rankings) -> _StrictOrders:
    """Turn ranks into strict orders: a tie becomes all orders that are compatible with it, with equal weights."""
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
    """Return an order with one strategy moved to the first place, or to the last place before the padding."""
    strategy_alone, others, empty = (
        order[order == code],
        order[(order != code) & (order >= 0)],
        order[order < 0],
    )
    return np.concatenate([strategy_alone, others, empty] if to_front else [others, strategy_alone, empty])


def _fit_log_strengths(orders: Integers, weights: Floats, count: int) -> Floats:
    """Return the log-strengths, shape (samples, strategies), that maximise the penalised likelihood (Newton's method).

    `weights` has the shape (samples, orders). The function is strictly concave, so there is only one maximum. Raises
    ArithmeticError if the method does not converge.
    """
    present = np.eye(count)[np.maximum(orders, 0)] * (orders >= 0)[..., None]  # (orders, seats, strategies)
    wins = weights @ present.sum(axis=1)
    logs = np.zeros((len(weights), count))
    for _ in range(MAX_NEWTON_STEPS):
        strengths = np.exp(logs)
        gradient = wins.copy()
        hessian = np.zeros((len(weights), count, count))
        for seat in range(orders.shape[1]):
            left = present[:, seat:].sum(axis=1)  # strategies without a place so far, (orders, strategies)
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
        # Long steps can overshoot if strengths are far apart, so the length of a step is limited.
        longest = np.abs(step).max(axis=1, keepdims=True)
        logs += step / np.maximum(longest, 1)
        if float(longest.max()) < 1e-9:
            break
    else:
        raise ArithmeticError(f"The ratings did not converge in {MAX_NEWTON_STEPS} steps.")
    return np.asarray(logs - logs.mean(axis=1, keepdims=True))


def win_shares(ranks: ArrayLike) -> Floats:
    """Return what each seat has of the win: 1 for the only winner, 1/n for each of n seats that share rank 1.

    `ranks` and the result have the shape (..., seats). Every game must have a seat of rank 1.

    >>> win_shares([[1, 3, 1], [2, 1, 3]])
    array([[0.5, 0. , 0.5],
           [0. , 1. , 0. ]])
    """
    is_winner = np.equal(ranks, 1)
    return np.asarray(is_winner / is_winner.sum(axis=-1, keepdims=True), dtype=np.float64)
