"""The results of a review: decisions with their classes, rolls with their luck, and where each seat's result came from."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from engine.actions import CHANCE
from pipelines.statistics import Interval

if TYPE_CHECKING:
    from pipelines.design.metrics import DecisionMeasure
    from pipelines.statistics.intervals import Floats

DecisionClass: TypeAlias = Literal["best", "good", "unclear", "inaccuracy", "mistake", "blunder"]
DECISION_CLASSES: Final[tuple[DecisionClass, ...]] = get_args(DecisionClass)
BAD_CLASSES: Final[tuple[DecisionClass, ...]] = ("inaccuracy", "mistake", "blunder")


class ClassThresholds(NamedTuple):
    """The losses that separate the classes of decisions; `classify_loss` says how."""

    negligible: float
    inaccuracy: float
    mistake: float
    blunder: float

    def scale(self, factor: float) -> ClassThresholds:
        """Return the thresholds multiplied by a factor."""
        return ClassThresholds(*(factor * threshold for threshold in self))


WIN_THRESHOLDS: Final = ClassThresholds(0.02, 0.05, 0.10, 0.20)
"""Losses in shares of the win."""
POINT_THRESHOLDS: Final = ClassThresholds(1 / 15, 1 / 6, 1 / 3, 2 / 3)
"""Losses in points, divided by the spread of the final scores. In an even game of two independent, normally distributed
scores, d spreads are worth about 0.28 d of the win (the density of their difference at 0). So these losses cost about as
much of the win as those of `WIN_THRESHOLDS`."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A legal action of a decision, with the results of its playouts."""

    action: int
    notation: str
    score: Interval | None
    """Mean final score of the acting seat."""
    win_share: Interval | None
    n: int
    """Number of playouts."""
    points_behind: Interval | None
    """Points that the action loses compared with the first candidate, from playouts with the same luck."""
    wins_behind: Interval | None
    """Share of the win that it loses compared with the first candidate."""


class Loss(NamedTuple):
    """What an action lost against another one."""

    points: Interval | None
    """Points; positive means worse, also where the lowest score wins."""
    wins: Interval | None
    """Share of the win."""
    judged: DecisionClass
    """The class by lost win share, or by points if the win was nearly decided."""
    judged_by_points: DecisionClass
    """The class by lost points."""
    win_nearly_decided: bool
    """True if neither action lost as much of the win as an inaccuracy does, in the playouts; see `is_win_nearly_decided`."""


@dataclass(frozen=True)
class Decision:
    """A ply at which a seat had more than one legal action."""

    ply: int
    seat: int
    options: int
    """Number of legal actions."""
    chosen: Candidate
    best: Candidate
    """The first of `candidates`: the best other action, or the chosen action itself."""
    lost_points: Interval | None
    """Points that the chosen action lost compared with the best other action; positive means worse, also where the lowest
    score wins."""
    lost_wins: Interval | None
    """Share of the win that the chosen action lost compared with the best other action: the regret."""
    judged: DecisionClass
    """The class by lost win share, or by points if the win was nearly decided."""
    judged_by_points: DecisionClass
    """The class by lost points."""
    win_nearly_decided: bool
    """True if no action lost as much of the win as an inaccuracy does, in the playouts; see `is_win_nearly_decided`."""
    candidates: tuple[Candidate, ...]
    """The chosen action and those that it is compared with, best first, with values from playouts that all have the same luck."""
    legal: tuple[int, ...] = ()
    """All legal actions, from which a name tells an action."""

    def class_by(self, measure: DecisionMeasure) -> DecisionClass:
        """Return the class by a measure."""
        return self.judged_by_points if measure == "points" else self.judged


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
    probability: float = math.nan
    """How likely the roll was."""


@dataclass(frozen=True)
class Ledger:
    """The sources of a seat's result.

    Positive luck, own and others are good for the seat, so start + luck + own + others = result where the highest score
    wins, and for shares of the win. For points where the lowest score wins, start - luck - own - others = result.
    """

    seat: int
    start: float
    """Value of the first position."""
    luck: float
    """Sum of the gains by rolls."""
    own: float
    """Sum of the gains by the seat's own actions, compared with the strategy of the playouts."""
    others: float
    """Sum of the gains by the actions of other seats."""
    result: float
    """Final value."""


