"""The told game: the moments that decided a reviewed game, in sentences, in their order.

A moment is a roll with clear luck, a bad decision, the worst position of the player who won in the end, or the position from which
the win was no longer in doubt. Rolls and positions are picked from many, so their intervals hold for all of them at once
(Bonferroni).
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.wording import capitalise
from pipelines.design.titles import name_action
from pipelines.experiments.review import find_board
from pipelines.experiments.review_results import BAD_CLASSES, Decision, Review, Roll
from pipelines.report.estimates import format_interval
from pipelines.statistics import Interval

if TYPE_CHECKING:
    from pipelines.design.metrics import DecisionMeasure
    from pipelines.questions.game import GameAnswer

STORY_TITLE: Final = "The game in short"
NO_STORY: Final = "no roll, no decision and no position stands out from the playouts"
NOT_TOLD_YET: Final = "it is told as soon as the review is complete"
ALL_PLAYOUTS: Final = "the same in all playouts"
"""What stands in place of an interval without a width."""
MAX_EVENTS: Final = 5
"""Rolls and decisions that are told; with the worst position of the winner and the last doubt a story has at most seven moments."""
SURE_SHARE: Final = 0.9
"""The win is no longer in doubt where the player who wins in the end keeps at least this share of the playouts."""
RARE_ROLL: Final = 1 / 15
"""A roll that is at most as likely is told with its chance."""
NEGLIGIBLE_LUCK: Final = 0.01
"""A roll is told if it clearly moved more than this share of the win."""
SETTLED_WEIGHT: Final = 0.1
"""How much of the win a loss of one spread of the scores counts for, where the win is settled and the order of moments is chosen."""


class ToldMoment(NamedTuple):
    """One moment of a game."""

    ply: int
    """The ply that it tells of."""
    text: str
    """A sentence without a full stop, which begins with a small letter or a name."""


def tell_game(answer: GameAnswer, review: Review, by: DecisionMeasure) -> tuple[ToldMoment, ...]:
    """Return the moments that decided a game in their order, its decisions judged by a measure; nothing while the review is in progress."""
    if not review.is_done:
        return ()
    events = [*_list_rolls(answer, review), *_list_decisions(answer, review, by)]
    events.sort(key=lambda event: event[0], reverse=True)
    moments = [moment for _, moment in events[:MAX_EVENTS]]
    moments += _tell_positions(review)
    return tuple(sorted(moments, key=lambda moment: moment.ply))


def _list_rolls(answer: GameAnswer, review: Review) -> Iterator[tuple[float, ToldMoment]]:
    """Yield the rolls that clearly gave or took something, each with how much of the win it moved."""
    for roll in review.rolls:
        lucks = [
            Interval(luck, luck - half, luck + half)
            for luck, half in zip(*_find_luck(review, roll), strict=True)
        ]
        seat = max(
            range(len(lucks)), key=lambda seat: (round(abs(lucks[seat].estimate), 3), lucks[seat].estimate)
        )
        luck = lucks[seat]
        if max(luck.low, -luck.high) < NEGLIGIBLE_LUCK:
            continue
        caption = answer.scene["steps"][roll.ply]["caption"].rstrip(".")
        gained = format_interval(luck if luck.estimate > 0 else luck.times(-1), scale=100)
        chance = f"; one chance in {round(1 / roll.probability)}" if roll.probability <= RARE_ROLL else ""
        did = "gives" if luck.estimate > 0 else "takes"
        whom = f"player {seat + 1}" if luck.estimate > 0 else f"from player {seat + 1}"
        text = f"{caption[0].lower()}{caption[1:]}, which {did} {whom} {_place_percent(gained)} of the win{chance}"
        yield abs(luck.estimate), ToldMoment(roll.ply, text)


def _find_luck(review: Review, roll: Roll) -> tuple[list[float], list[float]]:
    """Return the luck of a roll in shares of the win by seat, and half the widths of intervals that hold for all rolls at once."""
    wider = find_widening(len(review.rolls))
    return [*roll.luck_wins], [wider * half for half in roll.luck_wins_halves]


def find_widening(number: int) -> float:
    """Return how many times wider a 95 % interval is that holds for a number of values at once.

    >>> round(find_widening(1), 2), round(find_widening(20), 2)
    (1.0, 1.54)
    """
    normal = NormalDist()
    return normal.inv_cdf(1 - 0.025 / max(1, number)) / normal.inv_cdf(0.975)


def _list_decisions(
    answer: GameAnswer, review: Review, by: DecisionMeasure
) -> Iterator[tuple[float, ToldMoment]]:
    """Yield the bad decisions, each with how much of the win it lost."""
    boards = answer.scene["boards"]
    board = boards[find_board(0, boards) or 0]

    def name_move(action: int) -> str:
        return name_action(answer.ruleset.action(action), board)

    for decision in review.decisions:
        if decision.class_by(by) not in BAD_CLASSES:
            continue
        move, better = name_move(decision.chosen.action), name_move(decision.best.action)
        does = move if move.startswith("keeps ") else f"plays {move}"
        other = f"{better}, another way" if better == move else better
        kind = decision.class_by(by)
        article = "an" if kind[0] in "aeiou" else "a"
        text = f"player {decision.seat + 1} {does}, {article} {kind} that gives away {_write_loss(decision, by)}; better: {other}"
        yield _weigh(decision, review), ToldMoment(decision.ply, text)


def _write_loss(decision: Decision, by: DecisionMeasure) -> str:
    """Return what a bad decision lost, by what it is judged by."""
    if by == "points" or decision.win_nearly_decided:
        settled = ", with the win settled" if by != "points" else ""
        return f"{_place_unit(format_interval(decision.lost_points, when_equal=ALL_PLAYOUTS), 'points')}{settled}"
    return f"{_place_percent(format_interval(decision.lost_wins, scale=100, when_equal=ALL_PLAYOUTS))} of the win"


def _weigh(decision: Decision, review: Review) -> float:
    """Return how much of the win a bad decision lost; points count little where the win was settled."""
    if decision.win_nearly_decided and decision.lost_points:
        return SETTLED_WEIGHT * decision.lost_points.estimate / review.score_spread
    return decision.lost_wins.estimate if decision.lost_wins else 0.0


def _tell_positions(review: Review) -> Iterator[ToldMoment]:
    """Yield the worst position of the only winner if it clearly was not the favourite there, and the last one in doubt."""
    winners = np.flatnonzero(review.win_shares[-1] == 1)
    players, positions = review.win_shares.shape[1], len(review.win_shares)
    if players < 2 or len(winners) != 1:
        return
    winner = int(winners[0])
    shares, halves = (
        review.win_shares[:, winner],
        find_widening(positions) * review.win_share_halves[:, winner],
    )
    worst = int(np.argmin(shares))
    if worst and shares[worst] + halves[worst] < 1 / players:
        span = Interval(
            *(
                float(end)
                for end in (
                    shares[worst],
                    max(0.0, shares[worst] - halves[worst]),
                    shares[worst] + halves[worst],
                )
            )
        )
        share = _place_percent(format_interval(span, scale=100))
        yield ToldMoment(
            worst - 1, f"player {winner + 1}, who wins in the end, is down to {share} of the win"
        )
    doubtful = np.flatnonzero(shares - halves < SURE_SHARE)
    last = int(doubtful[-1]) + 1 if len(doubtful) else 0
    if 0 < last < positions - 1:
        yield ToldMoment(
            last - 1,
            f"from here on player {winner + 1} wins clearly more than {100 * SURE_SHARE:.0f} of 100 playouts",
        )


def _place_percent(text: str) -> str:
    """Return an estimate with its interval as a share in per cent.

    >>> _place_percent("13 (6 to 20)")
    '13 % (6 to 20)'
    """
    return _place_unit(text, "%")


def _place_unit(text: str, unit: str) -> str:
    estimate, bracket, ends = text.partition(" (")
    return f"{estimate} {unit}{bracket}{ends}"


def write_moment(moment: ToldMoment) -> tuple[str, str]:
    """Return a moment as a line of a passage: its move, and what happened."""
    return f"Move {moment.ply + 1}", capitalise(moment.text)
