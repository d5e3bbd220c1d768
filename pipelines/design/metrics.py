"""What can be chosen in a comparison and in a review: how strategies meet, and by what they are measured.

A new measure of comparisons is one more record here: forms, options, verdicts and tables find it in `METRICS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, get_args

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Arrangement: TypeAlias = Literal["rotate", "duel", "round-robin"]
ARRANGEMENTS: Final[tuple[Arrangement, ...]] = get_args(Arrangement)
DecisionMeasure: TypeAlias = Literal["win", "points"]
"""What the decisions of a game are judged by: lost win chance (and points where the win was nearly decided), or points alone."""
PARTS_OF_A_WIN: Final = 840
"""Shares of a win are stored in 840ths: they are whole numbers for up to eight winners, so their sums are exact."""


class PlaceResults(NamedTuple):
    """The results of one game of each block, seen from a side of the comparison."""

    scores: NDArray[np.int32]
    """Shape (blocks, seats)."""
    wins: NDArray[np.int16]
    """Shares of the win in 840ths; shape (blocks, seats)."""
    own: tuple[int, ...]
    """The seats of the side."""
    lowest_wins: bool


@dataclass(frozen=True)
class Metric:
    """A measure: how a game is measured, how its differences are tested, and what people read about it."""

    name: str
    """What designs, addresses and options call it."""
    title: str
    """What forms call it."""
    estimand: str
    """What the difference between two strategies is, with the fields a and b."""
    wins: str
    """Sentence for a clear winner, with the fields winner, loser and amount."""
    exceeds: str
    """Sentence for a clear difference without a winner, with the fields more, fewer and amount."""
    one: str
    """Unit of an amount of 1."""
    many: str
    """Unit of other amounts."""
    measure: Callable[[PlaceResults], NDArray[np.float64]]
    """Returns the value of a side in each block; shape (blocks,)."""
    scale: float = 1.0
    """Factor for numbers in texts and tables: 100 for shares."""
    is_share: bool = False
    """True if values lie between 0 and 1: intervals then stay within these bounds."""
    follows_scores: bool = False
    """True if smaller is better where the lowest score wins."""


def _measure_score(game: PlaceResults) -> NDArray[np.float64]:
    """Return the mean score of the side's seats."""
    means: NDArray[np.float64] = game.scores[:, game.own].sum(axis=1) / len(game.own)
    return means


def _measure_margin(game: PlaceResults) -> NDArray[np.float64]:
    """Return the lead of the side's best seat over the best of all other seats; positive if it is better."""
    better = -game.scores if game.lowest_wins else game.scores
    others = [seat for seat in range(better.shape[1]) if seat not in game.own]
    leads: NDArray[np.float64] = (better[:, game.own].max(axis=1) - better[:, others].max(axis=1)).astype(
        float
    )
    return leads


def _measure_win(game: PlaceResults) -> NDArray[np.float64]:
    """Return the share of the win of all seats of the side together."""
    shares: NDArray[np.float64] = game.wins[:, game.own].sum(axis=1) / PARTS_OF_A_WIN
    return shares


METRICS: Final[dict[str, Metric]] = {
    metric.name: metric
    for metric in (
        Metric(
            name="score",
            title="points",
            estimand="the mean score of the seats of {a} minus the mean score of the seats of {b} in the same game",
            wins="{winner} beats {loser} by {amount} a game",
            exceeds="{more} scores {amount} a game more than {fewer}",
            one="point",
            many="points",
            measure=_measure_score,
            follows_scores=True,
        ),
        Metric(
            name="margin",
            title="lead over the best other",
            estimand="the lead of the best seat of {a} over the best of all other seats, minus the same for {b}",
            wins="{winner} leads by {amount} a game more than {loser}",
            exceeds="{more} leads by {amount} a game more than {fewer}",
            one="point",
            many="points",
            measure=_measure_margin,
        ),
        Metric(
            name="win",
            title="share of the win",
            estimand="the share of the win of {a} minus that of {b}; ties are split, and all seats of a strategy count "
            "together",
            wins="{winner} wins {amount} more than {loser}",
            exceeds="{more} wins {amount} more than {fewer}",
            one="game of 100",
            many="games of 100",
            measure=_measure_win,
            scale=100.0,
            is_share=True,
        ),
    )
}
"""By name. A larger margin is better also where the lowest score wins."""
DEFAULT_METRIC: Final = "score"
