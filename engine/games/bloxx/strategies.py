"""Ways to play BLOXX!."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.game import Strategy

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.bloxx.rules import BloxxState
    from engine.games.bloxx.ruleset import Placement
    from engine.luck import Source

GAP_COST: Final = 2
"""A gap costs a point and the circle or the row that might have been there. The bare change of the score is no
sensible player: by it a gap costs no more than the blank it replaces."""


def value(state: BloxxState, action: int) -> int:
    """Circled number + row points - 2 x new gaps of a placement."""
    placement = state.ruleset.placement(action)
    sheet = state.sheets[state.seat]
    gaps = placement.shadow & ~sheet.closed  # BX-10
    return placement.number + _row_points(state, sheet.drawn, placement) - GAP_COST * gaps.bit_count()


def _row_points(state: BloxxState, drawn: int, placement: Placement) -> int:
    """BX-14: what the rows bring that the placement completes on a sheet with these squares drawn."""
    options, points = state.ruleset.options, 0
    for row, turns in zip(state.ruleset.row_sets, state.completed, strict=True):
        if placement.squares & row and not row & ~(drawn | placement.squares):
            earlier = any(0 <= turn < state.round for turn in turns)
            points += options.row_later if earlier else options.row_first
    return points


def _greedy() -> Callable[[BloxxState, Source], int]:
    def decide(state: BloxxState, source: Source) -> int:
        actions = state.actions
        if actions[0] == state.ruleset.forfeit:
            return actions[0]
        ranked = [(-value(state, action), state.ruleset.placement(action).row_sum) for action in actions]
        best = min(ranked)
        return source.choice([action for action, rank in zip(actions, ranked, strict=True) if rank == best])

    return decide


STRATEGIES: Final = (
    Strategy(
        "greedy",
        "Most of circled number + row points - 2 for each new gap; ties by the lowest squares, then by luck.",
        _greedy,
    ),
)
