"""The figures of one side against another, as comparisons give them and as ladders store them in JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from pipelines.statistics import Interval

_INTERVAL_FIELDS: Final = ("mean", "mean_against", "difference", "win_share")


@dataclass(frozen=True)
class DuelResult:
    """The measured result of one side against a strategy."""

    ruleset: str
    against: str
    blocks: int
    games: int
    seed: int
    mean: Interval
    """Mean score of the seats of the side that is measured."""
    mean_against: Interval
    """Mean score of the other side's seats."""
    difference: Interval
    """`mean` minus `mean_against`, in points."""
    lowest_wins: bool
    win_share: Interval
    """Share of wins of the side that is measured: 0.5 if both are equal."""
    command: str
    """The `reroll compare` command that repeats the comparison."""

    @property
    def document(self) -> dict[str, Any]:
        """The result as data for JSON."""
        return asdict(self) | {name: getattr(self, name)._asdict() for name in _INTERVAL_FIELDS}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Self:
        """Return the result of JSON data. Raises KeyError or TypeError if the data does not describe one."""
        return cls(**document | {name: Interval(**document[name]) for name in _INTERVAL_FIELDS})
