"""The designs of games that were complete before their run was begun: imported games, and a game that people played."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from engine.errors import InvalidError
from engine.strategies import read_player
from pipelines.design.design import Design, LineupEntry
from pipelines.design.lineups import PERSON_TITLE, is_person

if TYPE_CHECKING:
    from collections.abc import Iterator


class FinishedDesign(Design):
    """The design of games that were complete before their run was begun, so that nothing is played for it."""

    has_finished_games: ClassVar = True

    def check_seatings(self) -> None:
        if self.opening or self.log != "full":
            raise ValueError(
                f"opening, log: a run of kind {self.kind} has no random opening and logs every ply"
            )
        places = {place for seating in self.seatings for place in seating}
        if places != set(range(len(self.lineup))) or len({len(seating) for seating in self.seatings}) != 1:
            raise ValueError("seatings: expected places of the line-up, the same number in each seating")


class ImportDesign(FinishedDesign):
    """The design of games that were played elsewhere. Their players may be unknown."""

    has_luck_of_seed: ClassVar = False

    kind: Literal["import"] = "import"
    source: Annotated[str, Field(max_length=200)] = ""
    """Name of the file or folder that the games were imported from."""

    @property
    def labels(self) -> tuple[str, ...]:
        return self.lineup

    def describe_lineup(self) -> Iterator[LineupEntry]:
        """Yield the entries of the line-up. The file may name strategies that do not exist here."""
        for name in dict.fromkeys(self.lineup):
            try:
                player = read_player(self.game, name)
            except InvalidError:
                player = None
            if player and player.name == name:
                yield LineupEntry(name, name, player.strategy.title, player)
            else:
                yield LineupEntry(name, name, "As the imported file names it.", None)

    def check_resumable(self, where: str) -> None:
        raise InvalidError(
            f"{where} is an unfinished import; remove it with reroll rm {where}, and import again"
        )

    @property
    def command(self) -> str:
        return f"reroll import {shlex.quote(self.source)} --ruleset {self.rules.name}"


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


class HandDesign(FinishedDesign):
    """The design of one game in which people chose the moves of some seats."""

    has_parent_game: ClassVar = True
    counts_parent_decisions: ClassVar = True

    kind: Literal["hand"] = "hand"
    hand: HandRecord
    """How the game was played."""

    def check_seatings(self) -> None:
        if self.games != 1:
            raise ValueError("blocks, seatings: a game by hand is one game")
        super().check_seatings()

    @property
    def strategies(self) -> tuple[str, ...]:
        return tuple(text for text in self.lineup if not is_person(text))

    def describe_lineup(self) -> Iterator[LineupEntry]:
        """Yield the entries of the line-up; those of people have no player."""
        for label, text in zip(self.labels, self.lineup, strict=True):
            player = None if is_person(text) else self.own_strategies.parse_player(self.game, text)
            yield LineupEntry(label, text, player.strategy.title if player else PERSON_TITLE, player)

    def luck_number(self, block: int) -> int:  # noqa: ARG002 - there is one block
        return self.hand.block

    def parent_actions(self, rotation: int) -> tuple[int, ...]:  # noqa: ARG002 - there is one game
        return self.hand.prefix

    def check_resumable(self, where: str) -> None:
        raise InvalidError(
            f"{where} is an unfinished game by hand; remove it with reroll rm {where}, and play again"
        )

    @property
    def command(self) -> str:
        hand = self.hand
        words = ["reroll", "play", *([] if hand.run else [self.rules.name])]
        words += ["--seats", shlex.quote(",".join(self.strategies_by_seat(0)))]
        if hand.run:
            words += ["--run", shlex.quote(hand.run), "--game", str(hand.game_id + 1)]
            words += ["--move", str(len(hand.prefix) + 1)]
        words += ["--seed", str(self.seed)] if hand.has_own_luck else []
        return " ".join([*words, *self._code_options(), "--moves", shlex.quote(hand.moves)])
