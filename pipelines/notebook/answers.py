"""Answers in notebooks: as HTML, as plain text on a console, and as data frames."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Final, TypeVar

import pandas as pd
from markupsafe import Markup

from engine.errors import GameError
from pipelines.exchange.game_files import game_page
from pipelines.experiments import comparison, review_results, whatif
from pipelines.questions.scores import decisions
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.report.compose import compose
from pipelines.report.runs import tabulate_runs
from pipelines.report.show.html import chart_style, render_template, sheet_style, write_sheet_html
from pipelines.report.show.terminal import write_sheet_lines
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from pipelines.questions.whatif import WhatifAnswer
    from pipelines.report.sheet import Role, Sheet
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run


class ShownBySheet:
    """An answer that consoles and Jupyter show by its `sheet`."""

    sheet: Sheet

    @property
    def verdict(self) -> str:
        """The main result in one sentence."""
        return self.sheet.verdict

    @property
    def consequences(self) -> tuple[str, ...]:
        """What follows from it. Ranges in brackets are 95 % intervals."""
        return self.sheet.consequences

    def __repr__(self) -> str:
        return sheet_text(self.sheet)

    def _repr_html_(self) -> str:
        return sheet_html(self.sheet)


class Comparison(ShownBySheet, comparison.Comparison):
    """The answer of a comparison: `verdict`, `pairs`, `sides`, `controls` and more; its `sheet` is what Jupyter shows."""


class WhatIf(ShownBySheet, whatif.WhatIf):
    """The answer to a what-if: `seat_effects`, `differences`, `pandas()` and more; its `sheet` is what Jupyter shows."""

    def pandas(self) -> pd.DataFrame:
        """Return one row per seat: its mean final score on both branches, and the change of its score and of its wins.

        `strategy` plays on the changed branch, `n` is the number of continuations of each branch, and `_low` and `_high`
        are the ends of 95 % intervals. Numbers are missing if there are too few continuations.
        """
        rows = []
        for effect, player in zip(self.seat_effects, self.fork.changed.seating, strict=True):
            row: dict[str, object] = {"seat": effect.seat, "strategy": player.label, "n": self.n}
            for name, interval in (
                ("original", effect.base),
                ("changed", effect.changed),
                ("difference", effect.score),
                ("win_difference", effect.win_share),
            ):
                low, high = (interval.low, interval.high) if interval else (math.nan, math.nan)
                row |= {
                    name: interval.estimate if interval else math.nan,
                    f"{name}_low": low,
                    f"{name}_high": high,
                }
            rows.append(row)
        return pd.DataFrame(rows)


class Review(ShownBySheet, review_results.Review):
    """A reviewed game: `decisions`, `rolls`, `ledger(seat)` and more; its `sheet` is what Jupyter shows."""

    def __repr__(self) -> str:
        return sheet_text(self.sheet)


class Decisions(ShownBySheet, decisions.DecisionsAnswer):
    """What the decisions and rolls of reviewed games lost or gave: `totals`, `groups` and more; its `sheet` is what Jupyter shows."""


Shown = TypeVar("Shown", Comparison, WhatIf, Review, Decisions)


def show_by_sheet(
    kind: type[Shown],
    value: comparison.Comparison | whatif.WhatIf | review_results.Review | decisions.DecisionsAnswer,
    sheet: Sheet,
) -> Shown:
    """Return what an answer holds as an object of a class of this module, which is shown by the sheet of the answer."""
    answer = kind(**{field.name: getattr(value, field.name) for field in fields(value)})
    object.__setattr__(answer, "sheet", sheet)  # an answer is frozen
    return answer


def show_whatif(answer: WhatifAnswer) -> WhatIf:
    """Return the answer to a what-if question, which Jupyter shows by its sheet."""
    return show_by_sheet(
        WhatIf, answer.whatif, compose(answer, QuestionSource(only=(answer.run,)).find_looks)
    )


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
