"""What was measured about perfect play, as it is stored: `benchmarks/perfect_play.json` and a page with the same figures.

The package contains a copy of the file. The pages of the dashboard read it here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pipelines.measure.perfect_play.distance import StrategyDistance
from pipelines.measure.record_file import format_record_file, read_record_file
from pipelines.statistics.rounding import format_interval_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.ruleset import Ruleset
    from pipelines.statistics import Interval

PERFECT_PLAY_COMMAND: Final = "python -m pipelines.measure.perfect_play"
RECORD_FILE: Final = Path(__file__).parents[3] / "benchmarks" / "perfect_play.json"
_RECORD_PATHS: Final = (Path(__file__).parents[1] / "perfect_play.json", RECORD_FILE)


@dataclass(frozen=True)
class PerfectPlayRecord:
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
    machine: dict[str, Any]
    strategies: tuple[StrategyDistance, ...]

    @property
    def document(self) -> dict[str, Any]:
        """The record as data for JSON."""
        return vars(self) | {"strategies": [distance.document for distance in self.strategies]}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> PerfectPlayRecord:
        """Return the record of JSON data. Raises KeyError or TypeError if the data does not describe one."""
        distances = tuple(map(StrategyDistance.from_document, document["strategies"]))
        return cls(**document | {"strategies": distances})


def read_records(path: Path) -> dict[str, PerfectPlayRecord]:
    """Return the records of a file by ruleset; none if there is no such file or it is of another version."""
    records = read_record_file(path, "rulesets", PerfectPlayRecord.from_document)
    return {record.ruleset: record for record in records}


@cache
def recorded_perfect_play() -> dict[str, PerfectPlayRecord]:
    """Return the records that belong to Reroll, by ruleset."""
    path = next((path for path in _RECORD_PATHS if path.is_file()), RECORD_FILE)
    return read_records(path)


def find_perfect_play_record(ruleset: Ruleset) -> PerfectPlayRecord | None:
    """Return the record of a ruleset; None if it is not solved, or if these are other rules of the same name."""
    record = recorded_perfect_play().get(ruleset.name)
    return record if record and record.sha256 == ruleset.sha256 else None


def find_distance(ruleset: Ruleset, label: str) -> StrategyDistance | None:
    """Return how far a strategy, given by its full name, is from perfect play of a ruleset; None if it was not measured."""
    record = find_perfect_play_record(ruleset)
    found = (distance for distance in record.strategies if distance.strategy == label) if record else ()
    return next(iter(found), None)


def format_records_json(records: Iterable[PerfectPlayRecord]) -> str:
    """Return the records as JSON."""
    documents = (record.document for record in records)
    return format_record_file("rulesets", documents, command=PERFECT_PLAY_COMMAND)


def format_records_page(records: Iterable[PerfectPlayRecord]) -> str:
    """Return the records as a page in Markdown."""
    lines = [
        "# How far from perfect",
        "",
        "Three small rulesets for two players are solved exactly: for every position it is known which lead two perfect",
        "players can expect at the end of the game, over all dice. They are no printed games. The command",
        "",
        "```sh",
        PERFECT_PLAY_COMMAND,
        "```",
        "",
        "solves them again and lets every strategy play against a perfect player. [perfect_play.json](perfect_play.json) has",
        "the figures in full precision, with the seeds and the machine.",
        "",
        "- *Points behind*: how many points the strategy is behind the perfect player at the end of a game, on average; a",
        "  perfect player would be 0 behind.",
        "- *Wins of 100*: games that the strategy wins against the perfect player; a tie is split.",
        "- Every block is one luck, played once in each seat. Ranges are 95 % intervals over blocks.",
    ]
    for record in records:
        lines += [
            "",
            f"## {record.ruleset}",
            "",
            _describe_solution(record),
            "",
            "| strategy | points behind, 95 % | wins of 100, 95 % | blocks | games |",
            "|---|---|---|---|---|",
            *(
                f"| {distance.strategy} | {format_range(points_behind(distance))} "
                f"| {format_range(percent_of_wins(distance), exact=(0.0, 50.0, 100.0))} "
                f"| {distance.blocks:,} | {distance.games:,} |"
                for distance in sorted(record.strategies, key=lambda distance: distance.lead.estimate)
            ),
        ]
    return "\n".join(lines) + "\n"


def _describe_solution(record: PerfectPlayRecord) -> str:
    cost = f"{record.positions:,} positions, {record.seconds:.0f} s of processor time on {record.machine['processor']}"
    return f"{record.title}. Of two perfect players the first leads by {record.lead:.4f} points on average (exact; {cost})."


def points_behind(distance: StrategyDistance) -> Interval:
    """Return by how many points a strategy is behind a perfect player."""
    lead = distance.lead
    return type(lead)(-lead.estimate, -lead.high, -lead.low)


def percent_of_wins(distance: StrategyDistance) -> Interval:
    """Return how many of 100 games a strategy wins against a perfect player."""
    return type(distance.win_share)(*(100 * value for value in distance.win_share))


def format_range(interval: Interval, exact: tuple[float, ...] = (0.0,)) -> str:
    """Return an estimate with its interval as text, rounded to the digits that the interval justifies."""
    return "{} ({} to {})".format(*format_interval_numbers(interval, exact))
