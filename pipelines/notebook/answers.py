"""Answers in notebooks: as HTML, as plain text on a console, and as data frames."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Final, TypeVar

import pandas as pd
from markupsafe import Markup, escape

from engine.errors import GameError, InvalidError, unknown_name_error
from pipelines.exchange.game_files import game_page
from pipelines.experiments import comparison, review_results, whatif
from pipelines.notebook.public_names import ListsPublicNames
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.report.charts import Chart, Scales
from pipelines.report.compose import compose
from pipelines.report.frame_columns import describe_column
from pipelines.report.runs import tabulate_runs
from pipelines.report.show.frames import list_frames, make_frame
from pipelines.report.show.html import render_template, sheet_style, write_sheet_html
from pipelines.report.show.terminal import write_sheet_lines
from pipelines.report.wording import format_count
from pipelines.runs.tables import import_polars
from pipelines.viewer.replay.assets import replay_script

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import polars as pl

    from engine.strategy import Player
    from pipelines.questions.whatif import WhatifAnswer
    from pipelines.report.sheet import Role, Sheet
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run


class ShownBySheet(ListsPublicNames):
    """An answer that Jupyter and consoles show by its `sheet`, with its numbers as data frames and its charts as figures."""

    sheet: Sheet

    @property
    def verdict(self) -> str:
        """The main result in one sentence."""
        return self.sheet.verdict

    @property
    def consequences(self) -> tuple[str, ...]:
        """What follows from it. Ranges in brackets are 95 % intervals."""
        return self.sheet.consequences

    @property
    def tables(self) -> tuple[str, ...]:
        """The names that `pandas` takes."""
        return tuple(list_frames(self.sheet))

    @property
    def charts(self) -> tuple[str, ...]:
        """The names that `figure` takes."""
        return tuple(part.key for part in self.sheet.parts if isinstance(part.content, Chart | Scales))

    def pandas(self, table: str = "") -> pd.DataFrame:
        """Return one of the `tables` as a data frame, without a name the main one.

        An interval is three columns: `x`, `x_low` and `x_high`, the ends of the 95 % interval. Shares are from 0 to 1, scores and
        differences are in points. Columns with `_0`, `_1` stand for seats, which count from 0. Raises InvalidError for another name.
        """
        return make_frame(self.sheet, table)

    def columns(self, table: str = "") -> pd.DataFrame:
        """Return the columns of one of the `tables`, with their types and what they mean. Raises InvalidError for another name."""
        frame = self.pandas(table)
        return pd.DataFrame(
            [
                {"column": name, "type": str(dtype), "meaning": describe_column(str(name))}
                for name, dtype in frame.dtypes.items()
            ]
        )

    def polars(self, table: str = "") -> pl.DataFrame:
        """Return the same as a data frame of Polars; raise InvalidError if Polars is not installed."""
        polars = import_polars()
        return polars.from_pandas(self.pandas(table))

    def figure(self, chart: str = "") -> go.Figure:
        """Return one of the `charts` as a figure of Plotly that can be changed, without a name the first one.

        `pandas` gives the numbers of a chart by the same name. Raises InvalidError for another name, for an answer without charts,
        and without Plotly.
        """
        return make_figure(self.sheet, chart)

    def __repr__(self) -> str:
        return sheet_text(self.sheet)

    def _repr_html_(self) -> str:
        return sheet_html(self.sheet)


class Answer(ShownBySheet):
    """The answer of a question that any page of the dashboard asks: scores, a card, the effect of a rule, a list of games."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = _leave_out_scenes(sheet)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answer) and self.sheet == other.sheet

    __hash__ = None  # type: ignore[assignment]  # a sheet holds lists


class Comparison(ShownBySheet, comparison.Comparison):
    """The answer of a comparison: `verdict`, `pairs`, `sides`, `controls` and more; its `sheet` is what Jupyter shows."""


class WhatIf(ShownBySheet, whatif.WhatIf):
    """The answer to a what-if: `seat_effects`, `differences`, `pandas()` and more; its `sheet` is what Jupyter shows."""

    def pandas(self, table: str = "") -> pd.DataFrame:
        """Return one of the `tables`, without a name a row per seat: its mean final score on both branches, the change of its score and wins.

        `strategy` plays on the changed branch, `n` is the number of continuations of each branch, and `_low` and `_high`
        are the ends of 95 % intervals. Numbers are missing if there are too few continuations.
        """
        if table:
            return super().pandas(table)
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

    def __getstate__(self) -> dict[str, object]:
        """Return what is pickled: players without their code, since all continuations have been played."""
        base, changed = (
            replace(branch, seating=tuple(map(_leave_out_code, branch.seating)))
            for branch in (self.fork.base, self.fork.changed)
        )
        return {**vars(self), "fork": replace(self.fork, base=base, changed=changed)}


