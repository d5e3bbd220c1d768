"""What-if questions about one game and about many, and their answers while they become more precise.

The fields with integers count games, plies and seats from 0; texts (`lost:1`, `round:3`) count from 1, as people do. A
question without a change asks nothing yet: it only names a game and a ply.
"""

from __future__ import annotations

import re
import shlex
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, NamedTuple, TypeVar

from pydantic import AfterValidator, Field

from engine.actions import CHANCE
from engine.errors import GameError, InvalidError
from pipelines.design.designs import ForkOrigin, WhatIfDesign
from pipelines.design.limits import CONTINUATIONS, CONTINUATIONS_PER_GAME, FORKED_GAMES, SEED
from pipelines.design.titles import name_match
from pipelines.experiments import many_games
from pipelines.experiments.continuations import Continuations
from pipelines.experiments.fork import (
    NONE_ALLOWED,
    AllowedStrategies,
    Change,
    Fork,
    fork_logged_game,
    format_option,
    parse_option,
    position_before,
    ruleset_with_options,
)
from pipelines.experiments.whatif import (
    FIRST_LOOK_CONTINUATIONS,
    WhatIf,
    collect_whatif,
    command_options,
    play_whatif,
)
from pipelines.questions.address import (
    CountedFromOne,
    Question,
    Work,
    describe_unknown,
    list_keys,
    make_question,
    number_field,
    write_problem,
)
from pipelines.questions.game import AddressedGame, AddressedPly, GameQuestion
from pipelines.runs.game_queries import read_branch

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Scene
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run

NO_CHANGE: Final = "the address names no change, so there is no question"
_OTHER_PLAYERS: Final = (
    "where only the luck is different, the game as it was played is what it is compared with, so its own players must play on: "
    "change something else, or leave quick players and stand-ins out"
)


def _checked_by(parse: Callable[[str], object]) -> AfterValidator:
    """Return the validator of texts that a parser accepts."""

    def check_text(text: str) -> str:
        parse(text)
        return text

    return AfterValidator(check_text)


def parse_substitutes(text: str) -> dict[int, str]:
    """Parse `PLAYER:STRATEGY,PLAYER:STRATEGY`; return the strategies by seat. Raises InvalidError for other text.

    >>> parse_substitutes("1:greedy,4:noisy:sigma=2,eps=1"), parse_substitutes("")
    ({0: 'greedy', 3: 'noisy:sigma=2,eps=1'}, {})
    """
    strategies = {}
    for part in re.split(r",(?=[0-9]{1,2}:)", text) if text else []:
        player, colon, strategy = part.partition(":")
        if not (player.isdecimal() and player.isascii() and int(player) and colon and strategy):
            raise InvalidError(f"expected PLAYER:STRATEGY, as in 1:greedy, not {part[:60]!r}")
        strategies[int(player) - 1] = strategy
    return strategies


