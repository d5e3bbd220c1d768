"""A logged game as a value: which game of which run, the ply that is open, and whether it is reviewed."""

from __future__ import annotations

import shlex
from typing import Annotated, ClassVar

from pydantic import Field

from engine.counted_nouns import capitalise, format_count
from pipelines.design.metrics import DecisionMeasure
from pipelines.questions.address import Question, format_path

START_PLY = -1
"""The position before the first ply."""


class GameQuestion(Question):
    """A logged game."""

    page: ClassVar[str] = "replay"

    run: Annotated[str, Field(title="run")] = ""
    game: Annotated[int, Field(title="game", ge=0, le=1 << 32)] = 0
    ply: Annotated[int, Field(title="ply", ge=START_PLY, le=1 << 16)] = START_PLY
    """The ply after which the replay opens."""
    is_reviewed: Annotated[bool, Field(title="value of review", alias="review")] = False
    measure: Annotated[DecisionMeasure, Field(title="measure of the review", alias="by")] = "win"

    def find_problems(self, plies: int) -> tuple[str, ...]:
        """Return a sentence on the ply if it is not one of those of the game. People count moves from 1."""
        if self.ply < plies:
            return ()
        return (
            f"Game {self.game} of {self.run} has no move {self.ply + 1:,}, only {format_count(plies, 'move')}.",
        )

    @property
    def title(self) -> str:
        game = f"game {self.game} of {self.run}"
        return f"Move {self.ply + 1} of {game}" if self.ply > 0 else capitalise(game)

    @property
    def command(self) -> str:
        """The command that reviews the game if that is asked, else the one that shows it."""
        if not self.is_reviewed:
            return self.show_command
        words = ["reroll", "review", self.run, str(self.game)]
        return shlex.join([*words, *(["--by", self.measure] if self.measure != "win" else [])])

    @property
    def show_command(self) -> str:
        """The command that shows the game after the ply."""
        words = ["reroll", "show", self.run, str(self.game)]
        return shlex.join([*words, *(["--ply", str(self.ply)] if self.ply != START_PLY else [])])


def game_address(run: str, game: int, ply: int | None = None) -> dict[str, list[str]]:
    """Return the address of a game, or of a ply in it. It names game 0, too, because labels of games are found by it."""
    address = {"run": [run], "game": [str(game)]}
    return address if ply is None else {**address, "ply": [str(ply)]}


def write_replay_link(run: str, game: int, ply: int | None = None) -> str:
    """Return the link to the replay of a game from another page.

    >>> write_replay_link("my run", 0, 7)
    'replay?run=my+run&game=0&ply=7'
    """
    return format_path(GameQuestion.page, game_address(run, game, ply))[1:]
