"""The design of a simulation: a line-up plays as it is, or in every different rotation."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING, Literal

from engine import games
from engine.counted_nouns import format_count
from engine.errors import InvalidError
from engine.strategy import check_players
from pipelines.design.design import MAX_RUN_GAMES, Design, check_seed, parse_log_interval
from pipelines.design.limits import choose_title
from pipelines.design.lineups import different_rotations, format_lineup, rotation_seatings
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies, code_of_players
from pipelines.design.titles import format_ruleset

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    own: OwnStrategies = BUILT_IN_ONLY,
) -> SimulationDesign:
    """Return the design of a simulation of `blocks` blocks, or of `games_at_least` games rounded up to whole blocks.

    `own` are the own strategies that a person has allowed. Raises InvalidError for an unknown strategy, a wrong number of
    strategies, or a number out of range.
    """
    if len(strategies) != ruleset.players:
        raise InvalidError(
            f"{ruleset.name} has {format_count(ruleset.players, 'seat')}, so it takes {format_count(ruleset.players, 'strategy')}, "
            f"not {len(strategies)}"
        )
    parse_log_interval(log)
    check_seed(seed)
    players = [own.parse_player(games.find_game(ruleset.game), text) for text in strategies]
    check_players(players, ruleset)
    lineup = tuple(player.name for player in players)
    seatings = rotation_seatings(len(lineup), len(different_rotations(lineup)) if rotate else 1)
    if blocks is None:
        blocks = math.ceil((games_at_least or 0) / len(seatings))
    if not 1 <= blocks * len(seatings) <= MAX_RUN_GAMES:
        raise InvalidError(f"expected from 1 to {MAX_RUN_GAMES} games, not {blocks * len(seatings)}")
    who = format_lineup([player.label for player in players])
    design = SimulationDesign(
        title=choose_title(title, f"{format_ruleset(ruleset)}: {who}"),
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
