"""A question for remarkable games as a value: which games count, and what they are sorted by."""

from __future__ import annotations

import shlex
from typing import Annotated, ClassVar, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field

from pipelines.questions.address import Question
from pipelines.questions.scores.question import MAX_RANGE_END

SortKey: TypeAlias = Literal["score", "margin", "comeback", "lead", "length", "luck", "game"]

MAX_GAMES_LISTED: Final = 200
MAX_CONDITION_CHARACTERS: Final = 2000


class SortTitles(NamedTuple):
    """What a list is called that begins with the largest number, and one that begins with the smallest."""

    largest: str
    smallest: str
    number: str
    """What the number is."""


SORTS: Final[dict[SortKey, SortTitles]] = {
    "score": SortTitles("highest score", "lowest score", "score"),
    "margin": SortTitles("widest margin", "closest finish", "margin"),
    "comeback": SortTitles("largest comeback", "smallest comeback", "points behind"),
    "lead": SortTitles("most changes of the lead", "fewest changes of the lead", "changes of the lead"),
    "length": SortTitles("longest game", "shortest game", "moves"),
    "luck": SortTitles("most one-sided luck", "most even luck", "points of luck"),
    "game": SortTitles("last game", "first game", "game"),
}
"""What games can be sorted by.

- score: of any player, whatever score wins
- margin: points between the winner and the next place; games with several winners have none
- comeback: points that the only winner was behind at the end of a round of the second half
- lead: how often another player is alone in the first place at the end of a round
- length: moves, those of chance included
- luck: by how much more a player scores than the others in all games of a block, in which each strategy has each seat
  with the same luck, beyond the usual difference of these seats
"""


class GamesQuestion(Question):
    """Games of the library in an order."""

    page: ClassVar[str] = "games"

    rulesets: Annotated[tuple[str, ...], Field(title="ruleset")] = ()
    """Names of rulesets; all if empty."""
    runs: Annotated[tuple[str, ...], Field(title="run")] = ()
    """All runs of whole games if empty."""
    sort: Annotated[SortKey, Field(title="order")] = "score"
    is_lowest: Annotated[bool, Field(title="value of lowest", alias="lowest")] = False
    """Whether the smallest number comes first."""
    winner: Annotated[str, Field(title="winner")] = ""
    """A strategy that won; anyone if empty."""
    low: Annotated[int | None, Field(title="from", alias="from", ge=-MAX_RANGE_END, le=MAX_RANGE_END)] = None
    high: Annotated[int | None, Field(title="to", alias="to", ge=-MAX_RANGE_END, le=MAX_RANGE_END)] = None
    """The range in which a player has to score."""
    where: Annotated[str, Field(title="condition", max_length=MAX_CONDITION_CHARACTERS)] = ""
    """A condition in SQL on the columns of `pipelines.questions.games.answer.CONDITION_COLUMNS`."""
    most: Annotated[int, Field(title="number of games", alias="n", ge=1, le=MAX_GAMES_LISTED)] = 20

    @property
    def order_title(self) -> str:
        """What the first game is, such as "highest score"."""
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
        return shlex.join([*words, *(["-n", str(self.most)] if self.most != GamesQuestion().most else [])])
