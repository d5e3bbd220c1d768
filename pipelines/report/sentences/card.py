"""The sentences on the card of a ruleset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.short_names import short_names
from pipelines.questions.card.measures import CARD_MEASURES
from pipelines.report.estimates import format_interval
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from pipelines.questions.card.answer import CardAnswer, CardMeasure

NOT_PEOPLE = "Programs played these games; people play otherwise. What depends on the playing style shows in cards of other styles."


def describe_card(answer: CardAnswer) -> str:
    """Return the seat that wins most, when the winner is known, and the highest step of the ladder, in one sentence."""
    seats = [one for one in answer.find_measures("seat") if one.measured.interval]
    if not seats:
        return "not enough games"
    widest = max(seats, key=lambda one: abs(one.measured.interval.estimate) if one.measured.interval else 0)
    known, behind, *_ = (answer.find_measures(key)[0] for key in ("decided", "comeback"))
    parts = [
        f"the widest edge of a seat is that of {widest.about}: {format_measure(widest)} wins of 100",
        f"the winner is known after {format_measure(known)} % of the rounds",
        f"{format_measure(behind)} games of 100 are won from behind",
    ]
    ladder = answer.find_measures("ladder")
    if ladder:
        one, _, other = ladder[-1].about.partition(" against ")
        parts.append(f"{one} wins {format_measure(ladder[-1])} of 100 games against {other}")
    return "; ".join(parts)


def format_measure(measure: CardMeasure) -> str:
    """Return a number of a card with its interval, in the unit that people read."""
    interval, scale = measure.measured.interval, CARD_MEASURES[measure.key].scale
    if measure.key == "decided" and interval:  # parts of a game, so the interval may have no width
        estimate, low, high = (round(scale * end) for end in interval)
        return f"{estimate} ({low} to {high})"
    return format_interval(interval, scale=scale, signed=measure.key == "seat")


def write_card_basis(answer: CardAnswer) -> str:
    """Return what a card rests on: who played how many games, what is left out, and that programs are not people."""
    basis, pairs = answer.basis, len(answer.find_measures("ladder"))
    style = basis.lineups[0][0]
    played = (
        f"{format_count(basis.games, 'game')} in {format_count(basis.blocks, 'block')}: in one game of each block "
        f"{short_names([style])[style]} plays in every seat, and in the others the neighbours on the ladder "
        f"({format_count(pairs, 'pair')}) have each seat in turn, with the same luck."
    )
    opening = f"The game has no chance, so each block begins with {format_count(answer.opening, 'random move')}; they are its luck."
    return " ".join([played, *([opening] if answer.opening else []), *basis.left_out, NOT_PEOPLE])
