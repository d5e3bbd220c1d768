"""Tables of the review of a game: where the results came from, the decisions, and the rolls."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from pipelines.experiments.review.review_results import (
    BAD_CLASSES,
    DECISION_CLASSES,
    POINT_THRESHOLDS,
    WIN_THRESHOLDS,
)
from pipelines.report.estimates import format_interval
from pipelines.report.tables.table import Cell, Table
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipelines.design.metrics import DecisionMeasure
    from pipelines.experiments.review.review_results import Candidate, Decision, Review
    from pipelines.statistics import Interval

LEDGER_COLUMNS = ("start", "luck", "own", "others", "result")
LEDGER_FORMATS = (".1f", "+.1f", "+.1f", "+.1f", "g")
NO_BAD_DECISION = "no inaccuracy, mistake or blunder that the intervals support"


def ledger_table(review: Review, strategies: Sequence[str], by: DecisionMeasure = "win") -> Table:
    """Return a row for each seat, by its strategy: where its points came from, and its decisions of each class."""
    rows: list[tuple[Cell, ...]] = []
    for seat, strategy in enumerate(strategies):
        parts = review.ledgers()[seat, :, 0].tolist()
        rows.append((seat + 1, strategy, *parts, *review.class_counts(seat, by).values()))
    return Table(
        "Where the results came from",
        ("player", "strategy", *LEDGER_COLUMNS, *DECISION_CLASSES),
        tuple(rows),
        f"{describe_ledger(lowest_wins=review.lowest_wins)}\n{describe_classes(review, by)}",
        dict(zip(LEDGER_COLUMNS, LEDGER_FORMATS, strict=True)),
    )


def decision_table(
    review: Review,
    by: DecisionMeasure = "win",
    *,
    every: bool = False,
    name_move: Callable[[Candidate], str] = attrgetter("notation"),
) -> Table:
    """Return a row for each bad decision, or for every one; `name_move` writes its moves, by default in notation."""
    decisions = [one for one in review.decisions if every or one.class_by(by) in BAD_CLASSES]

    def name_better(decision: Decision) -> str:
        if decision.best.action == decision.chosen.action:
            return ""
        name = name_move(decision.best)
        return f"{name}, another way" if name == name_move(decision.chosen) else name

    return Table(
        "Every decision" if every else "Inaccuracies, mistakes and blunders",
        ("move", "player", "class", "played", "better", "wins of 100 lost", "points lost"),
        tuple(
            (
                decision.ply + 1,
                decision.seat + 1,
                decision.class_by(by),
                name_move(decision.chosen),
                name_better(decision),
                describe_decided(decision)
                if decision.win_nearly_decided
                else _format_loss(decision.lost_wins, scale=100),
                _format_loss(decision.lost_points),
            )
            for decision in decisions
        ),
        "Where the table says “won” or “settled”, no choice lost much of the win, so the move is judged by points."
        if any(decision.win_nearly_decided for decision in decisions)
        else "",
    )


def roll_table(review: Review) -> Table:
    """Return a row for each roll, with the points that it gave to each player."""
    players = range(1, review.scores.shape[1] + 1)
    return Table(
        "Rolls",
        ("move", "roll", *(f"luck of player {player}" for player in players)),
        tuple((roll.ply + 1, roll.notation, *roll.luck_points) for roll in review.rolls),
        formats={f"luck of player {player}": "+.1f" for player in players},
    )


def describe_ledger(*, lowest_wins: bool) -> str:
    """Return the sum that the ledgers in points make, and what their signs mean."""
    if lowest_wins:
        return (
            "start \N{MINUS SIGN} luck \N{MINUS SIGN} own decisions \N{MINUS SIGN} others' decisions = result, in points. "
            "The lowest score wins: + is good for the player, because it means fewer points."
        )
    return "start + luck + own decisions + others' decisions = result, in points. + is good for the player."


def describe_classes(review: Review, by: DecisionMeasure) -> str:
    """Return what the classes of decisions rest on."""
    points = POINT_THRESHOLDS.scale(review.score_spread)
    by_points = f"at least {points.inaccuracy:.1f}, {points.mistake:.1f} or {points.blunder:.1f} points"
    what = "An inaccuracy, a mistake or a blunder lost"
    if by == "points":
        return f"{what} {by_points} (a sixth, a third, two thirds of the spread of the scores)."
    wins = WIN_THRESHOLDS.scale(100)
    return (
        f"{what} at least {wins.inaccuracy:.0f}, {wins.mistake:.0f} or {wins.blunder:.0f} wins of 100; "
        f"where the win was nearly decided, {by_points}."
    )


def describe_decided(decision: Decision) -> str:
    """Return how many playouts the chosen action won; the win is settled only where the rules determine it."""
    if decision.lost_wins and not decision.lost_wins.half_width:
        return "settled"
    won = decision.chosen.win_share
    return f"won {format_interval(won, scale=100, exact=(), decimals=1)} of 100"


def _format_loss(interval: Interval | None, scale: float = 1.0) -> str | None:
    if interval is None:
        return None
    lost = interval.times(scale)
    return format_interval(lost) if lost.half_width else set_minus_signs(f"{lost.estimate:g} exactly")
