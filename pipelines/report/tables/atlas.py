"""The tables of the atlas: the recorded cards of several rulesets side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from pipelines.questions.card.answer import CardMeasure
from pipelines.questions.card.measures import CARD_MEASURES, CardKey
from pipelines.questions.measured import Measured
from pipelines.report.sentences.card import format_measure, is_different, name_measure
from pipelines.report.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pipelines.records.atlas import AtlasCard

WHOLE_LADDER: CardKey = "index"
"""The measure of the ladder that rulesets with other strategies have, too: it is about the ends of the ladder."""


def tabulate_atlas(
    cards: Sequence[AtlasCard],
    keys: Collection[CardKey] = get_args(CardKey),
    *,
    differing: bool | None = None,
) -> Table:
    """Return a row for each number of some measures, and a column for each ruleset; a number that it does not have is missing.

    The numbers of the ladder are those of all of it: its steps are others in other rulesets. The rows are those that are clearly
    `differing` between rulesets, with a word at each number that is clearly not that of the first ruleset; or those that are
    not, or all of them.
    """
    columns = [_list_numbers(card) for card in cards]
    order = {key: place for place, key in enumerate(get_args(CardKey))}
    rows = sorted(dict.fromkeys(row for column in columns for row in column), key=lambda row: order[row[0]])
    beside = {row: [column[row] for column in columns if row in column] for row in rows}
    return Table(
        "Cards",
        ("measure", *(card.ruleset for card in cards), "unit"),
        tuple(
            (
                name_measure(key, about),
                *(
                    f"{format_measure(column[key, about], beside[key, about])}"
                    f"{_mark_difference(columns[0].get((key, about)), column[key, about]) if differing else ''}"
                    if (key, about) in column
                    else None
                    for column in columns
                ),
                CARD_MEASURES[key].unit,
            )
            for key, about in rows
            if key in keys and (differing is None or is_different(beside[key, about]) == differing)
        ),
        f"95 % intervals over blocks: {', '.join(sorted({f'{2 * card.blocks:,}' for card in cards}))} for each ruleset, half of them "
        "with each of two seeds."
        + (
            f" More and less: clearly so than under {cards[0].ruleset}, since both intervals have no value in common."
            if differing
            else ""
        ),
    )


def _mark_difference(first: CardMeasure | None, measure: CardMeasure) -> str:
    """Return the word behind a number that is clearly not that of the first ruleset; empty for others."""
    before, after = first and first.measured.interval, measure.measured.interval
    if first is None or before is None or after is None or not is_different((first, measure)):
        return ""
    return (
        " \N{BLACK UP-POINTING TRIANGLE} more"
        if after.low > before.high
        else " \N{BLACK DOWN-POINTING TRIANGLE} less"
    )


def list_atlas_measures(card: AtlasCard) -> list[CardMeasure]:
    """Return the numbers of a recorded card, each as the mean of both seeds."""
    keys = {str(key): key for key in get_args(CardKey)}
    return [
        CardMeasure(keys[one.key], one.about, Measured(one.pooled, 2 * card.blocks, "block"), one.style)
        for one in card.numbers
    ]


def list_comparable(measures: Iterable[CardMeasure]) -> list[CardMeasure]:
    """Return those numbers that other rulesets have, too: of the ladder only those of all of it."""
    return [
        one._replace(about="") if one.key == WHOLE_LADDER else one
        for one in measures
        if one.style or one.key == WHOLE_LADDER
    ]


def _list_numbers(card: AtlasCard) -> dict[tuple[CardKey, str], CardMeasure]:
    """Return the numbers of a card that other rulesets have, too, by measure and what they are about."""
    return {(one.key, one.about): one for one in list_comparable(list_atlas_measures(card))}
