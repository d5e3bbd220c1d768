"""The rules of Spexxx: clauses SP-1 to SP-13 of `clauses.md` (Ruben Dijkstra and Ruurd Lammers, Waterfall Games 2013).

A turn consists of throw, keep, throw, keep, ..., place. `SpexxxState.dice` shows which comes next: after a throw it has
five dice, and the seat decides; after a keep it has the fewer dice that were kept, and chance throws the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from engine.actions import CHANCE, ScorePart
from engine.games.spexxx.dice import (
    FIRST_THROW,
    equally_likely_throws,
    format_hand,
    legal_keeps,
    throw_chances,
)
from engine.games.spexxx.ruleset import (
    DISCARD_ACTION,
    FIRST_PLACEMENT,
    METALS,
    Ray,
    SpexxxRuleset,
    iter_cells,
)
from engine.luck import PURPOSE_DICE, Luck
from engine.state import State, illegal_action_error
from engine.wording import format_count


class SeatState(NamedTuple):
    """The cubes and points of a seat. Sets of squares are integers with one bit per cell."""

    left: int
    """Number of cubes that are not yet placed or discarded."""
    cubes: int = 0
    """Set of the squares with a cube of this seat."""
    counted: int = 0
    """Set of the squares of the blocks that have scored for this seat. SP-12"""
    lines: int = 0
    """Number of lines of three or more cubes on the board now. SP-8"""
    line_points: int = 0
    """Points for lines, without bonuses. SP-9, SP-10"""
    line_bonus: int = 0
    """Number of line bonuses. SP-11"""
    blocks: int = 0
    """Number of blocks that have scored. SP-12"""
    discards: int = 0
    score: int = 0
    lost_throws: int = 0
    """Throws that count as made when a turn begins: none by the rules. `strategies.list_restrictions` takes throws away to measure their worth."""


@dataclass(frozen=True)
class SpexxxState(State):
    """A position of Spexxx."""

    ruleset: SpexxxRuleset
    round: int
    thrower: int
    """The seat whose turn it is."""
    seats: tuple[SeatState, ...]
    free: int
    """Set of the squares without a cube."""
    throws: int = 0
    """Number of throws made in this turn."""
    dice: int = 0
    """Number of the hand on the table (see `dice.py`): a throw, or the dice kept before the next throw."""

    @property
    def seat(self) -> int:  # type: ignore[override]  # computed here, a plain attribute elsewhere
        return CHANCE if self.dice < FIRST_THROW else self.thrower

    @property
    def is_over(self) -> bool:
        """SP-13: all cubes are placed or discarded. All seats have the same number of turns."""
        return not self.seats[self.thrower].left

    @property
    def open_squares(self) -> int:
        """SP-3: set of the free squares that the throw matches."""
        return self.free & self.ruleset.matching_squares[self.dice - FIRST_THROW]

    @cached_property
    def actions(self) -> tuple[int, ...]:
        if self.is_over:
            return ()
        if self.dice < FIRST_THROW:
            return tuple(throw_chances(self.dice))
        placements = tuple([FIRST_PLACEMENT + place for place in iter_cells(self.open_squares)])
        if self.throws < self.ruleset.options.throws:
            return legal_keeps(self.dice) + placements  # SP-2: throw again or stop; SP-4: stop only to place
        # SP-4: after the last throw a seat discards only if it cannot place
        return placements or (DISCARD_ACTION,)

    def explain_misfit(self, points: frozenset[tuple[int, int]]) -> str:
        ruleset = self.ruleset
        for x, y in points:
            place = x + ruleset.columns * y
            if not (0 <= x < ruleset.columns and 0 <= y < ruleset.rows and ruleset.squares >> place & 1):
                return "there is no square"
            if not self.free >> place & 1:
                return "a cube lies on the square"
            if not self.open_squares >> place & 1:  # SP-3
                return f"the dice do not match: the square needs {describe_needed_dice(ruleset, place)}"
        return ""

    def play(self, action: int) -> SpexxxState:
        if self.dice < FIRST_THROW:
            if self.is_over or action not in throw_chances(self.dice):
                raise illegal_action_error(self, action)
            return self._with_dice(self.throws + 1, action)
        if action not in self.actions:
            raise illegal_action_error(self, action)
        if action < FIRST_THROW:
            return self._with_dice(self.throws, action)
        seat_state = self.seats[self.thrower]
        if action == DISCARD_ACTION:
            return self._state_after(
                seat_state._replace(left=seat_state.left - 1, discards=seat_state.discards + 1), self.free
            )
        place = action - FIRST_PLACEMENT
        return self._state_after(self._with_cube(seat_state, place), self.free & ~(1 << place))

    def _with_dice(self, throws: int, dice: int) -> SpexxxState:
        return SpexxxState(self.ruleset, self.round, self.thrower, self.seats, self.free, throws, dice)

    def _with_cube(self, seat: SeatState, place: int) -> SeatState:
        """Return a seat after it places a cube on a cell."""
        gain = cube_gain(self.ruleset, seat.cubes, seat.counted, place)
        return SeatState(
            left=seat.left - 1,
            cubes=seat.cubes | 1 << place,
            counted=seat.counted | gain.block,
            lines=seat.lines + sum(1 - line.taken_up for line in gain.lines),
            line_points=seat.line_points + gain.line_points,
            line_bonus=seat.line_bonus + gain.bonus,
            blocks=seat.blocks + (gain.block > 0),
            discards=seat.discards,
            score=seat.score + gain.points(self.ruleset),
            lost_throws=seat.lost_throws,
        )

    def _state_after(self, seat_state: SeatState, free: int) -> SpexxxState:
        """Return the position with the next seat. A round is one turn of every seat; its number stays when the game ends."""
        seats = (*self.seats[: self.thrower], seat_state, *self.seats[self.thrower + 1 :])
        following = (self.thrower + 1) % len(seats)
        over = not seats[following].left
        return SpexxxState(
            self.ruleset,
            self.round + (following == 0 and not over),
            following,
            seats,
            free,
            seats[following].lost_throws,
        )

    def chance_outcome(self, luck: Luck) -> int:
        """Throw all dice that were not kept. SP-2: every face is equally likely.

        A throw uses one random word. Read as a fraction between 0 and 1, its first digits in base six are the faces. So
        a throw of fewer dice shows the same faces as the first dice of a throw of more dice.
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
        """Draw the board with the numbers of players, from 1, for cubes; then list the players and the dice.

        Free squares have the marks of their zones.
        """
        ruleset = self.ruleset
        characters = list(ruleset.marks.replace(".", " "))
        for number, seat in enumerate(self.seats, 1):
            for place in iter_cells(seat.cubes):
                characters[place] = str(number)
        lines = []
        for row in reversed(range(ruleset.rows)):
            squares = "".join(characters[row * ruleset.columns : (row + 1) * ruleset.columns])
            lines.append(f"{row // 6 + 1}x{row % 6 + 1} {row + 1:>2} {squares}".rstrip())
        lines.append("       " + "abcdefghijklmnopqrstuvwx"[: ruleset.columns])
        for number, seat in enumerate(self.seats, 1):
            lines.append(
                f"player {number}: {format_count(seat.score, 'point')}, {format_count(seat.left, 'cube')} left"
            )
        if self.throws:
            suffix = "" if self.dice >= FIRST_THROW else " kept"
            lines.append(f"throw {self.throws} of {ruleset.options.throws}: {format_hand(self.dice)}{suffix}")
        return "\n".join(lines)


