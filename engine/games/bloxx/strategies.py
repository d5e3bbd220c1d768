"""Ways to play BLOXX!."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.game import Strategy

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.bloxx.rules import BloxxState
    from engine.luck import Source

GAP_COST: Final = 2
"""A gap costs a point and the circle or the row that might have been there. The bare change of the score is no
sensible player: by it a gap costs no more than the blank it replaces."""


def open_rows(state: BloxxState) -> list[tuple[int, int]]:
    """Return for each coloured row that the acting seat may still complete its missing squares and its points now."""
    options, sheet = state.ruleset.options, state.sheets[state.seat]
    found = []
    for row, turns in zip(state.ruleset.row_sets, state.completed, strict=True):
        missing = row & ~sheet.drawn
        if missing and not missing & sheet.gaps:  # BX-13
            earlier = any(0 <= turn < state.round for turn in turns)  # BX-14
            found.append((missing, options.row_later if earlier else options.row_first))
    return found


def _greedy() -> Callable[[BloxxState, Source], int]:
    def decide(state: BloxxState, source: Source) -> int:
        actions, placement_of = state.actions, state.ruleset.placement
        if actions[0] == state.ruleset.forfeit:
            return actions[0]
        blank, rows = ~state.sheets[state.seat].closed, open_rows(state)
        most = lowest = 0
        tied: list[int] = []
        for action in actions:
            _, _, squares, _, shadow, points, row_sum = placement_of(action)
            points -= GAP_COST * (shadow & blank).bit_count()  # BX-10
            for missing, row_points in rows:
                if not missing & ~squares:
                    points += row_points
            if not tied or points > most or (points == most and row_sum < lowest):
                most, lowest, tied = points, row_sum, [action]
            elif points == most and row_sum == lowest:
                tied.append(action)
        return source.choice(tied)

    return decide


STRATEGIES: Final = (
    Strategy(
        "greedy",
        "Most of circled number + row points - 2 for each new gap; ties by the lowest squares, then by luck.",
        _greedy,
    ),
)
