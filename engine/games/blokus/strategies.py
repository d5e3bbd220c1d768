"""Ways to play Blokus.

Greedy ranks a placement by the squares of its piece, then by the corner points that it adds
(`BlokusState.new_corner_points` says which those are), then by how near its squares lie to the middle of the board:
the sum of their squared distances, counted in quarters so that it is a whole number on every board.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.games.blokus.windows import PlaneMembers
from engine.strategy import Parameter, Strategy
from engine.weights import read_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.games.blokus.rules import BlokusState
    from engine.games.blokus.ruleset import BlokusRuleset
    from engine.luck import Source


def largest_placements(ruleset: BlokusRuleset, actions: PlaneMembers) -> PlaneMembers:
    """Return those placements whose pieces have the most squares."""
    by_size = (actions.plane & plane for plane in ruleset.windows.by_size)
    return PlaneMembers(next(filter(None, by_size), 0), actions.first)


def centre_distance(state: BlokusState, action: int) -> int:
    """Sum over a placement's squares of four times the squared distance of their middles from the board's."""
    windows, distances = state.ruleset.windows, state.ruleset.centre_distances
    spot, orientation = windows.placement(action - state.turn * windows.span)
    return sum(distances[spot + windows.spot(point)] for point in orientation.shape)


def _best_actions(actions: Sequence[int], worths: Sequence[int]) -> list[int]:
    top = max(worths)
    return [action for action, worth in zip(actions, worths, strict=True) if worth == top]


def _greedy() -> Callable[[BlokusState, Source], int]:
    def decide(state: BlokusState, source: Source) -> int:
        actions = state.actions
        if not isinstance(actions, PlaneMembers):  # the colour is out
            return actions[0]
        found = tuple(largest_placements(state.ruleset, actions))
        reaching = _best_actions(found, state.new_corner_points(found))
        return source.choice(
            _best_actions(reaching, [-centre_distance(state, action) for action in reaching])
        )

    return decide


def _placement_worth(state: BlokusState, action: int, added: int) -> int:
    """Greedy's three criteria as one number: a square is worth 2^20, a corner point 2^16, a unit of distance -1."""
    squares = len(state.ruleset.action(action).cells)
    return (squares << 20) + (added << 16) - centre_distance(state, action)


def _noisy(sigma: float) -> Callable[[BlokusState, Source], int]:
    """One normal number for each legal placement, in ascending order."""

    def decide(state: BlokusState, source: Source) -> int:
        actions = state.actions
        if not isinstance(actions, PlaneMembers):  # the colour is out
            return actions[0]
        found = tuple(actions)
        worths = [
            _placement_worth(state, action, added) / (1 << 20) + sigma * source.normal()
            for action, added in zip(found, state.new_corner_points(found), strict=True)
        ]
        return found[worths.index(max(worths))]

    return decide


_WEIGHTS_FILE: Final = Path(__file__).parent / "weights.toml"

STRATEGIES: Final = (
    Strategy(
        "greedy",
        "The largest piece; ties by the most new corner points, then by the squares nearest to the middle, then by luck.",
        _greedy,
    ),
    Strategy(
        "noisy",
        "Greedy that misjudges: a normal error on the squares that each placement seems worth.",
        _noisy,
        (Parameter("sigma", "standard deviation of the error, in squares", 0.5, 0.0, 20.0),),
    ),
    Strategy(
        "mobility",
        "Large pieces that open many places to itself and shut many to the others.",
        None,
        read_weights(_WEIGHTS_FILE, "mobility"),
    ),
    Strategy(
        "rollout",
        "Plays the best placements of mobility out to the end many times, and drops the worse half again and again.",
        None,
        (
            Parameter("playouts", "imagined games a decision, at most", 256, 1, 100_000),
            Parameter("candidates", "placements that are tried", 16, 1, 64),
            *read_weights(_WEIGHTS_FILE, "rollout"),
        ),
    ),
    Strategy(
        "mcts",
        "Searches a tree of imagined games, in which every seat plays for itself.",
        None,
        (
            Parameter("playouts", "imagined games a decision, at most", 1000, 1, 100_000),
            *read_weights(_WEIGHTS_FILE, "mcts"),
        ),
    ),
)
