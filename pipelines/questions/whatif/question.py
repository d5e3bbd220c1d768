"""What-if questions as values: about one game from a ply on, and about many games of a run.

Seats, plies and rounds are counted from 0. A question without a change asks nothing yet: it only names a game and a ply.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, TypeVar

from pydantic import AfterValidator, Field

from engine.actions import CHANCE
from engine.errors import GameError, InvalidError
from pipelines.design.number_limits import CONTINUATIONS, CONTINUATIONS_PER_GAME, FORKED_GAMES, SEED
from pipelines.experiments.whatif.fork import (
    NONE_ALLOWED,
    Change,
    fork_logged_game,
    format_option,
    parse_option,
    position_before,
    ruleset_with_options,
)
from pipelines.experiments.whatif.saved_run import command_options
from pipelines.experiments.whatif.select_games import parse_games, parse_place
from pipelines.questions.address import Question, describe_unknown, read_fields, write_problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.ruleset import Ruleset
    from pipelines.design.whatif import ForkOrigin
    from pipelines.experiments.whatif.fork import AllowedStrategies, Fork
    from pipelines.runs.run import Run

MAX_GAME: Final = 1 << 32
MAX_PLY: Final = 1_000_000
NO_CHANGE: Final = "the address names no change, so there is no question"


def _check_option(text: str) -> str:
    parse_option(text)
    return text


def _check_games(text: str) -> str:
    parse_games(text)
    return text


def _check_place(text: str) -> str:
    parse_place(text)
    return text


def _check_substitutes(text: str) -> str:
    parse_substitutes(text)
    return text


class ChangeQuestion(Question):
    """What changes: the fields that both questions have behind those of their place, in this order in an address."""

    page: ClassVar[str] = "whatif"

    seats: Annotated[
        tuple[Annotated[int, Field(ge=0, le=7)], ...], Field(title="seat", alias="seat", max_length=8)
    ] = ()
    strategies: Annotated[tuple[str, ...], Field(title="strategy", alias="strategy", max_length=8)] = ()
    """The strategy of each seat of `seats` from the fork on."""
    action: Annotated[str, Field(title="action")] = ""
    """Notation of the action or roll that replaces the logged one."""
    options: Annotated[
        tuple[Annotated[str, AfterValidator(_check_option)], ...], Field(title="option", alias="option")
    ] = ()
    """`KEY=VALUE` for each option of the ruleset with another value."""
    luck: Annotated[bool, Field(title="value of luck")] = False
    """Whether nothing but the luck is different."""
    substitute: Annotated[str, Field(title="substitute"), AfterValidator(_check_substitutes)] = ""
    """`SEAT:STRATEGY`, joined by commas: who plays in place of the logged strategy on both branches."""
    seed: Annotated[int, Field(title="seed", ge=SEED.least, le=SEED.most)] = SEED.default

    @property
    def change(self) -> Change:
        return Change(
            dict(zip(self.seats, self.strategies, strict=False)),
            self.action or None,
            dict(map(parse_option, self.options)),
            parse_substitutes(self.substitute),
        )

    @property
    def has_change(self) -> bool:
        """False if the address only names a place."""
        return self.luck or bool(self.strategies or self.action or self.options)


class GamePlace(Question):
    """A ply of a logged game."""

    run: Annotated[str, Field(title="run")] = ""
    game: Annotated[int, Field(title="game", ge=0, le=MAX_GAME)] = 0
    ply: Annotated[int, Field(title="ply", ge=0, le=MAX_PLY)] = 0


class GamesPlace(Question):
    """A place in each of many games of a run."""

    run: Annotated[str, Field(title="run")] = ""
    games: Annotated[str, Field(title="games"), AfterValidator(_check_games)] = ""
    """`all`, `lost:SEAT` or `won:SEAT`; empty, which no address can say, means all."""
    where: Annotated[str, Field(title="where"), AfterValidator(_check_place)] = "last-roll"
    """A ply (negative: from the end), `round:R` or `last-roll`."""


class WhatifQuestion(ChangeQuestion, GamePlace):
    """A logged game is played on from a ply with and without a change."""

    n: Annotated[int, Field(title="continuations", ge=CONTINUATIONS.least, le=CONTINUATIONS.most)] = (
        CONTINUATIONS.default
    )

    @property
    def title(self) -> str:
        place = f"move {self.ply + 1} of game {self.game} of {self.run}"
        return f"What if {self.change}?" if self.has_change else f"What if, from {place} on …?"

    @property
    def command(self) -> str:
        words = ["reroll", "whatif", self.run, str(self.game), "--ply", str(self.ply)]
        words += [*command_options(self.change), "-n", str(self.n), "--seed", str(self.seed)]
        return shlex.join(words)


class ManyGamesQuestion(ChangeQuestion, GamesPlace):
    """Many games of a run are played on from a place in each, with and without a change."""

    marks: ClassVar[frozenset[str]] = frozenset({"games"})

    n: Annotated[
        int,
        Field(title="continuations", ge=CONTINUATIONS_PER_GAME.least, le=CONTINUATIONS_PER_GAME.most),
    ] = CONTINUATIONS_PER_GAME.default
    most: Annotated[int, Field(title="games at most", ge=FORKED_GAMES.least, le=FORKED_GAMES.most)] = (
        FORKED_GAMES.default
    )

    @property
    def title(self) -> str:
        return f"What if, in many games, {self.change}?" if self.has_change else "What if, in many games, …?"

    @property
    def command(self) -> str:
        words = ["reroll", "whatif", self.run, self.games or "all", "--ply", self.where]
        words += [*command_options(self.change), "-n", str(self.n), "--max-games", str(self.most)]
        return shlex.join([*words, "--seed", str(self.seed)])


AnyWhatif = TypeVar("AnyWhatif", WhatifQuestion, ManyGamesQuestion)


def parse_substitutes(text: str) -> dict[int, str]:
    """Parse `SEAT:STRATEGY,SEAT:STRATEGY`; raise InvalidError for other text.

    >>> parse_substitutes("0:greedy,3:noisy:sigma=2,eps=1"), parse_substitutes("")
    ({0: 'greedy', 3: 'noisy:sigma=2,eps=1'}, {})
    """
    found = {}
    for part in re.split(r",(?=[0-9]{1,2}:)", text) if text else []:
        seat, colon, strategy = part.partition(":")
        if not (seat.isdecimal() and seat.isascii() and colon and strategy):
            raise InvalidError(f"expected SEAT:STRATEGY, as in 0:greedy, not {part[:60]!r}")
        found[int(seat)] = strategy
    return found


def ask_about_change(kind: type[AnyWhatif], change: Change, **fields: object) -> AnyWhatif:
    """Return the question about a change, with other fields by their keys; an empty change asks about other luck.

    Raises InvalidError for a field that does not fit.
    """
    address: dict[str, Sequence[object]] = {
        "seat": list(change.strategies),
        "strategy": list(change.strategies.values()),
        "action": [change.action] if change.action else [],
        "option": [format_option(key, value) for key, value in change.options.items()],
        "luck": [] if change else ["1"],
        "substitute": [",".join(f"{seat}:{name}" for seat, name in sorted(change.substitutes.items()))],
        **{key: [value] for key, value in fields.items()},
    }
    question, problems = read_fields(
        kind, {key: list(map(str, values)) for key, values in address.items() if values}
    )
    if problems:
        raise InvalidError(" ".join(problems))
    return question


def read_saved_question(origin: ForkOrigin, n: int) -> WhatifQuestion:
    """Return the question whose `n` continuations of each branch a run holds."""
    asked: dict[str, list[str]] = {}
    words = [word for word in origin.asked if word != "--luck"]
    for option, value in zip(words[::2], words[1::2], strict=True):
        asked.setdefault(option, []).append(value)
    substitutes = [text.replace("=", ":", 1) for text in asked.get("--substitute", ())]
    return WhatifQuestion(
        run=origin.run,
        game=origin.game_id,
        ply=origin.ply,
        seats=tuple(map(int, asked.get("--seat", ()))),
        strategies=tuple(asked.get("--strategy", ())),
        action=next(iter(asked.get("--action", ())), ""),
        luck="--luck" in origin.asked,
        substitute=",".join(substitutes),
        n=n,
        seed=int(next(iter(asked.get("--seed", ())), "0")),
    )


def resolve_whatif(
    question: WhatifQuestion, run: Run, allowed: AllowedStrategies = NONE_ALLOWED
) -> tuple[WhatifQuestion, tuple[str, ...]]:
    """Return the question with the seat that a strategy without one replaces, and a sentence on what the game does not have.

    The seat is the one that acts at the ply; at a roll it is seat 0.
    """
    problems: list[str] = []
    try:
        ruleset = run.ruleset(run.game(question.game).ruleset)
        last = len(run.actions(question.game)) - 1
        if question.ply > last:
            problems.append(f"Ply: expected a whole number from 0 to {last:,}, not {question.ply}.")
        problems += _find_problems(question, ruleset)
        if problems:
            return question, tuple(problems)
        if question.strategies and not question.seats:
            acting = position_before(run, question.game, question.ply).seat
            question = question.model_copy(update={"seats": (0 if acting == CHANCE else acting,)})
        fork_logged_game(run, question.game, question.ply, question.change, allowed)
    except GameError as error:
        problems.append(write_problem(error))
    return question, tuple(problems)


def resolve_many_games(question: ManyGamesQuestion, run: Run) -> tuple[ManyGamesQuestion, tuple[str, ...]]:
    """Return the question with the seat that a strategy without one replaces, seat 0, and what the rulesets do not have.

    Whether a strategy exists is found out when the first game is forked.
    """
    if question.strategies and not question.seats:
        question = question.model_copy(update={"seats": (0,)})
    problems: list[str] = []
    for ruleset in run.rulesets.values():
        problems += _find_problems(question, ruleset)
        how, seat = parse_games(question.games or "all")
        if how != "all" and seat >= ruleset.players:
            problems.append(describe_unknown("choice of games", question.games))
    return question, tuple(dict.fromkeys(problems))


def _find_problems(question: ChangeQuestion, ruleset: Ruleset) -> list[str]:
    """Return a sentence on each seat and each option that a ruleset does not have."""
    last = ruleset.players - 1
    change = question.change
    problems = [
        f"Seat: expected a whole number from 0 to {last}, not {seat}."
        for seat in (*question.seats, *change.substitutes)
        if seat > last
    ]
    if len(question.strategies) != len(question.seats or question.strategies[:1]):
        problems.append("Every changed seat needs one strategy, and every strategy its seat.")
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
    if not question.has_change:
        raise InvalidError(NO_CHANGE)
    return fork_logged_game(run, question.game, question.ply, question.change, allowed)
