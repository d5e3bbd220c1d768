"""What the charts hold: the scores of a line, an estimate at a place, and a marked value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.statistics import Distribution

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipelines.statistics import Interval
    from pipelines.viewer.palette import SeriesLook


@dataclass(frozen=True)
class ScoreSeries:
    """The scores of one strategy under one ruleset."""

    ruleset: str
    strategy: str
    scores: Distribution
    blocks: int
    """Independent units behind the scores; intervals count blocks, not games."""
    mean: Interval | None
    """The mean score with an interval from block means; None for fewer than two blocks."""
    look: SeriesLook
    line: str = ""
    """Name of the line if it is not the strategy, such as a seat."""
    title: str = ""
    """Short name of the strategy; empty if charts use its full name."""
    panel: str = ""
    """Name of the panel if it is not the ruleset."""

    @property
    def name(self) -> str:
        return self.line or self.title or self.strategy

    @property
    def panel_name(self) -> str:
        return self.panel or self.ruleset


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval at a place: a part of the score, a round, a seat."""

    at: str | float
    ruleset: str
    """Name of the panel; empty for a chart of one panel without heading."""
    strategy: str
    mean: Interval
    """Ends that are not known are nan."""
    n: int
    """Number of what the chart names as its unit; 0 if nothing was counted."""
    look: SeriesLook
    title: str = ""
    """Short name of the strategy; empty if charts use its full name."""

    @property
    def name(self) -> str:
        return self.title or self.strategy

    @property
    def panel_name(self) -> str:
        return self.ruleset


class Mark(NamedTuple):
    """A value that a dashed line marks, with its name, which may be empty."""

    at: float
    name: str = ""


def make_distribution(values: Iterable[int]) -> Distribution:
    """Return the distribution of whole numbers, of which there is at least one."""
    distinct, counts = np.unique(np.fromiter(values, dtype=np.int64), return_counts=True)
    return Distribution(distinct, counts)


def group_series(series: Sequence[ScoreSeries]) -> list[list[ScoreSeries]]:
    """Return the series of each panel, from top to bottom."""
    panels: dict[str, list[ScoreSeries]] = {}
    for one in series:
        panels.setdefault(one.panel_name, []).append(one)
    return list(panels.values())


def group_estimates(estimates: Sequence[Estimate]) -> list[list[list[Estimate]]]:
    """Return the lines of each panel, from top to bottom. A line is a strategy under a ruleset."""
    panels: dict[str, dict[str, list[Estimate]]] = {}
    for one in estimates:
        panels.setdefault(one.panel_name, {}).setdefault(one.strategy, []).append(one)
    return [list(lines.values()) for lines in panels.values()]
