"""The filters of the list of runs on the page Library as a value, read from its address."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import Field

from pipelines.questions.address import LIBRARY_PAGE, Question, describe_unknown

if TYPE_CHECKING:
    from collections.abc import Collection

Switch: TypeAlias = Literal["false", "true"]
"""A switch of a page, as the browser writes it."""


RunOrder: TypeAlias = Literal["Newest first", "Oldest first", "Most games first", "By name"]
MAX_SEARCH_CHARACTERS: Final = 200


class RunListQuestion(Question):
    """Which runs are listed."""

    page: ClassVar[str] = LIBRARY_PAGE

    game: Annotated[str, Field(title="game", alias="kind-of-game")] = ""
    """The title of a game; all games if empty."""
    tags: Annotated[tuple[str, ...], Field(title="tag")] = ()
    """A run has all of them."""
    favourites: Annotated[Switch, Field(title="value of favourites")] = "false"
    words: Annotated[str, Field(title="search", alias="search", max_length=MAX_SEARCH_CHARACTERS)] = ""
    """Words that all occur in the name, the title, the line-up, the rulesets or the tags of a run."""
    order: Annotated[RunOrder, Field(title="order")] = "Newest first"
    every: Annotated[Switch, Field(title="value of all", alias="all")] = "false"
    """Whether more than the newest runs are listed."""

    @property
    def title(self) -> str:
        return "Runs"

    @property
    def command(self) -> str:
        words = ["reroll", "ls", *(word for tag in self.tags for word in ("--tag", tag))]
        return shlex.join([*words, *(["--favourites"] if self.favourites == "true" else [])])

    def find_problems(
        self, games: Collection[str], tags: Collection[str], *, has_favourites: bool
    ) -> tuple[str, ...]:
        """Return a sentence on each filter that no run can pass; `games` are titles."""
        held = {tag.casefold() for tag in tags}
        problems = [describe_unknown("game", self.game, "in the library")] * bool(
            self.game and self.game not in games
        )
        problems += [describe_unknown("tag", tag, "here") for tag in self.tags if tag.casefold() not in held]
        problems += ["No run has a star."] * (self.favourites == "true" and not has_favourites)
        return tuple(problems)
