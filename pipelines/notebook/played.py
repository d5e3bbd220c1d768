"""A run and a logged game as a person in Jupyter uses them: `Run` and `LoggedGame`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints, overload

import pandas as pd

from engine import games
from engine.errors import ArgumentError, InvalidError, unknown_name_error
from engine.play import replay_actions
from pipelines.design.limits import CONTINUATIONS, LESSONS, check_arguments, plain_integer
from pipelines.design.titles import name_moves
from pipelines.exchange import find_format, game_formats
from pipelines.exchange.game_files import HTML_SUFFIX, game_page, game_text, write_new_file
from pipelines.experiments.fork import AllowedStrategies, Change
from pipelines.experiments.lessons import make_lessons, order_lessons
from pipelines.experiments.review import start_review
from pipelines.experiments.review_runs import choose_reviewed_games, find_review_kind, review_run
from pipelines.notebook.answers import (
    Answer,
    ColumnMeanings,
    Comparison,
    Review,
    WhatIf,
    game_html,
    game_text_line,
    run_text,
    show_answer,
    show_by_sheet,
    show_whatif,
)
from pipelines.notebook.kept_answers import keep_answer
from pipelines.notebook.lineups import (
    StrategyLike,
    allow_named_functions,
    list_strategy_names,
    read_seats,
)
from pipelines.notebook.progress import compile_first, report_progress
from pipelines.notebook.public_names import (
    PUBLIC_NAMES,
    ListsPublicNames,
    NoSuchAttributeError,
    NoSuchNameError,
)
from pipelines.notes.lessons import keep_lessons
from pipelines.notes.store import NoteStore
from pipelines.questions.address import Question, find_limits, make_question
from pipelines.questions.comparison import KnownComparisonQuestion, answer_comparison
from pipelines.questions.game import GameQuestion, read_game
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.question import DecisionGrouping, ReviewMeasure, ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import WhatifQuestion, ask_about_change, fork_whatif, iter_whatif_answers
from pipelines.report.compose import compose
from pipelines.report.game import chart_courses
from pipelines.runs import run
from pipelines.runs.schema import run_file_tables, schema_columns
from pipelines.runs.summary_index import FileState

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Scene
    from engine.state import State
    from pipelines.notebook.widget import ReplayWidget
    from pipelines.runs.summary import GameSummary, Seat

AnyCall = TypeVar("AnyCall", bound=Callable[..., object])

WIDGET_NEEDS: Final = (
    "a replay that Python can step and ask needs anywidget: in a clone of Reroll, pip install -e '.[notebook]'; "
    "without it, a game on the last line of a cell shows its replay"
)


ROWS_OF_TYPES: Final = 1000
"""Rows of a table that are read to say which types its frame has."""


def make_tuples(kind: type[Question], fields: Mapping[str, object]) -> dict[str, object]:
    """Return fields of a question in which a text, or the number of a seat, stands for a tuple of one where a tuple is expected.

    Raises InvalidError for seats that no game has.
    """
    seats = fields.get("seats", ())
    last = find_limits(ScoresQuestion, "seats").maximum
    if not all(seat in range(last + 1) for seat in (seats if isinstance(seats, list | tuple) else (seats,))):
        raise InvalidError(f"seats: expected seats from 0 to {last}, such as 0 or [0, 1], not {seats!r}")
    return {
        name: (value,)
        if isinstance(value, int if name == "seats" else str)
        and name in kind.model_fields
        and get_origin(kind.model_fields[name].annotation) is tuple
        else value
        for name, value in fields.items()
    }


def name_fields(kind: type[Question], *left_out: str) -> Callable[[AnyCall], AnyCall]:
    """Let help and completion name the fields of a question, which a call takes as further arguments, with their choices.

    Those that are `left_out` belong to pages alone, or the call has an argument of another name for them.
    """

    def add_names(call: AnyCall) -> AnyCall:
        signature, hints = inspect.signature(call), get_type_hints(kind)
        arguments = {
            name: argument
            for name, argument in signature.parameters.items()
            if argument.kind is not argument.VAR_KEYWORD
        }
        fields = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[name]
            )
            for name, field in kind.model_fields.items()
            if name not in {*arguments, *left_out}
        ]
        call.__signature__ = signature.replace(parameters=[*arguments.values(), *fields])  # type: ignore[attr-defined]  # functions take it
        return call

    return add_names


class NoSuchGameError(InvalidError, IndexError):
    """The run has no game of that number, or the game no such ply."""


class Run(ListsPublicNames, run.Run):
    """A run: `run[0]` is its first game, `run[-1]` its last, `run["seats"]` a table of it as a data frame.

    `run.tables` names the tables: `games` and `seats` have the results, `parts` what a score is made of, `log` every ply with what it
    means. `run.columns("seats")` says what their columns mean. Games, seats and plies count from 0; seat -1 is chance.
    `run.pandas` also takes one SQL query: `run.pandas("SELECT strategy, avg(score) FROM seats GROUP BY ALL")`.
    """

    @overload
    def __getitem__(self, game_id: int) -> LoggedGame: ...
    @overload
    def __getitem__(self, game_id: slice) -> list[LoggedGame]: ...
    @overload
    def __getitem__(self, game_id: str) -> pd.DataFrame: ...
    def __getitem__(self, game_id: int | slice | str) -> LoggedGame | list[LoggedGame] | pd.DataFrame:
        """Return a game, the list of games of a slice, or a table by its name; a negative number counts from the end.

        Raises NoSuchGameError, which is an InvalidError and an IndexError, if there is no such game, and NoSuchNameError, a KeyError,
        if there is no such table.
        """
        if isinstance(game_id, str):
            if game_id.lstrip("-").isdecimal():
                raise InvalidError(f"games have numbers: write [{game_id}], not [{game_id!r}]")
            try:
                return self.pandas(game_id)
            except InvalidError as error:
                raise NoSuchNameError(str(error)) from None
        if isinstance(game_id, slice):
            return [LoggedGame(self, number) for number in range(len(self))[game_id]]
        index = plain_integer(game_id)
        if type(index) is not int:
            raise ArgumentError(
                f"expected the number of a game, a slice or the name of a table, not {repr(game_id)[:40]}"
            )
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise NoSuchGameError(
                f"run {self.name} has no game with the index {game_id} (0 to {len(self) - 1})"
            )
        return LoggedGame(self, self.game(number).game_id)

    @property
    def tables(self) -> tuple[str, ...]:
        """The names that `run[...]`, `pandas`, `polars` and `arrow` take."""
        return tuple(schema_columns())

    def columns(self, table: str) -> ColumnMeanings:
        """Return the columns of a table, with the types of its frame and what they mean. Raises InvalidError for another name."""
        tables = {known.name: known for known in run_file_tables()}
        if table not in tables:
            raise unknown_name_error("table", table, tables)
        frame = self.pandas(f"FROM {table} LIMIT {ROWS_OF_TYPES}")
        return ColumnMeanings.of_frame(frame, [column.about for column in tables[table].columns])

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.tables)

    def list_names(self, argument: str, call: str = "", first_value: str = "") -> tuple[str, ...]:  # noqa: ARG002 - others need it
        """Return the names that an argument of a call takes."""
        if call == "decisions":
            return {"measure": get_args(ReviewMeasure), "by": get_args(DecisionGrouping)}.get(argument, ())
        if argument == "strategy":
            return tuple(list_strategy_names(rules.game for rules in self.rulesets.values()))
        return self.tables if argument in {"table", "table_or_query"} else ()

    def __len__(self) -> int:
        """Return the number of games."""
        return self.summary.games

    def __iter__(self) -> Iterator[LoggedGame]:
        """Go through all games."""
        return (LoggedGame(self, number) for number in range(len(self)))

    @name_fields(ScoresQuestion, "runs", "every", "select")
    @check_arguments
    def scores(self, **fields: Any) -> Answer:  # noqa: ANN401 - the question checks them
        """Return the scores of this run, in a `view` as in `Library.scores`."""
        source = QuestionSource(only=(self,))
        question = make_question(
            ScoresQuestion, {"runs": (self.name,), **make_tuples(ScoresQuestion, fields)}
        )
        return show_answer(answer_scores(question, source), source)

    @check_arguments
    def review_all(
        self,
        *,
        games: int | None = None,
        strategy: str | None = None,
        seed: int = 0,
        effort: float = 1.0,
        progress: bool = True,
    ) -> Answer:
        """Review all logged games, or about `games` of them, keep what is found beside the run, and return where points are lost.

        A review that was interrupted goes on. `LoggedGame.review` has the same options and gives the same classes. Raises
        InvalidError if no moves were logged, or for a strategy that does not exist.
        """
        kind = find_review_kind(self, judge=strategy, effort=effort, seed=seed)
        chosen = choose_reviewed_games(self, games, kind)
        with report_progress(f"review of {self.name}", "games", is_shown=progress, keeps=True) as update:
            for reviewed in review_run(self, kind, chosen, threads=True):
                update(reviewed.done, reviewed.games)
        return self.decisions()

    @check_arguments
    def lessons(
        self, *, limit: int = LESSONS.default, collection: str | None = None, progress: bool = True
    ) -> pd.DataFrame:
        """Make lessons of the clear slips of the reviewed games, and keep them as notes of the library in a collection.

        The frame has a row for each, easy ones first: `game_id` and `ply` count from 0, `lost_wins` is the share of the win that the move
        lost, `level` says how hard it is, and `found_by` are the strategies that find a good move. Raises InvalidError if no games were reviewed.
        """
        made = []
        with report_progress(f"lessons of {self.name}", "lessons", is_shown=progress) as update:
            for lesson in make_lessons(self, limit):
                made.append(lesson)
                update(len(made), limit)
        keep_lessons(NoteStore(self.path.absolute().parent.parent), self, made, collection)
        return pd.DataFrame(
            [
                {
                    "run": self.name,
                    "game_id": rated.lesson.game_id,
                    "ply": rated.lesson.decision.ply,
                    "seat": rated.lesson.decision.seat,
                    "notation": rated.lesson.decision.chosen.notation,
                    "best_notation": rated.lesson.decision.best.notation,
                    "lost_wins": rated.lesson.lost_wins.estimate,
                    "level": rated.level,
                    "found_by": rated.finders,
                }
                for rated in order_lessons(made)
            ]
        )

    @check_arguments
    def decisions(self, measure: ReviewMeasure = "lost points", by: DecisionGrouping = "round") -> Answer:
        """Return what the decisions and rolls of the reviewed games lost or gave, in the groups of `by`; `pandas()` has a row for each."""
        return self.scores(view="Decisions", measure=measure, grouping=by)

    @check_arguments
    def comparison(self, *, metric: str | None = None) -> Comparison:
        """Compare the strategies that played; raise InvalidError if the run compares nothing."""
        source = QuestionSource(only=(self,))
        question = make_question(KnownComparisonQuestion, {"run": self.name, "metric": metric})
        answer = answer_comparison(question, source)
        return show_by_sheet(Comparison, answer.comparison, compose(answer, source.find_looks))

    def __dir__(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*super().__dir__(), *self.tables)))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a frame, if it returns
        """Return a table that is called so, as in pandas; raise NoSuchAttributeError, which leads to the games for what only these have."""
        if name in self.tables:
            return self.pandas(name)
        if name in PUBLIC_NAMES["LoggedGame"]:
            raise NoSuchAttributeError(f"a run has no {name}, but each of its games has: run[0].{name}")
        return super().__getattr__(name)

    def __repr__(self) -> str:
        return run_text(self)

    def _repr_html_(self) -> str:
        return self.scores()._repr_html_()


@dataclass(frozen=True, repr=False)
class LoggedGame(ListsPublicNames):
    """A game of a run. What needs its plies raises InvalidError if they were not logged."""

    run: Run
    game_id: int

    @property
    def summary(self) -> GameSummary:
        return self.run.game(self.game_id)

    @property
    def ruleset(self) -> Ruleset:
        return self.run.ruleset(self.summary.ruleset)

    @property
    def seats(self) -> list[Seat]:
        return self.run.list_seats(self.game_id)

    @property
    def actions(self) -> list[int]:
        return self.run.actions(self.game_id)

    @property
    def scene(self) -> Scene:
        return self.run.scene(self.game_id)

    @property
    def plies(self) -> pd.DataFrame:
        """One row per ply: round, seat, kind, notation, options, score and more, as in the view `log`.

        `options`, `score` and `turn` are missing (`pd.NA`) where chance acts.
        """
        return self.run.pandas(f"FROM log WHERE game_id = {int(self.game_id)} ORDER BY ply")

    @check_arguments
    def state(self, ply: int = -1) -> State:
        """Return the position before a ply; a negative number counts from the end, -1 is the end."""
        states = list(replay_actions(games.start_state(self.ruleset), self.actions))
        if not -len(states) <= ply < len(states):
            raise NoSuchGameError(
                f"the game has positions before the plies 0 to {len(states) - 1}, not {ply}"
            )
        return states[ply]

    @check_arguments
    def text(self, chosen: str = "txt") -> str:
        """Return the game in a format: txt, json, html (a page with its replay), or one of the game's own such as blksgf.

        Raises InvalidError for an unknown format.
        """
        formats = [*game_formats(self.ruleset.game), HTML_SUFFIX]
        if chosen not in formats:
            raise unknown_name_error("format", chosen, formats)
        if chosen == HTML_SUFFIX:
            return game_page(self.run, self.game_id)
        return game_text(self.run, self.game_id, find_format(chosen))

    @check_arguments
    def save(self, path: str | Path) -> None:
        """Write the game to a new file whose suffix names the format: html, txt, json or blksgf.

        Raises InvalidError for an unknown format and if the file exists already.
        """
        write_new_file(Path(path), self.text(Path(path).suffix[1:]))

    @check_arguments
    def whatif(  # noqa: PLR0913 - the parts of an experiment, passed by name
        self,
        ply: int,
        *,
        strategies: Mapping[int, StrategyLike] | None = None,
        action: str | None = None,
        options: Mapping[str, Any] | None = None,
        stand_ins: Mapping[int, StrategyLike] | Literal["quick"] | None = None,
        continuations: int = CONTINUATIONS.default,
        margin: float | None = None,
        until_decided: bool = False,
        seed: int = 0,
        progress: bool = True,
    ) -> WhatIf:
        """Fork the game before a ply and play continuations of both branches; without a change only the luck differs.

        `strategies` maps seats to strategies, which may be functions as in `Library.simulate`, `action` is in notation, `options` are options of the ruleset.
        `stand_ins` maps seats to strategies that play on both branches in place of the logged ones; "quick" lets
        quick players play on at every seat, as in a review. With `until_decided`, `continuations` is the largest number, and `margin`
        is the difference in points that would not matter. Raises
        InvalidError or IllegalError if the game cannot be forked in this way (see `fork_logged_game`).
        """
        (changed, substitutes), own_strategies = read_seats(strategies, stand_ins)
        for name, seats in (("strategies", changed), ("stand_ins", substitutes)):
            if isinstance(seats, dict) and (unknown := {*seats} - {*range(self.ruleset.players)}):
                raise InvalidError(
                    f"{name}: expected seats from 0 to {self.ruleset.players - 1}, not {min(unknown, key=str)!r}"
                )
        is_quick = stand_ins == "quick"
        change = Change(changed or {}, action, options or {}, {} if is_quick else substitutes or {}, is_quick)
        plies = len(self.actions)
        if not -plies <= ply < plies:
            raise NoSuchGameError(f"the game has the plies 0 to {plies - 1}, not {ply}")
        question = ask_about_change(
            WhatifQuestion,
            change,
            run=self.run.name,
            game=self.game_id,
            ply=ply % plies,
            n=continuations,
            seed=seed,
        )
        logged = allow_named_functions(self.run.design.code)
        fork = fork_whatif(question, self.run, AllowedStrategies(own_strategies, logged))
        compile_first(self.ruleset, is_shown=progress)
        with report_progress("what if", "continuations", is_shown=progress) as update:
            for answer in iter_whatif_answers(
                question, self.run, fork, margin=margin, until_decided=until_decided
            ):
                update(answer.whatif.n, continuations)
        return show_whatif(answer)

    @check_arguments
    def review(
        self, *, strategy: str | None = None, seed: int = 0, effort: float = 1.0, progress: bool = True
    ) -> Review:
        """Value every decision and every roll by playouts of a strategy; `effort` multiplies their number.

        `pandas()` has a row for each decision, and `pandas("rolls")` one for each roll.
        """

        def play() -> Review:
            compile_first(self.ruleset, is_shown=progress)
            unfinished = start_review(self.run, self.game_id, policy=strategy, seed=seed, effort=effort)
            with report_progress(
                f"review of game {self.game_id + 1}", "positions and decisions", is_shown=progress
            ) as update:
                for done in unfinished.compute_steps():
                    update(done, unfinished.steps)
            question = GameQuestion(run=self.run.name, game=self.game_id, is_reviewed=True)
            answer = replace(read_game(question, self.run), review=(review := unfinished.finish()))
            sheet = compose(answer, QuestionSource(only=(self.run,)).find_looks)
            parts = (*chart_courses(answer, review), *sheet.parts)  # a notebook has no replay that draws them
            return show_by_sheet(Review, review, replace(sheet, parts=parts))

        state = FileState.of_status(self.run.path.stat())
        return keep_answer(("review", self.run.path, state, self.game_id, strategy, seed, effort), play)

    @check_arguments
    def widget(self, ply: int = -1, *, height: int = 760) -> ReplayWidget:
        """Return the replay as a widget, opened at a ply: Python reads and sets `widget.ply`, and asks `widget.fork()`.

        `height` is in pixels. Raises InvalidError if the plies were not logged, and without the extra `notebook`.
        """
        try:
            from pipelines.notebook.widget import ReplayWidget  # noqa: PLC0415 - an optional extra
        except ModuleNotFoundError as error:
            if error.name not in {"anywidget", "traitlets"}:
                raise
            raise InvalidError(WIDGET_NEEDS) from None
        return ReplayWidget(self.run, self.game_id, ply, ask_whatif=self.whatif, height=height)

    def list_names(self, argument: str, call: str = "", first_value: str = "") -> tuple[str, ...]:  # noqa: ARG002 - others need it
        """Return the names that an argument of a call takes, such as those of strategies, or the moves before the ply that comes first."""
        if argument in {"strategies", "stand_ins", "strategy"}:
            return tuple(list_strategy_names([self.ruleset.game]))
        if argument == "options":
            return tuple(self.ruleset.document["options"])
        formats = (*game_formats(self.ruleset.game), HTML_SUFFIX)
        if argument == "chosen":
            return formats
        if argument == "path":
            return tuple(f"{self.run.name}-{self.game_id + 1}.{suffix}" for suffix in formats)
        if argument != "action" or not re.fullmatch(r"-?\d+", first_value):
            return ()
        before = self.state(int(first_value) - (first_value[0] == "-"))
        return (
            *name_moves(before).values(),
            *(before.ruleset.action(action).notation for action in before.actions),
        )

    def __repr__(self) -> str:
        return game_text_line(self.run, self.game_id)

    def _repr_html_(self) -> str:
        return game_html(self.run, self.game_id)
