"""Charts of what-if questions: the scores on both branches, their difference, and the change for every player."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pipelines.report.charts.estimates import Intervals
from pipelines.report.charts.histogram import Histogram
from pipelines.report.charts.series import Estimate, Mark, ScoreSeries, make_distribution
from pipelines.report.wording import format_player, name_branches
from pipelines.viewer.palette import CHOSEN_LOOK, OTHER_LOOK, seat_looks

if TYPE_CHECKING:
    from pipelines.experiments.whatif.many_games import WhatIfPositions
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.statistics import Interval
    from pipelines.statistics.arrays import Integers
    from pipelines.viewer.palette import SeriesLook

CHANGE_NAME = "change in score"
CHANGE_AXIS = f"{CHANGE_NAME} (dashed: none)"


def branch_scores_chart(whatif: WhatIf) -> Histogram:
    """Return the final scores of the changed seat on both branches; for other luck, the new ones and the logged one.

    Means are those of the answer, which weights the continuations.
    """
    fork, effect = whatif.fork, whatif.seat_effect(whatif.fork.seat)
    after = np.asarray(whatif.changed.scores[:, fork.seat], dtype=np.int64)
    was, now = name_branches(whatif)
    changed = _make_series(whatif, now, after, effect.changed)
    if not fork.change:
        return Histogram(
            [changed],
            f"score in points (dashed: {was})",
            "Final scores with other luck, and the logged one",
            "continuation",
            mark=Mark(fork.result[fork.seat]),
        )
    before = whatif.base_scores[:, fork.seat]
    original = _make_series(whatif, was, before, effect.base, OTHER_LOOK)
    title = "Final scores on both branches"
    return Histogram([original, changed], "score in points", title, "continuation")


def score_difference_chart(whatif: WhatIf) -> Histogram:
    """Return the distribution of the difference that the change makes in the final score of its seat."""
    seat = whatif.fork.seat
    series = _make_series(whatif, CHANGE_NAME, whatif.differences[:, seat], whatif.score_difference(seat))
    title = "Distribution of the difference of the final score"
    return Histogram([series], CHANGE_AXIS, title, "continuation", mark=Mark(0))


def position_differences_chart(positions: WhatIfPositions) -> Histogram:
    """Return the same over all continuations of many positions, of which there is at least one."""
    differences = np.concatenate([one.differences[:, one.fork.seat] for one in positions.played])
    series = _make_series(positions.played[0], CHANGE_NAME, differences, positions.score)
    return Histogram(
        [series], CHANGE_AXIS, "Distribution of the change in score", "continuation", mark=Mark(0)
    )


def score_changes_chart(whatif: WhatIf) -> Intervals:
    """Return the change of the final score of every player."""
    looks, ruleset = seat_looks(whatif.fork.ruleset.players), whatif.fork.ruleset.name
    estimates = [
        Estimate(
            format_player(one.seat), ruleset, format_player(one.seat), one.score, whatif.n, looks[one.seat]
        )
        for one in whatif.seat_effects
        if one.score
    ]
    axis, title = "change in score, points", "Change of the final score"
    return Intervals(estimates, axis, title, "continuation", Mark(0))


def _make_series(
    whatif: WhatIf, name: str, values: Integers, mean: Interval | None, look: SeriesLook = CHOSEN_LOOK
) -> ScoreSeries:
    scores = make_distribution(values.tolist())
    return ScoreSeries(whatif.fork.ruleset.name, name, scores, scores.n, mean, look)