class ChangeQuestion(Question):
    """What changes: the fields that both questions have behind those of their place, in this order in an address."""

    seats: Annotated[
        tuple[Annotated[int, Field(ge=0, le=7)], ...],
        Field(
            title="player",
            description="Player that plays differently from there on; the first one is 1.",
            alias="player",
            max_length=8,
        ),
        CountedFromOne(),
    ] = ()
    strategies: Annotated[
        tuple[str, ...],
        Field(
            title="strategy",
            description="Strategy of that player, one for each player.",
            alias="strategy",
            max_length=8,
        ),
    ] = ()
    action: Annotated[
        str, Field(title="action", description="Action or roll that replaces the one at that move.")
    ] = ""
    options: Annotated[
        tuple[Annotated[str, _checked_by(parse_option)], ...],
        Field(title="option", description="Option of the ruleset with another value.", alias="option"),
    ] = ()
    """`KEY=VALUE`."""
    luck: Annotated[bool, Field(title="value of luck", description="Change nothing but the luck.")] = False
    substitute: Annotated[str, Field(title="stand-in", alias="stand-in"), _checked_by(parse_substitutes)] = ""
    """`PLAYER:STRATEGY`, joined by commas: who plays in place of the logged strategy on both branches."""
    quick: Annotated[
        bool,
        Field(
            title="value of quick",
            description="Quick players play on in place of those of the game, as in a review.",
        ),
    ] = False
    seed: Annotated[int, number_field("seed", SEED, "Seed of the luck of the continuations.")] = SEED.default

    @property
    def change(self) -> Change:
        return Change(
            dict(zip(self.seats, self.strategies, strict=False)),
            self.action or None,
            dict(map(parse_option, self.options)),
            parse_substitutes(self.substitute),
            self.quick,
        )

    @property
    def title(self) -> str:
        return self._make_title(self._name_place(), str(self.change))

    def describe(self, run: Run) -> str:
        """Return the title for people: games and moves have the names that they give them.

        Raises a GameError for a game or an action that the run does not have.
        """
        change = self.change.describe(self.find_ruleset(run), self.find_table(run), self._find_legal(run))
        return self._make_title(self._name_place(self.name_games(run)), change)

    def name_games(self, run: Run) -> str:
        """Return what people call the games that go on: their rules and players. Raises what `describe` raises."""
        return name_match(self.find_ruleset(run), self.find_table(run))

    def _make_title(self, place: str, change: str) -> str:
        return f"{place}: what if {change if self.has_change else '…'}?"

    @abstractmethod
    def find_ruleset(self, run: Run) -> Ruleset:
        """Return the rules of the game, or of the first of many. Raises InvalidError if the run does not have it."""

    @abstractmethod
    def find_table(self, run: Run) -> Sequence[str]:
        """Return the strategies of the game, as often as they sit at the table; none if many games have several tables."""

    def _find_legal(self, run: Run) -> Sequence[int]:  # noqa: ARG002 - many games have many positions
        """Return the legal actions, from which the name of a move tells it."""
        return ()

    @abstractmethod
    def _name_place(self, match: str = "") -> str:
        """Return where games go on; `match` is what people call them, if it is known."""

    @property
    def has_change(self) -> bool:
        """False if the address only names a place."""
        return self.luck or bool(self.strategies or self.action or self.options)


class GamePlace(Question):
    """A ply of a logged game."""

    run: Annotated[str, Field(title="run")] = ""
    game: AddressedGame = 0
    ply: AddressedPly = 0


class GamesPlace(Question):
    """A place in each of many games of a run."""

    run: Annotated[str, Field(title="run")] = ""
    games: Annotated[
        str,
        Field(
            title="games",
            description="Many games instead: all, or lost:P or won:P for those that player P lost or won.",
            alias="many",
        ),
        _checked_by(many_games.parse_games),
    ] = ""
    """Empty, which no address can say, means all."""
    where: Annotated[str, Field(title="move", alias="move"), _checked_by(many_games.parse_place)] = (
        "last-roll"
    )
    """A move (negative: from the end), `round:R` or `last-roll`."""


class WhatifQuestion(ChangeQuestion, GamePlace):
    """A logged game is played on from a ply with and without a change. The board of its replay asks and answers."""

    page: ClassVar[str] = GameQuestion.page
    marks: ClassVar[frozenset[str]] = frozenset(
        {*(field.alias or name for name, field in ChangeQuestion.model_fields.items()), "continuations"}
    )
    display_keys: ClassVar[frozenset[str]] = frozenset(list_keys(GameQuestion))

    n: Annotated[int, number_field("continuations", CONTINUATIONS, alias="continuations")] = (
        CONTINUATIONS.default
    )

    def find_ruleset(self, run: Run) -> Ruleset:
        return run.ruleset(run.game(self.game).ruleset)

    def find_table(self, run: Run) -> Sequence[str]:
        return [seat.strategy for seat in run.list_seats(self.game)]

    def _find_legal(self, run: Run) -> Sequence[int]:
        return position_before(run, self.game, self.ply).actions if self.action else ()

    def _name_place(self, match: str = "") -> str:
        game = f"a game of {match}" if match else f"game {self.game + 1} of {self.run}"
        return f"Move {self.ply + 1} of {game}"

    @property
    def command(self) -> str:
        words = ["reroll", "whatif", self.run, "--game", str(self.game + 1), "--move", str(self.ply + 1)]
        words += [*command_options(self.change), "--continuations", str(self.n), "--seed", str(self.seed)]
        return shlex.join(words)

    @property
    def work(self) -> Work:
        return Work(self.n, CONTINUATIONS.default, "continuations")


