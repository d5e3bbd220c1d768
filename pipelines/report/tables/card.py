"""The tables of the card of a ruleset: its numbers, and their definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine import games
from pipelines.design.short_names import short_names
from pipelines.questions.card.measures import CARD_MEASURES, WORTH_KEYS
from pipelines.report.sentences.card import format_measure, group_by_style, is_different, name_measure
from pipelines.report.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.questions.card.answer import CardAnswer, CardMeasure
    from pipelines.questions.card.measures import CardKey

WORTH_TITLE: Final = "What a piece is worth to those who may not use it"
INTERVAL_CAPTION: Final = "95 % intervals, which count blocks."


def list_card_tables(answer: CardAnswer) -> list[Table]:
    """Return the numbers of a card as tables: those of the styles, those of restricted play if there are any, and the ladder."""
    groups = group_by_style(answer)
    worth_groups = {row: groups.pop(row) for row in list(groups) if row[0] in WORTH_KEYS}
    title, ladder = f"Card of {answer.ruleset.name}", [one for one in answer.measures if not one.style]
    if len(answer.styles) == 1:
        styles = _tabulate_measures([measure for measures in groups.values() for measure in measures], title)
        worths = _tabulate_worths(answer)
    else:
        styles = _tabulate_styles(answer, groups, title)
        worths = _tabulate_styles(answer, worth_groups, WORTH_TITLE)
    restrictions = games.find_game(answer.ruleset.game).restrictions(answer.ruleset)
    fallbacks = " ".join(dict.fromkeys(one.fallback for one in restrictions))
    return [
        styles,
        *([worths._replace(caption=f"{fallbacks} {worths.caption}")] if restrictions else []),
        _tabulate_measures(ladder, "The ladder, which is the same for every style"),
    ]


def _tabulate_worths(answer: CardAnswer) -> Table:
    """Return a row for each restriction with what it costs a player of the only style."""
    pairs = zip(*(answer.find_measures(key) for key in WORTH_KEYS), strict=True)
    return Table(
        WORTH_TITLE,
        ("without", *(CARD_MEASURES[key].unit for key in WORTH_KEYS), "blocks"),
        tuple(
            (wins.about, format_measure(wins), format_measure(points), wins.measured.n)
            for wins, points in pairs
        ),
        INTERVAL_CAPTION,
    )


def _tabulate_measures(measures: Sequence[CardMeasure], title: str) -> Table:
    """Return a row for each number with its interval."""
    return Table(
        title,
        ("measure", "value", "unit", "blocks"),
        tuple(
            (
                name_measure(one.key, one.about),
                format_measure(one),
                CARD_MEASURES[one.key].unit,
                one.measured.n,
            )
            for one in measures
        ),
        INTERVAL_CAPTION,
    )


def _tabulate_styles(
    answer: CardAnswer, groups: Mapping[tuple[CardKey, str], Sequence[CardMeasure]], title: str
) -> Table:
    """Return a row for each number that depends on the style, and a column for each style."""
    return Table(
        title,
        ("measure", *short_names(answer.styles).values(), "unit", "clear difference"),
        tuple(
            (
                name_measure(key, about),
                *map(format_measure, measures),
                CARD_MEASURES[key].unit,
                "yes" if is_different(measures) else "no",
            )
            for (key, about), measures in groups.items()
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
