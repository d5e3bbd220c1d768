"""What was measured about strategies, as JSON in `benchmarks`; a section for each file.

- `ladder.json`: the measured ladder, and what it says about a strategy: its time for a move, and where it stands.
- `perfect_play.json`: how far each strategy is from perfect play.
- `robustness.json`: on how many plausible tables the order of strategies is that of the shipped ones.
- `calibration.json`: predicted shares of the win, and what happened.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic import Field

from engine import games
from engine.catalogue import Catalogue
from engine.errors import GameError
from engine.strategies import read_player
from pipelines.records import record_file
from pipelines.statistics import Interval, wilson

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

LADDER_COMMAND: Final = "python -m benchmarks.ladder"
QUICK_MICROSECONDS: Final = 200.0
"""Strategies that think longer about a decision are left out of what has to play many games."""


class RungName(NamedTuple):
    """What tells the steps of the ladder apart."""

    ruleset: str
    strategy: str
    against: str
    is_curve: bool


class Rung(record_file.Record):
    """The measured result of a step of the ladder: that of a strategy against the one below it."""

    ruleset: str
    against: str
    blocks: int
    games: int
    seed: int
    mean: record_file.RecordedInterval
    """Mean score of the seats of the strategy."""
    mean_against: record_file.RecordedInterval
    """Mean score of the other seats."""
    difference: record_file.RecordedInterval
    """`mean` minus `mean_against`, in points."""
    lowest_wins: bool
    win_share: record_file.RecordedInterval
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


class LadderFile(record_file.Record):
    """The contents of the file."""

    command: str = LADDER_COMMAND
    machine: record_file.Machine = Field(default_factory=dict)
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
    slow = [name for name, record in records.items() if (record.microseconds or 0) > QUICK_MICROSECONDS]
    return [name for name in records if name not in slow], slow


@cache
def _shipped_hashes() -> dict[str, str]:
    """Return the hashes of the rulesets that belong to Reroll, by name; a visitor's ruleset may have the same name."""
    return {name: ruleset.sha256 for name, ruleset in Catalogue().rulesets.items()}


@cache
def _ladder_records(ruleset: str, game_name: str) -> dict[str, LadderRecord]:
    """Return the records of a ruleset by the full names of its strategies; none if the game has other strategies now."""
    ladder = record_file.read_record_file(record_file.find_record_file("ladder.json"), LadderFile)
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


PERFECT_PLAY_COMMAND: Final = "python -m benchmarks.perfect_play"


class StrategyDistance(record_file.Record):
    """The result of a strategy against a perfect player."""

    strategy: str
    """Its full name."""
    blocks: int
    games: int
    lead: record_file.RecordedInterval
    """Mean lead over the perfect player, in points; perfect play has 0."""
    win_share: record_file.RecordedInterval
    """Share of the wins; a tie is split."""

    @property
    def points_behind(self) -> Interval:
        """By how many points the strategy is behind a perfect player."""
        return self.lead.times(-1)

    @property
    def percent_of_wins(self) -> Interval:
        """How many of 100 games the strategy wins against a perfect player."""
        return self.win_share.times(100)


class PerfectPlayRecord(record_file.Record):
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
    machine: record_file.Machine
    strategies: tuple[StrategyDistance, ...]


class PerfectPlayFile(record_file.Record):
    """The contents of the file."""

    command: str = PERFECT_PLAY_COMMAND
    rulesets: tuple[PerfectPlayRecord, ...] = ()


@cache
def recorded_perfect_play() -> dict[str, PerfectPlayRecord]:
    """Return the records that belong to Reroll, by ruleset."""
    file = record_file.read_record_file(record_file.find_record_file("perfect_play.json"), PerfectPlayFile)
    return {record.ruleset: record for record in file.rulesets}


def find_perfect_play_record(ruleset: Ruleset) -> PerfectPlayRecord | None:
    """Return the record of a ruleset; None if it is not solved, or if these are other rules of the same name."""
    record = recorded_perfect_play().get(ruleset.name)
    return record if record and record.sha256 == ruleset.sha256 else None


def find_distance(ruleset: Ruleset, label: str) -> StrategyDistance | None:
    """Return how far a strategy, given by its full name, is from perfect play of a ruleset; None if it was not measured."""
    record = find_perfect_play_record(ruleset)
    distances = (distance for distance in record.strategies if distance.strategy == label) if record else ()
    return next(iter(distances), None)


ROBUSTNESS_COMMAND: Final = "python -m benchmarks.robustness"


class PairRobustness(record_file.Record):
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


class RobustnessRecord(record_file.Record):
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
    machine: record_file.Machine
    pairs: tuple[PairRobustness, ...]

    @property
    def share(self) -> Interval:
        """The share of draws on which all strategies are clearly in the shipped order."""
        return wilson(self.ordered, self.draws)


class RobustnessFile(record_file.Record):
    """The contents of the file."""

    command: str = ROBUSTNESS_COMMAND
    rulesets: tuple[RobustnessRecord, ...] = ()


@cache
def recorded_robustness() -> dict[str, RobustnessRecord]:
    """Return the records that belong to Reroll, by the hash of the ruleset."""
    file = record_file.read_record_file(record_file.find_record_file("robustness.json"), RobustnessFile)
    return {record.sha256: record for record in file.rulesets}


def find_robustness_record(sha256: str) -> RobustnessRecord | None:
    """Return the record of the ruleset with this hash; None if it was not measured."""
    return recorded_robustness().get(sha256)


CALIBRATION_COMMAND: Final = "python -m benchmarks.calibration"


class CalibrationDecile(record_file.Record):
    """The predictions in one tenth of the range from 0 to 1."""

    low: float
    """The lower end of the tenth."""
    predicted: float
    """Mean predicted share of the win."""
    happened: record_file.RecordedInterval
    """Mean share of the win that happened."""
    error: record_file.RecordedInterval
    """What happened minus what was predicted."""
    predictions: int
    blocks: int


class CalibrationCase(record_file.Record):
    """The calibration in games of one ruleset in which one strategy plays on all seats."""

    ruleset: str
    sha256: str
    """The hash of the ruleset that was measured."""
    players: str
    """The strategy on all seats."""
    policy: str
    """The strategy of the playouts that predict."""
    playouts: int
    """Number of playouts behind a prediction: the median over all predictions."""
    blocks: int
    """Games that were played, each with luck of its own."""
    seed: int
    machine: record_file.Machine
    deciles: tuple[CalibrationDecile, ...]

    @property
    def predictions(self) -> int:
        return sum(decile.predictions for decile in self.deciles)

    @property
    def is_of_playouts(self) -> bool:
        """Whether the players are those of the playouts."""
        return self.players == self.policy


class CalibrationFile(record_file.Record):
    """The contents of the file."""

    command: str = CALIBRATION_COMMAND
    cases: tuple[CalibrationCase, ...] = ()


@cache
def recorded_calibration() -> tuple[CalibrationCase, ...]:
    """Return the cases that belong to Reroll."""
    return record_file.read_record_file(
        record_file.find_record_file("calibration.json"), CalibrationFile
    ).cases


def list_review_cases() -> list[CalibrationCase]:
    """Return the recorded cases without those in which predictions had more playouts than a review makes."""
    fewest: dict[tuple[str, str], CalibrationCase] = {}
    for case in recorded_calibration():
        known = fewest.setdefault((case.ruleset, case.players), case)
        if case.playouts < known.playouts:
            fewest[case.ruleset, case.players] = case
    return list(fewest.values())
