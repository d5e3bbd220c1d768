"""The chart of numbers on scales: where one thing stands among others of its kind, a row for each number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pipelines.statistics import Interval


class Scale(NamedTuple):
    """A number on a scale. Places on the scale are from 0 to 1."""

    title: str
    text: str
    """The number with its interval and its unit."""
    ends: tuple[str, str]
    """What a low and a high number mean."""
    place: Interval | None
    """None if there are not enough games."""
    others: tuple[tuple[float, str], ...]
    """The places of others, each with its name and number."""
    about: str
    """The definition and its source."""


@dataclass(frozen=True)
class Scales:
    """Numbers on scales, a row for each."""

    rows: tuple[Scale, ...]
    title: str
