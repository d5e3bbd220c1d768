"""The told game: the moments that decided a reviewed game, in sentences, in their order.

A moment is a roll with clear luck, a bad decision, the worst position of the player who won in the end, or the position from which
the win was no longer in doubt. Rolls and positions are picked from many, so their intervals hold for all of them at once
(Bonferroni).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.wording import capitalise
from pipelines.design.titles import name_legal_actions
from pipelines.experiments.review_results import BAD_CLASSES, Decision, Review
from pipelines.report.estimates import format_interval
from pipelines.statistics import Interval
from pipelines.statistics.intervals import hold_for_all

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
"""A roll is told if it clearly moved more than this share of the win, or of the spread of the scores."""
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
    events = [*_list_rolls(answer, review, by), *_list_decisions(answer, review, by)]
    events.sort(key=lambda event: event[0], reverse=True)
    moments = [moment for _, moment in events[:MAX_EVENTS]]
    moments += _tell_positions(review)
    return tuple(sorted(moments, key=lambda moment: moment.ply))


def _list_rolls(
    answer: GameAnswer, review: Review, by: DecisionMeasure
) -> Iterator[tuple[float, ToldMoment]]:
    """Yield the rolls that clearly gave or took something, each with its weight."""
    seats = review.win_shares.shape[1]
    picked_from = len(review.rolls) * max(1, seats - 1)  # in a game of two, one wins what the other loses
    for roll in review.rolls:
        luck_by_seat = zip(
            *(
                (roll.luck_points, roll.luck_points_halves)
                if by == "points"
                else (roll.luck_wins, roll.luck_wins_halves)
            ),
            strict=True,
        )
        lucks = [
            hold_for_all(Interval(luck, luck - half, luck + half), picked_from) for luck, half in luck_by_seat
        ]
        seat = max(range(seats), key=lambda seat: (round(abs(lucks[seat].estimate), 3), lucks[seat].estimate))
        sign = 1 if lucks[seat].estimate > 0 else -1
        gained = lucks[seat].times(sign)
        whole = _find_whole(review, by)
        if not gained.low > NEGLIGIBLE_LUCK * whole:
            continue
        caption = answer.scene["steps"][roll.ply]["caption"].rstrip(".")
        chance = f"; one chance in {round(1 / roll.probability)}" if roll.probability <= RARE_ROLL else ""
        whom = f"gives player {seat + 1}" if sign > 0 else f"takes from player {seat + 1}"
        text = f"{caption[0].lower()}{caption[1:]}, which {whom} {_write_amount(gained, by)}{chance}"
        yield gained.estimate / whole, ToldMoment(roll.ply, text)


def _list_decisions(
    answer: GameAnswer, review: Review, by: DecisionMeasure
) -> Iterator[tuple[float, ToldMoment]]:
    """Yield the bad decisions, each with its weight."""
    for decision in review.decisions:
        if decision.class_by(by) not in BAD_CLASSES:
            continue
        pair = decision.chosen.action, decision.best.action
        names = name_legal_actions(answer.ruleset, decision.legal)
        move, better = (names[action] for action in pair)
        does = move if move.startswith("keeps ") else f"plays {move}"
        kind = decision.class_by(by)
        article = "an" if kind[0] in "aeiou" else "a"
        text = f"player {decision.seat + 1} {does}, {article} {kind} that gives away {_write_loss(decision, by)}; better: {better}"
        yield _weigh(decision, review, by), ToldMoment(decision.ply, text)


def _find_whole(review: Review, by: DecisionMeasure) -> float:
    """Return what losses and luck are measured by: the whole win, or the spread of the scores, 1 point if they do not spread."""
    return review.score_spread or 1.0 if by == "points" else 1.0


def _write_loss(decision: Decision, by: DecisionMeasure) -> str:
    """Return what a bad decision lost, by what it is judged by."""
    if by == "win" and not decision.win_nearly_decided:
        return _write_amount(decision.lost_wins, by)
    settled = ", with the win settled" if by == "win" else ""
    return f"{_write_amount(decision.lost_points, 'points')}{settled}"


def _write_amount(amount: Interval | None, by: DecisionMeasure) -> str:
    """Return points, or a share of the win, with the interval; all of them have the same decimals, unless an interval needs more.

    >>> _write_amount(Interval(0.191, 0.142, 0.239), "win"), _write_amount(Interval(0.191, 0.14, 0.24), "win")
    ('19 % (14 to 24) of the win', '19 % (14 to 24) of the win')
    >>> _write_amount(Interval(0.13, 0.06, 0.2), "win"), _write_amount(Interval(3.0, 3.0, 3.0), "points")
    ('13 % (6 to 20) of the win', '3 points (the same in all playouts)')
    """
    unit, of, scale, decimals = ("points", "", 1, 1) if by == "points" else ("%", " of the win", 100, 0)
    text = format_interval(amount, scale=scale, when_equal=ALL_PLAYOUTS, decimals=decimals)
    estimate, bracket, ends = text.partition(" (")
    return f"{estimate} {unit}{bracket}{ends}{of}"


def _weigh(decision: Decision, review: Review, by: DecisionMeasure) -> float:
    """Return the weight of a bad decision: what it lost of the win, or of the spread of the scores; a settled win counts little."""
    lost = decision.lost_points.estimate if decision.lost_points else 0.0
    in_spreads = lost / _find_whole(review, "points")
    if by == "points":
        return in_spreads
    if decision.win_nearly_decided:
        return SETTLED_WEIGHT * in_spreads
    return decision.lost_wins.estimate if decision.lost_wins else 0.0


def _tell_positions(review: Review) -> Iterator[ToldMoment]:
    """Yield the worst position of the only winner if it clearly was not the favourite there, and the last one in doubt."""
    winners = np.flatnonzero(review.win_shares[-1] == 1)
    players, positions = review.win_shares.shape[1], len(review.win_shares)
    if players < 2 or len(winners) != 1:
        return
    winner = int(winners[0])
    shares = [
        hold_for_all(Interval(share, share - half, share + half), positions)
        for share, half in zip(
            review.win_shares[:, winner].tolist(), review.win_share_halves[:, winner].tolist(), strict=True
        )
    ]
    worst = min(range(positions), key=lambda ply: shares[ply].estimate)
    if worst and shares[worst].high < 1 / players:
        share = _write_amount(shares[worst]._replace(low=max(0.0, shares[worst].low)), "win")
        yield ToldMoment(worst - 1, f"player {winner + 1}, who wins in the end, is down to {share}")
    last = max((ply + 1 for ply, share in enumerate(shares) if share.low < SURE_SHARE), default=0)
    if 0 < last < positions - 1:
        yield ToldMoment(
            last - 1,
            f"from here on player {winner + 1} wins clearly more than {100 * SURE_SHARE:.0f} of 100 playouts",
        )


def write_moment(moment: ToldMoment) -> tuple[str, str]:
    """Return a moment as a line of a passage: its move, and what happened."""
    return f"Move {moment.ply + 1}", capitalise(moment.text)
