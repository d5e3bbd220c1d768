"""A question for remarkable games as a value: which games count, and what they are sorted by."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from pipelines.design.limits import (
    LISTED_GAMES,
    MAX_CONDITION_CHARACTERS,
    MAX_RANGE_END,
    MAX_STRATEGY_CHARACTERS,
)
from pipelines.questions.address import Question
from pipelines.questions.games.sorts import CONDITION_COLUMNS, SORTS, SortKey

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.runs.run import Run


class GamesQuestion(Question):
    """Games of the library in an order."""

    page: ClassVar[str] = "games"

    rulesets: Annotated[
        tuple[str, ...],
        Field(title="ruleset", description="Only games under this ruleset. Repeatable."),
    ] = ()
    runs: Annotated[
        tuple[str, ...], Field(title="run", description="Only games of this run. Repeatable.")
    ] = ()
    """All runs of whole games if empty."""
    sort: Annotated[SortKey, Field(title="order", description="What to sort by.")] = "score"
    is_lowest: Annotated[
        bool,
        Field(
            title="value of lowest",
            description="Begin with the other end: closest finish, shortest game, worst score.",
            alias="lowest",
        ),
    ] = False
    winner: Annotated[
        str,
        Field(title="winner", description="Only games that it won.", max_length=MAX_STRATEGY_CHARACTERS),
    ] = ""
    low: Annotated[
        int | None,
        Field(
            title="from",
            description="Only games in which a player scores at least N.",
            alias="from",
            ge=-MAX_RANGE_END,
            le=MAX_RANGE_END,
        ),
    ] = None
    high: Annotated[
        int | None,
        Field(
            title="to",
            description="Only games in which a player scores at most N.",
            alias="to",
            ge=-MAX_RANGE_END,
            le=MAX_RANGE_END,
        ),
    ] = None
    where: Annotated[
        str,
        Field(
            title="condition",
            description=f"Only games with this property, such as 'rounds < 12 AND margin = 1'. Columns: {CONDITION_COLUMNS}.",
            max_length=MAX_CONDITION_CHARACTERS,
        ),
    ] = ""
    only_logged: Annotated[
        bool,
        Field(
            title="value of logged",
            description="Only games that can be replayed, because their moves are logged.",
            alias="logged",
        ),
    ] = False
    most: Annotated[
        int,
        Field(
            title="number of games",
            description="Number of games to list of each game.",
            alias="n",
            ge=LISTED_GAMES.least,
            le=LISTED_GAMES.most,
        ),
    ] = LISTED_GAMES.default

    @property
    def order_title(self) -> str:
        """What the first game is, such as "best score"."""
        return SORTS[self.sort].smallest if self.is_lowest else SORTS[self.sort].largest

    @property
    def title(self) -> str:
        where = ", ".join([*self.rulesets, *self.runs])
        return f"Games by {self.order_title}{f': {where}' if where else ''}"

    @property
    def command(self) -> str:
        words = ["reroll", "games", "--sort", self.sort, *(["--lowest"] if self.is_lowest else [])]
        options = {
            "--ruleset": self.rulesets,
            "--run": self.runs,
            "--winner": (self.winner,) if self.winner else (),
            "--from": () if self.low is None else (str(self.low),),
            "--to": () if self.high is None else (str(self.high),),
            "--where": (self.where,) if self.where else (),
        }
        words += [word for option, values in options.items() for value in values for word in (option, value)]
        words += ["--logged"] if self.only_logged else []
        return shlex.join([*words, *(["-n", str(self.most)] if self.most != LISTED_GAMES.default else [])])


def ask_records(game: str, runs: Iterable[Run]) -> GamesQuestion:
    """Return the question for the best scores of a game under all rulesets that were played."""
    played = {one.name for run in runs for one in run.summary.rulesets if one.game == game}
    return GamesQuestion(rulesets=tuple(sorted(played)))