@dataclass(frozen=True)
class Review:
    """A reviewed game, or what is known of it so far: values that are not computed yet are NaN."""

    run: str
    game_id: int
    policy: str
    playouts: int
    """Playouts of every position."""
    ruleset: str
    lowest_wins: bool
    score_spread: float
    """Standard deviation of the final score of a seat in playouts of the first position; losses of points are measured
    by it. NaN if it is not known yet."""
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
    done: int
    """Number of values and decisions that are computed."""
    steps: int
    """Number of values and decisions of the whole game."""

    @property
    def is_done(self) -> bool:
        """True if every value and decision is computed."""
        return self.done == self.steps

    def ledgers(self, *, wins: bool = False) -> Floats:
        """Return the five parts of each seat's `Ledger` with their half widths, shape (seats, 5, 2); NaN if values are missing.

        The half widths assume independent errors of the values. The values share their luck, so most sums are more precise
        than that.
        """
        values, halves = (
            (self.win_shares, self.win_share_halves) if wins else (self.scores, self.score_halves)
        )
        actors = np.array(self.seats)
        ledgers = np.empty((values.shape[1], 5, 2))
        for seat in range(len(ledgers)):
            weights = np.zeros((5, len(values)))  # how often each value counts in each part of the sum
            weights[0, 0] = weights[4, -1] = 1
            is_other = (actors != CHANCE) & (actors != seat)
            for part, is_part in enumerate((actors == CHANCE, actors == seat, is_other), start=1):
                weights[part, 1:] += is_part
                weights[part, :-1] -= is_part
            ledgers[seat, :, 0] = weights @ values[:, seat]
            ledgers[seat, :, 1] = np.sqrt(weights**2 @ halves[:, seat] ** 2)
        if self.lowest_wins and not wins:
            ledgers[:, 1:4, 0] *= -1
        return ledgers

    def ledger(self, seat: int, *, wins: bool = False) -> Ledger:
        """Return the ledger of a seat, in points, or in shares of the win if `wins`."""
        return Ledger(seat, *self.ledgers(wins=wins)[seat, :, 0].tolist())

    def loss_per_decision(self, seat: int, measure: DecisionMeasure = "win") -> Interval | None:
        """Return what a seat lost by its decisions on average, in shares of the win or in points; None without a decision.

        A decision whose best candidate was chosen lost nothing: the playouts that order the candidates are not those that value
        them, so the mean is not flattered. Nobody loses less than nothing. The half width assumes independent errors.
        """
        decisions = [decision for decision in self.decisions if decision.seat == seat]
        losses = [
            decision.lost_points if measure == "points" else decision.lost_wins
            for decision in decisions
            if decision.best.action != decision.chosen.action
        ]
        known = [loss for loss in losses if loss]
        number = len(decisions) - len(losses) + len(known)
        if not number:
            return None
        mean = sum(loss.estimate for loss in known) / number
        half = math.sqrt(sum(loss.half_width**2 for loss in known)) / number
        return Interval(*(max(0.0, end) for end in (mean, mean - half, mean + half)))

    def total_luck(self, seat: int, measure: DecisionMeasure = "win") -> Interval | None:
        """Return what all rolls together gave to a seat, in shares of the win or in points; None while values are missing."""
        luck, half = self.ledgers(wins=measure == "win")[seat, 1].tolist()
        return None if math.isnan(luck) else Interval(luck, luck - half, luck + half)

    def class_counts(self, seat: int, measure: DecisionMeasure = "win") -> dict[DecisionClass, int]:
        """Return the number of a seat's decisions in each class."""
        return count_classes(self.decisions, seat, measure)

    def as_json(self) -> dict[str, Any]:
        """Return the review as JSON data."""
        players = self.scores.shape[1]
        return {
            "run": self.run,
            "game_id": self.game_id,
            "ruleset": self.ruleset,
            "policy": self.policy,
            "lowest_wins": self.lowest_wins,
            "score_spread": round(self.score_spread, 3),
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
        return {key: _json_value(part) for key, part in vars(value).items() if key != "legal"}
    if isinstance(value, tuple):
        return [_json_value(part) for part in value]
    return round(value, 4) if isinstance(value, float) else value


def count_classes(
    decisions: Iterable[Decision], seat: int, measure: DecisionMeasure = "win"
) -> dict[DecisionClass, int]:
    """Return the number of a seat's decisions in each class."""
    classes = [decision.class_by(measure) for decision in decisions if decision.seat == seat]
    return {name: classes.count(name) for name in DECISION_CLASSES}


def classify_loss(lost: Interval | None, thresholds: ClassThresholds = WIN_THRESHOLDS) -> DecisionClass:
    """Return the class of a decision from the interval of its loss; None if there are too few playouts for one.

    - a bad class: the whole interval is at least the threshold of the class;
    - best: the whole interval lies below a negligible loss;
    - unclear: the interval contains real losses, and its estimate is not negligible or it even contains mistakes;
    - good: everything else.

    >>> from pipelines.statistics import Interval
    >>> [classify_loss(Interval(0.15, low, 0.3)) for low in (0.01, 0.06, 0.12, 0.21)]
    ['unclear', 'inaccuracy', 'mistake', 'blunder']
    >>> [classify_loss(Interval(0.01, -0.04, high)) for high in (0.01, 0.06, 0.12)]
    ['best', 'good', 'unclear']
    """
    if lost is None:
        return "unclear"
    for name in reversed(BAD_CLASSES):
        if lost.low >= getattr(thresholds, name):
            return name
    if lost.high < thresholds.negligible:
        return "best"
    is_open = lost.estimate >= thresholds.negligible or lost.high >= thresholds.mistake
    return "unclear" if is_open and lost.high >= thresholds.inaccuracy else "good"


def is_win_nearly_decided(chosen_share: float, other_share: float) -> bool:
    """Return whether no action can lose as much of the win as an inaccuracy does, by the playouts.

    The shares of the win are those after the chosen action and after the best other one. The win is nearly decided if
    nearly all playouts lose after both, or win even after the chosen action. Other players may still turn the game.

    >>> is_win_nearly_decided(0.0, 0.04), is_win_nearly_decided(0.97, 1.0), is_win_nearly_decided(0.0, 0.3)
    (True, True, False)
    """
    least = WIN_THRESHOLDS.inaccuracy
    return max(chosen_share, other_share) < least or chosen_share > 1 - least
