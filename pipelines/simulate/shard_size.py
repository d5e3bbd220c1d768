"""How many blocks one shard of a run has: enough for a few seconds of work, few enough for progress to move."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final

from pipelines.simulate import compiled_games
from pipelines.simulate.shards import play_game

if TYPE_CHECKING:
    from engine.kernels.contract import Kernel
    from pipelines.design.design import Design

SHARD_SECONDS: Final = 4.0
"""About the most time that one worker spends on a shard, in seconds. A kill loses at most this much work."""
MAX_SHARD_PLIES: Final = 100_000
"""About the most plies in a shard: larger shards need more memory, thousands of small ones are slow to seal."""
MAX_COMPILED_SHARD_PLIES: Final = 1_000_000
"""The same for a compiled game, which plays so many plies in a second or less."""
MIN_SHARDS: Final = 16
"""Fewest shards of a run with enough blocks, so that the progress of a short run moves."""
MOMENT_SECONDS: Final = 0.25
"""A compiled game that plays a whole run in this time plays it as one shard: a shard takes longer to write than to play."""
MAX_SHARDS: Final = 4096
OWN_STRATEGY_SHARDS: Final = 256
"""Shards of a run with own strategies. Their first game is not timed, because it might take for ever."""
MAX_OWN_STRATEGY_SHARD_BLOCKS: Final = 500
"""Most blocks of a shard in a run with own strategies."""


def blocks_per_shard(design: Design) -> int:
    """Return the number of blocks of a shard. One block is played to measure its plies and its time."""
    compiled = compiled_games.find_design_kernel(design)
    if compiled:
        plies, seconds = _time_compiled_block(design, compiled)
        if design.blocks * seconds <= MOMENT_SECONDS and not design.is_played_until_decided:
            return design.blocks
        wanted = min(MAX_COMPILED_SHARD_PLIES // plies, int(SHARD_SECONDS / seconds))
    elif design.has_own_strategies:
        wanted = min(design.blocks // OWN_STRATEGY_SHARDS, MAX_OWN_STRATEGY_SHARD_BLOCKS)
    else:
        wanted = _affordable_blocks(design) if design.blocks > MIN_SHARDS else 1
    return max(1, min(wanted, design.blocks // MIN_SHARDS), math.ceil(design.blocks / MAX_SHARDS))


def _affordable_blocks(design: Design) -> int:
    """Return how many blocks the plain rules play within the limits of plies and seconds of one shard."""
    plies, seconds = _time_game(design)
    return min(
        MAX_SHARD_PLIES // (plies * design.rotations), int(SHARD_SECONDS / (seconds * design.rotations))
    )


def _time_compiled_block(design: Design, compiled: Kernel) -> tuple[int, float]:
    """Return the plies and seconds of a block.

    A slow first try is repeated, because it loads the compiled code, unless the run has few blocks.
    """
    plies, seconds = 0, math.inf
    for _ in range(1 if design.blocks <= MIN_SHARDS else 2):
        started = time.monotonic()
        plies = compiled_games.count_block_plies(design, compiled)
        seconds = min(seconds, max(1e-6, time.monotonic() - started))
        if SHARD_SECONDS / seconds > design.blocks:
            break
    return plies, seconds


def _time_game(design: Design) -> tuple[int, float]:
    """Return the plies and seconds of one game by the plain rules."""
    _ = design.players, design.rules.sha256  # these are computed once and cached: that is not time of a game
    started = time.monotonic()
    plies = max(1, len(play_game(design, 0, 0).plies))
    return plies, max(1e-6, time.monotonic() - started)
