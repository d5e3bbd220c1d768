"""The kinds of designs: simulations, comparisons, what-if runs, and games that were complete before their run was begun.

`read_design` reads a design of any kind and any age from its JSON document.

The design of a what-if run: the game that it forks, and the continuations of each branch.
A block is one continuation. Its rotations are the branches: the original and the changed one, or the changed one alone if
only the luck differs.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from engine import games
from engine.errors import InvalidError
from engine.strategies import read_player
from engine.strategy import check_players
from engine.wording import format_count
from pipelines.design import limits
from pipelines.design.design import (
    FIELDS_OF_OTHER_KINDS,
    MAX_BLOCK_SEATINGS,
    MAX_LINEUP_STRATEGIES,
    MAX_RUN_BLOCKS,
    MAX_RUN_GAMES,
    Design,
    LineupEntry,
    check_seed,
    parse_log_interval,
)
from pipelines.design.lineups import (
    FIRST_LOOK_BLOCKS,
    Contest,
    different_rotations,
    format_lineup,
    parse_choice,
    rotation_seatings,
)
from pipelines.design.metrics import ARRANGEMENTS, DEFAULT_METRIC, METRICS
from pipelines.design.openings import decisions_per_game, opening_plies_needed
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies, code_of_players
from pipelines.design.people import PERSON_TITLE, is_person
from pipelines.design.titles import format_ruleset

if TYPE_CHECKING:
    from engine.ruleset import Ruleset


class SimulationDesign(Design):
    """The design of games that are simply played."""

    kind: Literal["simulate"] = "simulate"

    def check_seatings(self) -> None:
        every = len(different_rotations(self.lineup))
        if self.seatings not in [rotation_seatings(len(self.lineup), number) for number in (1, every)]:
            raise ValueError("seatings: they do not follow from this line-up")

    @property
    def command(self) -> str:
        lineup = shlex.quote(",".join(self.lineup))
        words = [self.rules.name, "--strategies", lineup, "--blocks", str(self.blocks)]
        if self.rotations < len(different_rotations(self.lineup)):
            words.append("--no-rotate")
        return self._join_command("simulate", *words, "--seed", str(self.seed))


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
    own_strategies: OwnStrategies = BUILT_IN_ONLY,
) -> SimulationDesign:
    """Return the design of a simulation of `blocks` blocks, or of `games_at_least` games (300 by default) in whole blocks.

    `own_strategies` are the own strategies that a person has allowed. Raises InvalidError for an unknown strategy, a wrong number of
    strategies, or a number out of range.
    """
    if len(strategies) != ruleset.players:
        raise InvalidError(
            f"{ruleset.name} has {format_count(ruleset.players, 'seat')}, so it takes {format_count(ruleset.players, 'strategy')}, "
            f"not {len(strategies)}"
        )
    if blocks is not None and games_at_least is not None:
        raise InvalidError("give the number of games or that of blocks, not both")
    parse_log_interval(log)
    check_seed(seed)
    players = [own_strategies.parse_player(games.find_game(ruleset.game), text) for text in strategies]
    check_players(players, ruleset)
    lineup = tuple(player.name for player in players)
    seatings = rotation_seatings(len(lineup), len(different_rotations(lineup)) if rotate else 1)
    if blocks is None:
        blocks = math.ceil(
            (limits.SIMULATION_GAMES.default if games_at_least is None else games_at_least) / len(seatings)
        )
    if not 1 <= blocks * len(seatings) <= MAX_RUN_GAMES:
        number = blocks * len(seatings) if games_at_least is None else games_at_least
        raise InvalidError(f"expected from 1 to {MAX_RUN_GAMES:,} games, not {number:,}")
    who = format_lineup([player.label for player in players])
    design = SimulationDesign(
        title=limits.choose_title(title, f"{format_ruleset(ruleset)}: {who}"),
        ruleset=ruleset.document,
        lineup=lineup,
        seatings=seatings,
        blocks=blocks,
        seed=seed,
        log=log,
        shard_blocks=max(1, blocks // 16),
        code=code_of_players(players),
    )
    return design.with_own_strategies(own_strategies, "this design")


class ComparisonDesign(Design):
    """The design of games in which the sides of a line-up meet on the same luck, in every seat."""

    is_comparison: ClassVar = True

    kind: Literal["compare"] = "compare"
    contest: Contest
    """The question of the comparison."""

    def check_seatings(self) -> None:
        if self.seatings != self.contest.seatings(len(self.lineup), self.seats):
            raise ValueError("seatings: they do not follow from this line-up")

    @property
    def is_played_until_decided(self) -> bool:
        return self.contest.until_decided

    def _shard_ends(self) -> list[int]:
        return [*(look for look in self.contest.look_schedule if look < self.blocks), self.blocks]

    @property
    def command(self) -> str:
        words = [self.rules.name, *map(shlex.quote, self.lineup), *self.contest.command_options(self.blocks)]
        words += ["--opening", str(self.opening), "--seed", str(self.seed)]
        return self._join_command("compare", *words)


def read_as_comparison(design: Design) -> ComparisonDesign:
    """Return the design of a comparison. A simulation is one if every strategy played every seat.

    Raises InvalidError if the design is neither.
    """
    if isinstance(design, ComparisonDesign):
        return design
    every = rotation_seatings(len(design.lineup), len(design.lineup))
    is_complete = len(set(design.lineup)) == len(design.lineup) > 1 and design.seatings == every
    if not is_complete or not isinstance(design, SimulationDesign):
        raise InvalidError(
            "the run is neither a comparison nor a simulation of different strategies, each on every seat; "
            "see reroll compare --help"
        )
    shared = {name: getattr(design, name) for name in Design.model_fields if name != "kind"}
    contest = Contest(arrangement="rotate")
    return ComparisonDesign(**shared, contest=contest).with_own_strategies(design.own_strategies, "this run")


def design_comparison(  # noqa: PLR0913 - the parts of an experiment, passed by name
    ruleset: Ruleset,
    strategies: Sequence[str],
    *,
    blocks: int | None = None,
    until_decided: bool = False,
    arrangement: str | None = None,
    metric: str = DEFAULT_METRIC,
    margin: float | None = None,
    opening: int | None = None,
    seed: int = 0,
    log: str = "full",
    title: str | None = None,
    own_strategies: OwnStrategies = BUILT_IN_ONLY,
) -> ComparisonDesign:
    """Return the design of a comparison.

    The default of `arrangement` is a duel for two strategies and a round robin for more. With `until_decided`, `blocks` is
    the largest number of blocks. `own_strategies` are the own strategies that a person has allowed. Raises InvalidError, in one line,
    for an impossible comparison.
    """
    game = games.find_game(ruleset.game)
    players = [own_strategies.parse_player(game, text) for text in strategies]
    check_players(players, ruleset)
    sides = tuple(player.name for player in players)
    chosen = parse_choice(
        "design", arrangement or ("duel" if len(sides) == 2 else "round-robin"), ARRANGEMENTS
    )
    _check_sides(ruleset, sides, chosen)
    if until_decided and len(set(sides)) == 1:
        raise InvalidError(f"{sides[0]} against itself never differs, so it is never decided; use --blocks N")
    parse_log_interval(log)
    check_seed(seed)
    if margin is not None and not 0 < margin < 1e9:
        raise InvalidError(f"margin: expected a difference above 0, not {margin:g}")
    played = (
        blocks
        if blocks is not None
        else limits.MAX_BLOCKS_UNTIL_DECIDED
        if until_decided
        else limits.COMPARISON_BLOCKS.default
    )
    contest = Contest(
        arrangement=chosen,
        metric=parse_choice("metric", metric, tuple(METRICS)),
        margin=margin,
        most_blocks=played if until_decided else None,
    )
    seatings = contest.seatings(len(sides), ruleset.players)
    if len(seatings) > MAX_BLOCK_SEATINGS:
        raise InvalidError(
            f"{len(sides)} strategies need {len(seatings)} games a block, more than {MAX_BLOCK_SEATINGS}; compare fewer strategies"
        )
    min_blocks = FIRST_LOOK_BLOCKS if until_decided else 1
    max_blocks = min(MAX_RUN_BLOCKS, MAX_RUN_GAMES // len(seatings))
    if not min_blocks <= played <= max_blocks:
        raise InvalidError(f"blocks: expected from {min_blocks} to {max_blocks}, not {played}")
    who = " against ".join(player.label for player in players)
    design = ComparisonDesign(
        title=limits.choose_title(title, f"{format_ruleset(ruleset)}: {who}"),
        ruleset=ruleset.document,
        lineup=sides,
        seatings=seatings,
        opening=_opening_plies(ruleset, opening),
        blocks=played,
        seed=seed,
        log=log,
        shard_blocks=max(1, played // 16),
        contest=contest,
        code=code_of_players(players),
    )
    return design.with_own_strategies(own_strategies, "this comparison")


def _check_sides(ruleset: Ruleset, sides: Sequence[str], arrangement: str) -> None:
    """Raise InvalidError if these strategies cannot be compared in this arrangement."""
    if ruleset.players < 2:
        raise InvalidError(f"{ruleset.name} is for one player; a comparison needs at least two seats")
    if not 2 <= len(sides) <= MAX_LINEUP_STRATEGIES:
        raise InvalidError(
            f"a comparison takes from 2 to {MAX_LINEUP_STRATEGIES} strategies, not {len(sides)}"
        )
    if arrangement == "duel" and len(sides) != 2:
        raise InvalidError(f"a duel takes 2 strategies, not {len(sides)}; use --design round-robin")
    if arrangement == "rotate" and len(sides) != ruleset.players:
        raise InvalidError(
            f"{ruleset.name} has {ruleset.players} seats, so --design rotate takes {ruleset.players} strategies, "
            f"not {len(sides)}"
        )
    twice = next((name for name in sides if sides.count(name) > 1), None)
    if twice and len(sides) > 2:
        raise InvalidError(
            f"{twice} is named twice; a strategy is compared with itself only in a comparison of two"
        )


def _opening_plies(ruleset: Ruleset, plies: int | None) -> int:
    if plies is None:
        return opening_plies_needed(ruleset)
    maximum = decisions_per_game(ruleset) // 4
    if not 0 <= plies <= maximum:
        raise InvalidError(f"opening: expected from 0 to {maximum} plies in {ruleset.name}, not {plies}")
    return plies


class ForkOrigin(BaseModel, frozen=True, extra="forbid", strict=True):
    """The game that a what-if run forks, and the change."""

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
        words += [*map(shlex.quote, fork.asked), "--continuations", str(self.blocks)]
        seed = [] if "--seed" in fork.asked else ["--seed", str(self.seed)]
        return self._join_command("whatif", *words, *seed)


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


class HandHint(BaseModel, frozen=True, extra="forbid", strict=True):
    """A hint that a person looked at in a game by hand."""

    ply: Annotated[int, Field(ge=0)]
    """The ply that the person had to choose."""
    seat: Annotated[int, Field(ge=0)]
    strategy: str


class HandUndo(BaseModel, frozen=True, extra="forbid", strict=True):
    """A move that a person took back in a game by hand, and everything after it."""

    ply: Annotated[int, Field(ge=0)]
    seat: Annotated[int, Field(ge=0)]
    action: str
    """Notation of the move that was taken back."""


class HandRecord(BaseModel, frozen=True, extra="forbid", strict=True):
    """How a game was played by hand."""

    moves: str
    """The moves, hints and undos as text (`pipelines.play`)."""
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


_DESIGNS: Final[TypeAdapter[Design]] = TypeAdapter(
    Annotated[
        SimulationDesign | ComparisonDesign | WhatIfDesign | ImportDesign | HandDesign,
        Field(discriminator="kind"),
    ]
)


def read_design(document: str | bytes, where: str) -> Design:
    """Read a design from JSON; raise InvalidError that names `where`, the key and what was expected."""
    try:
        return _DESIGNS.validate_json(_adapt_document(document))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(step) for step in first["loc"][1:])  # the first step is the kind
        fault = f"{key}: {first['msg']}" if key else first["msg"]
        raise InvalidError(f"{where}: not the design of a run: {fault}") from None


def _adapt_document(document: str | bytes) -> str | bytes:
    """Return a document with the fields of its kind only.

    Older documents may lack the kind, and have the number of rotations in place of the seatings.
    """
    try:
        fields = json.loads(document)
    except (ValueError, RecursionError):
        return document  # pydantic reports the error
    if not isinstance(fields, dict):
        return document
    fields.setdefault("kind", "simulate")
    for key, empty in FIELDS_OF_OTHER_KINDS.items():
        if key in fields and fields[key] == empty:
            del fields[key]
    if "seatings" not in fields:
        lineup, number = fields.get("lineup"), fields.pop("rotations", None)
        if isinstance(lineup, list) and isinstance(number, int) and number > 0:
            fields["seatings"] = rotation_seatings(len(lineup), number)
    return json.dumps(fields)
