"""Sections of a study on scores: the distributions of the strategies in runs of one ruleset, with their means."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.errors import InvalidError
from pipelines.design.short_names import short_names
from pipelines.report.charts import Histogram, ScoreSeries
from pipelines.report.charts.svg import draw_chart
from pipelines.report.estimates import format_interval
from pipelines.report.tables.table import Table
from pipelines.report.wording import format_count
from pipelines.runs.attach import connect_runs
from pipelines.statistics.block_sums import BlockSum, block_sums_mean
from pipelines.statistics.distributions import Distribution
from pipelines.studies.sources import run_facts, run_title
from pipelines.studies.study import Chart, Fact, Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.runs.run import Run
    from pipelines.runs.summary import RulesetSummary
    from pipelines.studies.sources import StudySource

MAX_STRATEGIES = 8
"""Strategies in one chart; more lines cannot be distinguished."""
MAX_RUNS_LISTED = 12


class RulesetScores(NamedTuple):
    """The scores of all strategies under one ruleset in some runs."""

    series: tuple[ScoreSeries, ...]
    games: int


def read_scores(source: StudySource, runs: Sequence[Run], ruleset: RulesetSummary) -> RulesetScores:
    """Return the distribution of the final scores of every strategy. Raises InvalidError if there are none."""
    with connect_runs(runs, [ruleset.sha256]) as connection:
        chosen = "JOIN rulesets AS r ON r.run = t.run AND r.ruleset = t.ruleset WHERE r.sha256 = $sha256"
        counts = connection.execute(
            f"SELECT strategy, score, sum(games)::BIGINT FROM score_histogram AS t {chosen} GROUP BY ALL ORDER BY ALL",  # noqa: S608 - made of constants
            {"sha256": ruleset.sha256},
        ).fetchall()
        sums = connection.execute(
            f"SELECT strategy, seats_per_block, sum(n)::BIGINT, sum(score_sum)::DOUBLE, sum(score_square_sum)::DOUBLE "  # noqa: S608 - as above
            f"FROM block_scores AS t {chosen} GROUP BY ALL ORDER BY ALL",
            {"sha256": ruleset.sha256},
        ).fetchall()
        games = connection.execute(
            f"SELECT count(*) FROM games AS t {chosen}",  # noqa: S608 - as above
            {"sha256": ruleset.sha256},
        ).fetchall()[0][0]
    if not counts:
        raise InvalidError(f"there are no games of {ruleset.name}")
    strategies = tuple(dict.fromkeys(strategy for strategy, *_ in counts))
    looks, names = source.find_looks(strategies), short_names(strategies)
    series = []
    for strategy, rows in groupby(counts, key=lambda row: row[0]):
        columns = np.array([(score, results) for _, score, results in rows], dtype=np.int64)
        own = [BlockSum(*values) for name, *values in sums if name == strategy]
        series.append(
            ScoreSeries(
                ruleset.name,
                strategy,
                Distribution(columns[:, 0], columns[:, 1]),
                sum(one.blocks for one in own),
                block_sums_mean(own),
                looks[strategy],
                title=names[strategy],
            )
        )
    return RulesetScores(tuple(series), games)


def describe_run(source: StudySource, run: Run) -> Section:
    """Return the section of a whole run. Raises InvalidError if the run has no games."""
    section = _describe_scores(source, [run], run.summary.rulesets[0])
    return Section(
        **{
            **vars(section),
            "kind": "run",
            "title": run_title(run),
            "facts": run_facts(run),
            "commands": (run.summary.command,),
        }
    )


def describe_ruleset_scores(source: StudySource, name: str, runs: Sequence[Run] = ()) -> Section:
    """Return the section of the scores under a ruleset in some runs, by default in all that play whole games.

    The games of a what-if begin in the middle of another game, so they do not count. Raises InvalidError if there are no
    games.
    """
    found, playing = find_ruleset_runs(source, name, runs)
    return _describe_scores(source, playing, found)


def find_ruleset_runs(
    source: StudySource, name: str, runs: Sequence[Run] = ()
) -> tuple[RulesetSummary, list[Run]]:
    """Return a ruleset with those of some runs that play it, by default of all that play whole games.

    Runs may use one name for different rules; those of the newest run count. Raises InvalidError if no run plays it.
    """
    wanted = list(runs) or [run for run in source.runs if run.summary.plays_whole_games]
    found = next((one for run in wanted for one in run.summary.rulesets if one.name == name), None)
    if found is None:
        raise InvalidError(f"the library has no games of {name[:80]}")
    return found, [run for run in wanted if any(one.sha256 == found.sha256 for one in run.summary.rulesets)]


def _describe_scores(source: StudySource, runs: Sequence[Run], ruleset: RulesetSummary) -> Section:
    scores = read_scores(source, runs, ruleset)
    shown = scores.series[:MAX_STRATEGIES]
    hidden = len(scores.series) - len(shown)
    more = (
        f" {format_count(hidden, 'more strategy').replace('strategys', 'strategies')} stand in the table."
        if hidden
        else ""
    )
    fewer = " The lowest score wins." if ruleset.lowest_wins else ""
    title = f"Final scores under {ruleset.name}"
    listed = runs[:MAX_RUNS_LISTED]
    return Section(
        kind="scores",
        title=f"Scores of {ruleset.title} for {format_count(ruleset.players, 'player')}",
        basis=f"{format_count(scores.games, 'game')} in {format_count(len(runs), 'run')} of {ruleset.name}.{fewer}",
        charts=(
            Chart(
                title,
                draw_chart(Histogram(shown, "final score in points", title)),
                f"The share of the results with each score. 95 % intervals of the means count blocks, whose games share their luck.{more}",
            ),
        ),
        tables=(means_table(scores),),
        facts=(
            Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}"),
            Fact(
                "Runs",
                ", ".join(run.name for run in listed) + (" and more" if len(runs) > len(listed) else ""),
            ),
        ),
        commands=tuple(run.summary.command for run in listed),
    )


def means_table(scores: RulesetScores) -> Table:
    """Return the means of all strategies as a table."""
    return Table(
        "Mean scores",
        ("strategy", "results", "blocks", "mean score, 95 % interval", "middle half of the scores"),
        tuple(
            (
                one.name,
                f"{one.scores.n:,}",
                f"{one.blocks:,}",
                format_interval(one.mean),
                f"{one.scores.quantile(0.25)} to {one.scores.quantile(0.75)}",
            )
            for one in scores.series
        ),
    )