class ManyGamesQuestion(ChangeQuestion, GamesPlace):
    """Many games of a run are played on from a place in each, with and without a change."""

    page: ClassVar[str] = "whatif"
    marks: ClassVar[frozenset[str]] = frozenset({"many"})

    n: Annotated[int, number_field("continuations", CONTINUATIONS_PER_GAME, alias="continuations")] = (
        CONTINUATIONS_PER_GAME.default
    )
    limit: Annotated[int, number_field("games at most", FORKED_GAMES, "Maximum number of games.")] = (
        FORKED_GAMES.default
    )

    def find_ruleset(self, run: Run) -> Ruleset:
        return next(iter(run.rulesets.values()))

    def find_table(self, run: Run) -> Sequence[str]:
        return run.summary.table

    def _name_place(self, match: str = "") -> str:
        return f"Many games of {match or self.run}"

    @property
    def command(self) -> str:
        words = ["reroll", "whatif", self.run, "--many", self.games or "all", "--move", self.where]
        words += [*command_options(self.change), "--continuations", str(self.n)]
        return shlex.join([*words, "--limit", str(self.limit), "--seed", str(self.seed)])

    @property
    def work(self) -> Work:
        usual = CONTINUATIONS_PER_GAME.default * FORKED_GAMES.default
        return Work(self.n * self.limit, usual, "continuations")


class SavedWhatifQuestion(Question):
    """The question whose continuations a run holds."""

    page: ClassVar[str] = ManyGamesQuestion.page

    run: Annotated[str, Field(title="run")] = ""

    @property
    def title(self) -> str:
        return f"The what-if of {self.run}"


AnyWhatif = TypeVar("AnyWhatif", WhatifQuestion, ManyGamesQuestion)


def ask_about_change(kind: type[AnyWhatif], change: Change, **fields: object) -> AnyWhatif:
    """Return the question about a change, with other fields by their names; an empty change asks about other luck.

    Raises InvalidError for a field that does not fit.
    """
    return make_question(
        kind,
        {
            "seats": tuple(change.strategies),
            "strategies": tuple(change.strategies.values()),
            "action": change.action or "",
            "options": tuple(format_option(key, value) for key, value in change.options.items()),
            "luck": not change,
            "substitute": ",".join(f"{seat + 1}:{name}" for seat, name in sorted(change.substitutes.items())),
            "quick": change.quick,
            **fields,
        },
    )


def read_saved_question(origin: ForkOrigin, n: int) -> WhatifQuestion:
    """Return the question whose `n` continuations of each branch a run holds.

    Older runs have `--seat` and `--substitute`, which count from 0.
    """
    query: dict[str, list[str]] = {}
    words = [word for word in origin.asked if word not in {"--luck", "--quick"}]
    for option, value in zip(words[::2], words[1::2], strict=True):
        query.setdefault(option, []).append(value)
    older = [text.partition("=") for text in query.get("--substitute", ())]
    substitutes = [f"{int(seat) + 1}:{strategy}" for seat, _, strategy in older]
    substitutes += [text.replace("=", ":", 1) for text in query.get("--stand-in", ())]
    players = [int(text) - 1 for text in query.get("--player", ())]
    return WhatifQuestion(
        run=origin.run,
        game=origin.game_id,
        ply=origin.ply,
        seats=(*map(int, query.get("--seat", ())), *players),
        strategies=tuple(query.get("--strategy", ())),
        action=next(iter(query.get("--action", ())), ""),
        luck="--luck" in origin.asked,
        substitute=",".join(substitutes),
        quick="--quick" in origin.asked,
        n=n,
        seed=int(next(iter(query.get("--seed", ())), "0")),
    )


class ResolvedWhatif(NamedTuple):
    """A question about a game that is known, and its branches."""

    question: WhatifQuestion
    """With the seat that a strategy without one replaces."""
    problems: tuple[str, ...] = ()
    """A sentence on everything that the game does not have."""
    possible_fork: Fork | None = None
    """None if there are problems."""

    @property
    def fork(self) -> Fork:
        """The branches. Raises InvalidError if the question is not possible or has no change."""
        if self.possible_fork is None:
            raise InvalidError(" ".join(self.problems))
        _check_change(self.question)
        return self.possible_fork


