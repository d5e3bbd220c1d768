"""Ways to play Blokus.

Greedy ranks a placement by the squares of its piece, then by the corner points that it adds
(`BlokusState.new_corner_points` says which those are), then by how near its squares lie to the middle of the board:
the sum of their squared distances, counted in quarters so that it is a whole number on every board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.game import Strategy
from engine.games.blokus.windows import Members

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.games.blokus.rules import BlokusState
    from engine.games.blokus.ruleset import BlokusRuleset
    from engine.luck import Source


def largest(ruleset: BlokusRuleset, actions: Members) -> Members:
    """Return those placements whose pieces have the most squares."""
    by_size = (actions.plane & plane for plane in ruleset.windows.by_size)
    return Members(next(filter(None, by_size), 0), actions.first)


def centre_distance(state: BlokusState, action: int) -> int:
    """Sum over a placement's squares of four times the squared distance of their middles from the board's."""
    windows, distances = state.ruleset.windows, state.ruleset.centre_distances
    spot, orientation = windows.placement(action - state.turn * windows.span)
    return sum(distances[spot + windows.spot(point)] for point in orientation.shape)


def _best(actions: Sequence[int], worths: Sequence[int]) -> list[int]:
    top = max(worths)
    return [action for action, worth in zip(actions, worths, strict=True) if worth == top]


def _greedy() -> Callable[[BlokusState, Source], int]:
    def decide(state: BlokusState, source: Source) -> int:
        actions = state.actions
        if not isinstance(actions, Members):  # the colour is out
            return actions[0]
        found = tuple(largest(state.ruleset, actions))
        reaching = _best(found, state.new_corner_points(found))
        return source.choice(_best(reaching, [-centre_distance(state, action) for action in reaching]))

    return decide


STRATEGIES: Final = (
    Strategy(
        "greedy",
        "The largest piece; ties by the most new corner points, then by the squares nearest to the middle, then by luck.",
        _greedy,
    ),
)
