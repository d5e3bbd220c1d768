"""What Jupyter shows of a library, a run, a game and the sheet of an answer: HTML and SVG."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from engine.errors import GameError
from pipelines.exchange.game_files import game_page
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.report.compose import compose
from pipelines.report.runs import tabulate_runs
from pipelines.report.show.html import sheet_style, write_sheet_html
from pipelines.report.show.render import render_template
from pipelines.report.show.svg import chart_style
from pipelines.report.wording import format_count

if TYPE_CHECKING:
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
    """Return the sheet of its scores."""
    source = QuestionSource(only=(run,))
    return sheet_html(compose(answer_scores(ScoresQuestion(runs=(run.name,)), source), source.find_looks))


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
    """Return a sheet in the frame of a notebook, without the replays, which need the script of a page."""
    still = tuple(part for part in sheet.parts if part.kind not in {"replay", "continuations"})
    style = Markup(sheet_style())  # noqa: S704 - a file of this project
    return _render("sheet.html", sheet=write_sheet_html(replace(sheet, parts=still)), sheet_style=style)


def _render(name: str, **values: object) -> Markup:
    return render_template("pipelines.notebook", name, chart_style=Markup(chart_style()), **values)  # noqa: S704 - a file of this project
