"""What a person in Jupyter uses: `Library`, `Run` and `LoggedGame`, with the answers of `pipelines.notebook.answers`.

These classes are the library and the runs of `pipelines.runs` and the answers of `pipelines.experiments`, with methods
that simulate, compare, fork, review and export, and with `_repr_html_`, by which Jupyter shows an object. The packages
below do not know this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, overload

import pandas as pd

from engine import games
from engine.errors import InvalidError
from engine.play import replay_actions
from pipelines.design.designs import design_comparison, design_simulation
from pipelines.design.limits import (
    COMPARISON_BLOCKS,
    CONTINUATIONS,
    LISTED_GAMES,
    LIVE_BLOCKS,
    SEED,
    choose_seed,
    takes_all_integers,
)
from pipelines.design.metrics import DEFAULT_METRIC
from pipelines.exchange import find_format
from pipelines.exchange.game_files import HTML_SUFFIX, game_page, game_text, write_new_file
from pipelines.exchange.import_games import plan_import, play_import, run_name
from pipelines.experiments.fork import Change
from pipelines.experiments.review import start_review
from pipelines.experiments.review_runs import choose_reviewed_games, find_review_kind, review_run
from pipelines.notebook.answers import (
    Comparison,
    Decisions,
    Review,
    WhatIf,
    game_html,
    game_text_line,
    library_html,
    library_text,
    replay_without_widget_html,
    run_html,
    run_text,
    show_by_sheet,
    show_whatif,
)
from pipelines.notebook.same_run import check_same_games, find_same_run, find_seed
from pipelines.questions.address import make_question
from pipelines.questions.card import DEFAULT_STYLE, CardQuestion, iter_card_answers
from pipelines.questions.comparison import KnownComparisonQuestion, answer_comparison
from pipelines.questions.game import GameQuestion, read_game
from pipelines.questions.games import GamesQuestion, answer_games
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.decisions import DecisionsAnswer
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import WhatifQuestion, ask_about_change, fork_whatif, iter_whatif_answers
from pipelines.report.compose import compose
from pipelines.report.games import tabulate_columns
from pipelines.runs import library, run
from pipelines.runs.unfinished_run import UnfinishedRun
from pipelines.simulate.simulate import resume_run, simulate_run

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Scene
    from engine.state import State
    from pipelines.design.design import Design
    from pipelines.notebook.widget import ReplayWidget
    from pipelines.questions.game_sorts import SortKey
    from pipelines.questions.scores.question import DecisionGrouping, ReviewMeasure
    from pipelines.runs.summary import GameSummary, Seat

WIDGET_NEEDS: Final = (
    "A replay that Python can step and ask needs anywidget: in a clone of Reroll, pip install '.[notebook]'"
)


class Library(library.Library):
    """A data folder with its runs: `Library()` is the one that the `reroll` command uses.

    `library["name"]` is a run, `library.runs()` is the list of all, and `for run in library` goes through them.

    A cell can be run twice: `simulate`, `compare` and `import_games` with a `name` return the run of this name if it has
    the same design, and raise InvalidError if it has another one. Without a `name` every call makes a new run.
    """

    def runs(self) -> list[Run]:  # type: ignore[override]  # a new list: nobody else puts runs into it
        """Return all runs that can be read, newest first."""
        return [Run(run_file.path) for run_file in super().runs()]

    def run(self, name: str | Path) -> Run:
        """Return the run of a name, or of a path to a file; raise InvalidError if it does not exist."""
        return Run(super().run(name).path)

    def __getitem__(self, name: str | Path) -> Run:
        """Return the run of a name; raise InvalidError with the nearest names if it does not exist."""
        return self.run(name)

    def __iter__(self) -> Iterator[Run]:
        """Go through all runs that can be read, newest first."""
        return iter(self.runs())

    def __len__(self) -> int:
        """Return the number of runs that can be read."""
        return len(self.runs())

    def __contains__(self, name_or_run: object) -> bool:
        """Return whether there is a run of a name, or this run."""
        return any(name_or_run in (known_run.name, known_run) for known_run in self.runs())

    @takes_all_integers
    def games(
        self,
        sort: SortKey = "score",
        *,
        lowest: bool = False,
        limit: int = LISTED_GAMES.default,
        **filters: Any,  # noqa: ANN401 - the question checks them
    ) -> pd.DataFrame:
        """Return the games that come first in an order, one row each, as the page *Replays* lists them but with their `game_id`.

        `filters` are the other fields of `GamesQuestion`, such as `rulesets=("bloxx-2p",)` and `where="rounds < 12"`.
        """
        question = GamesQuestion(sort=sort, is_lowest=lowest, limit=limit, **filters)
        table = tabulate_columns(answer_games(question, QuestionSource(self)))
        frame = pd.DataFrame(table.rows, columns=list(table.columns)).rename(columns={"game": "game_id"})
        frame["game_id"] -= 1  # people count games from 1, Python from 0
        return frame

    @takes_all_integers
    def card(
        self,
        ruleset: str,
        *,
        strategy: str = DEFAULT_STYLE,
        blocks: int = LIVE_BLOCKS.default,
        seed: int = SEED.default,
    ) -> pd.DataFrame:
        """Return the card of a ruleset, a number with its interval in each row; its games are played now and not saved.

        `strategy` plays in every seat; several, separated by commas, stand side by side. docs/cards.md explains the measures.
        Raises InvalidError for a ruleset or a strategy that does not exist.
        """
        rules = self.catalogue.find_ruleset(ruleset)
        question = CardQuestion(ruleset=rules.name, strategy=strategy, blocks=blocks, seed=seed)
        *_, answer = iter_card_answers(question, rules)
        return pd.DataFrame(compose(answer, QuestionSource(self).find_looks).fields["measures"])

    @takes_all_integers
    def simulate(  # noqa: PLR0913 - the parts of an experiment, passed by name
        self,
        ruleset: str,
        strategies: Sequence[str],
        *,
        games: int | None = None,
        blocks: int | None = None,
        seed: int | None = None,
        log: str = "full",
        title: str | None = None,
        name: str | None = None,
        workers: int | None = 1,
    ) -> Run:
        """Simulate either `games` games (300 by default) or `blocks` blocks and return the run, saved as `name`.

        Without a `name` it gets the name of the ruleset, with a number if that is taken. If there is a run `name` of the
        same design, it is returned and nothing is played; one that was interrupted is finished. Without a `seed` it has that
        of the run `name`, or else a random one.

        With one worker the games are played in this process. With more, a script must guard its main part by
        `if __name__ == "__main__"`, because every worker imports it. Raises InvalidError for an impossible design, and if
        the run `name` has another design.
        """
        seed = choose_seed(find_seed(self.runs_folder, name) if seed is None else seed)
        rules = self.catalogue.find_ruleset(ruleset)
        design = design_simulation(
            rules, strategies, games_at_least=games, blocks=blocks, seed=seed, log=log, title=title
        )
        return self._play_design(design, name, rules.name, workers)

    @takes_all_integers
    def compare(  # noqa: PLR0913 - as above
        self,
        ruleset: str,
        *strategies: str,
        blocks: int = COMPARISON_BLOCKS.default,
        metric: str = DEFAULT_METRIC,
        seed: int | None = None,
        name: str | None = None,
        workers: int | None = 1,
    ) -> Comparison:
        """Compare strategies on the same luck in every seat; the games are saved as a run.

        `name` and `seed` work as in `simulate`. Raises InvalidError for an impossible design, and if the run `name` has another one.
        """
        rules = self.catalogue.find_ruleset(ruleset)
        seed = choose_seed(find_seed(self.runs_folder, name) if seed is None else seed)
        design = design_comparison(rules, strategies, blocks=blocks, metric=metric, seed=seed)
        return self._play_design(design, name, f"{rules.name}-compared", workers).comparison()

    def import_games(self, *paths: str | Path, ruleset: str | None = None, name: str | None = None) -> Run:
        """Import games that were played elsewhere and return their run; the rules check every ply.

        `name` works as in `simulate`. Raises a GameError, with file and line, for the first ply that breaks a rule, and
        InvalidError if the run `name` has other games.
        """
        files = [Path(path) for path in paths]
        plan = plan_import(files, self.catalogue, ruleset=ruleset)
        same_run = find_same_run(self.runs_folder, name, plan.design) if name else None
        if isinstance(same_run, run.Run):
            check_same_games(same_run, plan)
            return Run(same_run.path)
        if same_run:
            same_run.remove()  # an import that was interrupted cannot be resumed
        return Run(play_import(plan, self._run_path(name or run_name(files[0])), free_name=not name).path)

    def _play_design(self, design: Design, name: str | None, default: str, workers: int | None) -> Run:
        """Return the run `name` of a design; without a name, a new one with the default name or a similar one."""
        if not name:
            return Run(simulate_run(design, self._run_path(default), workers=workers).path)
        same_run = find_same_run(self.runs_folder, name, design)
        if isinstance(same_run, run.Run):
            return Run(same_run.path)
        if isinstance(same_run, UnfinishedRun):
            return Run(resume_run(same_run, workers=workers).path)
        return Run(simulate_run(design, self._run_path(name), workers=workers, free_name=False).path)

    def _run_path(self, name: str) -> Path:
        return self.runs_folder / f"{name}.duckdb"

    def __repr__(self) -> str:
        return library_text(self)

    def _repr_html_(self) -> str:
        return library_html(self)


class NoSuchGameError(InvalidError, IndexError):
    """The run has no game of that number."""


class Run(run.Run):
    """A run: `run[0]` is its first game, `run[-1]` its last, `run.pandas("seats")` a table of it."""

    @overload
    def __getitem__(self, game_id: int) -> LoggedGame: ...
    @overload
    def __getitem__(self, game_id: slice) -> list[LoggedGame]: ...
    def __getitem__(self, game_id: int | slice) -> LoggedGame | list[LoggedGame]:
        """Return a game, or the list of games of a slice; a negative number counts from the end.

        Raises NoSuchGameError, which is an InvalidError and an IndexError, if there is no such game.
        """
        if isinstance(game_id, slice):
            return [LoggedGame(self, number) for number in range(len(self))[game_id]]
        number = int(game_id) + len(self) if game_id < 0 else int(game_id)
        if not 0 <= number < len(self):
            raise NoSuchGameError(
                f"run {self.name} has no game with the index {game_id} (0 to {len(self) - 1})"
            )
        return LoggedGame(self, self.game(number).game_id)

    def __len__(self) -> int:
        """Return the number of games."""
        return self.summary.games

    def __iter__(self) -> Iterator[LoggedGame]:
        """Go through all games."""
        return (LoggedGame(self, number) for number in range(len(self)))

    def comparison(self, *, metric: str | None = None) -> Comparison:
        """Compare the strategies that played; raise InvalidError if the run compares nothing."""
        source = QuestionSource(only=(self,))
        answer = answer_comparison(KnownComparisonQuestion(run=self.name, metric=metric), source)
        return show_by_sheet(Comparison, answer.comparison, compose(answer, source.find_looks))

    @takes_all_integers
    def review_all(
        self,
        *,
        games: int | None = None,
        strategy: str | None = None,
        seed: int = 0,
        effort: float = 1.0,
    ) -> Decisions:
        """Review all logged games, or about `games` of them, keep what is found beside the run, and return where points are lost.

        A review that was interrupted goes on. `LoggedGame.review` has the same options and gives the same classes. Raises
        InvalidError if no moves were logged, or for a strategy that does not exist.
        """
        kind = find_review_kind(self, judge=strategy, effort=effort, seed=seed)
        for _ in review_run(self, kind, choose_reviewed_games(self, games), threads=True):
            pass
        return self.decisions()

    def decisions(self, measure: ReviewMeasure = "lost points", by: DecisionGrouping = "round") -> Decisions:
        """Return what the decisions and rolls of the reviewed games lost or gave, in the groups of `by`."""
        fields = {"runs": (self.name,), "view": "Decisions", "measure": measure, "grouping": by}
        source = QuestionSource(only=(self,))
        answer = answer_scores(make_question(ScoresQuestion, fields), source)
        assert isinstance(answer, DecisionsAnswer)  # noqa: S101 - for mypy: its view is that of decisions
        return show_by_sheet(Decisions, answer, compose(answer, source.find_looks))

    def __repr__(self) -> str:
        return run_text(self)

    def _repr_html_(self) -> str:
        return run_html(self)


@dataclass(frozen=True, repr=False)
class LoggedGame:
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
        return self.run.seats(self.game_id)

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

    @takes_all_integers
    def state(self, ply: int = -1) -> State:
        """Return the position before a ply; a negative number counts from the end, -1 is the end."""
        states = list(replay_actions(games.start_state(self.ruleset), self.actions))
        return states[ply]

    def text(self, chosen: str = "txt") -> str:
        """Return the game in a format: txt, json, or one of the game's own such as blksgf.

        Raises InvalidError for an unknown format.
        """
        return game_text(self.run, self.game_id, find_format(chosen, self.ruleset.game))

    def save(self, path: Path | str) -> None:
        """Write the game to a new file whose suffix names the format: html, txt, json or blksgf.

        Raises InvalidError for an unknown format and if the file exists already.
        """
        path = Path(path)
        suffix = path.suffix[1:]
        text = game_page(self.run, self.game_id) if suffix == HTML_SUFFIX else self.text(suffix)
        write_new_file(path, text)

    @takes_all_integers
    def whatif(  # noqa: PLR0913 - the parts of an experiment, passed by name
        self,
        ply: int,
        *,
        strategies: Mapping[int, str] | None = None,
        action: str | None = None,
        options: Mapping[str, Any] | None = None,
        stand_ins: Mapping[int, str] | Literal["quick"] | None = None,
        continuations: int = CONTINUATIONS.default,
        seed: int = 0,
    ) -> WhatIf:
        """Fork the game before a ply and play continuations of both branches; without a change only the luck differs.

        `strategies` maps seats to strategies, `action` is in notation, `options` are options of the ruleset.
        `stand_ins` maps seats to strategies that play on both branches in place of the logged ones; "quick" lets
        quick players play on at every seat, as in a review. Raises
        InvalidError or IllegalError if the game cannot be forked in this way (see `fork_logged_game`).
        """
        change = Change(
            strategies or {},
            action,
            options or {},
            {} if stand_ins == "quick" else stand_ins or {},
            stand_ins == "quick",
        )
        start = len(self.actions) + ply if ply < 0 else ply
        question = ask_about_change(
            WhatifQuestion,
            change,
            run=self.run.name,
            game=self.game_id,
            ply=start,
            n=continuations,
            seed=seed,
        )
        *_, answer = iter_whatif_answers(question, self.run, fork_whatif(question, self.run))
        return show_whatif(answer)

    @takes_all_integers
    def review(self, *, strategy: str | None = None, seed: int = 0, effort: float = 1.0) -> Review:
        """Value every decision and every roll by playouts of a strategy; `effort` multiplies their number."""
        unfinished = start_review(self.run, self.game_id, policy=strategy, seed=seed, effort=effort)
        question = GameQuestion(run=self.run.name, game=self.game_id, is_reviewed=True)
        answer = replace(read_game(question, self.run), review=(review := unfinished.finish()))
        return show_by_sheet(Review, review, compose(answer, QuestionSource(only=(self.run,)).find_looks))

    @takes_all_integers
    def widget(self, ply: int = -1, *, height: int = 760) -> ReplayWidget | ReplayWithoutWidget:
        """Return the replay as a widget, opened at a ply: Python reads and sets `widget.ply`, and asks `widget.fork()`.

        Without the extra `notebook` it is the replay that the game itself shows, with a line that says what to install.
        `height` is in pixels. Raises InvalidError if the plies were not logged.
        """
        try:
            from pipelines.notebook.widget import ReplayWidget  # noqa: PLC0415 - an optional extra
        except ModuleNotFoundError as error:
            if error.name not in {"anywidget", "traitlets"}:
                raise
            return ReplayWithoutWidget(self)
        return ReplayWidget(self.run, self.game_id, ply, ask_whatif=self.whatif, height=height)

    def __repr__(self) -> str:
        return game_text_line(self.run, self.game_id)

    def _repr_html_(self) -> str:
        return game_html(self.run, self.game_id)


@dataclass(frozen=True)
class ReplayWithoutWidget:
    """The replay of a game where anywidget is not installed: it can be watched, but it has no `ply` and no `fork`."""

    game: LoggedGame

    def __getattr__(self, name: str) -> object:
        """Raise AttributeError; for what a widget has, it says what to install."""
        if name in {"ply", "fork", "on_fork", "answer", "height"}:
            raise AttributeError(f"{WIDGET_NEEDS}; without it, the replay has no {name!r}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"{self.game!r}\n{WIDGET_NEEDS}"

    def _repr_html_(self) -> str:
        return replay_without_widget_html(self.game.run, self.game.game_id, WIDGET_NEEDS)
