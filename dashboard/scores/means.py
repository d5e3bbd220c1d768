"""The views of means with their intervals: by part of the score, by round and by player."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import streamlit as st

from dashboard.scores.beside_baseline import (
    describe_other_lineup,
    explain_missing_baseline,
    scope_baseline,
    style_as_baseline,
)
from dashboard.scores.filters import show_lineups
from dashboard.scores.shown_headline import explain_missing_means, show_headline
from dashboard.widgets import tables
from dashboard.widgets.baseline import show_baseline_counts
from dashboard.widgets.charts import show_chart
from pipelines.questions.scores.place_means import answer_means, read_place_means
from pipelines.report.charts import Columns, Intervals, Lines
from pipelines.report.charts.scores import make_estimates, overlay_rulesets
from pipelines.report.sentences.place_means import describe_means
from pipelines.report.tables.scores import tabulate_means

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.scores.filters import ShownScores
    from pipelines.report.charts import Chart, Estimate


class _MeansView(NamedTuple):
    """How a view draws its means, and what it says of them."""

    key: str
    place: str
    make_chart: Callable[[list[Estimate], str], Chart]
    title: str
    caption: str
    missing_baseline: str = ""


_VIEWS: Final = {
    "Parts": _MeansView(
        "parts-chart",
        "part",
        lambda estimates, title: Intervals(estimates, "mean points", title, "result", has_legend=True),
        "Mean points of each part of the score",
        "Mean points of each part of the score with 95 % intervals. They add up to the mean score.",
    ),
    "Course": _MeansView(
        "course-chart",
        "round",
        lambda estimates, title: Lines(estimates, "round", "mean score in points", title),
        "Mean score by round",
        "Mean score after each round, as if the game ended there. Rounds that fewer than one game in ten reached are left out.",
        "its plies were not logged",
    ),
    "Players": _MeansView(
        "seat-chart",
        "player",
        lambda estimates, title: Columns(estimates, "player", "mean score in points", title),
        "Mean score of each player",
        "Mean score of each player with its 95 % interval. Player 1 starts.",
    ),
}


def show_means(shown: ShownScores) -> None:
    """Show the means at the places of a view: what they say, their picture and the numbers."""
    answer = answer_means(shown.question, shown.scope, shown.source)
    view = _VIEWS[shown.question.view]
    if answer.is_unlogged:
        st.caption(
            "The plies of these runs were not logged (`--log scores`), so the scores by round are not known."
        )
        return
    if not answer.means:
        explain_missing_means(shown.scope)
        return
    sentence = describe_means(answer)
    show_headline(sentence)
    if not sentence:  # they say why there is none
        show_lineups(shown)
    if view.place == "round" and shown.scope.seats:
        st.caption("The scores by round are counted for all players together.")
    estimates = make_estimates(answer.means, shown.looks)
    baseline = _read_baseline(shown, {one.ruleset for one in answer.means})
    chart = view.make_chart(overlay_rulesets(estimates, baseline), view.title)
    show_chart(chart, view.key, caption=view.caption)
    _show_baseline_basis(shown, baseline, view)
    if sentence:
        show_lineups(shown)
    with st.expander("The numbers"):
        frame = tables.show_report_table(
            tabulate_means(answer.means, view.place), {one.strategy for one in answer.means}
        )
        tables.offer_table(frame, view.title, f"by-{view.place}")


def _read_baseline(shown: ShownScores, panels: set[str]) -> list[Estimate]:
    """Return the means of the pinned run in these panels, in the look of the baseline."""
    pinned = scope_baseline(shown.scope)
    found = read_place_means(pinned, shown.source, shown.question.view) if pinned else ()
    return style_as_baseline(make_estimates([one for one in found if one.ruleset in panels], shown.looks))


def _show_baseline_basis(shown: ShownScores, baseline: list[Estimate], view: _MeansView) -> None:
    """Say what the means of the baseline rest on, or why there are none."""
    counts: dict[str, list[int]] = {}
    for one in baseline:
        counts.setdefault(one.title or one.strategy, []).append(one.n)
    count_results = sum if view.place == "player" else max
    counted = [(name, count_results(results)) for name, results in counts.items()]
    show_baseline_counts(counted, describe_other_lineup(shown.scope))
    if not baseline:
        explain_missing_baseline(shown.scope, view.missing_baseline)
