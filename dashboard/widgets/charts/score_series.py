"""The scores of one line of a chart, with its name and look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.viewer.palette import mark_baseline

if TYPE_CHECKING:
    from pipelines.statistics import Distribution, Interval
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
        return self.line or mark_baseline(self.title or self.strategy, self.look)

    @property
    def panel_name(self) -> str:
        return self.panel or self.ruleset
