"""A game by hand, which its address holds as a whole: who plays, the luck, and the moves so far.

?ruleset=bloxx-2p&seats=me,greedy&seed=7&moves=1a.4f     a new game
?run=demo&game-number=4&move=18&seats=me,greedy&moves=1a  a game that goes on from a logged game, with its dice
"""

from __future__ import annotations

import shlex
from typing import Annotated, ClassVar, Final

from pydantic import Field

from pipelines.design.limits import MAX_MOVES_CHARACTERS, SEED
from pipelines.design.lineups import split_strategies
from pipelines.questions.address import Question
from pipelines.questions.game import AddressedGame, AddressedPly

MAX_SEATS_LENGTH: Final = 1_000


class HandGameQuestion(Question):
    """A game in which people choose the moves of some seats; without `seats`, a form that asks who plays."""

    page: ClassVar[str] = "play"

    ruleset: Annotated[str, Field(title="ruleset")] = ""
    run: Annotated[str, Field(title="run")] = ""
    """The run of the logged game that it goes on from; empty for a new game."""
    game: AddressedGame = 0
    ply: AddressedPly = 0
    """The first ply that is not that of the logged game."""
    seats: Annotated[str, Field(title="seats", max_length=MAX_SEATS_LENGTH)] = ""
    """The player of each seat, separated by commas: a strategy or a person."""
    seed: Annotated[int | None, Field(title="seed", ge=SEED.least, le=SEED.most)] = None
    """None for the dice of the logged game."""
    moves: Annotated[str, Field(title="moves", max_length=MAX_MOVES_CHARACTERS)] = ""

    @property
    def players(self) -> list[str]:
        """The player of each seat."""
        return split_strategies(self.seats)

    @property
    def setup(self) -> HandGameQuestion:
        """The game before its first move."""
        return self.model_copy(update={"moves": ""})

    @property
    def title(self) -> str:
        origin = f"from game {self.game + 1} of {self.run}" if self.run else self.ruleset
        return f"Game by hand: {origin}, {self.seats}"

    @property
    def command(self) -> str:
        words = ["reroll", "play", *([] if self.run else [self.ruleset]), "--seats", self.seats]
        if self.run:
            words += ["--run", self.run, "--game", str(self.game + 1), "--move", str(self.ply + 1)]
        words += [] if self.seed is None else ["--seed", str(self.seed)]
        words += ["--moves", self.moves] if self.moves else []
        return shlex.join(words)
