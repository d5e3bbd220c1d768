"""Learning curves as they are recorded: what `pipelines.measure.learning_curve` measures and its picture shows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from pipelines.measure.record_file import read_record_file
from pipelines.statistics import Interval

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class CurvePoint:
    """The strength after one training."""

    games: int
    """Games of the training."""
    seconds: float
    """Processor time of the training."""
    advantage: Interval
    """Points by which `learned` is better, with the 95 % interval over blocks."""
    blocks: int
    """Blocks in which the strength was measured: each is one luck, played once in every seat."""

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Self:
        """Return the point of JSON data. Raises KeyError or TypeError if the data does not describe one."""
        return cls(**document | {"advantage": Interval(**document["advantage"])})


@dataclass(frozen=True)
class LearningCurve:
    """The strength of the strategy `learned` after trainings of different length."""

    ruleset: str
    title: str
    against: str
    training_seed: int
    duel_seed: int
    machine: dict[str, Any]
    points: tuple[CurvePoint, ...]

    @property
    def document(self) -> dict[str, Any]:
        """The curve as data for JSON."""
        points = [asdict(point) | {"advantage": point.advantage._asdict()} for point in self.points]
        return asdict(self) | {"points": points}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Self:
        """Return the curve of JSON data. Raises KeyError or TypeError if the data does not describe one."""
        return cls(**document | {"points": tuple(map(CurvePoint.from_document, document["points"]))})


def read_curves(path: Path) -> list[LearningCurve]:
    """Return the recorded curves; none if there is no such file or it is of another version."""
    return read_record_file(path, "curves", LearningCurve.from_document)