def describe_needed_dice(ruleset: SpexxxRuleset, place: int) -> str:
    """Return which dice a square needs: a sequence (SP-6), or those of its column and its row (SP-5)."""
    mark = ruleset.marks[place]
    if mark in METALS:
        return f"{METALS[mark]} dice in sequence"
    needed: dict[int, int] = {}
    for count, face in ruleset.required_dice(place):
        needed[face] = max(count, needed.get(face, 0))
    return " and ".join(f"{count} \N{MULTIPLICATION SIGN} {face}" for face, count in needed.items())


def start_state(ruleset: SpexxxRuleset) -> SpexxxState:
    """Return the first position. SP-1: the board is empty, and every seat has all its cubes."""
    return SpexxxState(ruleset, 0, 0, (SeatState(ruleset.cubes),) * ruleset.players, ruleset.squares)


class ScoredLine(NamedTuple):
    """A line of three or more cubes (a *Spexxx*, SP-8) through a placed cube."""

    cells: tuple[int, ...]
    """The cells of all its squares, ascending."""
    points: int
    """Points of the cubes that are new to the line, without the bonus. SP-9, SP-10"""
    bonus: int
    """Number of bonuses that the line earns by this cube. SP-11"""
    taken_up: int
    """Number of earlier lines of three or more that it continues: 0, 1 or 2."""


class Gain(NamedTuple):
    """The lines and the block that a placed cube scores."""

    lines: tuple[ScoredLine, ...] = ()
    block: int = 0
    """SP-12: set of the squares of the block that scores, or 0."""

    @property
    def line_points(self) -> int:
        return sum(line.points for line in self.lines)

    @property
    def bonus(self) -> int:
        return sum(line.bonus for line in self.lines)

    def points(self, ruleset: SpexxxRuleset) -> int:
        """Return all points of the cube. SP-9, SP-11, SP-12."""
        options = ruleset.options
        return self.line_points + options.line_bonus * self.bonus + (options.block_bonus if self.block else 0)


NO_GAIN = Gain()


def cube_gain(ruleset: SpexxxRuleset, cubes: int, counted: int, place: int) -> Gain:
    """Return what a seat gains by a cube on the cell `place`. SP-9: the cube scores in each of the four directions.

    `cubes`: the set of squares with its cubes so far; `counted`: the set of squares of its blocks that have scored.
    """
    lines = []
    for before, after in ruleset.rays[place]:
        left, right = _run_length(before, cubes), _run_length(after, cubes)
        if left + 1 + right >= 3:
            lines.append(_score_line(ruleset.points, place, before[:left], after[:right]))
    if not lines:
        return NO_GAIN  # without a line there is no block
    cubes |= 1 << place
    for block in ruleset.blocks[place]:  # SP-12: if several are possible, the first
        if not block & ~cubes and not block & counted:
            return Gain(tuple(lines), block)
    return Gain(tuple(lines))


def _run_length(ray: Ray, cubes: int) -> int:
    """Return the number of cubes on a ray before the first square without one."""
    length = 0
    for place in ray:
        if not cubes >> place & 1:
            break
        length += 1
    return length


def _score_line(points: tuple[int, ...], place: int, before: Ray, after: Ray) -> ScoredLine:
    """Return a line of three or more; `before` and `after` are the squares with cubes on either side of the placed cube."""
    scored = points[place]
    taken_up = 0
    for side in (before, after):
        if len(side) < 3:
            # SP-10: these cubes were not yet in a line of this direction
            scored += sum(points[square] for square in side)
        else:
            taken_up += 1
    length, left, right = len(before) + 1 + len(after), len(before), len(after)
    bonus = length // 5 - max(left // 5, right // 5)  # SP-11
    return ScoredLine((*reversed(before), place, *after), scored, bonus, taken_up)
