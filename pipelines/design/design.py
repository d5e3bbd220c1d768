"""The design of a run: everything that determines its games, as a JSON document from which they can be played again."""

from __future__ import annotations

import json
import math
import re
import shlex
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from engine import games
from engine.errors import InvalidError
from engine.player_label import player_label, split_at_commas
from engine.strategies import built_in_strategies
from engine.strategy import Player, StrategyCode, check_players
from pipelines.design.origins import ForkOrigin, HandRecord
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies, code_of_players
from pipelines.design.people import is_person
from pipelines.design.seatings import Contest, different_rotations, rotation_seatings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.game import Game
    from engine.ruleset import Ruleset

MAX_SEED: Final = (1 << 64) - 1
MAX_RUN_BLOCKS: Final = 1 << 32
MAX_RUN_GAMES: Final = (1 << 32) - 1
MAX_RUN_SHARDS: Final = 1 << 16
"""Shards of a run at most. Runs have up to some thousands; every look at an unfinished run lists them all."""
MAX_BLOCK_SEATINGS: Final = 256
MAX_LINEUP_STRATEGIES: Final = 24

_SAMPLE_LOG_PATTERN: Final = re.compile(r"sample=(0?\.[0-9]+|1(\.0*)?|[0-9.]+e-[0-9]+)")


