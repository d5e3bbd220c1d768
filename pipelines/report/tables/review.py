"""Tables of the review of a game: where the results came from, the decisions, and the rolls. Cells are texts or integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.experiments.review.review_results import (
    BAD_CLASSES,
    DECISION_CLASSES,
    POINT_THRESHOLDS,
    WIN_THRESHOLDS,
)
from pipelines.report.tables.table import Cell, Table
from pipelines.statistics.rounding import format_short_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.design.metrics import DecisionMeasure
    from pipelines.experiments.review.review_results import Review
    from pipelines.statistics import Interval

LEDGER_COLUMNS = ("start", "luck", "own", "others", "result")
NO_BAD_DECISION = "no inaccuracy, mistake or blunder that the intervals support"


def review_tables(
    review: Review, strategies: Sequence[str], by: DecisionMeasure = "win"
) -> tuple[Table, ...]:
    """Return the tables of a review that has its place in a report: the ledgers, and the bad decisions if there are any."""
    decisions = decision_table(review, by)
    return (ledger_table(review, strategies, by), *([decisions] if decisions.rows else []))


def ledger_table(review: Review, strategies: Sequence[str], by: DecisionMeasure = "win") -> Table:
    """Return a row for each seat, by its strategy: where its points came from, and its decisions of each class."""
    rows: list[tuple[Cell, ...]] = []
    for seat, strategy in enumerate(strategies):
        *parts, result = review.ledgers()[seat, :, 0].tolist()
        counts = review.class_counts(seat, by).values()
        rows.append((seat + 1, strategy, *(f"{part:+.1f}" for part in parts), f"{result:g}", *counts))
    return Table(
        "Where the results came from",
        ("player", "strategy", *LEDGER_COLUMNS, *DECISION_CLASSES),
        tuple(rows),
        f"{describe_ledger(lowest_wins=review.lowest_wins)}\n{describe_classes(review, by)}",
    )


def decision_table(review: Review, by: DecisionMeasure = "win", *, every: bool = False) -> Table:
    """Return a row for each bad decision, or for every one."""
    return Table(
        "Decisions" if every else "Bad decisions",
        ("ply", "player", "options", "chosen", "class", "by", "win chance lost", "points lost", "better"),
        tuple(
            (
                decision.ply,
                decision.seat + 1,
                decision.options,
                decision.chosen.notation,
                decision.class_by(by),
                "points" if decision.win_settled else by,
                _format_loss(decision.lost_wins),
                _format_loss(decision.lost_points),
                decision.best.notation if decision.best.action != decision.chosen.action else "",
            )
            for decision in review.decisions
            if every or decision.class_by(by) in BAD_CLASSES
        ),
    )


def roll_table(review: Review) -> Table:
    """Return a row for each roll, with the points that it gave to each player."""
    players = range(1, review.scores.shape[1] + 1)
    return Table(
        "Rolls",
        ("ply", "roll", *(f"luck of player {player}" for player in players)),
        tuple(
            (roll.ply, roll.notation, *(f"{value:+.1f}" for value in roll.luck_points))
            for roll in review.rolls
        ),
    )


def describe_ledger(*, lowest_wins: bool) -> str:
    """Return the sum that the ledgers in points make, and what their signs mean."""
    if lowest_wins:
        return (
            "start - luck - own decisions - others' decisions = result, in points; "
            "the lowest score wins: + is good for the player, because it means fewer points"
        )
    return "start + luck + own decisions + others' decisions = result, in points; + is good for the player"


def describe_classes(review: Review, by: DecisionMeasure) -> str:
    """Return what the classes of decisions rest on."""
    points = POINT_THRESHOLDS.scale(review.score_spread)
    by_points = f"at least {points.inaccuracy:.1f}, {points.mistake:.1f}, {points.blunder:.1f} points lost"
    if by == "points":
        return f"inaccuracy, mistake, blunder: {by_points} (a sixth, a third, two thirds of the spread of the scores)"
    return (
        f"inaccuracy, mistake, blunder: at least {WIN_THRESHOLDS.inaccuracy:.0%}, {WIN_THRESHOLDS.mistake:.0%}, "
        f"{WIN_THRESHOLDS.blunder:.0%} of the win chance lost; where the win was settled, {by_points}"
    )


def _format_loss(interval: Interval | None) -> str:
    if interval is None:
        return "-"
    return format_short_interval(interval) + ("" if interval.half_width else " exactly")
