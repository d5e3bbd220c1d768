"""The design of a run: all that decides its games, as a document from which they can be played again."""

from __future__ import annotations

import json
import math
import re
import shlex
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from engine import games
from engine.game import Code, Game, InvalidError
from engine.strategies import Player, known, pieces
from pipelines.own import NOTHING, Own, code_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.ruleset import Ruleset

LARGEST_SEED: Final = (1 << 64) - 1
LARGEST_BLOCKS: Final = 1 << 32
LARGEST_GAMES: Final = (1 << 32) - 1

_SAMPLE: Final = re.compile(r"sample=(0?\.[0-9]+|1(\.0*)?|[0-9.]+e-[0-9]+)")


class Design(BaseModel):
    """One ruleset, a line-up of strategies, and how often and in which seats they play.

    A block is one luck, played once with each rotation of the line-up over the seats.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: Literal["simulate"] = "simulate"
    title: Annotated[str, Field(min_length=1, max_length=200)]
    ruleset: dict[str, Any]
    """The whole ruleset as a document."""
    lineup: Annotated[tuple[str, ...], Field(min_length=1, max_length=8)]
    """Strategies with all parameters; rotation r seats lineup[(seat + r) modulo players] on a seat."""
    rotations: Annotated[int, Field(ge=1, le=8)]
    """How many rotations a block has: equal ones are played once; 1 if seats are kept as given."""
    blocks: Annotated[int, Field(ge=1, le=LARGEST_BLOCKS)]
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)]
    log: str = "full"
    """full: every ply; scores: no plies; sample=0.01: the plies of every hundredth block."""
    shard_blocks: Annotated[int, Field(ge=1)]
    """Blocks that a worker plays and writes in one go. Says nothing about the games."""
    code: tuple[Code, ...] = ()
    """Whose own strategies play: told, never loaded from here."""
    _own: Own = PrivateAttr(default=NOTHING)

    @model_validator(mode="after")
    def _is_consistent(self) -> Design:
        every_nth_block(self.log)
        if self.rotations not in {1, len(different_rotations(self.lineup))}:
            raise ValueError(f"rotations: {self.rotations} is not what this line-up gives")
        if self.games > LARGEST_GAMES:
            raise ValueError(f"{self.games} games are too many for one run (at most {LARGEST_GAMES})")
        return self

    @classmethod
    def from_document(cls, document: str | bytes, where: str) -> Design:
        """Read a design as JSON; errors name `where`, the key and what was expected."""
        try:
            return cls.model_validate_json(document)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            key = ".".join(str(step) for step in first["loc"])
            raise InvalidError(f"{where}: no design of a run: {key}: {first['msg']}") from None

    @property
    def games(self) -> int:
        return self.blocks * self.rotations

    @cached_property
    def rules(self) -> Ruleset:
        """The ruleset, checked."""
        return read_ruleset(self.ruleset, "design")

    @property
    def game(self) -> Game:
        return games.game(self.rules.game)

    @property
    def players(self) -> tuple[Player, ...]:
        """The line-up, ready to play; every call makes new ones.

        Raises InvalidError for strategies of somebody's own, unless a person has named them (`own`).
        """
        return tuple(self._own.player(self.game, text) for text in self.lineup)

    @property
    def own(self) -> Own:
        """What a person has named to play this. It is not in the document."""
        return self._own

    @property
    def is_own(self) -> bool:
        """Say whether any strategy is not built in."""
        return any(text.partition(":")[0] not in known(self.game) for text in self.lineup)

    @property
    def has_programs(self) -> bool:
        """Say whether a strategy starts a program."""
        programs = {program.name for program in self.game.programs}
        return any(text.partition(":")[0] in programs for text in self.lineup)

    def played_by(self, own: Own, where: str) -> Design:
        """Return the design with what a person has named; raise InvalidError if it is not what it was begun with."""
        if self.is_own:
            own.check(self.game, self.lineup, self.code, where)
        allowed = self.model_copy()
        allowed._own = own  # noqa: SLF001 - one of ours
        return allowed

    @property
    def shards(self) -> list[range]:
        """The blocks of each shard."""
        ends = range(self.shard_blocks, self.blocks + self.shard_blocks, self.shard_blocks)
        return [range(end - self.shard_blocks, min(end, self.blocks)) for end in ends]

    def game_id(self, block: int, rotation: int) -> int:
        return block * self.rotations + rotation

    def seated(self, rotation: int) -> tuple[str, ...]:
        """Return the strategy of each seat."""
        return rotated(self.lineup, rotation)

    def logged(self, block: int) -> bool:
        """Say whether the plies of a block are kept."""
        every = every_nth_block(self.log)
        return bool(every) and block % every == 0

    @property
    def command(self) -> str:
        """The command that plays the same games again."""
        words = ["reroll", "simulate", self.rules.name, "--strategies", shlex.quote(",".join(self.lineup))]
        words += ["--blocks", str(self.blocks), "--seed", str(self.seed)]
        if self.rotations < len(different_rotations(self.lineup)):
            words.append("--no-rotate")
        if self.log != "full":
            words += ["--log", self.log]
        for code in self.code:
            words += [] if code.package else ["--code", shlex.quote(code.file)]
        return " ".join(words)


def design(  # noqa: PLR0913 - what makes an experiment, all named
    ruleset: Ruleset,
    strategies: Sequence[str],
    *,
    blocks: int | None = None,
    games_at_least: int | None = None,
    seed: int = 0,
    rotate: bool = True,
    log: str = "full",
    title: str | None = None,
    own: Own = NOTHING,
) -> Design:
    """Settle a design; `games_at_least` is rounded up to whole blocks, `own` is what a person has named besides.

    Raises InvalidError for an unknown strategy, a wrong number of them, or numbers out of range.
    """
    if len(strategies) != ruleset.players:
        raise InvalidError(
            f"{ruleset.name} has {ruleset.players} seats, so it takes {ruleset.players} strategies, "
            f"not {len(strategies)}"
        )
    every_nth_block(log)
    if not 0 <= seed <= LARGEST_SEED:
        raise InvalidError(f"seed: expected a number from 0 to {LARGEST_SEED}, not {seed}")
    players = [own.player(games.game(ruleset.game), text) for text in strategies]
    lineup = tuple(player.name for player in players)
    rotations = len(different_rotations(lineup)) if rotate else 1
    if blocks is None:
        blocks = math.ceil((games_at_least or 0) / rotations)
    if not 1 <= blocks * rotations <= LARGEST_GAMES:
        raise InvalidError(f"expected from 1 to {LARGEST_GAMES} games, not {blocks * rotations}")
    made = Design(
        title=title or f"{ruleset.title}, {ruleset.players} players: {versus(lineup)}"[:200],
        ruleset=ruleset.document,
        lineup=lineup,
        rotations=rotations,
        blocks=blocks,
        seed=seed,
        log=log,
        shard_blocks=max(1, blocks // 16),
        code=code_of(players),
    )
    return made.played_by(own, "this design")


def read_ruleset(document: Mapping[str, Any], where: str) -> Ruleset:
    """Check a ruleset document and return its ruleset; raise InvalidError naming `where` and the key."""
    game = document.get("game")
    if not isinstance(game, str):
        raise InvalidError(f"{where}: game: expected a text, found {json.dumps(game)[:60]}")
    try:
        model = games.game(game).ruleset
    except InvalidError as error:
        raise InvalidError(f"{where}: {error}") from None
    return model.from_document(document, where)


def rotated(lineup: tuple[str, ...], rotation: int) -> tuple[str, ...]:
    """Return who sits where.

    >>> rotated(("a", "b", "c"), 1)
    ('b', 'c', 'a')
    """
    return tuple(lineup[(seat + rotation) % len(lineup)] for seat in range(len(lineup)))


def different_rotations(lineup: tuple[str, ...]) -> list[int]:
    """Return the rotations that seat the line-up differently: those before it repeats itself.

    >>> different_rotations(("a", "b", "a", "b")), different_rotations(("a", "a", "b"))
    ([0, 1], [0, 1, 2])
    """
    seen = [rotated(lineup, rotation) for rotation in range(len(lineup))]
    return [rotation for rotation, seating in enumerate(seen) if seating not in seen[:rotation]]


def every_nth_block(log: str) -> int:
    """Return which blocks are logged: every n-th, or none for 0; raise InvalidError if it cannot be read.

    >>> [every_nth_block(log) for log in ("full", "scores", "sample=0.01")]
    [1, 0, 100]
    """
    if log in {"full", "scores"}:
        return int(log == "full")
    share = float(log.removeprefix("sample=")) if _SAMPLE.fullmatch(log) else 0
    if not 1e-6 <= share <= 1:
        raise InvalidError(f"log: expected full, scores or sample=F with F from 0.000001 to 1, not {log!r}")
    return round(1 / share)


def split_strategies(text: str) -> list[str]:
    """Split a line-up at the commas between strategies, not at those between parameters or in double quotes.

    >>> split_strategies("greedy,rollout:playouts=64,depth=2,random")
    ['greedy', 'rollout:playouts=64,depth=2', 'random']
    >>> split_strategies('gtp:command="a, b:c=d",seconds=9,random')
    ['gtp:command="a, b:c=d",seconds=9', 'random']
    """
    strategies: list[str] = []
    for piece in pieces(text):
        key, equals, _ = piece.partition("=")
        if strategies and equals and ":" not in key:
            strategies[-1] += f",{piece.strip()}"
        else:
            strategies.append(piece.strip())
    return strategies


def versus(lineup: Sequence[str]) -> str:
    """Name a line-up in a title.

    >>> versus(["greedy", "greedy", "random"])
    '2 greedy, random'
    """
    counts = {strategy: list(lineup).count(strategy) for strategy in lineup}
    return ", ".join(f"{count} {strategy}" if count > 1 else strategy for strategy, count in counts.items())
