"""The numbers of a card on small scales: where a ruleset stands among the recorded ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.counted_nouns import capitalise
from pipelines.questions.card.measures import CARD_MEASURES, WORTH_KEYS
from pipelines.records.atlas import recorded_cards
from pipelines.report.sentences.card import format_measure, name_measure
from pipelines.report.tables.atlas import list_atlas_measures, list_comparable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.questions.card.answer import CardMeasure
    from pipelines.statistics import Interval


class Scale(NamedTuple):
    """A number on a scale. Places on the scale are from 0 to 1."""

    title: str
    text: str
    """The number with its interval and its unit; without the range of an index, whose ends say what they mean."""
    ends: tuple[str, str]
    """What a low and a high number mean."""
    place: Interval | None
    """None if there are not enough games."""
    others: tuple[tuple[float, str], ...]
    """The places of other rulesets, each with its name and number."""
    about: str
    """The definition and its source."""


def list_scales(measures: Sequence[CardMeasure], ruleset: str) -> list[Scale]:
    """Return the numbers of one style that all rulesets have, with those of the recorded cards of other rulesets."""
    own = [one for one in list_comparable(measures) if one.key not in WORTH_KEYS]
    rivals = [
        (card.ruleset, {(one.key, one.about): one for one in list_comparable(list_atlas_measures(card))})
        for card in recorded_cards()
        if card.ruleset != ruleset
    ]
    return [
        _make_scale(
            measure,
            [
                (name, numbers[measure.key, measure.about])
                for name, numbers in rivals
                if (measure.key, measure.about) in numbers
            ],
        )
        for measure in own
    ]


def _make_scale(measure: CardMeasure, rivals: Sequence[tuple[str, CardMeasure]]) -> Scale:
    titles, interval = CARD_MEASURES[measure.key], measure.measured.interval
    known = [(name, one, found) for name, one in rivals if (found := one.measured.interval)]
    estimates = [titles.scale * found.estimate for _, _, found in known]
    most = max(map(abs, [*estimates, *(titles.scale * end for end in interval or ())]), default=1.0) or 1.0
    low, high = titles.span or ((-most, most) if measure.key == "seat" else (0.0, most))

    def place(number: float) -> float:
        return min(1.0, max(0.0, (titles.scale * number - low) / (high - low)))

    return Scale(
        capitalise(name_measure(measure.key, measure.about)),
        f"{_format_number(measure)} {titles.unit if titles.has_unit else ''}".rstrip(),
        titles.ends,
        type(interval)(*map(place, interval)) if interval else None,
        tuple((place(found.estimate), f"{name}: {_format_number(one)}") for name, one, found in known),
        f"{titles.definition} Source: {titles.source}.",
    )


def _format_number(measure: CardMeasure) -> str:
    """Return a number with its interval as people look at it: with no more digits than its own interval needs."""
    return format_measure(measure, parts=1)
