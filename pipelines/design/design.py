"""What the designs of all kinds of runs share: everything that determines the games of a run, as a JSON document.

Each kind is a class of its own, which adds its fields, its checks and its command. Callers ask a design what they need to
know, and never which kind it is.
"""

from __future__ import annotations

import json
import re
import shlex
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, NamedTuple, Self

from pydantic import (
    BaseModel,
    Field,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from engine import games
from engine.errors import InvalidError
from engine.luck import Luck
from engine.own_strategies import NOTEBOOK
from engine.strategies import built_in_strategies
from engine.strategy import Player, StrategyCode
from engine.wording import player_label
from pipelines.design.limits import MAX_TITLE_CHARACTERS, SEED
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies

if TYPE_CHECKING:
    from engine.game import Game
    from engine.ruleset import Ruleset

MAX_RUN_BLOCKS: Final = 1 << 32
MAX_RUN_GAMES: Final = (1 << 32) - 1
MAX_RUN_SHARDS: Final = 1 << 16
"""Shards of a run at most. Runs have up to some thousands; every look at an unfinished run lists them all."""
MAX_BLOCK_SEATINGS: Final = 256
MAX_LINEUP_STRATEGIES: Final = 24

FIELDS_OF_OTHER_KINDS: Final[dict[str, Any]] = {"contest": None, "fork": None, "hand": None, "source": ""}
"""Fields that some kinds of designs have, with the value that the documents of all others have in their place."""
_DOCUMENT_KEYS: Final = (
    "kind", "title", "ruleset", "lineup", "seatings", "opening", "blocks", "seed", "log", "shard_blocks",
    "contest", "fork", "code", "hand", "source",
)  # fmt: skip
"""The keys of documents in their order, which is the same for all kinds."""
_SAMPLE_LOG_PATTERN: Final = re.compile(r"sample=(0?\.[0-9]+|1(\.0*)?|[0-9.]+e-[0-9]+)")


class LineupEntry(NamedTuple):
    """How a run describes a strategy or person of its line-up."""

    label: str
    notation: str
    title: str
    player: Player | None
    """None for a person, and for a strategy that does not exist here."""


class Design(BaseModel, frozen=True, extra="forbid", strict=True):
    """One ruleset, a line-up of strategies, and how often and in which seats they play.

    In each block the same luck is played once with each of the seatings.
    """

    is_comparison: ClassVar[bool] = False
    has_finished_games: ClassVar[bool] = False
    """True if the games were complete before the run was begun, so that nothing is played for it."""
    has_luck_of_seed: ClassVar[bool] = True
    """False if the outcomes of chance do not come from the seed."""
    has_parent_game: ClassVar[bool] = False
    """True if the games may go on from another game: they begin with `parent_actions` in place of an opening."""
    counts_parent_decisions: ClassVar[bool] = False
    """True if the decisions of a game are counted from its start, False if from where it began to be played."""

    kind: Literal["simulate", "compare", "whatif", "import", "hand"]
    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE_CHARACTERS)]
    ruleset: dict[str, Any]
    """The whole ruleset as a document."""
    lineup: Annotated[tuple[str, ...], Field(min_length=1, max_length=MAX_LINEUP_STRATEGIES)]
    """Strategies with all parameters. In a comparison they are its sides."""
    seatings: Annotated[tuple[tuple[int, ...], ...], Field(min_length=1, max_length=MAX_BLOCK_SEATINGS)]
    """For each seating and each seat, the place in the line-up of its strategy. The table `games` calls the number of a
    seating its rotation."""
    opening: Annotated[int, Field(ge=0, le=100)] = 0
    """Random plies at the start, the same in all games of a block; `pipelines.design.openings` says why."""
    blocks: Annotated[int, Field(ge=1, le=MAX_RUN_BLOCKS)]
    seed: Annotated[int, Field(ge=SEED.minimum, le=SEED.maximum)]
    log: str = "full"
    """Which plies are logged. full: all; scores: none; sample=0.01: those of every hundredth block."""
    shard_blocks: Annotated[int, Field(ge=1)] = MAX_RUN_BLOCKS
    """Blocks of a shard, which a worker plays and writes at once. It depends on the machine and does not affect the games,
    so a run file does not contain it (`run_document`)."""
    code: tuple[StrategyCode, ...] = ()
    """The code of own strategies that play, for information: code is never loaded because a design names it."""
    _own: OwnStrategies = PrivateAttr(default=BUILT_IN_ONLY)

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        parse_log_interval(self.log)
        if len(set(self.labels)) < len(set(self.lineup)):
            raise ValueError("lineup: two different strategies have the same name=")
        self.check_seatings()
        if self.blocks > MAX_RUN_SHARDS * self.shard_blocks:
            raise ValueError(f"shard_blocks: more than {MAX_RUN_SHARDS} shards")
        if self.games > MAX_RUN_GAMES:
            raise ValueError(f"{self.games} games are too many for one run (at most {MAX_RUN_GAMES})")
        return self

    @abstractmethod
    def check_seatings(self) -> None:
        """Raise ValueError if the seatings do not follow from the other fields, or if these contradict each other."""

    @model_serializer(mode="wrap")
    def _write_every_key(self, write_fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write the fields in the order of all documents, and the fields of other kinds as empty."""
        fields = {**FIELDS_OF_OTHER_KINDS, **write_fields(self)}
        return {key: fields[key] for key in _DOCUMENT_KEYS if key in fields}

    @property
    def run_document(self) -> str:
        """The design as the JSON document that a run file contains. Equal designs have equal documents."""
        return self.model_dump_json(exclude={"shard_blocks"})

    @property
    def rotations(self) -> int:
        """Number of seatings, and so of games, of a block."""
        return len(self.seatings)

    @property
    def seats(self) -> int:
        return len(self.seatings[0])

    @property
    def games(self) -> int:
        return self.blocks * self.rotations

    @cached_property
    def rules(self) -> Ruleset:
        """The checked ruleset. Designs with equal rulesets share it, unless own code plays, which may change it."""
        if self.code:
            return read_ruleset(self.ruleset, "design")
        return read_shared_ruleset(json.dumps(self.ruleset))

    @property
    def game(self) -> Game:
        return games.find_game(self.rules.game)

    @property
    def strategies(self) -> tuple[str, ...]:
        """The line-up without people."""
        return self.lineup

    @property
    def players(self) -> tuple[Player, ...]:
        """New players for the line-up.

        Raises InvalidError for a strategy that is not built in, unless a person has allowed it (`own_strategies`).
        """
        return tuple(self._own.parse_player(self.game, text) for text in self.lineup)

    def describe_lineup(self) -> Iterator[LineupEntry]:
        """Yield an entry for each strategy or person of the line-up."""
        for player in {player.name: player for player in self.players}.values():
            yield LineupEntry(player.label, player.name, player.strategy.title, player)

    @property
    def own_strategies(self) -> OwnStrategies:
        """The own strategies that a person has allowed for this design. They are not part of the document."""
        return self._own

    @property
    def has_own_strategies(self) -> bool:
        """True if any strategy is not built in."""
        return any(text.partition(":")[0] not in built_in_strategies(self.game) for text in self.lineup)

    @property
    def has_programs(self) -> bool:
        """True if a strategy starts a program."""
        programs = {program.name for program in self.game.programs}
        return any(text.partition(":")[0] in programs for text in self.lineup)

    def with_own_strategies(self, own_strategies: OwnStrategies, where: str) -> Self:
        """Return the design with the own strategies that a person has allowed.

        Raises InvalidError if a strategy is missing or its code has changed since the run was begun. `where` names the
        design in the message.
        """
        if self.has_own_strategies:
            own_strategies.check_lineup(self.game, self.strategies, self.code, where)
        allowed = self.model_copy()
        allowed._own = own_strategies  # noqa: SLF001 - a copy of this object
        return allowed

    def check_resumable(self, where: str) -> None:
        """Raise InvalidError if nothing can be played on. `where` names the unfinished run in the message."""

    @property
    def is_played_until_decided(self) -> bool:
        """True if the run may end before all its blocks are played."""
        return False

    @property
    def shards(self) -> list[range]:
        """The blocks of each shard.

        A shorter design that ends where one of these shards ends has the same first shards.
        """
        return [
            range(first, min(first + self.shard_blocks, last))
            for begin, last in pairwise([0, *self._shard_ends()])
            for first in range(begin, last, self.shard_blocks)
        ]

    def _shard_ends(self) -> list[int]:
        """Return the numbers of blocks after which a shard must end."""
        return [self.blocks]

    def game_id(self, block: int, rotation: int) -> int:
        return block * self.rotations + rotation

    def luck_of_block(self, block: int) -> Luck:
        return Luck(self.seed, self.luck_number(block))

    def luck_number(self, block: int) -> int:
        """Return the number of a block's luck under the seed."""
        return block

    def parent_actions(self, rotation: int) -> tuple[int, ...]:  # noqa: ARG002 - other kinds need it
        """Return the actions with which the games of a rotation begin, from the start of their parent game."""
        return ()

    def strategies_by_seat(self, rotation: int) -> tuple[str, ...]:
        """Return the strategy of each seat."""
        return tuple(self.lineup[place] for place in self.seatings[rotation])

    @property
    def labels(self) -> tuple[str, ...]:
        """What the tables of the run call the strategies of the line-up."""
        return tuple(map(player_label, self.lineup))

    def labels_by_seat(self, rotation: int) -> tuple[str, ...]:
        """Return what the tables of the run call the strategy of each seat."""
        labels = self.labels
        return tuple(labels[place] for place in self.seatings[rotation])

    def is_logged(self, block: int) -> bool:
        """Return whether the plies of a block are logged."""
        every = parse_log_interval(self.log)
        return bool(every) and block % every == 0

    @property
    @abstractmethod
    def command(self) -> str:
        """The command that plays the same games again, or reads them again."""

    def _join_command(self, *words: str) -> str:
        """Return a command of these words with the options of all commands that play."""
        log = ["--log", self.log] if self.log != "full" else []
        return " ".join(["reroll", *words, *log, *self._code_options()])

    def _code_options(self) -> list[str]:
        """Return the options that allow the files with code; what the line-up names of a package needs none.

        Functions of a notebook have no option: only the notebook can play them again.
        """
        files = [code.file for code in self.code if not code.package and code.file != NOTEBOOK]
        return [word for file in files for word in ("--code", shlex.quote(file))]


def check_seed(seed: object) -> None:
    """Raise InvalidError for a seed that is not an integer or out of range."""
    if not isinstance(seed, int) or not SEED.minimum <= seed <= SEED.maximum:
        raise InvalidError(f"seed: expected a number from {SEED.minimum} to {SEED.maximum}, not {seed!r}")


def parse_log_interval(log: str) -> int:
    """Return n if every n-th block is logged, 0 if none is; raise InvalidError if the text cannot be read.

    >>> [parse_log_interval(log) for log in ("full", "scores", "sample=0.01")]
    [1, 0, 100]
    """
    if log in {"full", "scores"}:
        return int(log == "full")
    share = float(log.removeprefix("sample=")) if _SAMPLE_LOG_PATTERN.fullmatch(log) else 0
    if not 1e-6 <= share <= 1:
        raise InvalidError(f"log: expected full, scores or sample=F with F from 0.000001 to 1, not {log!r}")
    return round(1 / share)


def read_ruleset(document: Mapping[str, Any], where: str) -> Ruleset:
    """Return the ruleset of a document; raise InvalidError that names `where` and the key."""
    game = document.get("game")
    if not isinstance(game, str):
        raise InvalidError(f"{where}: game: expected a text, found {json.dumps(game)[:60]}")
    try:
        model = games.find_game(game).ruleset
    except InvalidError as error:
        raise InvalidError(f"{where}: {error}") from None
    return model.from_document(document, where)


@lru_cache(maxsize=16)
def read_shared_ruleset(document: str) -> Ruleset:
    """Return the ruleset of a JSON document, cached: numbering its actions takes longer than playing a small run."""
    return read_ruleset(json.loads(document), "design")