def _leave_out_code(player: Player) -> Player:
    strategy = replace(player.strategy, make=None, check_ruleset=None, identify=None)
    return replace(player, strategy=strategy, decide=_refuse_to_decide)


def _refuse_to_decide(_: object, __: object) -> int:
    raise InvalidError("an answer that was pickled holds no strategies; ask the question again")


class Review(ShownBySheet, review_results.Review):
    """A reviewed game: `decisions`, `rolls`, `ledger(seat)` and more; its `sheet` is what Jupyter shows."""

    def __repr__(self) -> str:
        parts = tuple(part for part in self.sheet.parts if not isinstance(part.content, Chart))
        return sheet_text(replace(self.sheet, parts=parts))  # a value for each move would hide the rest


Shown = TypeVar("Shown", Comparison, WhatIf, Review)


def show_by_sheet(
    kind: type[Shown], value: comparison.Comparison | whatif.WhatIf | review_results.Review, sheet: Sheet
) -> Shown:
    """Return what an answer holds as an object of a class of this module, which is shown by the sheet of the answer."""
    answer = kind(**{field.name: getattr(value, field.name) for field in fields(value)})
    object.__setattr__(answer, "sheet", _leave_out_scenes(sheet))  # an answer is frozen
    return answer


def _leave_out_scenes(sheet: Sheet) -> Sheet:
    """Return a sheet without the replays, which need the script of a page."""
    still = tuple(part for part in sheet.parts if part.kind not in {"replay", "continuations"})
    return replace(sheet, parts=still)


def show_whatif(answer: WhatifAnswer) -> WhatIf:
    """Return the answer to a what-if question, which Jupyter shows by its sheet."""
    return show_by_sheet(
        WhatIf, answer.whatif, compose(answer, QuestionSource(only=(answer.run,)).find_looks)
    )


TITLE_PX: Final = 44
"""Height of the title of a figure: a page has its title above the figure, a notebook in it."""


def make_figure(sheet: Sheet, name: str = "") -> go.Figure:
    """Return a chart of a sheet with its title, the first one without a name. Raises InvalidError as `ShownBySheet.figure` does."""
    charts = {part.key: part.content for part in sheet.parts if isinstance(part.content, Chart | Scales)}
    if not charts:
        raise InvalidError("this answer has no chart; pandas() gives its numbers")
    if name and name not in charts:
        raise unknown_name_error("chart", name, charts)
    try:
        from pipelines.report.show.figures import build_figure, build_scales, keep_look  # noqa: PLC0415 - Plotly takes 0.3 s to import and is an extra
    except ModuleNotFoundError as error:
        if error.name != "plotly":
            raise
        raise InvalidError("figures need Plotly: in a clone of Reroll, pip install '.[notebook]'") from None
    chart = charts[name or next(iter(charts))]
    figure = keep_look(build_scales(chart) if isinstance(chart, Scales) else build_figure(chart))
    title = {
        "text": str(escape(chart.title)),
        "x": 0,
        "xref": "container",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 10},
    }
    return figure.update_layout(
        title=title,
        height=(figure.layout.height or 0) + TITLE_PX,
        margin_t=(figure.layout.margin.t or 0) + TITLE_PX,
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


def game_html(run: Run, game_id: int, ply: int | None = None) -> str:
    """Return the replay of a game in a sandboxed frame, opened at a ply, or the reason why it cannot be replayed."""
    try:
        page = game_page(run, game_id, ply)
    except GameError as error:
        return _render("no_replay.html", title=f"{run.name}, game {game_id + 1}", reason=str(error))
    return _render(
        "replay.html",
        page=page,
        script=replay_script("embed"),
        line=game_text_line(run, game_id),
        game_number=game_id + 1,
        height=REPLAY_HEIGHT_PIXELS,
    )


def replay_without_widget_html(run: Run, game_id: int, line: str) -> str:
    """Return a line on what is missing, and the replay of a game below it."""
    return _render("replay_without_widget.html", line=line, replay=Markup(game_html(run, game_id)))  # noqa: S704 - from a template


def sheet_html(sheet: Sheet) -> str:
    """Return a sheet in the frame of a notebook, without the replays."""
    style = Markup(sheet_style())  # noqa: S704 - a file of this project
    return _render("sheet.html", sheet=write_sheet_html(_leave_out_scenes(sheet)), sheet_style=style)


def _render(name: str, **values: object) -> str:
    return str(
        render_template("pipelines.notebook", name, **values)
    )  # a plain text can be joined with others


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
