"""What a person in Jupyter uses: `Library`, `Run` and `LoggedGame`, with the answers of `pipelines.notebook.answers`.

These classes are the library and the runs of `pipelines.runs` and the answers of `pipelines.experiments`, with methods
that simulate, compare, fork, review and export, and with `_repr_html_`, by which Jupyter shows an object. The packages
below do not know this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, get_origin
from warnings import warn

import pandas as pd

from engine.errors import InvalidError, unknown_name_error
from engine.games import find_game
from engine.ruleset import Ruleset
from engine.strategies import built_in_strategies
from pipelines.design.design import Design, read_ruleset
from pipelines.design.designs import design_comparison, design_simulation
from pipelines.design.limits import (
    LISTED_GAMES,
    LIVE_BLOCKS,
    OPENING_BLOCKS,
    SEED,
    check_arguments,
    choose_seed,
)
from pipelines.design.metrics import DEFAULT_METRIC, METRICS
from pipelines.design.rule_values import list_near_values, list_rule_ranges
from pipelines.exchange.import_games import plan_import, play_import, run_name
from pipelines.notebook.answers import (
    Answer,
    Comparison,
    UnfinishedRuns,
    library_html,
    library_text,
    show_answer,
)
from pipelines.notebook.completion import set_up_ipython
from pipelines.notebook.kept_answers import keep_answer
from pipelines.notebook.lineups import StrategyLike, join_names, list_strategy_names, read_lineup
from pipelines.notebook.played import Run, make_tuples, name_fields
from pipelines.notebook.progress import compile_first, describe_compiling, report_progress
from pipelines.notebook.public_names import ListsPublicNames, NoSuchNameError
from pipelines.notebook.same_run import check_same_games, find_any_run, find_same_run, find_seed
from pipelines.questions.address import Question, make_question, split_address
from pipelines.questions.card import DEFAULT_STYLE, CardQuestion, iter_card_answers
from pipelines.questions.every_question import ANSWERS, answer_question, read_question
from pipelines.questions.game_sorts import SortKey
from pipelines.questions.games import GamesQuestion
from pipelines.questions.openings import OpeningsQuestion, iter_openings_answers
from pipelines.questions.rule_effect import RuleEffectQuestion, iter_rule_effect_answers
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.report.compose import compose
from pipelines.runs import library, run
from pipelines.runs.names import is_file_name
from pipelines.runs.schema import schema_columns
from pipelines.runs.unfinished_run import UnfinishedRun
from pipelines.simulate.compiled_games import needs_kernel
from pipelines.simulate.simulate import resume_run, simulate_run

if TYPE_CHECKING:
    from engine.catalogue import Catalogue

RulesetLike: TypeAlias = str | Path | Mapping[str, Any] | Ruleset
"""The name of a ruleset, the path of its file, its document, or the ruleset itself."""


class Library(ListsPublicNames, library.Library):
    """A data folder with its runs: `Library()` is the one that the `reroll` command uses.

    `library["name"]` is a run, `library.runs()` is the list of all, and `for run in library` goes through them.
    `rulesets()` and `strategies("bloxx")` say what can be played, `pandas("seats")` is a table over all runs, with a column `run`.

    A cell can be run twice: `simulate`, `compare` and `import_games` with a `name` return the run of this name if it has
    the same design, and raise InvalidError if it has another one. Without a `name` every call makes a new run.
    """

    @check_arguments
    def __init__(self, folder: str | Path | None = None) -> None:
        """Open a data folder (`~` is the home folder); without one, the folder that `reroll` uses.

        Warns if the given folder does not exist yet: the first run that is saved makes it. Raises InvalidError for a file.
        """
        super().__init__(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise InvalidError(f"{self.folder}: expected a data folder, and it is a file")
        if folder is not None and not self.folder.exists():
            warn(
                f"there is no folder {self.folder}; the first run that you save in this library makes it",
                stacklevel=3,
            )
        set_up_ipython()

    def runs(self) -> list[Run]:  # type: ignore[override]  # a new list: nobody else puts runs into it
        """Return all runs that can be read, newest first."""
        return [Run(run_file.path) for run_file in super().runs()]

    @property
    def catalogue(self) -> Catalogue:
        """The rulesets that are on disk now, then those that only runs have; of several with one name, that of the newest run."""
        catalogue = super().catalogue
        runs_by_ruleset = {
            ruleset.name: played
            for played in reversed(super().runs())
            for ruleset in played.summary.rulesets
            if ruleset.name not in catalogue.rulesets and played.summary.is_sample
        }
        return catalogue.add(*(played.ruleset(name) for name, played in runs_by_ruleset.items()))

    def run(self, name: str | Path) -> Run:
        """Return the run of a name, or of a path to a file; raise InvalidError if it does not exist."""
        return Run(super().run(name).path)

    def __getitem__(self, name: str | Path) -> Run:
        """Return the run of a name; raise NoSuchNameError, an InvalidError and a KeyError, with the nearest names if it does not exist."""
        try:
            return self.run(name)
        except InvalidError as error:
            raise NoSuchNameError(str(error)) from None

    def unfinished_runs(self) -> UnfinishedRuns:
        """Return the list of the unfinished runs, running or stopped, in the order of their names."""
        return UnfinishedRuns(super().unfinished_runs())

    def remove(self, name: str) -> None:
        """Delete the run or the unfinished run of a name; raise InvalidError if it does not exist, or if it is being played."""
        unfinished = self.has_unfinished_run(name)
        (self.unfinished_run(name) if unfinished else self.run(name)).remove()

    def _describe_ways_on(self, partial: UnfinishedRun) -> str:
        return (
            f"to go on, make the same call again with name={partial.name!r}; library.unfinished_run({partial.name!r}).pandas('seats') "
            f"reads them, library.remove({partial.name!r}) deletes them"
        )

    def __iter__(self) -> Iterator[Run]:
        """Go through all runs that can be read, newest first."""
        return iter(self.runs())

    def __len__(self) -> int:
        """Return the number of runs that can be read."""
        return len(self.runs())

    def __contains__(self, name_or_run: object) -> bool:
        """Return whether there is a run of a name, or this run."""
        return any(name_or_run in (known_run.name, known_run) for known_run in self.runs())

    def _ipython_key_completions_(self) -> list[str]:
        return [known_run.name for known_run in self.runs()]

    def list_names(self, argument: str, call: str = "", first_value: str = "") -> Iterable[str]:
        """Return the names that an argument of a call takes, such as those of rulesets."""
        rulesets = self.catalogue.rulesets
        game = rulesets[first_value].game if first_value in rulesets else None
        of_game = {name: rules for name, rules in rulesets.items() if game in (None, rules.game)}
        names: dict[str, Callable[[], Iterable[str]]] = {
            "ruleset": lambda: rulesets,
            "strategy": lambda: list_strategy_names(
                [game] if game else [*dict.fromkeys(rules.game for rules in rulesets.values())]
            ),
            "against": lambda: of_game,
            "game": lambda: dict.fromkeys(rules.game for rules in rulesets.values()),
            "name": self._ipython_key_completions_,
            "unfinished": lambda: [partial.name for partial in self.unfinished_runs()],
            "lineups": lambda: dict.fromkeys(str(known_run.summary.lineup) for known_run in self.runs()),
            "log": lambda: ("full", "scores", "sample=0.1"),
            "metric": lambda: METRICS,
            "table_or_query": schema_columns,
            "vary": lambda: dict.fromkeys(
                f"{option.key}={value}"
                for rules in ([rulesets[first_value]] if game else of_game.values())
                for option in list_rule_ranges(rules)
                for value in option.choices or list_near_values(option, int(option.base_value))
            ),
            "address": self._list_addresses,
            "sort": lambda: get_args(SortKey),
            "target": lambda: ("player 1 wins 45 to 55", "greedy scores 20 to 30", "rounds 15 to 20"),
        }
        same = {"rulesets": "ruleset", "strategies": "strategy", "runs": "name"}
        kind = {"ruleset": "ruleset", "unfinished_run": "unfinished"}.get(call, same.get(argument, argument))
        return names[kind]() if kind in names else ()

    def _list_addresses(self) -> Iterator[str]:
        """Yield the keys that ask a question which has an answer, with the values that they may have."""
        for kind in ANSWERS:
            for name, field in kind.model_fields.items():
                if kind.marks and (field.alias or name) not in kind.marks:
                    continue
                is_choice = get_origin(field.annotation) is Literal
                known = () if name in {"vary", "address"} else self.list_names(name)
                values = filter(None, get_args(field.annotation)) if is_choice else known or ("",)
                yield from (f"/{kind.page}?{field.alias or name}={value}" for value in values)

    def rulesets(self) -> pd.DataFrame:
        """Return the rulesets that can be played, also those of runs: the name that `simulate` takes, the title, the game, and the number of players."""
        return pd.DataFrame(
            [
                {"ruleset": name, "title": rules.title, "game": rules.game, "players": rules.players}
                for name, rules in self.catalogue.rulesets.items()
            ]
        )

    def ruleset(self, name: RulesetLike, players: int | None = None) -> Ruleset:
        """Return a ruleset by its name, the path of its file or its document; its `document` is a dictionary to change.

        Of a file for several numbers of players, `players` chooses one. Raises InvalidError with the nearest names if it does not exist,
        and for a document of other rules under the name of a ruleset that is on disk.
        """
        if isinstance(name, Ruleset):
            return name
        if isinstance(name, Mapping):
            rules = read_ruleset({**name}, "the ruleset")
            super().catalogue.add(rules)  # which has no other rules of its name
            return rules
        if not isinstance(name, str | Path):
            raise InvalidError(
                f"ruleset: expected a name, the path of a file or a document, not {type(name).__name__}"
            )
        return self.catalogue.find_ruleset(str(name), players)

    def _read_new_rules(self, name: RulesetLike, players: int | None = None, *, replaces: bool) -> Ruleset:
        """Return a ruleset for a new run. Raises InvalidError if a run that is not replaced has other rules of its name."""
        rules = self.ruleset(name, players)
        if not replaces:
            self.catalogue.add(rules)
        return rules

    def strategies(self, game: str | None = None) -> pd.DataFrame:
        """Return the strategies of a game or of the game of a ruleset, of all games without one, with what they do.

        `parameters` has their parameters with the defaults, without tuned weights, as a line-up writes them: "rollout:playouts=64".
        """
        names = [
            rules.game for name, rules in self.catalogue.rulesets.items() if game in (None, rules.game, name)
        ]
        if not names:
            raise unknown_name_error(
                "game", str(game), {rules.game for rules in self.catalogue.rulesets.values()}
            )
        return pd.DataFrame(
            [
                {
                    "game": name,
                    "strategy": strategy.name,
                    "title": strategy.title,
                    "parameters": ",".join(
                        f"{parameter.name}={parameter.default}"
                        for parameter in strategy.parameters
                        if not parameter.is_weight
                    ),
                }
                for name in dict.fromkeys(names)
                for strategy in built_in_strategies(find_game(name)).values()
            ]
        )

    @check_arguments
    def ask(self, address: str) -> Answer:
        """Answer an address of the dashboard, such as `/scores?rulesets=bloxx-2p&view=Parts`, as `reroll ask` does.

        Raises InvalidError if the address asks nothing, or something that is not there, also where a page would show something else.
        """
        reading = read_question(*split_address(address))
        if reading.problems:
            raise InvalidError(" ".join(reading.problems))
        return self._answer(reading.question)

    @name_fields(ScoresQuestion, "every", "select")
    @check_arguments
    def scores(self, **fields: Any) -> Answer:  # noqa: ANN401 - the question checks them
        """Return the scores of all games that fit, as the page *Scores* shows them.

        `rulesets="bloxx-2p"`, `runs`, `strategies`, `seats` (from 0) and `lineups` choose the results; a text may stand for a list of one.
        `view` says what is shown of them. The other arguments belong to views: `shape`, `low` and `high` to Scores, `length` to
        Length, `map` and `board` to Squares, `by` to Moves, `measure` and `grouping` to Decisions. docs/notebook.md has examples.
        Raises InvalidError for another argument.
        """
        return self._answer(make_question(ScoresQuestion, make_tuples(ScoresQuestion, fields)))

    @name_fields(GamesQuestion, "is_lowest")
    @check_arguments
    def games(
        self,
        sort: SortKey = "score",
        *,
        lowest: bool = False,
        limit: int = LISTED_GAMES.default,
        **filters: Any,  # noqa: ANN401 - the question checks them
    ) -> Answer:
        """Return the games that come first in an order, as the page *Replays* lists them; `pandas()` has a row for each.

        `sort` is score, margin, comeback, lead, length, luck or game, and `limit` the number of games of BLOXX!, of Blokus and so on.
        The others choose games, such as `rulesets="bloxx-2p"` and `where="rounds < 12"`. In the frame, `value` is the number of the
        order; `pandas("seats")` has the strategies, scores and ranks, a row for each seat of each game.
        """
        fields = {"sort": sort, "is_lowest": lowest, "limit": limit, **filters}
        return self._answer(make_question(GamesQuestion, make_tuples(GamesQuestion, fields)))

    @check_arguments
    def card(
        self,
        ruleset: RulesetLike,
        *,
        strategy: str | Sequence[str] = DEFAULT_STYLE,
        blocks: int = LIVE_BLOCKS.default,
        seed: int = SEED.default,
        progress: bool = True,
    ) -> Answer:
        """Return the card of a ruleset; `pandas()` has a number with its unit and its interval in each row.

        The games are played now and not saved. `strategy` plays in every seat; several stand side by side.
        docs/cards.md explains the measures. Raises InvalidError for a ruleset or a strategy that does not exist.
        """
        rules = self.ruleset(ruleset)
        question = make_question(
            CardQuestion,
            {"ruleset": rules.name, "strategy": join_names(strategy), "blocks": blocks, "seed": seed},
        )

        answers = iter_card_answers(question, rules)
        return self._keep_played(question, answers, rules, "card of", is_shown=progress)

    @check_arguments
    def rule_effect(  # noqa: PLR0913 - the parts of a question, passed by name
        self,
        ruleset: RulesetLike,
        against: RulesetLike = "",
        *,
        vary: str | Sequence[str] = (),
        target: str = "",
        strategies: str | Sequence[str] = "",
        blocks: int = LIVE_BLOCKS.default,
        seed: int = SEED.default,
        progress: bool = True,
    ) -> Answer:
        """Return what rules change: those that `vary` turns, such as `"gap_penalty=0..4"`, or another ruleset, `against`; with the same luck.

        `vary` is one text or a list of them, `target` is what a number should be, such as `"player 1 wins 45 to 55"`, `strategies` are
        one for all seats, or one for each. The games are not saved. docs/rules.md explains
        the answer. Raises InvalidError for rulesets, values and strategies that do not fit.
        """
        if not against and not vary:
            raise InvalidError(
                'name another ruleset, against=..., or rules to turn, such as vary="gap_penalty=0..4"'
            )
        rules = self.ruleset(ruleset)
        others = [self.ruleset(against)] if against else []
        fields = {
            "ruleset": rules.name,
            "against": "".join(other.name for other in others),
            "vary": vary,
            "target": target,
            "strategies": join_names(strategies),
            "blocks": blocks,
            "seed": seed,
        }
        question = make_question(RuleEffectQuestion, make_tuples(RuleEffectQuestion, fields))
        catalogue = super().catalogue.add(rules, *others)

        answers = iter_rule_effect_answers(question, catalogue)
        known = tuple(known.sha256 for known in catalogue.rulesets.values())  # `vary` may name any
        return self._keep_played(question, answers, rules, "rules of", known, is_shown=progress)

    def _keep_played(  # noqa: PLR0913 - one of them by name
        self,
        question: CardQuestion | RuleEffectQuestion | OpeningsQuestion,
        answers: Iterable[Any],
        rules: Ruleset,
        title: str,
        known: tuple[str, ...] = (),
        *,
        is_shown: bool,
    ) -> Answer:
        """Return the last of the answers to a question, which are played now, or the one that was played before.

        `known` has the SHA-256 of the rulesets that it depends on, if there are others than `rules`.
        """

        def play() -> Answer:
            compile_first(rules, is_shown=is_shown)
            with report_progress(f"{title} {rules.name}", "blocks", is_shown=is_shown) as update:
                for answer in answers:
                    update(answer.basis.blocks, question.blocks)
            return Answer(compose(answer, QuestionSource(self).find_looks))

        return keep_answer((question, known or rules.sha256, self.folder), play)

    def _answer(self, question: Question) -> Answer:
        source = QuestionSource(self)
        answer = answer_question(question, source)
        return show_answer(answer, source)

    @check_arguments
    def openings(  # noqa: PLR0913 - the parts of a question, passed by name
        self,
        ruleset: RulesetLike,
        *,
        first: Literal["", "move", "piece"] = "",
        strategies: str | Sequence[str] = "",
        blocks: int = OPENING_BLOCKS.default,
        seed: int = SEED.default,
        progress: bool = True,
    ) -> Answer:
        """Return how each first move, or first piece, does with the same players and the same luck; `pandas()` has a row for each.

        `strategies` are one for all seats, or one for each. The games are played now and not saved. Raises InvalidError for a ruleset
        or a strategy that does not exist.
        """
        rules = self.ruleset(ruleset)
        lineup = join_names(strategies)
        question = make_question(
            OpeningsQuestion,
            {"ruleset": rules.name, "first": first, "strategies": lineup, "blocks": blocks, "seed": seed},
        )

        answers = iter_openings_answers(question, rules)
        return self._keep_played(question, answers, rules, "first moves of", is_shown=progress)

    @check_arguments
    def simulate(  # noqa: PLR0913 - the parts of an experiment, passed by name
        self,
        ruleset: RulesetLike,
        strategies: StrategyLike | Sequence[StrategyLike],
        *,
        games: int | None = None,
        blocks: int | None = None,
        seed: int | None = None,
        log: str = "full",
        title: str | None = None,
        name: str | None = None,
        replace: bool = False,
        workers: int | None = 1,
        code: str | Path | Sequence[str | Path] = (),
        progress: bool = True,
    ) -> Run:
        """Simulate at least `games` games (300 by default) or `blocks` blocks and return the run, saved as `name`.

        A block has a game for each seating of the line-up, with the same luck, and only whole blocks are played: 11 games of two
        strategies are 12.

        `ruleset` is a name, the path of a file, or a document. `strategies` has one for each seat, also as one text with commas:
        a name such as "greedy", a name with parameters such as "rollout:playouts=64" (`library.strategies()` lists them), the name of
        a strategy of an installed package, or a function `def mine(state, source)` that returns one of `state.actions`. Functions
        play in this process, and the run records their source. `code` names files with strategies.
        `log` is full, scores, or sample=F for a share F of the games.

        Without a `name` the run gets the name of the ruleset, with a number if that is taken. If there is a run `name` of the
        same design, it is returned and nothing is played; one that was interrupted is finished. Without a `seed` it has that
        of the run `name`, or else a random one. An interrupted cell raises Interrupted, which says how to go on. With `replace`,
        a run `name` of another design is removed, as `reroll rm` does, before the first game is played.

        With one worker the games are played in this process. With more, a script must guard its main part by
        `if __name__ == "__main__"`, because every worker imports it. Raises InvalidError for an impossible design, and if
        the run `name` has another design.
        """
        seed = choose_seed(find_seed(self.runs_folder, name) if seed is None else seed)
        lineup, own_strategies = read_lineup(strategies, code)
        rules = self._read_new_rules(ruleset, len(lineup), replaces=replace)
        design = design_simulation(
            rules,
            lineup,
            games_at_least=games,
            blocks=blocks,
            seed=seed,
            log=log,
            title=title,
            own_strategies=own_strategies,
        )
        return self._play_design(design, name, rules.name, workers, replaces=replace, is_shown=progress)

    @check_arguments
    def compare(  # noqa: PLR0913 - as above
        self,
        ruleset: RulesetLike,
        *strategies: StrategyLike | Sequence[StrategyLike],
        blocks: int | None = None,
        until_decided: bool = False,
        margin: float | None = None,
        metric: str = DEFAULT_METRIC,
        opening: int | None = None,
        seed: int | None = None,
        name: str | None = None,
        replace: bool = False,
        workers: int | None = 1,
        code: str | Path | Sequence[str | Path] = (),
        progress: bool = True,
    ) -> Comparison:
        """Compare strategies on the same luck in every seat; the games are saved as a run.

        It plays 1,000 `blocks`; with `until_decided`, as many as it needs up to that number, where `margin` is the difference in points
        that would not matter. `metric` is score, margin or win; `opening` is a number of random plies before the strategies
        play. `ruleset`, `name`, `replace` and `seed` work as in `simulate`. Raises InvalidError for an impossible design, and if the run `name` has
        another one.
        """
        lineup, own_strategies = read_lineup(strategies, code)
        rules = self._read_new_rules(ruleset, replaces=replace)
        design = design_comparison(
            rules,
            lineup,
            blocks=blocks,
            until_decided=until_decided,
            margin=margin,
            metric=metric,
            opening=opening,
            seed=choose_seed(find_seed(self.runs_folder, name) if seed is None else seed),
            own_strategies=own_strategies,
        )
        played = self._play_design(
            design, name, f"{rules.name}-compared", workers, replaces=replace, is_shown=progress
        )
        return played.comparison()

    @check_arguments
    def import_games(
        self,
        path: str | Path,
        *paths: str | Path,
        ruleset: str | None = None,
        name: str | None = None,
        replace: bool = False,
        progress: bool = True,
    ) -> Run:
        """Import games that were played elsewhere and return their run; the rules check every ply.

        `name` and `replace` work as in `simulate`. Raises a GameError, with file and line, for the first ply that breaks a rule, and
        InvalidError if the run `name` has other games.
        """
        files = [Path(file) for file in (path, *paths)]
        plan = plan_import(files, self.catalogue, ruleset=ruleset)
        if name and not replace:
            same_run = find_same_run(self.runs_folder, name, plan.design)
            if isinstance(same_run, run.Run):
                check_same_games(same_run, plan)
                return Run(same_run.path)
        if name and (earlier := find_any_run(self.runs_folder, name)):
            earlier.remove()  # an import that was interrupted cannot be resumed
        target = self._run_path(name or run_name(files[0]))
        with report_progress(plan.design.rules.name, "games", is_shown=progress) as update:
            return Run(play_import(plan, target, free_name=not name, progress=update).path)

    def _play_design(  # noqa: PLR0913 - two of them by name
        self,
        design: Design,
        name: str | None,
        default: str,
        workers: int | None,
        *,
        replaces: bool,
        is_shown: bool,
    ) -> Run:
        """Return the run `name` of a design; without a name, a new one with the default name or a similar one."""
        same_run = None
        try:
            same_run = find_same_run(self.runs_folder, name, design) if name else None
        except InvalidError:
            if not replaces or not is_file_name(name or ""):
                raise
        if isinstance(same_run, run.Run):
            return Run(same_run.path)
        if needs_kernel(design):
            compile_first(design.rules, is_shown=is_shown)
        if replaces and name and not same_run and (other := find_any_run(self.runs_folder, name)):
            other.remove()
        note = describe_compiling(design.rules) if is_shown else ""
        with report_progress(design.rules.name, "games", is_shown=is_shown, name=name, note=note) as update:
            if isinstance(same_run, UnfinishedRun):
                resumed = replace(same_run, own=design.own_strategies)
                played = resume_run(resumed, workers=workers, progress=update)
            else:
                target = self._run_path(name or default)
                played = simulate_run(design, target, workers=workers, free_name=not name, progress=update)
        return Run(played.path)

    def _run_path(self, name: str) -> Path:
        return self.runs_folder / f"{name}.duckdb"

    def __repr__(self) -> str:
        return library_text(self)

    def _repr_html_(self) -> str:
        return library_html(self)
