"""What charts of scores draw: the groups and the means of an answer, with the looks of their strategies."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pipelines.report.charts.series import Estimate, ScoreSeries
from pipelines.report.wording import format_player
from pipelines.viewer.palette import seat_looks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.questions.scores.distributions import GroupScores
    from pipelines.questions.scores.place_means import PlaceMean
    from pipelines.viewer.palette import SeriesLook

BY_RULESET: Final = "Rulesets"
BY_PLAYER: Final = "Players"
ONE_BY_ONE: Final = "One by one"
"""What lines of a chart compare, as the question names it."""


def make_score_series(
    groups: Sequence[GroupScores], looks: Mapping[str, SeriesLook], *, has_panel_for_seats: bool = True
) -> list[ScoreSeries]:
    """Return a series for each group.

    The seats of a strategy share a panel, in which each has a look of its own, or else have the look of the strategy.
    """
    series = [
        ScoreSeries(
            one.ruleset,
            one.strategy,
            one.scores,
            one.blocks,
            one.mean.interval,
            looks[one.strategy],
            title=one.full_name,
        )
        for one in groups
    ]
    if not has_panel_for_seats:
        return series
    own = seat_looks(1 + max((one.seat or 0 for one in groups), default=0))
    return [
        line
        if one.seat is None
        else replace(
            line,
            look=own[one.seat],
            line=format_player(one.seat),
            title=one.name,
            panel=f"{one.ruleset} · {one.name}",
        )
        for one, line in zip(groups, series, strict=True)
    ]


def arrange_series(all_series: Sequence[ScoreSeries], compared: str) -> list[ScoreSeries]:
    """Give each series its panel and its colour: what is compared shares a panel, and each line of it has a colour."""
    if compared == ONE_BY_ONE:
        return [replace(one, panel=f"{one.panel_name} · {one.name}") for one in all_series]
    if compared != BY_RULESET:
        return list(all_series)
    rulesets = list(dict.fromkeys(one.ruleset for one in all_series))
    looks = seat_looks(len(rulesets))
    overlaid = [
        replace(
            one,
            line=one.ruleset,
            panel=one.title or one.strategy,
            look=looks[rulesets.index(one.ruleset)],
        )
        for one in all_series
    ]
    # A strategy of a single ruleset has nothing to be compared with, so its panel comes last.
    held = Counter(one.strategy for one in all_series)
    return sorted(overlaid, key=lambda one: -held[one.strategy])


def make_estimates(means: Sequence[PlaceMean], looks: Mapping[str, SeriesLook]) -> list[Estimate]:
    """Return what charts draw of means."""
    return [
        Estimate(one.at, one.ruleset, one.strategy, one.mean, one.results, looks[one.strategy], one.name)
        for one in means
    ]


def overlay_rulesets(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return estimates of several rulesets in a panel for each strategy with a line for each ruleset.

    Estimates of one ruleset stay as they are.
    """
    rulesets = list(dict.fromkeys(one.ruleset for one in estimates))
    if len(rulesets) < 2:
        return list(estimates)
    looks = seat_looks(len(rulesets))
    panels = {one.strategy: one.name for one in estimates}
    return [
        replace(
            one,
            ruleset=panels[one.strategy],
            strategy=one.ruleset,
            title=one.ruleset,
            look=looks[rulesets.index(one.ruleset)],
        )
        for one in estimates
    ]
