"""What Jupyter shows of a library, a run, a game, a comparison and a what-if: HTML and SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from engine.errors import GameError
from pipelines.exchange.html import game_page
from pipelines.questions.scores.run_results import answer_run
from pipelines.report.charts import Histogram
from pipelines.report.charts.scores import make_score_series
from pipelines.report.charts.svg import chart_style, draw_chart
from pipelines.report.charts.whatif import score_changes_chart
from pipelines.report.estimates import set_sentence
from pipelines.report.render import render_template
from pipelines.report.sentences.whatif import basis_sentence, whatif_sentence
from pipelines.report.show.html import sheet_style, write_sheet_html
from pipelines.report.tables.runs import tabulate_runs
from pipelines.report.tables.scores import tabulate_strategy_results
from pipelines.report.tables.whatif import effects_table
from pipelines.report.wording import format_count
from pipelines.viewer.strategy_looks import assign_strategy_looks

if TYPE_CHECKING:
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.report.sheet import Sheet
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
        runs=tabulate_runs(runs[:MAX_RUNS_SHOWN]),
        notes=[
            *([f"and {hidden} more"] if hidden > 0 else []),
            *(
                f"{unfinished.name}: {unfinished.games_done:,} of {format_count(unfinished.games, 'game')}"
                for unfinished in library.unfinished_runs()
            ),
            *map(str, library.broken_files().values()),
        ],
    )


def run_html(run: Run) -> str:
    """Return what was played, the histogram of the scores, and the mean of each strategy with its interval."""
    summary = run.summary
    results = answer_run(run)
    looks = assign_strategy_looks(more=summary.strategies)
    series = make_score_series([one.group for one in results], looks)
    rulesets = ", ".join(ruleset.title for ruleset in summary.rulesets)
    return _render(
        "run.html",
        title=summary.title,
        description=f"{run.name}: {format_count(summary.games, 'game')} of {rulesets}, seed {summary.seed}, log {summary.log}",
        histogram=draw_chart(Histogram(series, "final score in points", "Distribution of final scores")),
        results=tabulate_strategy_results(results),
        command=summary.command,
    )


def game_html(run: Run, game_id: int) -> str:
    """Return the replay of a game in a sandboxed frame, or the reason why it cannot be replayed."""
    try:
        page = game_page(run, game_id)
    except GameError as error:
        return _render("no_replay.html", title=f"{run.name}, game {game_id + 1}", reason=str(error))
    return _render("replay.html", page=page, game_number=game_id + 1, height=REPLAY_HEIGHT_PIXELS)


def replay_without_widget_html(run: Run, game_id: int, line: str) -> str:
    """Return a line on what is missing, and the replay of a game below it."""
    return _render("replay_without_widget.html", line=line, replay=Markup(game_html(run, game_id)))  # noqa: S704 - from a template


def sheet_html(sheet: Sheet) -> str:
    """Return a sheet in the frame of a notebook."""
    style = Markup(sheet_style())  # noqa: S704 - a file of this project
    return _render("sheet.html", sheet=write_sheet_html(sheet), sheet_style=style)


def whatif_html(answer: WhatIf) -> str:
    """Return what the change does to every player."""
    fork = answer.fork
    return _render(
        "whatif.html",
        title=f"What if {fork.change_words}?",
        sentence=whatif_sentence(answer),
        description=f"game {fork.game_id + 1}, before move {fork.ply + 1}, seed {answer.seed}: "
        f"{set_sentence(basis_sentence(answer))}",
        intervals=draw_chart(score_changes_chart(answer)),
        effects=effects_table(answer),
    )


def _render(name: str, **values: object) -> Markup:
    return render_template("pipelines.notebook", name, chart_style=Markup(chart_style()), **values)  # noqa: S704 - a file of this project
