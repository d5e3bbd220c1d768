"""What was measured about the calibration of predicted win shares: `benchmarks/calibration.json`."""

from __future__ import annotations

from functools import cache
from typing import Final

from pipelines.records.record_file import (
    Machine,
    Record,
    RecordedInterval,
    find_record_file,
    read_record_file,
)

CALIBRATION_COMMAND: Final = "python -m benchmarks.calibration"


class CalibrationDecile(Record):
    """The predictions in one tenth of the range from 0 to 1."""

    low: float
    """The lower end of the tenth."""
    predicted: float
    """Mean predicted share of the win."""
    happened: RecordedInterval
    """Mean share of the win that happened."""
    error: RecordedInterval
    """What happened minus what was predicted."""
    predictions: int
    blocks: int


class CalibrationCase(Record):
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
    machine: Machine
    deciles: tuple[CalibrationDecile, ...]

    @property
    def predictions(self) -> int:
        return sum(decile.predictions for decile in self.deciles)

    @property
    def largest_error(self) -> float:
        """The largest difference between what was predicted and what happened in a tenth."""
        return max(abs(decile.error.estimate) for decile in self.deciles)

    @property
    def is_of_playouts(self) -> bool:
        """Whether the players are those of the playouts."""
        return self.players == self.policy


class CalibrationFile(Record):
    """The contents of the file."""

    command: str = CALIBRATION_COMMAND
    cases: tuple[CalibrationCase, ...] = ()


@cache
def recorded_calibration() -> tuple[CalibrationCase, ...]:
    """Return the cases that belong to Reroll."""
    return read_record_file(find_record_file("calibration.json"), CalibrationFile).cases


def list_review_cases() -> list[CalibrationCase]:
    """Return the recorded cases without those in which predictions had more playouts than a review makes."""
    fewest: dict[tuple[str, str], CalibrationCase] = {}
    for case in recorded_calibration():
        known = fewest.setdefault((case.ruleset, case.players), case)
        if case.playouts < known.playouts:
            fewest[case.ruleset, case.players] = case
    return list(fewest.values())
