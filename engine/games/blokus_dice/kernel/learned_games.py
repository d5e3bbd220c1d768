"""Blokus Dice compiled: games in which a seat plays by learned values.

They have an entry of their own, so that only people who use this strategy wait for its compilation.
"""

from __future__ import annotations

from engine.games.blokus_dice.kernel.games import LEARNED, choose_placement, play_games_by
from engine.games.blokus_dice.kernel.keeper import candidate_placement
from engine.games.blokus_dice.kernel.learned import value_by_network
from engine.kernels.compiling import jit_entry, jit_merged


@jit_entry
def play_games_with_learned(learned, start, tables, strategies, luck, workspace, results, max_plies):
    """Play games as `play_games_by` does, with all strategies."""
    return play_games_by(
        choose_any_placement, learned, start, tables, strategies, luck, workspace, results, max_plies
    )


@jit_merged
def choose_any_placement(learned, position, tables, workspace, seat, code, settings, luck):
    """Return face, strike and placement that a strategy other than random chooses."""
    if code == LEARNED:
        _, best = value_by_network(position, tables, workspace, learned, seat)
        return candidate_placement(workspace.keeper, best)
    return choose_placement(None, position, tables, workspace, seat, code, settings, luck)
