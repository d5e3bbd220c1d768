"""On how many plausible tables the order of strategies is that of the shipped ones: `benchmarks/robustness.json`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from pipelines.records.record_file import Machine, Record, find_record_file, read_record_file
from pipelines.statistics import wilson

if TYPE_CHECKING:
    from pipelines.statistics import Interval

ROBUSTNESS_COMMAND: Final = "python -m benchmarks.robustness"


class PairRobustness(Record):
    """On how many draws of the tables a strategy is ahead of its neighbour on the ladder."""

    strategy: str
    """The full name of the one that is better with the shipped tables."""
    against: str
    draws: int
    ahead: int
    """Draws on which the interval of the lead lies above 0."""
    behind: int
    """Draws on which it lies below 0."""
    least: float
    median: float
    most: float
    """Lowest, median and highest mean lead of all draws, in points; positive is better also where the lowest score wins."""

    @property
    def share(self) -> Interval:
        """The share of draws on which the strategy is clearly ahead."""
        return wilson(self.ahead, self.draws)


class RobustnessRecord(Record):
    """What the order of the strategies of a ruleset owes to its reconstructed tables."""

    ruleset: str
    sha256: str
    """The hash of the ruleset whose tables were replaced."""
    priors: dict[str, str]
    """Which tables were drawn, and from what, as sentences."""
    draws: int
    blocks: int
    """Blocks of each pair on each draw."""
    seed: int
    ordered: int
    """Draws on which each strategy is clearly ahead of the one below it."""
    swapped: int
    """Draws on which a strategy is clearly behind the one below it."""
    left_out: tuple[str, ...]
    """Strategies of the ladder that are too slow, or have learned the shipped tables and play no others."""
    seconds: float
    """How long the measurement took."""
    machine: Machine
    pairs: tuple[PairRobustness, ...]

    @property
    def share(self) -> Interval:
        """The share of draws on which all strategies are clearly in the shipped order."""
        return wilson(self.ordered, self.draws)


class RobustnessFile(Record):
    """The contents of the file."""

    command: str = ROBUSTNESS_COMMAND
    rulesets: tuple[RobustnessRecord, ...] = ()


@cache
def recorded_robustness() -> dict[str, RobustnessRecord]:
    """Return the records that belong to Reroll, by the hash of the ruleset."""
    file = read_record_file(find_record_file("robustness.json"), RobustnessFile)
    return {record.sha256: record for record in file.rulesets}


def find_robustness_record(sha256: str) -> RobustnessRecord | None:
    """Return the record of the ruleset with this hash; None if it was not measured."""
    return recorded_robustness().get(sha256)
