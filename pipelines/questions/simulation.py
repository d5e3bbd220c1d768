"""A simulation that is to be played, which the page Library asks for, and the filters of the page All runs."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import Field

from engine.wording import format_count
from pipelines.design.limits import SIMULATION_GAMES
from pipelines.design.short_names import short_names
from pipelines.questions import lineups
from pipelines.questions.address import LIBRARY_PAGE, Question, describe_unknown, number_field

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

Switch: TypeAlias = Literal["false", "true"]
"""A switch of a page, as the browser writes it."""


RunOrder: TypeAlias = Literal["Newest first", "Oldest first", "Most games first", "By name"]
MAX_SEARCH_CHARACTERS: Final = 200


class RunListQuestion(Question):
    """Which runs are listed."""

    page: ClassVar[str] = "runs"

    game: Annotated[str, Field(title="game", alias="kind-of-game")] = ""
    """The title of a game; all games if empty."""
    words: Annotated[str, Field(title="search", alias="search", max_length=MAX_SEARCH_CHARACTERS)] = ""
    """Words that all occur in the name, the title, the line-up or the rulesets of a run."""
    order: Annotated[RunOrder, Field(title="order")] = "Newest first"
    every: Annotated[Switch, Field(title="value of all", alias="all")] = "false"
    """Whether more than the newest runs are listed."""

    @property
    def title(self) -> str:
        return "Runs"

    @property
    def command(self) -> str:
        return "reroll ls"

    def find_problems(self, games: Collection[str]) -> tuple[str, ...]:
        """Return a sentence on each filter that no run can pass; `games` are titles."""
        if self.game and self.game not in games:
            return (describe_unknown("game", self.game, "in the library"),)
        return ()


KeptMoves: TypeAlias = Literal["full", "sample=0.01", "scores"]
LOG_TITLES: Final[dict[KeptMoves, str]] = {
    "full": "every move",
    "sample=0.01": "the moves of 1 % of the games",
    "scores": "scores only",
}


class SimulationQuestion(Question):
    """A simulation that a form asks for."""

    page: ClassVar[str] = LIBRARY_PAGE
    marks: ClassVar[frozenset[str]] = frozenset({"play"})

    play: Annotated[str, Field(title="game")] = ""
    """The game, whose form the page opens."""
    ruleset: Annotated[str, Field(title="ruleset")] = ""
    """The first of the game if empty."""
    strategies: Annotated[tuple[str, ...], Field(title="strategies", max_length=8)] = ()
    """One strategy for each player; what is missing is proposed."""
    games: Annotated[int, number_field("games", SIMULATION_GAMES)] = SIMULATION_GAMES.default
    log: Annotated[KeptMoves, Field(title="choice of moves to keep")] = "full"
    seed: Annotated[str, Field(title="seed", max_length=2 * lineups.MAX_SEED_DIGITS)] = ""
    """As it was typed; empty for any."""

    @property
    def title(self) -> str:
        names = short_names(self.strategies)
        lineup = " against ".join(names[name] for name in dict.fromkeys(self.strategies))
        return f"Simulation: {lineup or 'strategies'}, {self.ruleset or self.play}"

    @property
    def command(self) -> str:
        words = ["reroll", "simulate", self.ruleset, "--strategies", ",".join(self.strategies)]
        words += ["--games", str(self.games), *(["--log", self.log] if self.log != "full" else [])]
        return shlex.join([*words, *(["--seed", self.seed] if self.seed else [])])


def resolve_simulation(
    question: SimulationQuestion, rulesets: Mapping[str, Ruleset], game_title: str
) -> tuple[SimulationQuestion, list[str]]:
    """Return the question with its defaults, and a sentence on each of its values that does not exist.

    `rulesets` are those of the game, the default first. A strategy that does not exist stays in the question, so that it can
    be corrected in the form; so does a seed.
    """
    problems: list[str] = []
    name = question.ruleset or next(iter(rulesets))
    if name not in rulesets:
        problems.append(describe_unknown(f"ruleset of {game_title}", name))
        name = next(iter(rulesets))
    ruleset, lineup = rulesets[name], question.strategies
    problems += lineups.find_unknown_strategies(ruleset, lineup)
    if lineup and len(lineup) != ruleset.players:
        problems.append(
            f"{name} has {format_count(ruleset.players, 'player')}, but the address names {format_count(len(lineup), 'strategy')}."
        )
    players = (*lineup[: ruleset.players], *lineups.suggest_lineup(ruleset)[len(lineup) :])
    resolved = question.model_copy(update={"ruleset": name, "strategies": players})
    return resolved, problems + lineups.find_seed_problem(question.seed)
