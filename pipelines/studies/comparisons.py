"""The section of a study on a comparison of strategies: the verdict, every pair with its interval, and the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.counted_nouns import capitalise
from pipelines.design.short_names import short_names
from pipelines.questions.scores.distributions import read_score_groups
from pipelines.questions.scores.question import MAX_STRATEGIES
from pipelines.questions.scores.scope import scope_of_run
from pipelines.questions.source import QuestionSource
from pipelines.report.charts import Histogram
from pipelines.report.charts.comparison import pair_chart
from pipelines.report.charts.scores import make_score_series
from pipelines.report.estimates import set_sentence
from pipelines.report.sentences.comparison import describe_basis, describe_failed_checks
from pipelines.report.show.svg import draw_chart
from pipelines.report.tables.comparison import main_pairs_table, sides_table
from pipelines.report.wording import format_count
from pipelines.studies.sources import run_facts
from pipelines.studies.study import Chart, Fact, Section

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
        title=capitalise(" against ".join(names[name] for name in comparison.strategies))
        if len(comparison.strategies) == 2
        else f"{len(comparison.strategies)} strategies compared",
        verdict=comparison.verdict,
        warning=describe_failed_checks(comparison.controls),
        consequences=comparison.consequences,
        basis=f"{describe_basis(comparison)} {validity}".rstrip(),
        charts=(_draw_differences(source, comparison), *_draw_scores(source, run, comparison)),
        tables=(main_pairs_table(comparison), sides_table(comparison)),
        facts=(Fact("Compared", comparison.estimand), *run_facts(run)),
        commands=(comparison.command,),
    )


def _draw_differences(source: StudySource, comparison: Comparison) -> Chart:
    chart = pair_chart(comparison, source.find_looks(comparison.strategies))
    return Chart(
        chart.title,
        draw_chart(chart),
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
    series = make_score_series(groups, source.find_looks(comparison.strategies))
    return (
        Chart(
            title,
            draw_chart(Histogram(series, "final score in points", title)),
            "The share of the results with each score. 95 % intervals of the means count blocks.",
        ),
    )
