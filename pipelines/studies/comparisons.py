"""The section of a study on a comparison of strategies: the verdict, every pair with its interval, and the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.short_names import short_names
from pipelines.experiments.compare.comparison import compare_strategies
from pipelines.experiments.compare.verdict import METRIC_WORDINGS
from pipelines.questions.scores.distributions import read_score_groups
from pipelines.questions.scores.question import MAX_STRATEGIES
from pipelines.questions.scores.scope import scope_of_run
from pipelines.questions.source import QuestionSource
from pipelines.report.charts import Estimate, Histogram, Intervals, Mark
from pipelines.report.charts.svg import draw_chart
from pipelines.report.estimates import format_interval, format_p_value, set_sentence
from pipelines.report.wording import format_count
from pipelines.studies.scores import make_series
from pipelines.studies.sources import run_facts
from pipelines.studies.study import Chart, Section, Table

if TYPE_CHECKING:
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.runs.run import Run
    from pipelines.studies.sources import StudySource


def describe_comparison(source: StudySource, run: Run, *, metric: str | None = None) -> Section:
    """Return the section of a comparison. Raises InvalidError if the run compares nothing, and for an unknown metric."""
    comparison = compare_strategies(run, metric=metric)
    names = short_names(comparison.strategies)
    failed = [control.name for control in comparison.controls if control.holds is False]
    fewer = " The lowest score wins." if comparison.lowest_wins else ""
    validity = set_sentence(comparison.interval_validity)
    return Section(
        kind="comparison",
        title=" against ".join(names[name] for name in comparison.strategies)
        if len(comparison.strategies) == 2
        else f"{len(comparison.strategies)} strategies compared",
        verdict=comparison.verdict,
        warning=f"Do not trust this result yet: these checks fail: {', '.join(failed)}." if failed else "",
        consequences=comparison.consequences,
        basis=f"{format_count(comparison.games, 'game')} of {comparison.ruleset} in {format_count(comparison.blocks, 'block')}. "
        f"What is compared: {comparison.estimand}{fewer} {validity}".rstrip(),
        charts=(_draw_differences(source, comparison), *_draw_scores(source, run, comparison)),
        tables=(_pairs_table(comparison), _sides_table(comparison)),
        facts=run_facts(run),
        commands=(comparison.command,),
    )


def _draw_differences(source: StudySource, comparison: Comparison) -> Chart:
    metric, looks = METRIC_WORDINGS[comparison.metric], source.find_looks(comparison.strategies)
    names = short_names(comparison.strategies)
    estimates = [
        Estimate(
            f"{names[pair.a]} − {names[pair.b]}",
            comparison.ruleset,
            pair.a,
            pair.difference.times(metric.scale),
            pair.blocks,
            looks[pair.a],
        )
        for pair in comparison.pairs
        if pair.difference
    ]
    title = f"Difference in {metric.many}"
    return Chart(
        title,
        draw_chart(Intervals(estimates, f"first minus second, {metric.many} a game", title, mark=Mark(0))),
        f"95 % intervals from {format_count(comparison.blocks, 'block')} with the same luck for both. "
        "An interval that does not cross the line at 0 is a clear difference.",
    )


def _draw_scores(source: StudySource, run: Run, comparison: Comparison) -> tuple[Chart, ...]:
    summary = next(one for one in run.summary.rulesets if one.name == comparison.ruleset)
    asking = QuestionSource(source.library, only=(run,))
    groups = read_score_groups(scope_of_run(run, summary.sha256), asking)
    if len(groups) > MAX_STRATEGIES:
        return ()
    title = f"Final scores under {comparison.ruleset}"
    return (
        Chart(
            title,
            draw_chart(Histogram(make_series(source, groups), "final score in points", title)),
            "The share of the results with each score. 95 % intervals of the means count blocks.",
        ),
    )


def _pairs_table(comparison: Comparison) -> Table:
    metric, names = METRIC_WORDINGS[comparison.metric], short_names(comparison.strategies)
    return Table(
        "Every pair",
        ("A", "B", f"A − B in {metric.many}", "p", "A wins of 100", "blocks"),
        tuple(
            (
                names[pair.a],
                names[pair.b],
                format_interval(pair.difference, scale=metric.scale, signed=True),
                format_p_value(pair.p_holm),
                format_interval(pair.win_share, scale=100),
                f"{pair.blocks:,}",
            )
            for pair in comparison.pairs
        ),
        "Ranges are 95 % intervals. p is corrected for the number of pairs (Holm). Ties are split.",
    )


def _sides_table(comparison: Comparison) -> Table:
    names = short_names(comparison.strategies)
    return Table(
        "Every strategy",
        ("strategy", "score of a seat", "wins of 100", "blocks"),
        tuple(
            (
                names[side.strategy],
                format_interval(side.score),
                format_interval(side.win_share, scale=100),
                f"{comparison.blocks:,}",
            )
            for side in comparison.sides
        ),
        "Ranges are 95 % intervals; over all games of the run.",
    )
