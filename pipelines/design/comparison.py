"""The design of a comparison: which strategies meet how, over how many blocks, or until it is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine import games
from engine.game import InvalidError
from pipelines.design.design import (
    LARGEST_BLOCKS,
    LARGEST_GAMES,
    LARGEST_SEED,
    MOST_SEATINGS,
    MOST_STRATEGIES,
    Design,
    every_nth_block,
)
from pipelines.design.openings import plies_needed, plies_of_a_game
from pipelines.design.own_strategies import NOTHING, Own, code_of
from pipelines.design.seatings import ARRANGEMENTS, FIRST_LOOK, METRICS, Contest, among

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.ruleset import Ruleset

BLOCKS: Final = 1000
"""Blocks of a comparison if nobody says how many."""
BUDGET: Final = 100_000
"""Blocks at most until a comparison is decided."""


def contest(  # noqa: PLR0913 - what makes an experiment, all named
    ruleset: Ruleset,
    strategies: Sequence[str],
    *,
    blocks: int | None = None,
    until_decided: bool = False,
    arrangement: str | None = None,
    metric: str = "score",
    margin: float | None = None,
    opening: int | None = None,
    seed: int = 0,
    log: str = "full",
    title: str | None = None,
    own: Own = NOTHING,
) -> Design:
    """Settle the design of a comparison.

    `arrangement` is a duel for two strategies and a round robin for more if not said; `blocks` is the budget if it is
    to be played until it is decided; `own` is what a person has named besides. Raises InvalidError for what makes no sense, in a line.
    """
    game = games.game(ruleset.game)
    players = [own.player(game, text) for text in strategies]
    sides = tuple(player.name for player in players)
    chosen = among("design", arrangement or ("duel" if len(sides) == 2 else "round-robin"), ARRANGEMENTS)
    _check_sides(ruleset, sides, chosen)
    if until_decided and len(set(sides)) == 1:
        raise InvalidError(f"{sides[0]} against itself never differs, so it is never decided; use --blocks N")
    every_nth_block(log)
    if not 0 <= seed <= LARGEST_SEED:
        raise InvalidError(f"seed: expected a number from 0 to {LARGEST_SEED}, not {seed}")
    if margin is not None and not 0 < margin < 1e9:
        raise InvalidError(f"margin: expected a difference above 0, not {margin:g}")
    played = blocks if blocks is not None else BUDGET if until_decided else BLOCKS
    asked = Contest(
        arrangement=chosen,
        metric=among("metric", metric, METRICS),
        margin=margin,
        most_blocks=played if until_decided else None,
    )
    seatings = asked.seatings(len(sides), ruleset.players)
    if len(seatings) > MOST_SEATINGS:
        raise InvalidError(
            f"{len(sides)} strategies meet in {len(seatings)} games a block, more than {MOST_SEATINGS}; compare fewer"
        )
    least = FIRST_LOOK if until_decided else 1
    most = min(LARGEST_BLOCKS, LARGEST_GAMES // len(seatings))
    if not least <= played <= most:
        raise InvalidError(f"blocks: expected from {least} to {most}, not {played}")
    made = Design(
        kind="compare",
        title=title or f"{ruleset.title}, {ruleset.players} players: {' against '.join(sides)}"[:200],
        ruleset=ruleset.document,
        lineup=sides,
        seatings=seatings,
        opening=_opening(ruleset, opening),
        blocks=played,
        seed=seed,
        log=log,
        shard_blocks=max(1, played // 16),
        contest=asked,
        code=code_of(players),
    )
    return made.played_by(own, "this comparison")


def _check_sides(ruleset: Ruleset, sides: Sequence[str], arrangement: str) -> None:
    """Refuse a number or choice of strategies that cannot be compared like that."""
    if ruleset.players < 2:
        raise InvalidError(f"{ruleset.name} is for one player, and a comparison needs two seats")
    if not 2 <= len(sides) <= MOST_STRATEGIES:
        raise InvalidError(f"a comparison takes from 2 to {MOST_STRATEGIES} strategies, not {len(sides)}")
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
            f"{twice} is named twice; only two strategies may be the same, to see that the difference is zero"
        )


def _opening(ruleset: Ruleset, given: int | None) -> int:
    if given is None:
        return plies_needed(ruleset)
    most = plies_of_a_game(ruleset) // 4
    if not 0 <= given <= most:
        raise InvalidError(f"opening: expected from 0 to {most} plies in {ruleset.name}, not {given}")
    return given
