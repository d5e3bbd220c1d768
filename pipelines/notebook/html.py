"""What Jupyter shows of a library, a run, a game, a comparison and a what-if: HTML and SVG."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

import numpy as np
from markupsafe import Markup

from engine.errors import GameError
from pipelines.design.metrics import METRICS
from pipelines.exchange.html import game_page
from pipelines.report.charts import Estimate, Histogram, Intervals, Mark, ScoreSeries
from pipelines.report.charts.svg import chart_style, draw_chart
from pipelines.report.estimates import format_interval, set_sentence
from pipelines.report.render import render_template
from pipelines.report.sentences.comparison import describe_basis, describe_failed_checks
from pipelines.report.sentences.whatif import basis_sentence, whatif_sentence
from pipelines.report.tables.comparison import main_pairs_table, sides_table
from pipelines.report.tables.whatif import effect_rows
from pipelines.statistics import Distribution, share_interval, t_interval
from pipelines.viewer.strategy_looks import assign_strategy_looks

if TYPE_CHECKING:
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run

MAX_RUNS_SHOWN: Final = 20
REPLAY_HEIGHT_PIXELS: Final = 860
"""Height of a replay: boards, controls and the list of plies in a notebook's column."""


def library_html(library: Library) -> str:
    """Return a table of the newest runs of a library, then the unfinished runs and the broken files."""
    runs = library.runs()
    hidden = len(runs) - MAX_RUNS_SHOWN
    return _render(
        "library.html",
        title=f"Library {library.folder}",
        rows=[
            (
                run.name,
                ", ".join(ruleset.name for ruleset in run.summary.rulesets),
                ", ".join(run.summary.strategies),
                run.summary.games,
                f"{run.summary.created_at:%Y-%m-%d %H:%M}",
            )
            for run in runs[:MAX_RUNS_SHOWN]
        ],
        notes=[
            *([f"and {hidden} more"] if hidden > 0 else []),
            *(
                f"{unfinished.name}: {unfinished.games_done:,} of {unfinished.games:,} games"
                for unfinished in library.unfinished_runs()
            ),
            *map(str, library.broken_files().values()),
        ],
    )


def run_html(run: Run) -> str:
    """Return what was played, the histogram of the scores, and the mean of each strategy with its interval."""
    summary = run.summary
    with run.connect() as connection:
        columns = connection.execute(
            "SELECT strategy, count(*), avg(score), avg(win_share) FROM seats JOIN games USING (game_id) "
            "GROUP BY strategy, block ORDER BY strategy, block"
        ).fetchnumpy()
        counts = connection.execute(
            "SELECT strategy, score, sum(games)::BIGINT FROM score_histogram GROUP BY ALL ORDER BY ALL"
        ).fetchall()
    looks = assign_strategy_looks(more=summary.strategies)
    strategies, results, scores, wins = (np.asarray(column) for column in columns.values())
    series = []
    for strategy, rows in groupby(counts, key=lambda row: row[0]):
        histogram = np.array([(score, results) for _, score, results in rows], dtype=np.int64)
        own = scores[strategies == strategy]
        series.append(
            ScoreSeries("", strategy, Distribution(*histogram.T), len(own), t_interval(own), looks[strategy])
        )
    means = [
        (
            strategy,
            int(results[rows].sum()),
            int(rows.sum()),
            format_interval(t_interval(scores[rows])),
            format_interval(share_interval(wins[rows]), scale=100),
        )
        for strategy in summary.strategies
        if (rows := strategies == strategy).any()
    ]
    rulesets = ", ".join(ruleset.title for ruleset in summary.rulesets)
    return _render(
        "run.html",
        title=summary.title,
        description=f"{run.name}: {summary.games:,} games of {rulesets}, seed {summary.seed}, log {summary.log}",
        histogram=draw_chart(Histogram(series, "final score in points", "Distribution of final scores")),
        means=means,
        command=summary.command,
    )


def game_html(run: Run, game_id: int) -> str:
    """Return the replay of a game in a sandboxed frame, or the reason why it cannot be replayed."""
    try:
        page = game_page(run, game_id)
    except GameError as error:
        return _render("no_replay.html", title=f"{run.name}, game {game_id}", reason=str(error))
    return _render("replay.html", page=page, game_id=game_id, height=REPLAY_HEIGHT_PIXELS)


def replay_without_widget_html(run: Run, game_id: int, line: str) -> str:
    """Return a line on what is missing, and the replay of a game below it."""
    return _render("replay_without_widget.html", line=line, replay=Markup(game_html(run, game_id)))  # noqa: S704 - from a template


def comparison_html(comparison: Comparison) -> str:
    """Return the verdict, then every pair with its interval, then the strategies and the controls that fail."""
    metric = METRICS[comparison.metric]
    looks = assign_strategy_looks(more=comparison.strategies)
    estimates = [
        Estimate(
            f"{pair.a} minus {pair.b}",
            comparison.ruleset,
            pair.a,
            pair.difference.times(metric.scale),
            pair.blocks,
            looks[pair.a],
        )
        for pair in comparison.pairs
        if pair.difference
    ]
    return _render(
        "comparison.html",
        title=comparison.verdict,
        consequences=comparison.consequences,
        description=describe_basis(comparison),
        estimand=comparison.estimand,
        validity=comparison.interval_validity,
        warning=describe_failed_checks(comparison.controls),
        tables=[main_pairs_table(comparison), sides_table(comparison)],
        intervals=draw_chart(
            Intervals(
                estimates,
                f"first minus second, {metric.many} a game",
                f"Differences in {metric.many}",
                mark=Mark(0),
            )
        ),
        command=comparison.command,
    )


def whatif_html(answer: WhatIf) -> str:
    """Return what the change does to every player."""
    fork = answer.fork
    strategies = [player.label for player in fork.changed.seating]
    looks = assign_strategy_looks(more=strategies)
    estimates = [
        Estimate(
            f"player {effect.seat + 1}, {strategies[effect.seat]}",
            fork.ruleset.name,
            strategies[effect.seat],
            effect.score,
            answer.n,
            looks[strategies[effect.seat]],
        )
        for effect in answer.seat_effects
        if effect.score
    ]
    effects = effect_rows(answer)
    return _render(
        "whatif.html",
        title=f"What if {fork.change}?",
        sentence=whatif_sentence(answer),
        description=f"game {fork.game_id}, before ply {fork.ply}, seed {answer.seed}: "
        f"{set_sentence(basis_sentence(answer))}",
        intervals=draw_chart(
            Intervals(
                estimates,
                "changed minus original, points",
                "Change of the final score",
                "continuation",
                Mark(0),
            )
        ),
        columns=tuple(effects[0]),
        effects=[tuple(row.values()) for row in effects],
    )


def _render(name: str, **values: object) -> Markup:
    return render_template("pipelines.notebook", name, chart_style=Markup(chart_style()), **values)  # noqa: S704 - a file of this project
