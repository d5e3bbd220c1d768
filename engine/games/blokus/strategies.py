"""The strategies of Blokus. Only the kernel can play those whose function is None.

`greedy` compares placements by three criteria, in this order: the number of squares of the piece, the number of corner
points that the placement adds (defined in `BlokusState.new_corner_points`), and the distance of its squares from the
middle of the board: the sum of their squared distances, multiplied by four so that it is an integer on every board.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.game import Restriction
from engine.games.blokus.windows import PlaneMembers
from engine.strategy import Parameter, Strategy
from engine.weights import read_weights

if TYPE_CHECKING:
    from engine.games.blokus.rules import BlokusState, ColourState
    from engine.games.blokus.ruleset import BlokusRuleset
    from engine.luck import Source


def largest_placements(ruleset: BlokusRuleset, actions: PlaneMembers) -> PlaneMembers:
    """Return the placements whose pieces have the most squares."""
    by_size = (actions.plane & plane for plane in ruleset.windows.by_size)
    return PlaneMembers(next(filter(None, by_size), 0), actions.first)


def centre_distance(state: BlokusState, action: int) -> int:
    """Return the sum, over the squares of a placement, of four times the squared distance from the board's centre."""
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
        largest = tuple(largest_placements(state.ruleset, actions))
        most_corners = _best_actions(largest, state.new_corner_points(largest))
        nearest = _best_actions(most_corners, [-centre_distance(state, action) for action in most_corners])
        return source.choice(nearest)

    return decide


def _placement_worth(state: BlokusState, action: int, added: int) -> int:
    """Return the three criteria of `greedy` as one number: 2^20 a square, 2^16 a corner point, -1 a unit of distance."""
    squares = len(state.ruleset.action(action).cells)
    return (squares << 20) + (added << 16) - centre_distance(state, action)


def _noisy(sigma: float) -> Callable[[BlokusState, Source], int]:
    """Return a player that adds a normal error to the worth of every placement.

    It draws one normal number for each legal placement, in ascending order of the actions.
    """

    def decide(state: BlokusState, source: Source) -> int:
        actions = state.actions
        if not isinstance(actions, PlaneMembers):  # the colour is out
            return actions[0]
        placements = tuple(actions)
        worths = [
            _placement_worth(state, action, added) / (1 << 20) + sigma * source.normal()
            for action, added in zip(placements, state.new_corner_points(placements), strict=True)
        ]
        return placements[worths.index(max(worths))]

    return decide


_WEIGHTS_FILE: Final = Path(__file__).parent / "weights.toml"

_READ_AT_ONCE: Final[frozenset[str]] = frozenset()
"""A bonus for the last piece is the same for all placements of this piece, so only those who look ahead can weigh it."""
_READ_IN_PLAYOUTS: Final = frozenset({"bonus", "bonus_single_last"})
STRATEGIES: Final = (
    Strategy(
        "greedy",
        "Plays the largest piece that fits; among equals, the one that opens most corners for the next pieces.",
        _greedy,
        reads=_READ_AT_ONCE,
    ),
    Strategy(
        "noisy",
        "Plays like greedy, but misjudges every placement by about sigma squares.",
        _noisy,
        (Parameter("sigma", "standard deviation of the error, in squares", 0.5, 0.0, 20.0),),
        reads=_READ_AT_ONCE,
    ),
    Strategy(
        "mobility",
        "Large pieces that open many places to itself and shut many to the others.",
        None,
        read_weights(_WEIGHTS_FILE, "mobility"),
        reads=_READ_AT_ONCE,
    ),
    Strategy(
        "rollout",
        "Plays the likeliest placements out to the end many times, and drops the worse half again and again.",
        None,
        (
            Parameter("playouts", "imagined games a decision, at most", 256, 1, 100_000),
            Parameter("candidates", "placements that are tried", 16, 1, 64),
            *read_weights(_WEIGHTS_FILE, "rollout"),
        ),
        reads=_READ_IN_PLAYOUTS,
    ),
    Strategy(
        "mcts",
        "Searches a tree of imagined games, in which every seat plays for itself.",
        None,
        (
            Parameter("playouts", "imagined games a decision, at most", 1000, 1, 100_000),
            *read_weights(_WEIGHTS_FILE, "mcts"),
        ),
        reads=_READ_IN_PLAYOUTS,
    ),
)


PIECES: Final = ("I1", "V3", "O4", "I5", "X5")
"""Pieces of one, three and four squares, and the longest and the most branched of five."""


def forbid_piece(name: str, state: BlokusState, seat: int) -> BlokusState:
    """Return the position in which the colours of a seat can never place a piece; it counts as not placed (BK-8)."""
    piece = state.ruleset.pieces.index(name)
    others = state.ruleset.windows.without[piece]

    def forbid(colour: ColourState) -> ColourState:
        return colour._replace(free=colour.free & others, attached=colour.attached & others)

    colours_of_seat = state.ruleset.seat_colours[seat]
    return replace(
        state,
        colours=tuple(
            forbid(colour) if number in colours_of_seat else colour
            for number, colour in enumerate(state.colours)
        ),
    )


def list_restrictions(ruleset: BlokusRuleset) -> list[Restriction]:
    """Return the restrictions to do without a piece."""
    fallback = "A colour that could place only this piece is out, and the piece counts as not placed."
    return [
        Restriction(f"piece {name}", fallback, partial(forbid_piece, name))
        for name in PIECES
        if name in ruleset.pieces
    ]
