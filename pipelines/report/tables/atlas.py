"""The tables of the atlas: the recorded cards of several rulesets side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from pipelines.questions.card.answer import CardMeasure
from pipelines.questions.card.measures import CARD_MEASURES, CardKey
from pipelines.questions.measured import Measured
from pipelines.report.sentences.card import format_measure, name_measure
from pipelines.report.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pipelines.records.atlas import AtlasCard

WHOLE_LADDER: CardKey = "index"
"""The measure of the ladder that rulesets with other strategies have, too: it is about the ends of the ladder."""


def tabulate_atlas(cards: Sequence[AtlasCard], keys: Collection[CardKey] = get_args(CardKey)) -> Table:
    """Return a row for each number of some measures, and a column for each ruleset; a number that it does not have is missing.

    The numbers of the ladder are those of all of it: its steps are others in other rulesets.
    """
    columns = [_list_numbers(card) for card in cards]
    order = {key: place for place, key in enumerate(get_args(CardKey))}
    rows = sorted(dict.fromkeys(row for column in columns for row in column), key=lambda row: order[row[0]])
    return Table(
        "Cards",
        ("measure", *(card.ruleset for card in cards), "unit"),
        tuple(
            (
                name_measure(key, about),
                *(column.get((key, about)) for column in columns),
                CARD_MEASURES[key].unit,
            )
            for key, about in rows
            if key in keys
        ),
        f"95 % intervals over blocks: {', '.join(sorted({f'{2 * card.blocks:,}' for card in cards}))} for each ruleset, half of them "
        "with each of two seeds.",
    )


def _list_numbers(card: AtlasCard) -> dict[tuple[CardKey, str], str]:
    """Return the texts of the numbers of a card that other rulesets have, too, by measure and what they are about."""
    texts = {}
    for one in card.numbers:
        key = next(known for known in get_args(CardKey) if known == one.key)
        if one.style or key == WHOLE_LADDER:
            measure = CardMeasure(key, one.about, Measured(one.pooled, 2 * card.blocks, "block"), one.style)
            texts[key, "" if key == WHOLE_LADDER else one.about] = format_measure(measure)
    return texts
