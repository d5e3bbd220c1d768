"""The tables of the card of a ruleset: its numbers, and their definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.design.short_names import short_names
from pipelines.questions.card.measures import CARD_MEASURES
from pipelines.report.sentences.card import format_measure, group_by_style, is_different
from pipelines.report.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.questions.card.answer import CardAnswer, CardMeasure


def list_card_tables(answer: CardAnswer) -> list[Table]:
    """Return the numbers of a card: of several styles those that depend on the style in one table, and all others in another."""
    if len(answer.styles) == 1:
        return [_tabulate_measures(answer.measures, f"Card of {answer.ruleset.name}")]
    ladder = [one for one in answer.measures if not one.style]
    return [
        _tabulate_styles(answer),
        _tabulate_measures(ladder, "The ladder, which is the same for every style"),
    ]


def _tabulate_measures(measures: Sequence[CardMeasure], title: str) -> Table:
    """Return a row for each number with its interval."""
    return Table(
        title,
        ("measure", "of", "value", "unit", "blocks"),
        tuple(
            (
                CARD_MEASURES[one.key].title,
                one.about,
                format_measure(one),
                CARD_MEASURES[one.key].unit,
                one.measured.n,
            )
            for one in measures
        ),
        "95 % intervals, which count blocks.",
    )


def _tabulate_styles(answer: CardAnswer) -> Table:
    """Return a row for each number that depends on the style, and a column for each style."""
    return Table(
        f"Card of {answer.ruleset.name}",
        ("measure", "of", *short_names(answer.styles).values(), "unit", "clear difference"),
        tuple(
            (
                CARD_MEASURES[key].title,
                about,
                *map(format_measure, measures),
                CARD_MEASURES[key].unit,
                "yes" if is_different(measures) else "no",
            )
            for (key, about), measures in group_by_style(answer).items()
        ),
        f"95 % intervals, which count blocks ({answer.basis.blocks:,}). A difference is clear if the intervals of two styles have no "
        "value in common.",
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
                "style": one.style,
                **numbers,
                "unit": titles.unit,
                "n": one.measured.n,
                "unit of n": one.measured.unit,
                "definition": titles.definition,
                "source": titles.source,
            }
        )
    return rows
