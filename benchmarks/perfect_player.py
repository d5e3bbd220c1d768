"""A perfect player of the solved rulesets, as a strategy of one's own.

    reroll compare bloxx-mini perfect planner --code benchmarks/perfect_player.py

It solves the ruleset before its first move, which takes 5 to 40 seconds of processor time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from benchmarks.solvers import SOLVED_GAMES, SOLVED_RULESETS, prepare_perfect_play

if TYPE_CHECKING:
    from benchmarks.expectimax import PerfectPlay
    from engine.luck import Source
    from engine.ruleset import Ruleset
    from engine.state import State

GAMES: Final = SOLVED_GAMES


@lru_cache(maxsize=4)
def _prepare(ruleset: Ruleset) -> PerfectPlay:
    if ruleset.name not in SOLVED_RULESETS:
        raise ValueError(f"perfect plays {', '.join(SOLVED_RULESETS)}, not {ruleset.name}")
    return prepare_perfect_play(ruleset)


def perfect(state: State, source: Source) -> int:
    """Plays perfectly: no other choice leads to a greater expected lead at the end."""
    return _prepare(state.ruleset).decide(state, source)
