"""The points of one placed cube: clauses SP-8 to SP-12.

Sets of squares are integers with one bit per cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.games.spexxx.ruleset import Ray, SpexxxRuleset


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