class Design(BaseModel):
    """One ruleset, a line-up of strategies, and how often and in which seats they play.

    In each block the same luck is played once with each of the seatings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: Literal["simulate", "compare", "whatif", "import", "hand"] = "simulate"
    """import: the games were played elsewhere. Their luck does not come from the seed, and their players may be unknown.
    hand: one game in which people chose the moves of some seats."""
    title: Annotated[str, Field(min_length=1, max_length=200)]
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
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)]
    log: str = "full"
    """Which plies are logged. full: all; scores: none; sample=0.01: those of every hundredth block."""
    shard_blocks: Annotated[int, Field(ge=1)] = MAX_RUN_BLOCKS
    """Blocks of a shard, which a worker plays and writes at once. It depends on the machine and does not affect the games,
    so a run file does not contain it (`run_document`)."""
    contest: Contest | None = None
    """The question of a comparison; None for other kinds."""
    fork: ForkOrigin | None = None
    """The game that a what-if run forks; None for other kinds."""
    code: tuple[StrategyCode, ...] = ()
    """The code of own strategies that play, for information: code is never loaded because a design names it."""
    hand: HandRecord | None = None
    """How a game by hand was played; None for other kinds."""
    source: Annotated[str, Field(max_length=200)] = ""
    """Name of the file or folder that games were imported from."""
    _own: OwnStrategies = PrivateAttr(default=BUILT_IN_ONLY)

    @model_validator(mode="after")
    def _check_consistency(self) -> Design:
        parse_log_interval(self.log)
        self._check_kind()
        if self.fork and len(self.fork.luck) != self.blocks:
            raise ValueError("fork.luck: expected one for each block")
        if self.fork and not self.fork.seatings_fit(self.seatings, self.lineup):
            raise ValueError("seatings: expected one for each branch of the fork")
        if len(set(self.labels)) < len(set(self.lineup)):
            raise ValueError("lineup: two different strategies have the same name=")
        if self.is_imported or self.hand:
            self._check_finished_games()
        elif not self.fork and self.seatings not in self._possible_seatings():
            raise ValueError("seatings: they do not follow from this line-up")
        if self.blocks > MAX_RUN_SHARDS * self.shard_blocks:
            raise ValueError(f"shard_blocks: more than {MAX_RUN_SHARDS} shards")
        if self.games > MAX_RUN_GAMES:
            raise ValueError(f"{self.games} games are too many for one run (at most {MAX_RUN_GAMES})")
        return self

    def _check_kind(self) -> None:
        """Check that the field of each kind is there for this kind only."""
        if (self.kind == "compare") != (self.contest is not None):
            raise ValueError("contest: expected for a comparison only")
        if (self.kind == "whatif") != (self.fork is not None):
            raise ValueError("fork: expected for a what-if run only")
        if (self.kind == "hand") != (self.hand is not None):
            raise ValueError("hand: expected for a game by hand only")
        if self.hand and self.games != 1:
            raise ValueError("blocks, seatings: a game by hand is one game")

    def _check_finished_games(self) -> None:
        """Check the design of games that were complete before their run was begun."""
        if self.opening or self.log != "full":
            raise ValueError(
                f"opening, log: a run of kind {self.kind} has no random opening and logs every ply"
            )
        places = {place for seating in self.seatings for place in seating}
        if places != set(range(len(self.lineup))) or len({len(seating) for seating in self.seatings}) != 1:
            raise ValueError("seatings: expected places of the line-up, the same number in each seating")

    def _possible_seatings(self) -> list[tuple[tuple[int, ...], ...]]:
        if self.contest:
            return [self.contest.seatings(len(self.lineup), len(self.seatings[0]))]
        every = len(different_rotations(self.lineup))
        return [rotation_seatings(len(self.lineup), number) for number in (1, every)]

    @classmethod
    def from_document(cls, document: str | bytes, where: str) -> Design:
        """Read a design from JSON; raise InvalidError that names `where`, the key and what was expected."""
        try:
            return cls.model_validate_json(_add_seatings(document))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            key = ".".join(str(step) for step in first["loc"])
            raise InvalidError(f"{where}: not the design of a run: {key}: {first['msg']}") from None

    @property
    def run_document(self) -> str:
        """The design as the JSON document that a run file contains. Equal designs have equal documents."""
        return self.model_dump_json(exclude={"shard_blocks"})

    @property
    def is_imported(self) -> bool:
        return self.kind == "import"

    @property
    def has_finished_games(self) -> bool:
        """True if the games were complete before the run was begun, so that nothing is played for it."""
        return self.is_imported or self.hand is not None

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
        return (
            read_ruleset(self.ruleset, "design") if self.code else _shared_ruleset(json.dumps(self.ruleset))
        )

    @property
    def game(self) -> Game:
        return games.find_game(self.rules.game)

    @property
    def strategies(self) -> tuple[str, ...]:
        """The line-up without people."""
        return tuple(text for text in self.lineup if not (self.hand and is_person(text)))

    @property
    def players(self) -> tuple[Player, ...]:
        """New players for the line-up.

        Raises InvalidError for a strategy that is not built in, unless a person has allowed it (`own_strategies`).
        """
        return tuple(self._own.parse_player(self.game, text) for text in self.lineup)

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

    def with_own_strategies(self, own: OwnStrategies, where: str) -> Design:
        """Return the design with the own strategies that a person has allowed.

        Raises InvalidError if a strategy is missing or its code has changed since the run was begun. `where` names the
        design in the message.
        """
        if self.has_own_strategies:
            own.check_lineup(self.game, self.strategies, self.code, where)
        allowed = self.model_copy()
        allowed._own = own  # noqa: SLF001 - a copy of this object
        return allowed

    def check_resumable(self, where: str) -> None:
        """Raise InvalidError if the games were complete before the run was begun, so that nothing can be played on.

        `where` names the unfinished run in the message.
        """
        if self.has_finished_games:
            what, again = ("game by hand", "play") if self.hand else ("import", "import")
            raise InvalidError(
                f"{where} is an unfinished {what}; remove it with reroll rm {where}, and {again} again"
            )

    @property
    def shards(self) -> list[range]:
        """The blocks of each shard.

        A shorter design that ends where one of these shards ends has the same first shards.
        """
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

    @property
    def labels(self) -> tuple[str, ...]:
        """What the tables of the run call the strategies of the line-up."""
        return self.lineup if self.is_imported else tuple(map(player_label, self.lineup))

    def labels_by_seat(self, rotation: int) -> tuple[str, ...]:
        """Return what the tables of the run call the strategy of each seat."""
        labels = self.labels
        return tuple(labels[place] for place in self.seatings[rotation])

    def is_logged(self, block: int) -> bool:
        """Return whether the plies of a block are logged."""
        every = parse_log_interval(self.log)
        return bool(every) and block % every == 0

    @property
    def command(self) -> str:
        """The command that plays the same games again, or reads them again."""
        if self.is_imported:
            return f"reroll import {shlex.quote(self.source)} --ruleset {self.rules.name}"
        if self.hand:
            return self._hand_command(self.hand)
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
        if not (self.fork and "--seed" in self.fork.asked):
            words += ["--seed", str(self.seed)]
        if self.log != "full":
            words += ["--log", self.log]
        return " ".join([*words, *self._code_options()])

    def _code_options(self) -> list[str]:
        """Return the options that allow the files with code; what the line-up names of a package needs none."""
        return [word for code in self.code if not code.package for word in ("--code", shlex.quote(code.file))]

    def _hand_command(self, hand: HandRecord) -> str:
        words = ["reroll", "play", *([] if hand.run else [self.rules.name])]
        words += ["--seats", shlex.quote(",".join(self.strategies_by_seat(0)))]
        if hand.run:
            words += [
                "--run",
                shlex.quote(hand.run),
                "--game",
                str(hand.game_id),
                "--ply",
                str(len(hand.prefix)),
            ]
        words += ["--seed", str(self.seed)] if hand.has_own_luck else []
        return " ".join([*words, *self._code_options(), "--moves", shlex.quote(hand.moves)])


def design_simulation(  # noqa: PLR0913 - the parts of an experiment, passed by name
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
    """Return the design of a simulation of `blocks` blocks, or of `games_at_least` games rounded up to whole blocks.

    `own` are the own strategies that a person has allowed. Raises InvalidError for an unknown strategy, a wrong number of
    strategies, or a number out of range.
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
    check_players(players, ruleset)
    lineup = tuple(player.name for player in players)
    seatings = rotation_seatings(len(lineup), len(different_rotations(lineup)) if rotate else 1)
    if blocks is None:
        blocks = math.ceil((games_at_least or 0) / len(seatings))
    if not 1 <= blocks * len(seatings) <= MAX_RUN_GAMES:
        raise InvalidError(f"expected from 1 to {MAX_RUN_GAMES} games, not {blocks * len(seatings)}")
    design = Design(
        title=title
        or f"{ruleset.title}, {ruleset.players} players: {format_lineup([player.label for player in players])}"[
            :200
        ],
        ruleset=ruleset.document,
        lineup=lineup,
        seatings=seatings,
        blocks=blocks,
        seed=seed,
        log=log,
        shard_blocks=max(1, blocks // 16),
        code=code_of_players(players),
    )
    return design.with_own_strategies(own, "this design")


def _add_seatings(document: str | bytes) -> str | bytes:
    """Return a document with seatings in place of the number of rotations that older documents have."""
    try:
        fields = json.loads(document)
    except (ValueError, RecursionError):
        return document  # pydantic reports the error
    if not isinstance(fields, dict) or "seatings" in fields:
        return document
    lineup, number = fields.get("lineup"), fields.pop("rotations", None)
    if isinstance(lineup, list) and isinstance(number, int) and number > 0:
        fields["seatings"] = rotation_seatings(len(lineup), number)
    return json.dumps(fields)


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
def _shared_ruleset(document: str) -> Ruleset:
    """Return the ruleset of a JSON document, cached: numbering its actions takes longer than playing a small run."""
    return read_ruleset(json.loads(document), "design")


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


def split_strategies(text: str) -> list[str]:
    """Split a line-up at the commas between strategies, not at commas between parameters or in double quotes.

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
    """Return a line-up as text for a title.

    >>> format_lineup(["greedy", "greedy", "random"])
    '2 greedy, random'
    """
    counts = {strategy: list(lineup).count(strategy) for strategy in lineup}
    return ", ".join(f"{count} {strategy}" if count > 1 else strategy for strategy, count in counts.items())
