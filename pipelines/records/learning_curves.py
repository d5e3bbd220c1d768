"""How strong the strategy `learned` is after trainings of different length: `benchmarks/learning_curves.json`."""

from __future__ import annotations

from typing import Final

from pipelines.records.record_file import Machine, Record, RecordedInterval

LEARNING_CURVE_COMMAND: Final = "python -m pipelines.measure.learning_curve"


class CurvePoint(Record):
    """The strength after one training."""

    games: int
    """Games of the training."""
    seconds: float
    """Processor time of the training."""
    advantage: RecordedInterval
    """Points by which `learned` is better, with the 95 % interval over blocks."""
    blocks: int
    """Blocks in which the strength was measured: each is one luck, played once in every seat."""


class LearningCurve(Record):
    """The strength of the strategy `learned` after trainings of different length."""

    ruleset: str
    title: str
    against: str
    training_seed: int
    duel_seed: int
    machine: Machine
    points: tuple[CurvePoint, ...]


class LearningCurveFile(Record):
    """The contents of the file."""

    command: str = LEARNING_CURVE_COMMAND
    curves: tuple[LearningCurve, ...] = ()
