"""The measured ladder, `benchmarks/ladder.json`, and what it says about a strategy: its time for a move, where it stands."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic import Field

from engine import games
from engine.catalogue import Catalogue
from engine.errors import GameError
from engine.strategies import read_player
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

LADDER_COMMAND: Final = "python -m benchmarks.ladder"
QUICK_MICROSECONDS: Final = 200.0
"""Strategies that think longer about a decision are left out of what has to play many games."""


class RungName(NamedTuple):
    """What tells the steps of the ladder apart."""

    ruleset: str
    strategy: str
    against: str
    is_curve: bool


class Rung(Record):
    """The measured result of a step of the ladder: that of a strategy against the one below it."""

    ruleset: str
    against: str
    blocks: int
    games: int
    seed: int
    mean: RecordedInterval
    """Mean score of the seats of the strategy."""
    mean_against: RecordedInterval
    """Mean score of the other seats."""
    difference: RecordedInterval
    """`mean` minus `mean_against`, in points."""
    lowest_wins: bool
    win_share: RecordedInterval
    """Share of wins of the strategy's side: 0.5 if both are equal."""
    command: str
    """The `reroll compare` command that repeats the comparison."""
    strategy: str
    is_curve: bool
    """Whether the step belongs to a curve, in which several strategies play against the same one."""
    p: float
    """p value of the difference."""
    microseconds: float
    """Processor time of a decision, see `pipelines.bench.decision_microseconds`."""
    seconds: float
    """Processor time of the whole measurement."""
    fingerprint: str
    """That of the step when it was measured."""

    @property
    def name(self) -> RungName:
        """The name of the step."""
        return RungName(self.ruleset, self.strategy, self.against, self.is_curve)

    @property
    def lead(self) -> Interval:
        """By how many points the strategy is better; positive is better also where the lowest score wins."""
        return self.difference.times(-1 if self.lowest_wins else 1)

    @property
    def is_clear(self) -> bool:
        """Whether the strategy is better and the interval of the difference does not include zero."""
        return self.lead.low > 0


class LadderFile(Record):
    """The contents of the file."""

    command: str = LADDER_COMMAND
    machine: Machine = Field(default_factory=dict)
    lowest_microseconds: dict[str, float] = Field(default_factory=dict)
    """Processor time of a decision of the lowest strategy of a ruleset, by ruleset."""
    rungs: tuple[Rung, ...] = ()


class LadderRecord(NamedTuple):
    """What the ladder of a ruleset says about a strategy."""

    microseconds: float | None
    """Processor time of a decision; None if a lowest rung was not timed."""
    processor: str
    """The processor on which it was measured."""
    rung: int
    """Its place on the ladder; the weakest strategy has 1."""
    rungs: int
    below: str
    """The strategy one rung below; empty for the lowest."""
    lead: Interval | None
    """By how many points it beats that strategy; positive is better also where the lowest score wins."""
    games: int
    """Number of games behind the lead."""


def find_ladder_record(ruleset: Ruleset, label: str) -> LadderRecord | None:
    """Return what the recorded ladder says about a strategy, given by its full name, under a ruleset.

    Return None if it has no rung there: its parameters or the rules are others than those that were measured.
    """
    return list_ladder_records(ruleset).get(label)


def list_ladder_records(ruleset: Ruleset) -> dict[str, LadderRecord]:
    """Return the records of all rungs of a ruleset by the full names of the strategies, the weakest first.

    The result is empty if other rules were measured.
    """
    if _shipped_hashes().get(ruleset.name) != ruleset.sha256:
        return {}
    return _ladder_records(ruleset.name, ruleset.game)


def split_by_speed(ruleset: Ruleset) -> tuple[list[str], list[str]]:
    """Return the full names of the quick strategies on the ladder of a ruleset, the weakest first, and of the slow ones."""
    records = list_ladder_records(ruleset)
    slow = [name for name, one in records.items() if (one.microseconds or 0) > QUICK_MICROSECONDS]
    return [name for name in records if name not in slow], slow


@cache
def _shipped_hashes() -> dict[str, str]:
    """Return the hashes of the rulesets that belong to Reroll, by name; a visitor's ruleset may have the same name."""
    return {name: ruleset.sha256 for name, ruleset in Catalogue().rulesets.items()}


@cache
def _ladder_records(ruleset: str, game_name: str) -> dict[str, LadderRecord]:
    """Return the records of a ruleset by the full names of its strategies; none if the game has other strategies now."""
    ladder = read_record_file(find_record_file("ladder.json"), LadderFile)
    game, processor = games.find_game(game_name), str(ladder.machine.get("processor", ""))
    steps = [rung for rung in ladder.rungs if rung.ruleset == ruleset and not rung.is_curve]
    records = {}
    try:
        for number, step in enumerate(steps, start=2):
            if number == 2:
                lowest, spent = read_player(game, step.against).label, ladder.lowest_microseconds.get(ruleset)
                records[lowest] = LadderRecord(spent, processor, 1, len(steps) + 1, "", None, 0)
            label = read_player(game, step.strategy).label
            records[label] = LadderRecord(
                step.microseconds, processor, number, len(steps) + 1, step.against, step.lead, step.games
            )
    except GameError:
        return {}
    return records
