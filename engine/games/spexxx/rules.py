"""Spexxx by the book: clauses SP-1 to SP-13 (Ruben Dijkstra and Ruurd Lammers, Waterfall Games 2013).

A turn is throw, keep, throw, keep ... place. `dice` tells where in it the game stands: a hand of five dice is a throw
that somebody has to answer, a smaller one is what lies aside before the next throw. How a placed cube scores stands in
`scoring.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from engine.actions import CHANCE, ScorePart
from engine.games.spexxx.dice import (
    FIRST_THROW,
    equally_likely_throws,
    format_hand,
    legal_keeps,
    throw_chances,
)
from engine.games.spexxx.ruleset import DISCARD_ACTION, FIRST_PLACEMENT, iter_cells
from engine.games.spexxx.scoring import cube_gain
from engine.luck import PURPOSE_DICE
from engine.state import State, illegal_action_error

if TYPE_CHECKING:
    from engine.games.spexxx.ruleset import SpexxxRuleset
    from engine.luck import Luck


class SeatState(NamedTuple):
    """What a seat has. Sets of squares are integers with one bit a cell."""

    left: int
    """Cubes still to place or to discard."""
    cubes: int = 0
    """Squares with a cube of this seat."""
    counted: int = 0
    """Squares of the blocks that have counted for it. SP-12"""
    lines: int = 0
    """Spexxx that it has at this moment."""
    line_points: int = 0
    line_bonus: int = 0
    """Bonuses for lines, not their points."""
    blocks: int = 0
    discards: int = 0
    score: int = 0


@dataclass(frozen=True)
class SpexxxState(State):
    """A position of Spexxx."""

    ruleset: SpexxxRuleset
    round: int
    thrower: int
    """The seat whose turn it is."""
    seats: tuple[SeatState, ...]
    free: int
    """Squares without a cube."""
    throws: int = 0
    """Throws made in this turn."""
    dice: int = 0
    """The hand on the table: the throw, or between throws the dice that were kept."""

    @property
    def seat(self) -> int:  # type: ignore[override]  # computed here, a plain attribute elsewhere
        return CHANCE if self.dice < FIRST_THROW else self.thrower

    @property
    def is_over(self) -> bool:
        """SP-13: all cubes are placed or discarded. All seats have equally many turns."""
        return not self.seats[self.thrower].left

    @property
    def open_squares(self) -> int:
        """SP-3: the free squares that the throw matches."""
        return self.free & self.ruleset.matching_squares[self.dice - FIRST_THROW]

    @cached_property
    def actions(self) -> tuple[int, ...]:
        if self.is_over:
            return ()
        if self.dice < FIRST_THROW:
            return tuple(throw_chances(self.dice))
        placements = tuple([FIRST_PLACEMENT + place for place in iter_cells(self.open_squares)])
        if self.throws < self.ruleset.options.throws:
            return legal_keeps(self.dice) + placements  # SP-2: go on or stop; SP-4: stop only to place
        return placements or (
            DISCARD_ACTION,
        )  # SP-4: after the last throw discard only what cannot be placed

    def play(self, action: int) -> SpexxxState:
        if self.dice < FIRST_THROW:
            if self.is_over or action not in throw_chances(self.dice):
                raise illegal_action_error(self, action)
            return self._with_dice(self.throws + 1, action)
        if action not in self.actions:
            raise illegal_action_error(self, action)
        if action < FIRST_THROW:
            return self._with_dice(self.throws, action)
        own = self.seats[self.thrower]
        if action == DISCARD_ACTION:
            return self._state_after(own._replace(left=own.left - 1, discards=own.discards + 1), self.free)
        place = action - FIRST_PLACEMENT
        return self._state_after(self._with_cube(own, place), self.free & ~(1 << place))

    def _with_dice(self, throws: int, dice: int) -> SpexxxState:
        return SpexxxState(self.ruleset, self.round, self.thrower, self.seats, self.free, throws, dice)

    def _with_cube(self, own: SeatState, place: int) -> SeatState:
        """Return what the seat has after a cube on a square."""
        brought = cube_gain(self.ruleset, own.cubes, own.counted, place)
        return SeatState(
            own.left - 1,
            own.cubes | 1 << place,
            own.counted | brought.block,
            own.lines + sum(1 - line.taken_up for line in brought.lines),
            own.line_points + brought.line_points,
            own.line_bonus + brought.bonus,
            own.blocks + (brought.block > 0),
            own.discards,
            own.score + brought.points(self.ruleset),
        )

    def _state_after(self, own: SeatState, free: int) -> SpexxxState:
        """Go on to the next seat. A round is one turn of every seat; the last one does not end."""
        seats = (*self.seats[: self.thrower], own, *self.seats[self.thrower + 1 :])
        following = (self.thrower + 1) % len(seats)
        over = not seats[following].left
        return SpexxxState(self.ruleset, self.round + (following == 0 and not over), following, seats, free)

    def chance_outcome(self, luck: Luck) -> int:
        """SP-2: all dice that were not kept are thrown, every face equally likely.

        One word a throw: read as a fraction, its first digits in base six are the faces. So fewer dice show what the
        first of more dice would have shown.
        """
        throws = equally_likely_throws(self.dice)
        return throws[luck.below(len(throws), PURPOSE_DICE, self.round, self.thrower, self.throws)]

    @property
    def probabilities(self) -> tuple[float, ...]:
        return tuple(throw_chances(self.dice).values())

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple([seat.score for seat in self.seats])

    @property
    def parts(self) -> tuple[tuple[ScorePart, ...], ...]:
        options = self.ruleset.options
        return tuple(
            (
                ScorePart("lines", seat.lines, seat.line_points),
                ScorePart("line-bonus", seat.line_bonus, options.line_bonus * seat.line_bonus),
                ScorePart("block-bonus", seat.blocks, options.block_bonus * seat.blocks),
                ScorePart("discards", seat.discards, 0),
            )
            for seat in self.seats
        )

    def __str__(self) -> str:
        """The board, cubes as the numbers of their seats and free squares by their zones; then seats and dice."""
        ruleset = self.ruleset
        shown = list(ruleset.marks.replace(".", " "))
        for number, seat in enumerate(self.seats):
            for place in iter_cells(seat.cubes):
                shown[place] = str(number)
        lines = []
        for row in reversed(range(ruleset.rows)):
            places = "".join(shown[row * ruleset.columns : (row + 1) * ruleset.columns])
            lines.append(f"{row // 6 + 1}x{row % 6 + 1} {row + 1:>2} {places}".rstrip())
        lines.append("       " + "abcdefghijklmnopqrstuvwx"[: ruleset.columns])
        for number, seat in enumerate(self.seats):
            lines.append(f"seat {number}: {seat.score} points, {seat.left} cubes left")
        if self.throws:
            kept = "" if self.dice >= FIRST_THROW else " kept"
            lines.append(f"throw {self.throws} of {ruleset.options.throws}: {format_hand(self.dice)}{kept}")
        return "\n".join(lines)


def start_state(ruleset: SpexxxRuleset) -> SpexxxState:
    """SP-1: an empty board, and all cubes in hand."""
    return SpexxxState(ruleset, 0, 0, (SeatState(ruleset.cubes),) * ruleset.players, ruleset.squares)
