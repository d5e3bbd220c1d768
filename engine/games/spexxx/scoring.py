"""What one placed cube scores: clauses SP-8 to SP-12.

Sets of squares are integers with one bit a cell, as everywhere in this game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.games.spexxx.ruleset import Ray, SpexxxRuleset


class ScoredLine(NamedTuple):
    """A Spexxx through a placed cube."""

    cells: tuple[int, ...]
    """All its squares, ascending."""
    points: int
    """What the cubes new to it score, without the bonus."""
    bonus: int
    """SP-11: how many bonuses it earns by this cube."""
    taken_up: int
    """How many Spexxx there were that it continues: 0, 1 or 2."""


class Gain(NamedTuple):
    """What a placed cube brings."""

    lines: tuple[ScoredLine, ...] = ()
    block: int = 0
    """SP-12: the squares of the block that counts, or 0."""

    @property
    def line_points(self) -> int:
        return sum(line.points for line in self.lines)

    @property
    def bonus(self) -> int:
        return sum(line.bonus for line in self.lines)

    def points(self, ruleset: SpexxxRuleset) -> int:
        """Everything together: SP-9, SP-11, SP-12."""
        options = ruleset.options
        return self.line_points + options.line_bonus * self.bonus + (options.block_bonus if self.block else 0)


NO_GAIN = Gain()


def cube_gain(ruleset: SpexxxRuleset, cubes: int, counted: int, place: int) -> Gain:
    """Return what a seat with these cubes gains by one more; `counted` are the squares of its blocks so far.

    SP-9: the cube scores in each of the four directions by itself.
    """
    lines = []
    for before, after in ruleset.rays[place]:
        left, right = _run_length(before, cubes), _run_length(after, cubes)
        if left + 1 + right >= 3:
            lines.append(_score_line(ruleset.points, place, before[:left], after[:right]))
    if not lines:
        return NO_GAIN  # a block has lines too
    cubes |= 1 << place
    for block in ruleset.blocks[place]:  # SP-12: of several, the first
        if not block & ~cubes and not block & counted:
            return Gain(tuple(lines), block)
    return Gain(tuple(lines))


def _run_length(ray: Ray, cubes: int) -> int:
    """Count the cubes from a square outwards without a break."""
    length = 0
    for place in ray:
        if not cubes >> place & 1:
            break
        length += 1
    return length


def _score_line(points: tuple[int, ...], place: int, before: Ray, after: Ray) -> ScoredLine:
    """Score a line of three or more, of which the squares before and after the placed cube had cubes already."""
    scored = points[place]
    taken_up = 0
    for side in (before, after):
        if len(side) < 3:
            scored += sum(
                points[square] for square in side
            )  # SP-10: these were in no Spexxx of this direction
        else:
            taken_up += 1
    length, left, right = len(before) + 1 + len(after), len(before), len(after)
    bonus = length // 5 - max(left // 5, right // 5)  # SP-11
    return ScoredLine((*reversed(before), place, *after), scored, bonus, taken_up)
