"""The rules of Blokus: clauses BK-1 to BK-11 of `clauses.md` (Bernard Tavitian; Mattel and Super Impulse, 2024).

`placements.py` states which placements are legal, square by square; read it first. This module finds the same placements
faster. It keeps the possible placements from ply to ply as planes: sets of placements, defined in `windows.py`. When a
piece is placed, the planes lose all placements that overlap it. The planes of its own colour also lose the placements
that touch it along an edge, and gain those that cover one of its corner points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from engine.actions import ScorePart
from engine.errors import IllegalError
from engine.games.blokus.placements import CORNER_STEPS, EDGE_STEPS, points_beside
from engine.games.blokus.windows import PlaneMembers
from engine.state import State, illegal_action_error

if TYPE_CHECKING:
    from engine.games.blokus.ruleset import BlokusRuleset
    from engine.luck import Luck
    from engine.polyomino import Point


class ColourState(NamedTuple):
    """The pieces of one colour: on the board and unplaced."""

    free: int
    """Plane of the placements of its unplaced pieces that touch no piece of the colour along an edge."""
    attached: int
    """Plane of the placements in `free` that cover a corner point of the colour or, before its first piece, a start
    cell. Placements that other colours have blocked since the last ply of this colour may still be in it."""
    left: int
    """Set of its unplaced pieces."""
    squares: int
    """Set of the squares it covers."""
    points: int
    """BK-8: the score of the colour if the game ended now."""
    is_out: bool = False


@dataclass(frozen=True)
class BlokusState(State):
    """A position of Blokus."""

    ruleset: BlokusRuleset
    round: int
    seat: int
    """The seat that places the colour on turn."""
    turn: int
    """The colour on turn."""
    open: int
    """Plane of the placements that lie on empty squares of the board."""
    colours: tuple[ColourState, ...]
    ended: bool = False

    @property
    def is_over(self) -> bool:
        return self.ended

    def pieces_placed(self, colour: int) -> int:
        """Return how many pieces of a colour are on the board."""
        return len(self.ruleset.pieces) - self.colours[colour].left.bit_count()

    @cached_property
    def actions(self) -> Sequence[int]:
        if self.ended:
            return ()
        # BK-6: a colour that can place must place; a colour that cannot is out
        return self.legal_placements(self.turn) or (self.ruleset.first_out_action + self.turn,)

    def legal_placements(self, colour: int) -> PlaneMembers:
        """Return the actions that would be the legal placements of a colour if it were on turn."""
        # BK-5: on empty squares; BK-2, BK-4: on a start cell or a corner point, and not along an edge
        return PlaneMembers(self.open & self.colours[colour].attached, colour * self.ruleset.windows.span)

    def explain_misfit(self, points: frozenset[Point]) -> str:
        if not all(0 <= place < self.ruleset.side for point in points for place in point):
            return "it would leave the board"
        covered = [self._covered_points(colour) for colour in self.colours]
        if any(points & of_colour for of_colour in covered):  # BK-5
            return "it would lie on another piece"
        covered_by_turn = covered[self.turn]
        if not covered_by_turn:  # BK-2, BK-3
            cells = self.ruleset.start_cells
            cells = cells if self.ruleset.options.corners == "free" else (cells[self.turn],)
            starts = {(cell % self.ruleset.side, cell // self.ruleset.side) for cell in cells}
            return "" if points & starts else "the first piece covers a start square of its colour"
        if points & points_beside(covered_by_turn, EDGE_STEPS):  # BK-4
            return "it would touch an edge of its own colour"
        return (
            ""
            if points & points_beside(covered_by_turn, CORNER_STEPS)
            else "it touches no corner of its own colour"
        )

    def _covered_points(self, colour: ColourState) -> set[Point]:
        side, spot = self.ruleset.side, self.ruleset.windows.spot
        return {(x, y) for y in range(side) for x in range(side) if colour.squares >> spot((x, y)) & 1}

    def play(self, action: int) -> BlokusState:
        if action not in self.actions:
            raise illegal_action_error(self, action)
        colour, now_open = self.colours[self.turn], self.open
        if action >= self.ruleset.first_out_action:
            after = colour._replace(is_out=True)
        else:
            windows = self.ruleset.windows
            spot, orientation = windows.placement(action - self.turn * windows.span)
            # BK-4: each piece once, and none along an edge of its own colour
            free = colour.free & windows.without[orientation.piece]
            free ^= free & windows.move_window(orientation.edges, spot)
            # BK-2, BK-4: the first piece covers a start cell, every later one a corner point
            still_attached = now_open & colour.attached if colour.squares else 0
            attached = (still_attached | windows.move_window(orientation.corners, spot)) & free
            # BK-5: nothing overlaps
            now_open ^= now_open & windows.move_window(orientation.hits, spot)
            left = colour.left & ~(1 << orientation.piece)
            squares = colour.squares | windows.move_squares(orientation.squares, spot)
            after = ColourState(free, attached, left, squares, self._points_after(colour.left, left, squares))
        colours = (*self.colours[: self.turn], after, *self.colours[self.turn + 1 :])
        return self._next_state(now_open, colours)

    def _points_after(self, before: int, left: int, squares: int) -> int:
        """Return the score of a colour after a placement. BK-8.

        `before` and `left` are the sets of its unplaced pieces before and after it, `squares` the squares it covers.
        """
        if left:
            return squares.bit_count() - self.ruleset.total_squares
        options = self.ruleset.options
        return options.bonus_single_last if before == self.ruleset.single_square_set else options.bonus

    def _next_state(self, now_open: int, colours: tuple[ColourState, ...]) -> BlokusState:
        """Return the position with the next colour (BK-1) that is not out (BK-6, BK-7), or the end of the game."""
        turn, lap = self.turn, self.round
        for _ in colours:
            turn += 1
            if turn == len(colours):
                turn, lap = 0, lap + 1
            if not colours[turn].is_out:
                return BlokusState(
                    self.ruleset, lap, _seat_on_turn(self.ruleset, turn, colours), turn, now_open, colours
                )
        return replace(self, open=now_open, colours=colours, ended=True)

    @property
    def scores(self) -> tuple[int, ...]:
        """BK-9: a seat scores the points of all its colours. BK-10: a colour without an owner scores for nobody."""
        colours = self.colours
        return tuple(
            [
                sum([colours[colour].points for colour in colours_of_seat])
                for colours_of_seat in self.ruleset.seat_colours
            ]
        )

    @property
    def parts(self) -> tuple[tuple[ScorePart, ...], ...]:
        return tuple(self._parts_of(colours) for colours in self.ruleset.seat_colours)

    def _parts_of(self, colours: tuple[int, ...]) -> tuple[ScorePart, ...]:
        squares = sum(self.squares_left(colour) for colour in colours)
        bonuses = [self.colours[colour].points for colour in colours if not self.colours[colour].left]
        return ScorePart("squares", squares, -squares), ScorePart("bonus", len(bonuses), sum(bonuses))

    def squares_left(self, colour: int) -> int:
        """Return the squares of a colour's unplaced pieces."""
        return self.ruleset.total_squares - self.colours[colour].squares.bit_count()

    @cached_property
    def untouched_squares(self) -> int:
        """Set of the empty squares that touch no piece of the colour on turn, neither at an edge nor at a corner."""
        windows, taken = self.ruleset.windows, 0
        for colour in self.colours:
            taken |= colour.squares
        return windows.squares & ~(taken | windows.squares_around(self.colours[self.turn].squares))

    def new_corner_points(self, actions: Iterable[int]) -> list[int]:
        """Return, for each of some placements of the colour on turn, the number of corner points that it adds.

        A corner point of a colour is an empty square that touches a piece of the colour at a corner, and no piece of
        the colour along an edge. Every later piece has to cover a corner point (BK-4). Squares that already were corner
        points are not counted.
        """
        windows, untouched = self.ruleset.windows, self.untouched_squares
        moved, placement, first = windows.move_squares, windows.placement, self.turn * windows.span
        counts = []
        for action in actions:
            spot, orientation = placement(action - first)
            counts.append((moved(orientation.corner_points, spot) & untouched).bit_count())
        return counts

    def chance_outcome(self, luck: Luck) -> NoReturn:  # noqa: ARG002 - the contract's parameter
        raise IllegalError(f"{self.ruleset.name}: there is no chance in this game")

    @property
    def probabilities(self) -> NoReturn:
        raise IllegalError(f"{self.ruleset.name}: there is no chance in this game")

    def __str__(self) -> str:
        """Draw the board with one letter for each colour and `.` for an empty square; list the points of each colour."""
        ruleset, windows = self.ruleset, self.ruleset.windows
        lines = []
        for row in reversed(range(ruleset.side)):
            spots = range(windows.spot((0, row)), windows.spot((ruleset.side, row)))
            lines.append(f"{row + 1:>2} " + "".join(map(self._square_character, spots)))
        lines.append("   " + "abcdefghijklmnopqrstuvwx"[: ruleset.side])
        for number, (name, colour) in enumerate(zip(ruleset.colours, self.colours, strict=True)):
            now = "out" if colour.is_out else "on turn" if number == self.turn and not self.ended else ""
            lines.append(f"   {name:<6} {colour.points:>4} {now}".rstrip())
        return "\n".join(lines)

    def _square_character(self, spot: int) -> str:
        for letter, colour in zip(self.ruleset.colour_letters, self.colours, strict=True):
            if colour.squares >> spot & 1:
                return letter
        return "."


def _seat_on_turn(ruleset: BlokusRuleset, turn: int, colours: tuple[ColourState, ...]) -> int:
    """Return the seat that places a colour next. BK-10: all seats in turn place a colour that has no owner."""
    owner = ruleset.colour_owners[turn]
    if owner is not None:
        return owner
    return (len(ruleset.pieces) - colours[turn].left.bit_count()) % ruleset.players


def start_state(ruleset: BlokusRuleset) -> BlokusState:
    """Return the first position. BK-1: the board is empty and every colour has all its pieces."""
    windows, side = ruleset.windows, ruleset.side
    points = [(index % side, index // side) for index in ruleset.start_cells]
    # BK-3: a colour starts on any start cell ("free") or on its own
    starts = [points] * len(points) if ruleset.options.corners == "free" else [[point] for point in points]
    left = (1 << len(ruleset.pieces)) - 1
    colours = tuple(
        ColourState(
            windows.board, windows.covering_placements(cells), left, squares=0, points=-ruleset.total_squares
        )
        for cells in starts
    )
    return BlokusState(ruleset, 0, _seat_on_turn(ruleset, 0, colours), 0, windows.board, colours)