def resolve_whatif(question: WhatifQuestion, run: Run) -> ResolvedWhatif:
    """Fork the game of a question, and find what the game does not have.

    A strategy without a seat replaces the one that acts at the ply; at a roll it is seat 0.
    """
    problems: list[str] = []
    try:
        ruleset = run.ruleset(run.game(question.game).ruleset)
        last = len(run.actions(question.game)) - 1
        if question.ply > last:
            problems.append(f"Move: expected a whole number from 1 to {last + 1:,}, not {question.ply + 1}.")
        problems += _find_problems(question, ruleset)
        if problems:
            return ResolvedWhatif(question, tuple(problems))
        if question.strategies and not question.seats:
            acting = position_before(run, question.game, question.ply).seat
            question = question.model_copy(update={"seats": (0 if acting == CHANCE else acting,)})
        fork = fork_logged_game(run, question.game, question.ply, question.change)
    except GameError as error:
        return ResolvedWhatif(question, (*problems, write_problem(error)))
    return ResolvedWhatif(question, possible_fork=fork)


def resolve_many_games(question: ManyGamesQuestion, run: Run) -> tuple[ManyGamesQuestion, tuple[str, ...]]:
    """Return the question with the seat that a strategy without one replaces, seat 0, and what the rulesets do not have.

    Whether a strategy exists is found out when the first game is forked.
    """
    if question.strategies and not question.seats:
        question = question.model_copy(update={"seats": (0,)})
    problems: list[str] = []
    for ruleset in run.rulesets.values():
        problems += _find_problems(question, ruleset)
        how, seat = many_games.parse_games(question.games or "all")
        if how != "all" and seat >= ruleset.players:
            problems.append(describe_unknown("choice of games", question.games))
    return question, tuple(dict.fromkeys(problems))


def _find_problems(question: ChangeQuestion, ruleset: Ruleset) -> list[str]:
    """Return a sentence on each seat and each option that a ruleset does not have."""
    change = question.change
    problems = [
        f"Player: expected a whole number from 1 to {ruleset.players}, not {seat + 1}."
        for seat in (*question.seats, *change.substitutes)
        if seat >= ruleset.players
    ]
    if len(question.strategies) != len(question.seats or question.strategies[:1]):
        problems.append("Every changed player needs one strategy, and every strategy its player.")
    if question.luck and (question.strategies or change):
        problems.append("If something else is different, the address must not ask about luck alone.")
    known = ruleset.document["options"]
    unknown = [key for key in change.options if key not in known]
    problems += [describe_unknown("option", key) for key in unknown]
    if not unknown:
        try:
            ruleset_with_options(ruleset, change.options)
        except GameError as error:
            problems.append(write_problem(error))
    return problems


def fork_whatif(question: WhatifQuestion, run: Run, allowed: AllowedStrategies = NONE_ALLOWED) -> Fork:
    """Return the branches of a question. Raises InvalidError for a question without a change and as `fork_logged_game` does."""
    _check_change(question)
    return fork_logged_game(run, question.game, question.ply, question.change, allowed)


def _check_change(question: ChangeQuestion) -> None:
    if not question.has_change:
        raise InvalidError(NO_CHANGE)
    if not question.change and (question.quick or question.substitute):
        raise InvalidError(_OTHER_PLAYERS)


@dataclass(frozen=True)
class WhatifAnswer:
    """The continuations of both branches so far."""

    question: WhatifQuestion
    whatif: WhatIf
    run: Run
    """The run with the game."""
    logged_scene: Scene | None = None
    """The scene of the game, if the answer compares other luck with what happened; else None."""


@dataclass(frozen=True)
class ManyGamesAnswer:
    """The positions that have been played so far."""

    question: ManyGamesQuestion
    positions: many_games.WhatIfPositions
    total: int
    """Number of the games that are selected."""
    run: Run

    @property
    def done(self) -> int:
        return len(self.positions.played) + len(self.positions.skipped)

    @property
    def is_over(self) -> bool:
        return self.done == self.total


