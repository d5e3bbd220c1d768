"""The prior of Blokus: how likely strong play is to choose each placement; the searches start from it.

The worth of a placement is a sum: a weight for its piece, and weights for the *fields* of the squares that it covers, that
lie beside it (along an edge), and that touch it at a corner only. A field gives every square a number, in most cases 1 for
the squares of a set and 0 for all others. The probability of a placement is proportional to e to the power of its worth.

The weights depend on the number of players, and on how many of its squares the colour has placed. Strong decisions
determine them: `python -m pipelines.measure.fit_prior` fits them and writes `prior.toml`.

This module states the fields square by square, for readers and for tests; the kernel computes the same numbers for all
placements at once. Points are (column, row).
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict

from engine.polyomino import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.games.blokus.rules import BlokusState
    from engine.games.blokus.ruleset import BlokusRuleset
    from engine.polyomino import Point

FIELDS: Final = {
    "corner_point": "a corner point of the colour on turn",
    "beside_corner_point": "available, and beside such a corner point",
    "untouched": "available, and no corner point",
    "open": "untouched, and all four squares beside it are available",
    "narrow": "untouched, and at most two squares beside it are available",
    "near": "at most two steps from a corner point, over available squares",
    "in_reach": "at most four steps from a corner point, over available squares",
    "new_ground": "untouched, and not in reach",
    "own": "covered by the colour on turn",
    "foe_corner_point": "a corner point of an opponent",
    "beside_foe_corner_point": "available to an opponent, and beside a corner point of his",
    "near_foe": "at most two steps from a corner point of an opponent, over squares available to him",
    "foe_in_reach": "at most four such steps from it",
    "contested": "untouched, and in reach of an opponent",
    "foe": "covered by an opponent",
    "closed_to_foes": "empty, and not available to any opponent",
    "ally_corner_point": "a corner point of the seat's other colour",
    "beside_ally_corner_point": "available to the seat's other colour, and beside a corner point of it",
    "ally_in_reach": "at most four steps from such a corner point",
    "ally": "covered by the seat's other colour",
    "outside": "not on the board",
    "share_of_own": "the share of the colour's legal placements that cover it",
    "share_of_foes": "the same share, added up over the opponents",
    "share_of_ally": "the same share of the seat's other colour",
    "distance": "the squared distance of its middle from that of the board, in half sides",
}
"""The fields by name. A square is *available* to a colour if it is empty and no piece of the colour lies beside it."""

PARTS: Final = ("covered", "beside", "corner")
"""The squares of a placement that count: those that it covers, those along its edges, those at its corners only."""

FEATURES: Final = len(SHAPES) + len(PARTS) * len(FIELDS)
"""Numbers that describe a placement: 1 for its piece and 0 for the other pieces; then, part by part, the sums of all fields."""

PHASES: Final = (0.0, 0.2, 0.5, 1.0)
"""Shares of a colour's squares that are placed. There is a weight for each; between two it lies on the straight line."""

PRIOR_FILE: Final = Path(__file__).parent / "prior.toml"

NEAR_STEPS: Final = 2
REACH_STEPS: Final = 4
_BESIDE: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))
_DIAGONAL: Final = ((1, 1), (1, -1), (-1, 1), (-1, -1))


class PriorWeights(BaseModel):
    """The weights of one kind of decision. Each list has one number for every phase."""

    model_config = ConfigDict(extra="forbid")

    fitted: str
    """How the weights were fitted."""
    pieces: dict[str, list[float]]
    covered: dict[str, list[float]]
    beside: dict[str, list[float]]
    corner: dict[str, list[float]]

    def table(self) -> list[list[float]]:
        """Return the weights by feature and phase; 0 for what the file does not name."""
        missing = [0.0] * len(PHASES)
        parts = (self.covered, self.beside, self.corner)
        return [
            *(self.pieces.get(name, missing) for name in SHAPES),
            *(part.get(name, missing) for part in parts for name in FIELDS),
        ]


def prior_kind(ruleset: BlokusRuleset, *, is_shared: bool = False) -> str:
    """Return the name of the weights for a ruleset, or for its colour that all seats play in turn (BK-10)."""
    if is_shared:
        return "shared"
    return "duo" if len(ruleset.colours) == 2 else f"{ruleset.players}p"


def read_prior(path: Path = PRIOR_FILE) -> dict[str, PriorWeights]:
    """Return the fitted weights by kind of decision."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    return {kind: PriorWeights.model_validate(table) for kind, table in tables.items()}


def phase_shares(phase: float) -> list[float]:
    """Return the shares with which the weights of the phases count when this share of a colour's squares is placed.

    >>> phase_shares(0.75)
    [0.0, 0.0, 0.5, 0.5]
    """
    shares = [0.0] * len(PHASES)
    after = next(n for n in range(1, len(PHASES)) if phase <= PHASES[n])
    part = (phase - PHASES[after - 1]) / (PHASES[after] - PHASES[after - 1])
    shares[after - 1], shares[after] = 1 - part, part
    return shares


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
