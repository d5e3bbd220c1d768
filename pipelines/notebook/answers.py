"""Answers in notebooks: as HTML, as plain text on a console, and as data frames."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Collection, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pandas as pd
from markupsafe import Markup, escape

from engine.errors import GameError, InvalidError, unknown_name_error
from pipelines.exchange.game_files import game_page
from pipelines.experiments import comparison, review_results, whatif
from pipelines.notebook.board_picture import draw_final_boards
from pipelines.notebook.lab_theme import has_dark_theme
from pipelines.notebook.public_names import ListsPublicNames
from pipelines.questions.address import UnknownName
from pipelines.questions.source import QuestionSource
from pipelines.report.charts import Chart, Scales
from pipelines.report.compose import compose
from pipelines.report.estimates import set_sentence
from pipelines.report.frame_columns import describe_column
from pipelines.report.rules import tabulate_options
from pipelines.report.runs import tabulate_runs
from pipelines.report.show.frames import list_frames, make_frame
from pipelines.report.show.html import render_template, sheet_style, write_sheet_html
from pipelines.report.show.terminal import write_sheet_lines
from pipelines.report.table import Table
from pipelines.report.wording import format_count
from pipelines.runs.tables import import_polars
from pipelines.runs.unfinished_run import UnfinishedRun
from pipelines.viewer.replay.assets import replay_script

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import polars as pl

    from engine.ruleset import Ruleset
    from engine.strategy import Player
    from pipelines.questions.whatif import WhatifAnswer
    from pipelines.report.sheet import Part, Role, Sheet
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run


class ColumnMeanings(pd.DataFrame):
    """The columns of a frame with their types and meanings, which are shown whole."""

    @classmethod
    def of_frame(cls, frame: pd.DataFrame, meanings: Sequence[str]) -> ColumnMeanings:
        return cls({"column": [*frame], "type": [*map(str, frame.dtypes)], "meaning": meanings})

    def __repr__(self) -> str:
        texts = [[*map(str, row)] for row in ([*self.columns], *self.to_numpy().tolist())]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in texts)

    def _repr_html_(self) -> str:
        rows = tuple(map(tuple, self.to_numpy().tolist()))
        return _render("table.html", title="", table=Table("", tuple(self.columns), rows), notes=[])


class ShownBySheet(ListsPublicNames):
    """An answer that Jupyter and consoles show by its `sheet`, with its numbers as data frames and its charts as figures."""

    sheet: Sheet

    @property
    def verdict(self) -> str:
        """The main result in words that begin with a capital and end with a full stop."""
        return set_sentence(self.sheet.verdict)

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
        differences are in points. What stands by seat is a row for each seat, from 0. Raises InvalidError for another name.
        """
        return make_frame(self.sheet, table)

    def columns(self, table: str = "") -> ColumnMeanings:
        """Return the columns of one of the `tables`, with their types and what they mean. Raises InvalidError for another name."""
        frame = self.pandas(table)
        names = [*map(str, frame)]
        return ColumnMeanings.of_frame(
            frame, [describe_column(name, table or self.tables[0], names) for name in names]
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

    def list_names(self, argument: str, call: str = "", first_value: str = "") -> tuple[str, ...]:  # noqa: ARG002 - others need it
        """Return the names that an argument of a call takes."""
        return {"table": self.tables, "chart": self.charts}.get(argument, ())

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


_REVIEW_COMMAND: Final = re.compile(r"reroll review (\S+) --games all")


def show_answer(answer: Any, source: QuestionSource) -> Answer:  # noqa: ANN401 - each kind of question has its own answer
    """Return the answer to a question. Raises InvalidError with the names in it that do not exist; a page shows something else."""
    unknown = [problem for problem in getattr(answer, "problems", ()) if isinstance(problem, UnknownName)]
    if unknown:
        raise InvalidError(" ".join(unknown))
    sheet = compose(answer, source.find_looks)
    lines = (_REVIEW_COMMAND.sub(r'library["\1"].review_all()', line) for line in sheet.consequences)
    return Answer(replace(sheet, consequences=tuple(lines)))


class Comparison(ShownBySheet, comparison.Comparison):
    """The answer of a comparison: `verdict`, `pairs`, `sides`, `controls` and more; its `sheet` is what Jupyter shows."""


class WhatIf(ShownBySheet, whatif.WhatIf):
    """The answer to a what-if: `seat_effects`, `differences` and more; its `sheet` is what Jupyter shows.

    `pandas()` is the table `seats`: a row per seat with its mean final score on both branches, and the changes of its score, lead,
    rank and wins. `strategy` plays on the changed branch, `continuations` is their number on each branch. Numbers are missing
    if there are too few continuations.
    """

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
FIGURE_WIDTH_PX: Final = 570
"""What a page of A4 has room for beside the numbers of the cells: Plotly draws a figure for the screen and does not draw it again for paper."""


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
        raise InvalidError(
            "figures need Plotly: in a clone of Reroll, pip install -e '.[notebook]'"
        ) from None
    chart = charts[name or next(iter(charts))]
    figure = build_scales(chart) if isinstance(chart, Scales) else build_figure(chart)
    figure = keep_look(figure, is_dark=has_dark_theme())
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
        width=FIGURE_WIDTH_PX,
        height=(figure.layout.height or 0) + TITLE_PX,
        margin_t=(figure.layout.margin.t or 0) + TITLE_PX,
    )


