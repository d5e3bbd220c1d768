"""The design of a run: all that decides its games, as a document from which they can be played again."""

from __future__ import annotations

import json
import math
import re
import shlex
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from engine import games
from engine.errors import InvalidError
from engine.player_notation import split_at_commas
from engine.strategies import built_in_strategies
from engine.strategy import Player, StrategyCode
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies, code_of_players
from pipelines.design.seatings import Contest, different_rotations, rotation_seatings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.game import Game
    from engine.ruleset import Ruleset

MAX_SEED: Final = (1 << 64) - 1
MAX_RUN_BLOCKS: Final = 1 << 32
MAX_RUN_GAMES: Final = (1 << 32) - 1
MAX_RUN_SHARDS: Final = 1 << 16
"""Shards of a run; ours have some thousands, and every look at an unfinished run goes through all of them."""
MAX_BLOCK_SEATINGS: Final = 256
MAX_LINEUP_STRATEGIES: Final = 24

_SAMPLE_LOG_PATTERN: Final = re.compile(r"sample=(0?\.[0-9]+|1(\.0*)?|[0-9.]+e-[0-9]+)")


class ForkOrigin(BaseModel):
    """Where the games of a what-if run come from."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    run: str
    """The parent: the run that the game is in."""
    game_id: Annotated[int, Field(ge=0)]
    ply: Annotated[int, Field(ge=0)]
    """Before which it forks."""
    change: str
    """What is different, in words that complete "what if ..."."""
    asked: tuple[str, ...]
    """The same as options of the command."""
    prefixes: Annotated[tuple[tuple[int, ...], ...], Field(min_length=1, max_length=2)]
    """Branch by branch, the actions from the beginning of the game to where it is played on."""
    luck: Annotated[tuple[int, ...], Field(min_length=1)]
    """Continuation by continuation, the block of luck under the seed."""

    def seatings_fit(self, seatings: Sequence[Sequence[int]], lineup: Sequence[str]) -> bool:
        """Say whether there is one seating for each branch, of strategies that there are."""
        places = [place for seating in seatings for place in seating]
        return len(seatings) == len(self.prefixes) and all(0 <= place < len(lineup) for place in places)


class Design(BaseModel):
    """One ruleset, some strategies, and how often and in which seats they play.

    A block is one luck, played once with each of the seatings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: Literal["simulate", "compare", "whatif", "import"] = "simulate"
    """import: the games were played elsewhere. Their luck is not that of the seed, their players need not be known here."""
    title: Annotated[str, Field(min_length=1, max_length=200)]
    ruleset: dict[str, Any]
    """The whole ruleset as a document."""
    lineup: Annotated[tuple[str, ...], Field(min_length=1, max_length=MAX_LINEUP_STRATEGIES)]
    """Strategies with all parameters. Those of a comparison are its sides."""
    seatings: Annotated[tuple[tuple[int, ...], ...], Field(min_length=1, max_length=MAX_BLOCK_SEATINGS)]
    """Seating by seating, the place in the line-up of who sits on each seat. The table `games` calls the number of a
    seating its rotation."""
    opening: Annotated[int, Field(ge=0, le=100)] = 0
    """Plies at the start that are drawn at random, equal in all games of a block; `pipelines.design.openings` says why."""
    blocks: Annotated[int, Field(ge=1, le=MAX_RUN_BLOCKS)]
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)]
    log: str = "full"
    """full: every ply; scores: no plies; sample=0.01: the plies of every hundredth block."""
    shard_blocks: Annotated[int, Field(ge=1)]
    """Blocks that a worker plays and writes in one go. Says nothing about the games."""
    contest: Contest | None = None
    """What a comparison asks; None for all else."""
    fork: ForkOrigin | None = None
    """Which game a what-if run forks; None for all else."""
    code: tuple[StrategyCode, ...] = ()
    """Whose own strategies play: told, never loaded from here."""
    source: Annotated[str, Field(max_length=200)] = ""
    """Name of the file or folder that games were imported from."""
    _own: OwnStrategies = PrivateAttr(default=BUILT_IN_ONLY)

    @model_validator(mode="after")
    def _check_consistency(self) -> Design:
        parse_log_interval(self.log)
        if (self.kind == "compare") != (self.contest is not None):
            raise ValueError("contest: a comparison has one, all else none")
        if (self.kind == "whatif") != (self.fork is not None):
            raise ValueError("fork: a what-if run has one, all else none")
        if self.fork and len(self.fork.luck) != self.blocks:
            raise ValueError("fork.luck: expected one for each block")
        if self.fork and not self.fork.seatings_fit(self.seatings, self.lineup):
            raise ValueError("seatings: expected one for each branch of the fork")
        if self.is_imported:
            self._check_imported_design()
        elif not self.fork and self.seatings not in self._possible_seatings():
            raise ValueError("seatings: they are not what this line-up gives")
        if self.blocks > MAX_RUN_SHARDS * self.shard_blocks:
            raise ValueError(f"shard_blocks: more than {MAX_RUN_SHARDS} shards")
        if self.games > MAX_RUN_GAMES:
            raise ValueError(f"{self.games} games are too many for one run (at most {MAX_RUN_GAMES})")
        return self

    def _check_imported_design(self) -> None:
        if self.opening or self.log != "full":
            raise ValueError("opening, log: an import has no drawn opening and keeps every ply")
        places = {place for seating in self.seatings for place in seating}
        if places != set(range(len(self.lineup))) or len({len(seating) for seating in self.seatings}) != 1:
            raise ValueError("seatings: expected places of the line-up, equally many in each")

    def _possible_seatings(self) -> list[tuple[tuple[int, ...], ...]]:
        if self.contest:
            return [self.contest.seatings(len(self.lineup), len(self.seatings[0]))]
        every = len(different_rotations(self.lineup))
        return [rotation_seatings(len(self.lineup), number) for number in (1, every)]

    @classmethod
    def from_document(cls, document: str | bytes, where: str) -> Design:
        """Read a design as JSON; errors name `where`, the key and what was expected."""
        try:
            return cls.model_validate_json(_add_seatings(document))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            key = ".".join(str(step) for step in first["loc"])
            raise InvalidError(f"{where}: no design of a run: {key}: {first['msg']}") from None

    @property
    def is_imported(self) -> bool:
        return self.kind == "import"

    @property
    def rotations(self) -> int:
        """How many seatings, and so games, a block has."""
        return len(self.seatings)

    @property
    def seats(self) -> int:
        return len(self.seatings[0])

    @property
    def games(self) -> int:
        return self.blocks * self.rotations

    @cached_property
    def rules(self) -> Ruleset:
        """The ruleset, checked."""
        return read_ruleset(self.ruleset, "design")

    @property
    def game(self) -> Game:
        return games.find_game(self.rules.game)

    @property
    def players(self) -> tuple[Player, ...]:
        """The line-up, ready to play; every call makes new ones.

        Raises InvalidError for strategies of somebody's own, unless a person has named them (`own_strategies`).
        """
        return tuple(self._own.parse_player(self.game, text) for text in self.lineup)

    @property
    def own_strategies(self) -> OwnStrategies:
        """What a person has named to play this. It is not in the document."""
        return self._own

    @property
    def has_own_strategies(self) -> bool:
        """Say whether any strategy is not built in."""
        return any(text.partition(":")[0] not in built_in_strategies(self.game) for text in self.lineup)

    @property
    def has_programs(self) -> bool:
        """Say whether a strategy starts a program."""
        programs = {program.name for program in self.game.programs}
        return any(text.partition(":")[0] in programs for text in self.lineup)

    def with_own_strategies(self, own: OwnStrategies, where: str) -> Design:
        """Return the design with what a person has named; raise InvalidError if it is not what it was begun with."""
        if self.is_imported:
            raise InvalidError(
                f"{where} was being imported; remove it with reroll rm {where}, and import again"
            )
        if self.has_own_strategies:
            own.check_lineup(self.game, self.lineup, self.code, where)
        allowed = self.model_copy()
        allowed._own = own  # noqa: SLF001 - one of ours
        return allowed

    @property
    def shards(self) -> list[range]:
        """The blocks of each shard. Those of a shorter design that ends with a shard are the first of these."""
        looks = [self.blocks]
        if self.contest and self.contest.until_decided:
            looks = [look for look in self.contest.look_schedule if look < self.blocks] + looks
        return [
            range(first, min(first + self.shard_blocks, last))
            for begin, last in pairwise([0, *looks])
            for first in range(begin, last, self.shard_blocks)
        ]

    def game_id(self, block: int, rotation: int) -> int:
        return block * self.rotations + rotation

    def strategies_by_seat(self, rotation: int) -> tuple[str, ...]:
        """Return the strategy of each seat."""
        return tuple(self.lineup[place] for place in self.seatings[rotation])

    def is_logged(self, block: int) -> bool:
        """Say whether the plies of a block are kept."""
        every = parse_log_interval(self.log)
        return bool(every) and block % every == 0

    @property
    def command(self) -> str:
        """The command that plays the same games again, or reads them again."""
        if self.is_imported:
            return f"reroll import {shlex.quote(self.source)} --ruleset {self.rules.name}"
        if self.fork:
            words = ["reroll", "whatif", shlex.quote(self.fork.run), str(self.fork.game_id)]
            words += ["--ply", str(self.fork.ply), *map(shlex.quote, self.fork.asked), "-n", str(self.blocks)]
        elif self.contest:
            sides = [shlex.quote(side) for side in self.lineup]
            words = ["reroll", "compare", self.rules.name, *sides, *self.contest.command_options(self.blocks)]
            words += ["--opening", str(self.opening)]
        else:
            words = [
                "reroll",
                "simulate",
                self.rules.name,
                "--strategies",
                shlex.quote(",".join(self.lineup)),
            ]
            words += ["--blocks", str(self.blocks)]
            if self.rotations < len(different_rotations(self.lineup)):
                words.append("--no-rotate")
        words += ["--seed", str(self.seed)]
        if self.log != "full":
            words += ["--log", self.log]
        for code in self.code:
            words += [] if code.package else ["--code", shlex.quote(code.file)]
        return " ".join(words)


