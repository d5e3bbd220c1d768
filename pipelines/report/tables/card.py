"""The tables of the card of a ruleset: its numbers, and their definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.questions.card.measures import CARD_MEASURES
from pipelines.report.sentences.card import format_measure
from pipelines.report.tables.table import Table

if TYPE_CHECKING:
    from pipelines.questions.card.answer import CardAnswer


def tabulate_card(answer: CardAnswer) -> Table:
    """Return a row for each number with its interval."""
    return Table(
        f"Card of {answer.ruleset.name}",
        ("measure", "of", "value", "unit", "blocks"),
        tuple(
            (
                CARD_MEASURES[one.key].title,
                one.about,
                format_measure(one),
                CARD_MEASURES[one.key].unit,
                one.measured.n,
            )
            for one in answer.measures
        ),
        "95 % intervals, which count blocks.",
    )


def tabulate_definitions() -> Table:
    """Return a row for each measure with its definition and its source."""
    return Table(
        "Definitions",
        ("measure", "unit", "definition", "source"),
        tuple((one.title, one.unit, one.definition, one.source) for one in CARD_MEASURES.values()),
    )


def list_card_numbers(answer: CardAnswer) -> list[dict[str, Any]]:
    """Return the numbers of a card as JSON data, in the units that people read; an estimate without interval is None."""
    rows = []
    for one in answer.measures:
        titles, interval = CARD_MEASURES[one.key], one.measured.interval
        numbers = (
            interval.times(titles.scale)._asdict() if interval else dict.fromkeys(("estimate", "low", "high"))
        )
        rows.append(
            {
                "measure": titles.title,
                "of": one.about,
                **numbers,
                "unit": titles.unit,
                "n": one.measured.n,
                "unit of n": one.measured.unit,
                "definition": titles.definition,
                "source": titles.source,
            }
        )
    return rows