MAX_RUNS_SHOWN: Final = 10


def library_html(library: Library) -> str:
    """Return a table of the newest runs of a library, then the unfinished runs and the broken files."""
    runs = library.runs()
    hidden = len(runs) - MAX_RUNS_SHOWN
    return _render(
        "table.html",
        title=f"Library {library.folder}",
        table=tabulate_runs(runs[:MAX_RUNS_SHOWN]),
        notes=[
            *([] if runs else ["no runs yet"]),
            *([f"and {hidden} more, which library.runs() lists"] if hidden > 0 else []),
            *(
                f"{unfinished.name}: {unfinished.games_done:,} of {format_count(unfinished.games, 'game')}"
                for unfinished in library.unfinished_runs()
            ),
            *map(str, library.broken_files().values()),
        ],
    )


class UnfinishedRuns(list[UnfinishedRun]):
    """Unfinished runs, which Jupyter shows as a table."""

    def _repr_html_(self) -> str:
        rows = tuple((run.name, run.games_done, run.games) for run in self)
        table = Table("", ("run", "games played", "games of the run"), rows)
        note = (
            'the call that began a run goes on with it; library.remove("NAME") deletes it' if rows else "none"
        )
        return _render("table.html", title="Unfinished runs", table=table, notes=[note])


def ruleset_html(ruleset: Ruleset) -> str:
    """Return the title of a ruleset and a table of its options."""
    note = "The keys of document['options'] stand in the last column; simulate and compare take a changed document, too."
    return _render(
        "table.html", title=f"{ruleset.title}: {ruleset.name}", table=tabulate_options(ruleset), notes=[note]
    )


def game_html(run: Run, game_id: int, ply: int | None = None) -> str:
    """Return the replay of a game in a sandboxed frame, opened at a ply or at its end, or the reason why it cannot be replayed."""
    try:
        scene = run.scene(game_id)
        page = game_page(run, game_id, len(scene["steps"]) - 1 if ply is None else ply)
    except GameError as error:
        return _render("no_replay.html", line=f"{run.name}, game {game_id + 1}: {error}")
    return _render(
        "replay.html",
        page=page,
        steps=scene["steps"],
        script=replay_script("embed"),
        line=game_text_line(run, game_id),
        boards=b64encode(draw_final_boards(scene).encode()).decode(),
        game_number=game_id + 1,
    )


MAX_ROWS_SHOWN: Final = 25


def sheet_html(sheet: Sheet) -> str:
    """Return a sheet in the frame of a notebook, without the replays and the last rows of long tables."""
    style = Markup(sheet_style())  # noqa: S704 - a file of this project
    still = _leave_out_scenes(sheet)
    html = write_sheet_html(replace(still, parts=tuple(map(_cut_table, still.parts))), has_pictures=True)
    return _render("sheet.html", sheet=html, sheet_style=style)


def _cut_table(part: Part) -> Part:
    """Return a part whose table has as many rows as a notebook shows, and says how many more there are."""
    table = part.content
    if not isinstance(table, Table) or len(table.rows) <= MAX_ROWS_SHOWN:
        return part
    hidden = len(table.rows) - MAX_ROWS_SHOWN
    caption = f"{part.caption} In the frames: {format_count(hidden, 'more row')}.".lstrip()
    return replace(
        part,
        content=table._replace(rows=table.rows[:MAX_ROWS_SHOWN], links=table.links[:MAX_ROWS_SHOWN]),
        caption=caption,
    )


def _render(name: str, **values: object) -> str:
    return str(
        render_template("pipelines.notebook", name, **values)
    )  # a plain text can be joined with others


CONSOLE_WIDTH: Final = 160
"""Characters in a line of a table."""


def library_text(library: Library) -> str:
    """Return the folder of a library and its newest runs."""
    runs = library.runs()
    lines = [f"Library {library.folder}: {len(runs) or 'no'} run{'s' * (len(runs) != 1)}"]
    lines += [f"  {run_text(run)}" for run in runs[:MAX_RUNS_SHOWN]]
    if len(runs) > MAX_RUNS_SHOWN:
        lines.append(f"  and {len(runs) - MAX_RUNS_SHOWN} older ones")
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
        seats = run.list_seats(game_id)
    except GameError as error:
        return f"Game {game_id + 1} of {run.name}: {error}"
    return f"Game {game_id + 1} of {run.name}: " + ", ".join(
        f"{seat.strategy} {seat.score}" for seat in seats
    )


def sheet_text(sheet: Sheet, roles: Collection[Role] = ("main", "beside")) -> str:
    """Return what a sheet says, and its parts of some roles: by default what it shows first."""
    return "\n".join(write_sheet_lines(sheet, CONSOLE_WIDTH, roles))