def design_simulation(  # noqa: PLR0913 - what makes an experiment, all named
    ruleset: Ruleset,
    strategies: Sequence[str],
    *,
    blocks: int | None = None,
    games_at_least: int | None = None,
    seed: int = 0,
    rotate: bool = True,
    log: str = "full",
    title: str | None = None,
    own: OwnStrategies = BUILT_IN_ONLY,
) -> Design:
    """Settle a design; `games_at_least` is rounded up to whole blocks, `own_strategies` is what a person has named besides.

    Raises InvalidError for an unknown strategy, a wrong number of them, or numbers out of range.
    """
    if len(strategies) != ruleset.players:
        raise InvalidError(
            f"{ruleset.name} has {ruleset.players} seats, so it takes {ruleset.players} strategies, "
            f"not {len(strategies)}"
        )
    parse_log_interval(log)
    if not 0 <= seed <= MAX_SEED:
        raise InvalidError(f"seed: expected a number from 0 to {MAX_SEED}, not {seed}")
    players = [own.parse_player(games.find_game(ruleset.game), text) for text in strategies]
    lineup = tuple(player.name for player in players)
    seatings = rotation_seatings(len(lineup), len(different_rotations(lineup)) if rotate else 1)
    if blocks is None:
        blocks = math.ceil((games_at_least or 0) / len(seatings))
    if not 1 <= blocks * len(seatings) <= MAX_RUN_GAMES:
        raise InvalidError(f"expected from 1 to {MAX_RUN_GAMES} games, not {blocks * len(seatings)}")
    made = Design(
        title=title or f"{ruleset.title}, {ruleset.players} players: {format_lineup(lineup)}"[:200],
        ruleset=ruleset.document,
        lineup=lineup,
        seatings=seatings,
        blocks=blocks,
        seed=seed,
        log=log,
        shard_blocks=max(1, blocks // 16),
        code=code_of_players(players),
    )
    return made.with_own_strategies(own, "this design")


def _add_seatings(document: str | bytes) -> str | bytes:
    """Return a document with seatings for the number of rotations that older ones have in their place."""
    try:
        read = json.loads(document)
    except (ValueError, RecursionError):
        return document  # the error is told where it is read in earnest
    if not isinstance(read, dict) or "seatings" in read:
        return document
    lineup, number = read.get("lineup"), read.pop("rotations", None)
    if isinstance(lineup, list) and isinstance(number, int) and number > 0:
        read["seatings"] = rotation_seatings(len(lineup), number)
    return json.dumps(read)


def read_ruleset(document: Mapping[str, Any], where: str) -> Ruleset:
    """Check a ruleset document and return its ruleset; raise InvalidError naming `where` and the key."""
    game = document.get("game")
    if not isinstance(game, str):
        raise InvalidError(f"{where}: game: expected a text, found {json.dumps(game)[:60]}")
    try:
        model = games.find_game(game).ruleset
    except InvalidError as error:
        raise InvalidError(f"{where}: {error}") from None
    return model.from_document(document, where)


def parse_log_interval(log: str) -> int:
    """Return which blocks are logged: every n-th, or none for 0; raise InvalidError if it cannot be read.

    >>> [parse_log_interval(log) for log in ("full", "scores", "sample=0.01")]
    [1, 0, 100]
    """
    if log in {"full", "scores"}:
        return int(log == "full")
    share = float(log.removeprefix("sample=")) if _SAMPLE_LOG_PATTERN.fullmatch(log) else 0
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
    for piece in split_at_commas(text):
        key, equals, _ = piece.partition("=")
        if strategies and equals and ":" not in key:
            strategies[-1] += f",{piece.strip()}"
        else:
            strategies.append(piece.strip())
    return strategies


def format_lineup(lineup: Sequence[str]) -> str:
    """Name a line-up in a title.

    >>> format_lineup(["greedy", "greedy", "random"])
    '2 greedy, random'
    """
    counts = {strategy: list(lineup).count(strategy) for strategy in lineup}
    return ", ".join(f"{count} {strategy}" if count > 1 else strategy for strategy, count in counts.items())
