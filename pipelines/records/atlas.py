"""The atlas, `benchmarks/atlas.json`: the card of every ruleset that belongs to Reroll, measured with two seeds."""

from __future__ import annotations

from functools import cache
from typing import Final

from pydantic import Field

from pipelines.records import record_file
from pipelines.statistics import Interval, average_intervals

ATLAS_COMMAND: Final = "python -m benchmarks.atlas"


class AtlasNumber(record_file.Record):
    """A number of a card, in the unit of the answer."""

    key: str
    """The key of the measure."""
    about: str
    """The player, the part of a game or the two strategies that it is about."""
    style: str
    """The strategy in every seat; empty for the numbers of the ladder."""
    interval: record_file.RecordedInterval | None
    """None if there is nothing to measure, such as the variance of a result that is always the same."""
    again: record_file.RecordedInterval | None
    """The same with the second seed."""

    @property
    def pooled(self) -> Interval | None:
        """The mean of both seeds; that of one of them if the other has none."""
        if self.interval and self.again:
            return average_intervals(self.interval, self.again)
        return self.interval or self.again


class AtlasCard(record_file.Record):
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


class AtlasFile(record_file.Record):
    """The contents of the file."""

    command: str = ATLAS_COMMAND
    machine: record_file.Machine = Field(default_factory=dict)
    cards: tuple[AtlasCard, ...] = ()


def find_atlas_card(sha256: str) -> AtlasCard | None:
    """Return the recorded card of the rules with a hash, or None if they were not measured."""
    return next((card for card in recorded_cards() if card.sha256 == sha256), None)


@cache
def recorded_cards() -> tuple[AtlasCard, ...]:
    """Return the cards of all rulesets that were measured."""
    return record_file.read_record_file(record_file.find_record_file("atlas.json"), AtlasFile).cards
