"""What was measured about perfect play: `benchmarks/perfect_play.json`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from pipelines.records.record_file import (
    Machine,
    Record,
    RecordedInterval,
    find_record_file,
    read_record_file,
)

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.statistics import Interval

PERFECT_PLAY_COMMAND: Final = "python -m benchmarks.perfect_play"


class StrategyDistance(Record):
    """The result of a strategy against a perfect player."""

    strategy: str
    """Its full name."""
    blocks: int
    games: int
    lead: RecordedInterval
    """Mean lead over the perfect player, in points; perfect play has 0."""
    win_share: RecordedInterval
    """Share of the wins; a tie is split."""

    @property
    def points_behind(self) -> Interval:
        """By how many points the strategy is behind a perfect player."""
        return self.lead.times(-1)

    @property
    def percent_of_wins(self) -> Interval:
        """How many of 100 games the strategy wins against a perfect player."""
        return self.win_share.times(100)


class PerfectPlayRecord(Record):
    """The solution of a ruleset, and how far each strategy is from it."""

    ruleset: str
    title: str
    sha256: str
    """The hash of the ruleset that was solved."""
    lead: float
    """Points by which the first of two perfect players leads at the end, on average over all dice. Exact."""
    positions: int
    """Positions at the start of a turn that were solved."""
    seconds: float
    """Processor time of the solution."""
    seed: int
    """The seed of the games of the strategies."""
    machine: Machine
    strategies: tuple[StrategyDistance, ...]


class PerfectPlayFile(Record):
    """The contents of the file."""

    command: str = PERFECT_PLAY_COMMAND
    rulesets: tuple[PerfectPlayRecord, ...] = ()


@cache
def recorded_perfect_play() -> dict[str, PerfectPlayRecord]:
    """Return the records that belong to Reroll, by ruleset."""
    file = read_record_file(find_record_file("perfect_play.json"), PerfectPlayFile)
    return {record.ruleset: record for record in file.rulesets}


def find_perfect_play_record(ruleset: Ruleset) -> PerfectPlayRecord | None:
    """Return the record of a ruleset; None if it is not solved, or if these are other rules of the same name."""
    record = recorded_perfect_play().get(ruleset.name)
    return record if record and record.sha256 == ruleset.sha256 else None


def find_distance(ruleset: Ruleset, label: str) -> StrategyDistance | None:
    """Return how far a strategy, given by its full name, is from perfect play of a ruleset; None if it was not measured."""
    record = find_perfect_play_record(ruleset)
    found = (distance for distance in record.strategies if distance.strategy == label) if record else ()
    return next(iter(found), None)
