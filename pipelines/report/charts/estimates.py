"""The charts of estimates with their intervals: as rows, as lines, and in columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.report.charts.series import Estimate, Mark


@dataclass(frozen=True)
class Intervals:
    """Estimates on their intervals, a row for each place."""

    estimates: Sequence[Estimate]
    axis: str
    """What is estimated, with its unit."""
    title: str
    """What the chart shows, for people who do not see it."""
    unit: str = "block"
    """What the n of an estimate counts."""
    mark: Mark | None = None
    """A value to compare with, such as no difference."""
    has_legend: bool = False
    """Whether a legend names the strategies, for rows that do not."""


@dataclass(frozen=True)
class Lines:
    """Estimates over numbers, joined to a line for each strategy."""

    estimates: Sequence[Estimate]
    across: str
    upright: str
    """Titles of the axes, with their units."""
    title: str
    unit: str = "result"
    intervals: Literal["band", "bars"] = "band"
    mark: Mark | None = None
    """A value of the upright axis to compare with."""
    is_logarithmic: bool = False
    """Whether the places stand at their logarithms."""
    is_joined: bool = True
    """Without lines the estimates are points."""


@dataclass(frozen=True)
class Columns:
    """Estimates at a few places, the strategies of a place beside each other."""

    estimates: Sequence[Estimate]
    across: str
    upright: str
    """Titles of the axes, with their units."""
    title: str
    unit: str = "result"
    stands_on_zero: bool = False
    """Whether the columns are bars that begin at zero, as counts do, and not marks, as means are."""


def list_places(lines: Sequence[Sequence[Estimate]]) -> list[str | float]:
    """Return the places of some lines, each once, in the order of their first estimates."""
    return list(dict.fromkeys(one.at for line in lines for one in line))


def list_ends(estimates: Sequence[Estimate]) -> list[float]:
    """Return the finite ones of all estimates and ends of intervals."""
    return [end for one in estimates for end in one.mean if math.isfinite(end)]
