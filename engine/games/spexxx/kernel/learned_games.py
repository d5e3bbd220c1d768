"""Spexxx compiled: games in which a seat plays by learned values.

They have an entry of their own, so that only people who use this strategy wait for its compilation.
"""

from __future__ import annotations

import numpy as np

from engine.games.spexxx.kernel.games import make_plan, play_games_by
from engine.games.spexxx.kernel.learned import make_learned_plan
from engine.games.spexxx.kernel.workspace import LEARNED
from engine.kernels.compiling import jit_entry, jit_merged

_u64 = np.uint64


@jit_entry
def play_games_with_learned(learned, start, tables, turns, strategies, luck, workspace, results):
    """Play games as `play_games_by` does, with all strategies."""
    return play_games_by(make_any_plan, learned, start, tables, turns, strategies, luck, workspace, results)


@jit_merged
def make_any_plan(learned, tables, turns, number, strategy, seed, blocks, workspace):
    """Plan a turn of a seat that is neither random nor greedy, in a lane for each block."""
    if strategy.code == LEARNED:
        for lane in range(len(blocks)):
            make_learned_plan(
                tables, workspace.boards, learned, _u64(lane), turns.seats[number], workspace.turn.plan
            )
    else:
        make_plan(None, tables, turns, number, strategy, seed, blocks, workspace)