def iter_whatif_answers(  # noqa: PLR0913 - what makes an experiment, all named
    question: WhatifQuestion,
    run: Run,
    fork: Fork,
    *,
    margin: float | None = None,
    until_decided: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[WhatifAnswer]:
    """Play both branches of a question and yield ever more precise answers, as `play_whatif` does."""
    logged_scene = None if fork.change else run.scene(fork.game_id)
    for whatif in play_whatif(
        fork, n=question.n, seed=question.seed, margin=margin, until_decided=until_decided, stopped=stopped
    ):
        yield WhatifAnswer(question, whatif, run, logged_scene)


def iter_many_games_answers(
    question: ManyGamesQuestion,
    run: Run,
    *,
    allowed: AllowedStrategies = NONE_ALLOWED,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[ManyGamesAnswer]:
    """Fork the games one after another and yield an answer after each.

    Raises a GameError if the question is not possible, or if none of the games can be forked.
    """
    _check_change(question)
    chosen = many_games.select_logged_games(run, question.games or "all", question.limit)
    played: tuple[WhatIf, ...] = ()
    skipped: dict[int, str] = {}
    forks = many_games.iter_forks(run, chosen, question.where, question.change, skipped, allowed)
    for whatif in many_games.play_every_fork(forks, n=question.n, seed=question.seed, stopped=stopped):
        played = (*played, whatif)
        yield ManyGamesAnswer(question, many_games.WhatIfPositions(played, dict(skipped)), len(chosen), run)
    if not played and skipped:
        game_id, reason = next(iter(skipped.items()))
        raise InvalidError(f"each game is left out; game {game_id + 1}: {reason}")
    yield ManyGamesAnswer(question, many_games.WhatIfPositions(played, skipped), len(chosen), run)


def answer_whatif(question: WhatifQuestion, source: QuestionSource) -> WhatifAnswer:
    """Return the whole answer. Raises a GameError if the question is not possible."""
    run = source.find_run(question.run)
    resolved = resolve_whatif(question, run)
    *_, answer = iter_whatif_answers(resolved.question, run, resolved.fork)
    return answer


def answer_saved_whatif(run: Run, source: QuestionSource) -> WhatifAnswer:
    """Return the answer that a run of continuations holds. The source has the run with the forked game.

    Nothing is played, but for a single continuation: whether other luck changes nothing is not in the run.

    Raises a GameError if the run holds no continuations, if the source does not have that game, or if it is no longer the one
    that was forked.
    """
    design = run.design
    if not isinstance(design, WhatIfDesign):
        raise InvalidError(f"{run.name} holds no what-if question")
    origin, parent = design.fork, source.find_run(design.fork.run)
    if tuple(parent.actions(origin.game_id)[: origin.ply]) != origin.prefixes[0][: origin.ply]:
        raise InvalidError(
            f"game {origin.game_id + 1} of {origin.run} is no longer the game that the question was about"
        )
    question = read_saved_question(origin, design.blocks)
    fork = fork_whatif(question, parent)
    with run.open_tables() as connection:
        branches = [
            read_branch(connection, rotation, len(prefix)) for rotation, prefix in enumerate(origin.prefixes)
        ]
    shape = (design.blocks, fork.ruleset.players)
    played = [
        Continuations(rows.plies, rows.scores.reshape(shape), rows.ranks.reshape(shape), rows.actions)
        for rows in branches
    ]
    whatif = collect_whatif(fork, question.seed, design.seed, origin.luck, played[0], played[-1])
    if whatif.n == 1 and not fork.next_roll:
        *_, again = play_whatif(fork, n=FIRST_LOOK_CONTINUATIONS, seed=question.seed)
        whatif = again if again.is_single else whatif
    return WhatifAnswer(question, whatif, parent, None if fork.change else parent.scene(fork.game_id))


def answer_many_games(question: ManyGamesQuestion, source: QuestionSource) -> ManyGamesAnswer:
    """Return the whole answer. Raises a GameError if the question is not possible."""
    run = source.find_run(question.run)
    question, problems = resolve_many_games(question, run)
    if problems:
        raise InvalidError(" ".join(problems))
    *_, answer = iter_many_games_answers(question, run)
    return answer
