"""How far a strategy is from perfect play: it plays against a perfect player, in both seats, on fresh luck.

Two perfect players have the same expected lead when each plays in both seats: zero. So the expected lead of a strategy
against a perfect player is zero or less, and what it lacks is its distance from the optimum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine import games
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import built_in_strategies, read_player
from pipelines.measure.perfect_play.expectimax import first_seat_lead
from pipelines.records.perfect_play import StrategyDistance
from pipelines.statistics import share_interval, t_interval, win_shares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.luck import Source
    from engine.state import State
    from pipelines.measure.perfect_play.expectimax import PerfectPlay
    from pipelines.statistics.intervals import Floats

DEFAULT_BLOCKS: Final = 1000
FRESH_SEED: Final = 7000
"""No strategy was tuned with this seed: those of tuning begin at 900000, the ladder uses 5000."""


def iter_distances(perfect: PerfectPlay, blocks: int, seed: int = FRESH_SEED) -> Iterator[StrategyDistance]:
    """Yield the distance of every built-in strategy of the game."""
    for name in built_in_strategies(games.find_game(perfect.ruleset.game)):
        yield measure_distance(perfect, name, blocks, seed)


def measure_distance(
    perfect: PerfectPlay, strategy: str, blocks: int, seed: int = FRESH_SEED
) -> StrategyDistance:
    """Play a strategy against a perfect player: every block once in each seat.

    Raises InvalidError for a strategy that does not exist, ValueError for fewer than two blocks.
    """
    if blocks < 2:
        raise ValueError(f"an interval needs two blocks at least, not {blocks}")
    player = read_player(games.find_game(perfect.ruleset.game), strategy)
    leads, wins = play_blocks(perfect, player.decide, blocks, seed)
    lead, win_share = t_interval(leads), share_interval(wins)
    assert lead is not None  # noqa: S101 - there are two blocks
    assert win_share is not None  # noqa: S101 - as above
    return StrategyDistance(
        strategy=player.name, blocks=blocks, games=2 * blocks, lead=lead, win_share=win_share
    )


def play_blocks(
    perfect: PerfectPlay, decide: Callable[[State, Source], int], blocks: int, seed: int
) -> tuple[Floats, Floats]:
    """Return for every block the mean lead and the mean win share of a player against the perfect player."""
    leads, wins = np.empty(blocks), np.empty(blocks)
    start = games.start_state(perfect.ruleset)
    for block in range(blocks):
        luck = Luck(seed, block)
        first, _ = play_out(start, [decide, perfect.decide], luck)
        second, _ = play_out(start, [perfect.decide, decide], luck)
        leads[block] = (first_seat_lead(first) - first_seat_lead(second)) / 2
        wins[block] = (win_shares(first.ranks)[0] + win_shares(second.ranks)[1]) / 2
    return leads, wins
