"""The atlas, `benchmarks/atlas.json`: the card of every ruleset that belongs to Reroll, measured with two seeds."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from pydantic import Field

from pipelines.records.record_file import (
    Machine,
    Record,
    RecordedInterval,
    find_record_file,
    read_record_file,
)
from pipelines.statistics import Interval, average_intervals

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

ATLAS_COMMAND: Final = "python -m benchmarks.atlas"


class AtlasNumber(Record):
    """A number of a card, in the unit of the answer."""

    key: str
    """The key of the measure."""
    about: str
    """The player, the part of a game or the two strategies that it is about."""
    style: str
    """The strategy in every seat; empty for the numbers of the ladder."""
    interval: RecordedInterval | None
    """None if there is nothing to measure, such as the variance of a result that is always the same."""
    again: RecordedInterval | None
    """The same with the second seed."""

    @property
    def pooled(self) -> Interval | None:
        """The mean of both seeds; that of one of them if the other has none."""
        if self.interval and self.again:
            return average_intervals(self.interval, self.again)
        return self.interval or self.again


class AtlasCard(Record):
    """The card of one ruleset."""

    ruleset: str
    title: str
    game: str
    sha256: str
    """The hash of the ruleset that was measured."""
    blocks: int
    """Blocks of each seed."""
    games: int
    """Games of each seed."""
    cuts: tuple[tuple[int, ...], ...] = ()
    """For each seed, the rounds after which the games are cut into quarters."""
    numbers: tuple[AtlasNumber, ...]


class AtlasFile(Record):
    """The contents of the file."""

    command: str = ATLAS_COMMAND
    machine: Machine = Field(default_factory=dict)
    cards: tuple[AtlasCard, ...] = ()

    def count_inside(self) -> tuple[int, int, int]:
        """Return how many numbers both seeds have, how many second estimates lie in the first interval, and how many agree.

        Two numbers agree if they differ by no more than the interval of their difference allows.
        """
        pairs = [
            (number.interval, number.again)
            for card in self.cards
            for number in card.numbers
            if number.interval and number.again
        ]
        inside = sum(first.low <= second.estimate <= first.high for first, second in pairs)
        agreeing = 0
        for first, second in pairs:
            lower, upper = sorted((first, second), key=lambda interval: interval.estimate)
            reach = (upper.estimate - upper.low) ** 2 + (lower.high - lower.estimate) ** 2
            agreeing += (upper.estimate - lower.estimate) ** 2 <= reach
        return len(pairs), inside, agreeing


def find_atlas_card(ruleset: Ruleset) -> AtlasCard | None:
    """Return the recorded card of a ruleset, or None if other rules were measured."""
    return next((card for card in recorded_cards() if card.sha256 == ruleset.sha256), None)


@cache
def recorded_cards() -> tuple[AtlasCard, ...]:
    """Return the cards of all rulesets that were measured."""
    return read_record_file(find_record_file("atlas.json"), AtlasFile).cards
