"""The section of a study on a comparison of strategies: the verdict, every pair with its interval, and the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.metrics import METRICS
from pipelines.design.short_names import short_names
from pipelines.report.charts import Estimate, Histogram, Intervals, Mark
from pipelines.report.charts.svg import draw_chart
from pipelines.report.estimates import set_sentence
from pipelines.report.sentences.comparison import describe_basis, describe_failed_checks
from pipelines.report.tables.comparison import main_pairs_table, sides_table
from pipelines.report.wording import format_count
from pipelines.studies.scores import MAX_STRATEGIES, read_scores
from pipelines.studies.sources import run_facts
from pipelines.studies.study import Chart, Section

if TYPE_CHECKING:
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.questions.comparison.answer import ComparisonAnswer
    from pipelines.runs.run import Run
    from pipelines.studies.sources import StudySource


def describe_comparison(source: StudySource, answer: ComparisonAnswer) -> Section:
    """Return the section of a comparison."""
    run, comparison = answer.run, answer.comparison
    names = short_names(comparison.strategies)
    validity = set_sentence(comparison.interval_validity)
    return Section(
        kind="comparison",
        title=" against ".join(names[name] for name in comparison.strategies)
        if len(comparison.strategies) == 2
        else f"{len(comparison.strategies)} strategies compared",
        verdict=comparison.verdict,
        warning=describe_failed_checks(comparison.controls),
        consequences=comparison.consequences,
        basis=f"{describe_basis(comparison)} What is compared: {comparison.estimand} {validity}".rstrip(),
        charts=(_draw_differences(source, comparison), *_draw_scores(source, run, comparison)),
        tables=(main_pairs_table(comparison), sides_table(comparison)),
        facts=run_facts(run),
        commands=(comparison.command,),
    )


def _draw_differences(source: StudySource, comparison: Comparison) -> Chart:
    metric, looks = METRICS[comparison.metric], source.find_looks(comparison.strategies)
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
    scores = read_scores(source, [run], summary)
    if len(scores.series) > MAX_STRATEGIES:
        return ()
    title = f"Final scores under {comparison.ruleset}"
    return (
        Chart(
            title,
            draw_chart(Histogram(scores.series, "final score in points", title)),
            "The share of the results with each score. 95 % intervals of the means count blocks.",
        ),
    )
