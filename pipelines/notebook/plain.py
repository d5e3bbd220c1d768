"""What objects show on a console without HTML: a few lines of text, as `repr` returns them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.errors import GameError
from pipelines.report.show.terminal import write_sheet_lines

if TYPE_CHECKING:
    from collections.abc import Collection

    from pipelines.report.sheet import Role, Sheet
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


def sheet_text(sheet: Sheet, roles: Collection[Role] = ("main", "beside")) -> str:
    """Return what a sheet says, and its parts of some roles: by default what it shows first."""
    return "\n".join(write_sheet_lines(sheet, CONSOLE_WIDTH, roles))
