"""Where the games of a run come from if they do not simply follow from its seed: a fork of a game, or play by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from collections.abc import Sequence


class ForkOrigin(BaseModel):
    """The game that a what-if run forks, and the change."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    run: str
    """The name of the run with the game."""
    game_id: Annotated[int, Field(ge=0)]
    ply: Annotated[int, Field(ge=0)]
    """The game forks before this ply."""
    change: str
    """The change in words that complete the question "what if ..."."""
    asked: tuple[str, ...]
    """The change, the name, and the seed as options of the command. The seed of the design is that of the luck itself,
    which is derived from this one; older runs have only one seed."""
    prefixes: Annotated[tuple[tuple[int, ...], ...], Field(min_length=1, max_length=2)]
    """For each branch, the actions from the beginning of the game to the fork."""
    luck: Annotated[tuple[int, ...], Field(min_length=1)]
    """For each continuation, its block of luck under the seed."""

    def seatings_fit(self, seatings: Sequence[Sequence[int]], lineup: Sequence[str]) -> bool:
        """Return whether there is one seating for each branch and all its places are in the line-up."""
        places = [place for seating in seatings for place in seating]
        return len(seatings) == len(self.prefixes) and all(0 <= place < len(lineup) for place in places)


class HandHint(BaseModel):
    """A hint that a person looked at in a game by hand."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    ply: Annotated[int, Field(ge=0)]
    """The ply that the person had to choose."""
    seat: Annotated[int, Field(ge=0)]
    strategy: str


class HandUndo(BaseModel):
    """A move that a person took back in a game by hand, and everything after it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    ply: Annotated[int, Field(ge=0)]
    seat: Annotated[int, Field(ge=0)]
    action: str
    """Notation of the move that was taken back."""


class HandRecord(BaseModel):
    """How a game was played by hand."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    moves: str
    """The moves, hints and undos as text (`pipelines.play.hand_game`)."""
    block: Annotated[int, Field(ge=0)] = 0
    """The block of the luck under the seed: that of the logged game if the dice are the same."""
    prefix: tuple[int, ...] = ()
    """The actions of the logged game that this game goes on from; empty for a new game."""
    run: str = ""
    """Name of the run with the logged game; empty for a new game."""
    game_id: Annotated[int, Field(ge=0)] = 0
    has_own_luck: bool = True
    """False if the dice are those of the logged game."""
    hints: tuple[HandHint, ...] = ()
    undos: tuple[HandUndo, ...] = ()
