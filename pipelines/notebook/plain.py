"""What objects show on a console without HTML: a few lines of text, as `repr` returns them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.errors import GameError
from pipelines.experiments.review.review_results import DECISION_CLASSES
from pipelines.report.sentences.whatif import whatif_sentence
from pipelines.report.show.terminal import write_sheet_lines
from pipelines.report.tables.review import LEDGER_COLUMNS, ledger_table
from pipelines.report.tables.whatif import effects_table
from pipelines.report.text_tables import format_table

if TYPE_CHECKING:
    from pipelines.experiments.review.review_results import Review
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.report.sheet import Sheet
    from pipelines.report.tables.table import Table
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run

MAX_RUNS_LISTED: Final = 20
CONSOLE_WIDTH: Final = 160
"""Characters in a line of a table."""


def library_text(library: Library) -> str:
    """Return the folder of a library and its newest runs."""
    runs = library.runs()
    lines = [f"Library {library.folder}: {len(runs) or 'no'} run{'s' * (len(runs) != 1)}"]
    lines += [f"  {run_text(run)}" for run in runs[:MAX_RUNS_LISTED]]
    if len(runs) > MAX_RUNS_LISTED:
        lines.append(f"  and {len(runs) - MAX_RUNS_LISTED} older ones")
    return "\n".join(lines)


def run_text(run: Run) -> str:
    """Return a run in one line."""
    try:
        summary = run.summary
    except GameError as error:
        return f"Run {run.name}: {error}"
    rulesets = ", ".join(ruleset.name for ruleset in summary.rulesets)
    games = f"{summary.games:,} game{'s' * (summary.games != 1)}"
    return f"Run {run.name}: {games} of {rulesets}, {summary.lineup}"


def game_text_line(run: Run, game_id: int) -> str:
    """Return a game and its result in one line."""
    try:
        seats = run.seats(game_id)
    except GameError as error:
        return f"Game {game_id + 1} of {run.name}: {error}"
    return f"Game {game_id + 1} of {run.name}: " + ", ".join(
        f"{seat.strategy} {seat.score}" for seat in seats
    )


def sheet_text(sheet: Sheet) -> str:
    """Return what a sheet says and shows first."""
    return "\n".join(write_sheet_lines(sheet, CONSOLE_WIDTH, ("main", "beside")))


def whatif_text(answer: WhatIf) -> str:
    """Return the question, the answer in a sentence, and a table of the players."""
    fork = answer.fork
    return "\n".join(
        [
            f"Game {fork.game_id + 1}: what if, from move {fork.ply + 1} on, {fork.change_words}?",
            whatif_sentence(answer),
            _draw_table(effects_table(answer)),
        ]
    )


def review_text(review: Review) -> str:
    """Return a table of the players: where their results came from, and the classes of their decisions."""
    strategies = [""] * review.scores.shape[1]  # a review does not know who played
    ledgers = ledger_table(review, strategies).select_columns("player", *LEDGER_COLUMNS, *DECISION_CLASSES)
    return "\n".join(
        [
            f"Review of game {review.game_id + 1} of {review.run} ({review.ruleset}), playouts by {review.policy}:",
            _draw_table(ledgers),
        ]
    )


def _draw_table(table: Table) -> str:
    return format_table(table.columns, table.formatted, CONSOLE_WIDTH)
