"""The design of a what-if run: the game that it forks, and the continuations of each branch.

A block is one continuation. Its rotations are the branches: the original and the changed one, or the changed one alone if
only the luck differs.
"""

from __future__ import annotations

import shlex
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from pipelines.design.design import Design


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
    which is derived from this one; older runs have only one seed. Older runs have `--seat` and `--substitute`, which counted
    from 0, in place of `--player` and `--stand-in`."""
    prefixes: Annotated[tuple[tuple[int, ...], ...], Field(min_length=1, max_length=2)]
    """For each branch, the actions from the beginning of the game to the fork."""
    luck: Annotated[tuple[int, ...], Field(min_length=1)]
    """For each continuation, its block of luck under the seed."""


class WhatIfDesign(Design):
    """The design of the continuations of a game with and without a change."""

    has_parent_game: ClassVar = True

    kind: Literal["whatif"] = "whatif"
    fork: ForkOrigin

    def check_seatings(self) -> None:
        if len(self.fork.luck) != self.blocks:
            raise ValueError("fork.luck: expected one for each block")
        places = {place for seating in self.seatings for place in seating}
        if len(self.seatings) != len(self.fork.prefixes) or not places <= set(range(len(self.lineup))):
            raise ValueError("seatings: expected one for each branch of the fork")

    def luck_number(self, block: int) -> int:
        return self.fork.luck[block]

    def parent_actions(self, rotation: int) -> tuple[int, ...]:
        return self.fork.prefixes[rotation]

    @property
    def command(self) -> str:
        fork = self.fork
        words = [shlex.quote(fork.run), "--game", str(fork.game_id + 1), "--move", str(fork.ply + 1)]
        words += [*map(shlex.quote, fork.asked), "-n", str(self.blocks)]
        seed = [] if "--seed" in fork.asked else ["--seed", str(self.seed)]
        return self._join_command("whatif", *words, *seed)
