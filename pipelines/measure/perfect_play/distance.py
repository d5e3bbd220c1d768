"""How far a strategy is from perfect play: it plays against a perfect player, in both seats, on fresh luck.

Two perfect players have the same expected lead when each plays in both seats: zero. So the expected lead of a strategy
against a perfect player is zero or less, and what it lacks is its distance from the optimum.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from engine import games
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import built_in_strategies, read_player
from pipelines.measure.perfect_play.expectimax import first_seat_lead
from pipelines.statistics import Interval, share_interval, t_interval, win_shares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.luck import Source
    from engine.state import State
    from pipelines.measure.perfect_play.expectimax import PerfectPlay
    from pipelines.statistics.arrays import Floats

DEFAULT_BLOCKS: Final = 1000
FRESH_SEED: Final = 7000
"""No strategy was tuned with this seed: those of tuning begin at 900000, the ladder uses 5000."""


@dataclass(frozen=True)
class StrategyDistance:
    """The result of a strategy against a perfect player."""

    strategy: str
    """Its full name."""
    blocks: int
    games: int
    lead: Interval
    """Mean lead over the perfect player, in points; perfect play has 0."""
    win_share: Interval
    """Share of the wins; a tie is split."""

    @property
    def document(self) -> dict[str, Any]:
        """The record as data for JSON."""
        return asdict(self) | {"lead": self.lead._asdict(), "win_share": self.win_share._asdict()}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> StrategyDistance:
        """Return the record of JSON data. Raises KeyError or TypeError if the data does not describe one."""
        return cls(
            **document
            | {"lead": Interval(**document["lead"]), "win_share": Interval(**document["win_share"])}
        )


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
    return StrategyDistance(player.name, blocks, 2 * blocks, lead, win_share)


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
