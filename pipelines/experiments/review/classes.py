"""The results of a review: decisions with their classes, rolls with their luck, and where each seat's result came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from engine.actions import CHANCE

if TYPE_CHECKING:
    from pipelines.statistics import Interval
    from pipelines.statistics.arrays import Floats

DecisionClass: TypeAlias = Literal["best", "good", "inaccuracy", "mistake", "blunder"]
CLASS_THRESHOLDS: Final[tuple[tuple[float, DecisionClass], ...]] = (
    (0.20, "blunder"),
    (0.10, "mistake"),
    (0.05, "inaccuracy"),
)
"""Smallest loss of win share for each class of bad decisions; the whole interval of the loss must lie above it."""
NEGLIGIBLE_LOSS: Final = 0.02
"""An action with a smaller estimated loss of win share than this is classed as "best"."""


@dataclass(frozen=True)
class Candidate:
    """A legal action of a decision, with the results of its playouts."""

    action: int
    notation: str
    score: Interval | None
    """Mean final score of the acting seat."""
    win_share: Interval | None
    n: int
    """Number of playouts."""


@dataclass(frozen=True)
class Decision:
    """A ply at which a seat had more than one legal action."""

    ply: int
    seat: int
    options: int
    """Number of legal actions."""
    chosen: Candidate
    best: Candidate
    """The best other action; the chosen action itself if no other was better."""
    lost_points: Interval | None
    """Points that the chosen action lost compared with the best other action; positive means worse, also where the lowest
    score wins."""
    lost_wins: Interval | None
    """Share of the win that the chosen action lost compared with the best other action: the regret."""
    judged: DecisionClass
    candidates: tuple[Candidate, ...]
    """The chosen action and the candidates that passed the first stage, best first."""


@dataclass(frozen=True)
class Roll:
    """A ply at which chance acted."""

    ply: int
    notation: str
    luck_points: tuple[float, ...]
    """For each seat, the value after the roll minus the value before it, in points; positive means good luck, also where
    the lowest score wins."""
    luck_wins: tuple[float, ...]
    """The same in shares of the win."""
    luck_points_halves: tuple[float, ...]
    """Half widths of the 95 % intervals of `luck_points`."""
    luck_wins_halves: tuple[float, ...]
    """Half widths of the 95 % intervals of `luck_wins`."""


@dataclass(frozen=True)
class Ledger:
    """The sources of a seat's result: start + luck + own + others = result."""

    seat: int
    start: float
    """Value of the first position."""
    luck: float
    """Sum of the changes of value by rolls."""
    own: float
    """Sum of the changes of value by the seat's own actions, compared with the strategy of the playouts."""
    others: float
    """Sum of the changes of value by the actions of other seats."""
    result: float
    """Final value."""


@dataclass(frozen=True)
class Review:
    """A reviewed game."""

    run: str
    game_id: int
    policy: str
    ruleset: str
    lowest_wins: bool
    seats: tuple[int | None, ...]
    """(plies,) The acting seat; -1 for chance."""
    scores: Floats
    """(plies + 1, seats) Expected final scores before each ply, and the final scores."""
    score_halves: Floats
    """(plies + 1, seats) Half widths of the 95 % intervals of `scores`."""
    win_shares: Floats
    """(plies + 1, seats) Expected shares of the win before each ply, and the final shares."""
    win_share_halves: Floats
    """(plies + 1, seats) Half widths of the 95 % intervals of `win_shares`."""
    decisions: tuple[Decision, ...]
    rolls: tuple[Roll, ...]

    def ledger(self, seat: int, *, wins: bool = False) -> Ledger:
        """Return the ledger of a seat, in points, or in shares of the win if `wins`."""
        values = (self.win_shares if wins else self.scores)[:, seat]
        steps = np.diff(values)
        acted = np.array(self.seats)
        return Ledger(
            seat,
            float(values[0]),
            float(steps[acted == CHANCE].sum()),
            float(steps[acted == seat].sum()),
            float(steps[(acted != CHANCE) & (acted != seat)].sum()),
            float(values[-1]),
        )

    def class_counts(self, seat: int) -> dict[DecisionClass, int]:
        """Return the number of a seat's decisions in each class."""
        classes = [decision.judged for decision in self.decisions if decision.seat == seat]
        return {name: classes.count(name) for name in ("best", "good", "inaccuracy", "mistake", "blunder")}

    def as_json(self) -> dict[str, Any]:
        """Return the review as JSON data."""
        players = self.scores.shape[1]
        return {
            "run": self.run,
            "game_id": self.game_id,
            "ruleset": self.ruleset,
            "policy": self.policy,
            "lowest_wins": self.lowest_wins,
            "seats": list(self.seats),
            "scores": self.scores.round(3).tolist(),
            "score_halves": self.score_halves.round(3).tolist(),
            "win_shares": self.win_shares.round(4).tolist(),
            "win_share_halves": self.win_share_halves.round(4).tolist(),
            "decisions": [_json_value(decision) for decision in self.decisions],
            "rolls": [_json_value(roll) for roll in self.rolls],
            "ledgers": [vars(self.ledger(seat)) for seat in range(players)],
            "win_ledgers": [vars(self.ledger(seat, wins=True)) for seat in range(players)],
        }


def _json_value(value: Any) -> Any:  # noqa: ANN401 - JSON has many types
    if hasattr(value, "_asdict"):
        return {key: round(number, 4) for key, number in value._asdict().items()}
    if hasattr(value, "__dataclass_fields__"):
        return {key: _json_value(part) for key, part in vars(value).items()}
    if isinstance(value, tuple):
        return [_json_value(part) for part in value]
    return round(value, 4) if isinstance(value, float) else value


def classify_loss(lost: Interval | None, *, is_best: bool) -> DecisionClass:
    """Return the class of a decision from the share of the win that it lost.

    `is_best` is True if no other action was better.

    >>> from pipelines.statistics import Interval
    >>> [classify_loss(Interval(0.15, low, 0.3), is_best=False) for low in (0.01, 0.06, 0.12, 0.21)]
    ['good', 'inaccuracy', 'mistake', 'blunder']
    """
    if is_best or lost is None:
        return "best"
    for least, name in CLASS_THRESHOLDS:
        if lost.low >= least:
            return name
    return "best" if lost.estimate < NEGLIGIBLE_LOSS else "good"
