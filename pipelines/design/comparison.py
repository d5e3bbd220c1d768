"""The design of a comparison: how strategies meet, over how many blocks or until the comparison is decided."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, ClassVar, Literal

from engine import games
from engine.errors import InvalidError
from engine.strategy import check_players
from pipelines.design.design import (
    MAX_BLOCK_SEATINGS,
    MAX_LINEUP_STRATEGIES,
    MAX_RUN_BLOCKS,
    MAX_RUN_GAMES,
    Design,
    check_seed,
    parse_log_interval,
)
from pipelines.design.limits import COMPARISON_BLOCKS, MAX_BLOCKS_UNTIL_DECIDED, choose_title
from pipelines.design.lineups import FIRST_LOOK_BLOCKS, Contest, parse_choice, rotation_seatings
from pipelines.design.metrics import ARRANGEMENTS, DEFAULT_METRIC, METRICS
from pipelines.design.openings import decisions_per_game, opening_plies_needed
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies, code_of_players
from pipelines.design.simulation import SimulationDesign
from pipelines.design.titles import format_ruleset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.ruleset import Ruleset


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
            "the run is no comparison, and no simulation of different strategies, each on every seat; "
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
    own: OwnStrategies = BUILT_IN_ONLY,
) -> ComparisonDesign:
    """Return the design of a comparison.

    The default of `arrangement` is a duel for two strategies and a round robin for more. With `until_decided`, `blocks` is
    the largest number of blocks. `own` are the own strategies that a person has allowed. Raises InvalidError, in one line,
    for an impossible comparison.
    """
    game = games.find_game(ruleset.game)
    players = [own.parse_player(game, text) for text in strategies]
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
        else MAX_BLOCKS_UNTIL_DECIDED
        if until_decided
        else COMPARISON_BLOCKS.default
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
    least = FIRST_LOOK_BLOCKS if until_decided else 1
    most = min(MAX_RUN_BLOCKS, MAX_RUN_GAMES // len(seatings))
    if not least <= played <= most:
        raise InvalidError(f"blocks: expected from {least} to {most}, not {played}")
    who = " against ".join(player.label for player in players)
    design = ComparisonDesign(
        title=choose_title(title, f"{format_ruleset(ruleset)}: {who}"),
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
    return design.with_own_strategies(own, "this comparison")


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


def _opening_plies(ruleset: Ruleset, given: int | None) -> int:
    if given is None:
        return opening_plies_needed(ruleset)
    most = decisions_per_game(ruleset) // 4
    if not 0 <= given <= most:
        raise InvalidError(f"opening: expected from 0 to {most} plies in {ruleset.name}, not {given}")
    return given
