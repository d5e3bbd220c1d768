"""What a review says: classes of decisions, luck of rolls, and the accounts of a game."""

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
"""From how much win chance lost an action is called what, if the whole interval of the loss lies there."""
NEGLIGIBLE_LOSS: Final = 0.02
"""An action that is estimated to lose less of the win than this is as good as the best."""


@dataclass(frozen=True)
class Candidate:
    """An action that could have been chosen."""

    action: int
    notation: str
    score: Interval | None
    """Mean final score of the acting seat."""
    win_share: Interval | None
    n: int
    """Playouts."""


@dataclass(frozen=True)
class Decision:
    """One ply at which a seat had a choice."""

    ply: int
    seat: int
    options: int
    chosen: Candidate
    best: Candidate
    """The best of the others; the chosen one again where none was found better."""
    lost_points: Interval | None
    """Final score of the best less that of the chosen; the reverse where the lowest score wins."""
    lost_wins: Interval | None
    """The same of the win share: the regret."""
    judged: DecisionClass
    candidates: tuple[Candidate, ...]
    """Those that came through the first stage, best first."""


@dataclass(frozen=True)
class Roll:
    """One ply of chance."""

    ply: int
    notation: str
    luck_points: tuple[float, ...]
    """For each seat, value after less expected value before, in points; more is better, whichever score wins."""
    luck_wins: tuple[float, ...]
    luck_points_halves: tuple[float, ...]
    """Half widths of 95 % intervals: both values rest on playouts."""
    luck_wins_halves: tuple[float, ...]


@dataclass(frozen=True)
class Ledger:
    """Where a seat's result came from: start + luck + own + others = result."""

    seat: int
    start: float
    luck: float
    own: float
    """What its own decisions added to what the playouts' strategy would have made of them."""
    others: float
    result: float


@dataclass(frozen=True)
class Review:
    """A reviewed game."""

    run: str
    game_id: int
    policy: str
    ruleset: str
    lowest_wins: bool
    seats: tuple[int | None, ...]
    """(plies,) Who acted; -1 for chance."""
    scores: Floats
    """(plies + 1, seats) Expected final score before each ply, and the result."""
    score_halves: Floats
    """(plies + 1, seats) Half widths of their 95 % intervals."""
    win_shares: Floats
    """(plies + 1, seats)"""
    win_share_halves: Floats
    decisions: tuple[Decision, ...]
    rolls: tuple[Roll, ...]

    def ledger(self, seat: int, *, wins: bool = False) -> Ledger:
        """Return the ledger of a seat, in points or in shares of the win."""
        course = (self.win_shares if wins else self.scores)[:, seat]
        steps = np.diff(course)
        acted = np.array(self.seats)
        return Ledger(
            seat,
            float(course[0]),
            float(steps[acted == CHANCE].sum()),
            float(steps[acted == seat].sum()),
            float(steps[(acted != CHANCE) & (acted != seat)].sum()),
            float(course[-1]),
        )

    def class_counts(self, seat: int) -> dict[DecisionClass, int]:
        """Return how many of a seat's decisions are of each class."""
        own = [decision.judged for decision in self.decisions if decision.seat == seat]
        return {name: own.count(name) for name in ("best", "good", "inaccuracy", "mistake", "blunder")}

    def as_json(self) -> dict[str, Any]:
        """Return all of it as JSON data."""
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
    """Return the class of an action from the share of the win that it lost.

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
