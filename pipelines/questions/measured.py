"""Numbers of answers with their uncertainty, and what an answer rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipelines.statistics import Interval


@dataclass(frozen=True)
class Measured:
    """A number of an answer with its 95 % interval."""

    interval: Interval | None
    """None if there are fewer than two units: one says nothing about its uncertainty."""
    n: int
    """Number of units, not of games."""
    unit: str = "block"
    """What an interval counts as one independent observation: the games of a block share their luck."""

    @property
    def has_interval(self) -> bool:
        return self.interval is not None


@dataclass(frozen=True)
class Basis:
    """What an answer rests on. Every answer names it."""

    runs: tuple[str, ...] = ()
    rulesets: tuple[str, ...] = ()
    lineups: tuple[tuple[str, ...], ...] = ()
    """The strategies of each line-up that played, as often as they sat at the table."""
    games: int = 0
    blocks: int = 0
    filters: tuple[str, ...] = ()
    """A phrase on each filter, such as "player 1 only"."""
    left_out: tuple[str, ...] = ()
    """A sentence on everything that the question names and the answer does not count."""
