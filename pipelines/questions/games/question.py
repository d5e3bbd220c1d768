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
from pipelines.questions.games.sorts import SORTS, SortKey

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.runs.run import Run


class GamesQuestion(Question):
    """Games of the library in an order."""

    page: ClassVar[str] = "games"

    rulesets: Annotated[tuple[str, ...], Field(title="ruleset")] = ()
    """Names of rulesets; all if empty."""
    runs: Annotated[tuple[str, ...], Field(title="run")] = ()
    """All runs of whole games if empty."""
    sort: Annotated[SortKey, Field(title="order")] = "score"
    is_lowest: Annotated[bool, Field(title="value of lowest", alias="lowest")] = False
    """Whether the smallest number comes first; of scores, the worst."""
    winner: Annotated[str, Field(title="winner", max_length=MAX_STRATEGY_CHARACTERS)] = ""
    """A strategy that won; anyone if empty."""
    low: Annotated[int | None, Field(title="from", alias="from", ge=-MAX_RANGE_END, le=MAX_RANGE_END)] = None
    high: Annotated[int | None, Field(title="to", alias="to", ge=-MAX_RANGE_END, le=MAX_RANGE_END)] = None
    """The range in which a player has to score."""
    where: Annotated[str, Field(title="condition", max_length=MAX_CONDITION_CHARACTERS)] = ""
    """A condition in SQL on the columns of `pipelines.questions.games.sorts.CONDITION_COLUMNS`."""
    only_logged: Annotated[bool, Field(title="value of logged", alias="logged")] = False
    """Whether only games that can be replayed count."""
    most: Annotated[
        int, Field(title="number of games", alias="n", ge=LISTED_GAMES.least, le=LISTED_GAMES.most)
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
