"""The fields and the features of the prior of Blokus, square by square: what its kernel computes for all placements at once.

Points are (column, row).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.games.blokus.prior import FIELDS, NEAR_STEPS, PHASES, REACH_STEPS
from engine.polyomino import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.games.blokus.rules import BlokusState
    from engine.polyomino import Point

_BESIDE: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))
_DIAGONAL: Final = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def square_fields(state: BlokusState) -> dict[str, dict[Point, float]]:
    """Return all fields of a position: for each, the squares that have another number than 0, and these numbers."""
    board = _Board(state)
    turn, owners = state.turn, state.ruleset.colour_owners
    playing = [
        colour
        for colour, owner in enumerate(owners)
        if colour != turn and owner is not None and not state.colours[colour].is_out
    ]
    allies = [colour for colour in playing if owners[colour] == state.seat]
    foes = [colour for colour in playing if owners[colour] != state.seat]
    points, available = board.corner_points(turn), board.available(turn)
    untouched = available - points
    in_reach = board.spread(points, available, REACH_STEPS)
    free_sides = {point: len(_beside({point}) & available) for point in untouched}
    foe_points = {colour: board.corner_points(colour) for colour in foes}
    foe_reach = _union(board.spread(foe_points[foe], board.available(foe), REACH_STEPS) for foe in foes)
    ally_points = {colour: board.corner_points(colour) for colour in allies}
    sets = {
        "corner_point": points,
        "beside_corner_point": _beside(points) & available,
        "untouched": untouched,
        "open": {point for point, free in free_sides.items() if free == 4},
        "narrow": {point for point, free in free_sides.items() if free <= 2},
        "near": board.spread(points, available, NEAR_STEPS),
        "in_reach": in_reach,
        "new_ground": untouched - in_reach,
        "own": board.covered[turn],
        "foe_corner_point": _union(foe_points.values()),
        "beside_foe_corner_point": _union(_beside(foe_points[foe]) & board.available(foe) for foe in foes),
        "near_foe": _union(board.spread(foe_points[foe], board.available(foe), NEAR_STEPS) for foe in foes),
        "foe_in_reach": foe_reach,
        "contested": untouched & foe_reach,
        "foe": _union(
            board.covered[colour]
            for colour, owner in enumerate(owners)
            if owner is not None and owner != state.seat and colour != turn
        ),
        "closed_to_foes": board.empty - _union(map(board.available, foes)),
        "ally_corner_point": _union(ally_points.values()),
        "beside_ally_corner_point": _union(
            _beside(ally_points[ally]) & board.available(ally) for ally in allies
        ),
        "ally_in_reach": _union(
            board.spread(ally_points[ally], board.available(ally), REACH_STEPS) for ally in allies
        ),
        "ally": _union(
            board.covered[colour]
            for colour, owner in enumerate(owners)
            if owner == state.seat and colour != turn
        ),
        "outside": board.frame,
    }
    side = state.ruleset.side
    return {name: dict.fromkeys(squares, 1.0) for name, squares in sets.items()} | {
        "share_of_own": board.placement_shares([turn]),
        "share_of_foes": board.placement_shares(foes),
        "share_of_ally": board.placement_shares(allies),
        "distance": {
            (x, y): ((2 * x - side + 1) ** 2 + (2 * y - side + 1) ** 2) / side**2 for x, y in board.squares
        },
    }


def placement_features(
    state: BlokusState, fields: Mapping[str, Mapping[Point, float]], action: int
) -> list[float]:
    """Return the features of a placement of the colour on turn; `fields` are the `square_fields` of the position."""
    windows = state.ruleset.windows
    spot, orientation = windows.placement(action - state.turn * windows.span)
    left, bottom = windows.point(spot)
    covered = {(left + x, bottom + y) for x, y in orientation.shape}
    beside = _beside(covered) - covered
    corner = {(x + dx, y + dy) for x, y in covered for dx, dy in _DIAGONAL} - covered - beside
    piece = state.ruleset.pieces[orientation.piece]
    return [
        *(float(name == piece) for name in SHAPES),
        *(
            sum(field.get(point, 0.0) for point in part)
            for part in (covered, beside, corner)
            for field in (fields[name] for name in FIELDS)
        ),
    ]


def phase_shares(phase: float) -> list[float]:
    """Return the shares with which the weights of the phases count when this share of a colour's squares is placed."""
    shares = [0.0] * len(PHASES)
    after = next(n for n in range(1, len(PHASES)) if phase <= PHASES[n])
    part = (phase - PHASES[after - 1]) / (PHASES[after] - PHASES[after - 1])
    shares[after - 1], shares[after] = 1 - part, part
    return shares


class _Board:
    """The squares of a position as sets of points."""

    def __init__(self, state: BlokusState) -> None:
        self.state = state
        side, windows = state.ruleset.side, state.ruleset.windows
        self.squares = {(x, y) for x in range(side) for y in range(side)}
        self.frame = {(x, y) for x in range(-1, side + 1) for y in range(-1, side + 1)} - self.squares
        self.covered = [
            {point for point in self.squares if colour.squares >> windows.spot(point) & 1}
            for colour in state.colours
        ]
        self.empty = self.squares - _union(self.covered)

    def available(self, colour: int) -> set[Point]:
        return self.empty - _beside(self.covered[colour])

    def corner_points(self, colour: int) -> set[Point]:
        diagonal = {(x + dx, y + dy) for x, y in self.covered[colour] for dx, dy in _DIAGONAL}
        return diagonal & self.available(colour)

    def spread(self, start: set[Point], through: set[Point], steps: int) -> set[Point]:
        reached = start
        for _ in range(steps):
            reached = reached | _beside(reached) & through
        return reached

    def placement_shares(self, colours: list[int]) -> dict[Point, float]:
        """Return the share of the colours' legal placements that cover each square, added up over the colours."""
        shares: dict[Point, float] = {}
        windows = self.state.ruleset.windows
        for colour in colours:
            placements = self.state.legal_placements(colour)
            for action in placements:
                spot, orientation = windows.placement(action - colour * windows.span)
                left, bottom = windows.point(spot)
                for x, y in orientation.shape:
                    point = (left + x, bottom + y)
                    shares[point] = shares.get(point, 0.0) + 1 / (len(placements) + 1)
        return shares


def _beside(points: set[Point]) -> set[Point]:
    """Return the points beside at least one of the points; some of these may be among them."""
    return {(x + dx, y + dy) for x, y in points for dx, dy in _BESIDE}


def _union(sets: Iterable[set[Point]]) -> set[Point]:
    return set().union(*sets)
